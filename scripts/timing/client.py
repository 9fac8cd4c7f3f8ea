"""Sends requests over a persistent connection, as an app or as a browser with a form."""

import http.client
import json
import os
import re
import subprocess
import time
from urllib.parse import urlencode

TIMEOUT = 30
FORM = "application/x-www-form-urlencoded"
REDIRECT_URI = "https://night-reader.example/callback"
PASSWORD = "vier graue Gänse schlafen im Gras"


class Response:
    """A response, with the time from the first byte sent to the last byte received."""

    def __init__(self, status, headers, body, seconds):
        self.status, self.headers, self.body, self.seconds = status, headers, body, seconds

    def expect(self, *statuses):
        assert self.status in statuses, f"{self.status}: {self.body[:300]!r}"
        return self


class Client:
    """A connection to a server; reopened if the server closes it."""

    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=TIMEOUT)

    def send(self, method, path, headers=None, body=None):
        started = time.perf_counter()
        self.connection.request(method, path, body, headers or {})
        response = self.connection.getresponse()
        content = response.read()
        return Response(response.status, response.headers, content, time.perf_counter() - started)

    def post(self, path, fields, cookie=None):
        headers = {"Content-Type": FORM} | ({"Cookie": cookie} if cookie else {})
        return self.send("POST", path, headers, urlencode(fields).encode())

    def read_profile(self, user_id, token):
        return self.send("GET", f"/api/v1/profile/{user_id}", {"Authorization": f"Bearer {token}"})


class FormSession:
    """A browser with a form that can be submitted repeatedly."""

    def __init__(self, client, path, cookie=""):
        self.client = client
        page = client.send("GET", path, {"Cookie": cookie} if cookie else None).expect(200)
        self.cookie = cookie or first_cookie(page)
        self.token = re.search(rb'name="form_token" value="([^"]+)"', page.body).group(1).decode()

    def submit(self, path, **fields):
        return self.client.post(path, {"form_token": self.token, **fields}, self.cookie)

    def raw_request(self, path, **fields):
        """Returns the request as bytes; the server closes the connection after its response."""
        body = urlencode({"form_token": self.token, **fields})
        host = self.client.connection.host
        return (
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {self.cookie}\r\nContent-Type: {FORM}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"
        ).encode()


def first_cookie(response):
    return response.headers["Set-Cookie"].split(";")[0]


def sign_in(client, email):
    """Signs a person in; returns the session cookie."""
    response = FormSession(client, "/sign-in").submit("/sign-in", email=email, password=PASSWORD).expect(303)
    return next(cookie.split(";")[0] for cookie in response.headers.get_all("Set-Cookie") if cookie.startswith("restwell_session="))


def restwell(*arguments, stdin="", settings=None):
    """Runs a command of the program; returns its output, parsed if it is JSON."""
    command = [os.environ["RESTWELL_BIN"], *arguments]
    environment = os.environ | (settings or {})
    process = subprocess.run(command, input=stdin, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, f"{arguments[:2]}: {process.stderr}"
    return json.loads(process.stdout) if "--json" in arguments else process.stdout


def create_person(email, has_password=True, settings=None):
    """Creates a person; returns their id."""
    option = "--password-stdin" if has_password else "--no-password"
    command = ["user", "create", "--email", email, "--timezone", "Europe/Berlin", "--json", option]
    return restwell(*command, stdin=f"{PASSWORD}\n" if has_password else "", settings=settings)["user_id"]


class App:
    """A registered app that reads one person's profile."""

    def __init__(self, name, user_id):
        created = restwell("client", "create", "--name", name, "--redirect-uri", REDIRECT_URI, "--scope", "profile", "--json")
        self.user_id = user_id
        self.client_id = created["client_id"]
        self.credentials = {"client_id": created["client_id"], "client_secret": created["client_secret"]}

    def connect(self, client):
        """Creates a grant; returns its access and refresh token."""
        code = restwell(
            "code", "create", "--client", self.client_id, "--user", self.user_id,
            "--redirect-uri", REDIRECT_URI, "--scope", "profile", "--json",
        )["code"]
        fields = {"code": code, "redirect_uri": REDIRECT_URI, **self.credentials}
        tokens = json.loads(client.post("/api/token", fields).expect(200).body)
        return tokens["access_token"], tokens["refresh_token"]
