"""Sends requests over a kept connection, as an app or as a browser with a form."""

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


class Reply:
    """An answer, with the time from the first byte sent to the last received."""

    def __init__(self, status, headers, body, seconds):
        self.status, self.headers, self.body, self.seconds = status, headers, body, seconds

    def expect(self, *statuses):
        assert self.status in statuses, f"{self.status}: {self.body[:300]!r}"
        return self


class Caller:
    """A connection to a server; reopened if the server closes it."""

    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=TIMEOUT)

    def send(self, method, path, headers=None, body=None):
        begun = time.perf_counter()
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        content = answer.read()
        return Reply(answer.status, answer.headers, content, time.perf_counter() - begun)

    def post(self, path, fields, cookie=None):
        headers = {"Content-Type": FORM} | ({"Cookie": cookie} if cookie else {})
        return self.send("POST", path, headers, urlencode(fields).encode())

    def read_profile(self, user_id, token):
        return self.send("GET", f"/api/v1/profile/{user_id}", {"Authorization": f"Bearer {token}"})


class Visit:
    """A browser with a form that can be sent repeatedly."""

    def __init__(self, caller, path, cookie=""):
        self.caller = caller
        page = caller.send("GET", path, {"Cookie": cookie} if cookie else None).expect(200)
        self.cookie = cookie or cookie_of(page)
        self.token = re.search(rb'name="form_token" value="([^"]+)"', page.body).group(1).decode()

    def submit(self, path, **fields):
        return self.caller.post(path, {"form_token": self.token, **fields}, self.cookie)

    def written(self, path, **fields):
        """Returns the request as bytes, for a connection that ends with the answer."""
        body = urlencode({"form_token": self.token, **fields})
        host = self.caller.connection.host
        return (
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {self.cookie}\r\nContent-Type: {FORM}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"
        ).encode()


def cookie_of(reply):
    """Returns the cookie of an answer."""
    return reply.headers["Set-Cookie"].split(";")[0]


def sign_in(caller, email):
    """Signs a person in; returns the session cookie."""
    sent = Visit(caller, "/sign-in").submit("/sign-in", email=email, password=PASSWORD).expect(303)
    return next(c.split(";")[0] for c in sent.headers.get_all("Set-Cookie") if c.startswith("restwell_session="))


def restwell(*arguments, typed="", settings=None):
    """Runs a command of the program; returns its output, parsed if it is JSON."""
    command = [os.environ["RESTWELL_BIN"], *arguments]
    environment = os.environ | (settings or {})
    done = subprocess.run(command, input=typed, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments[:2]}: {done.stderr}"
    return json.loads(done.stdout) if "--json" in arguments else done.stdout


def create_person(email, has_password=True, settings=None):
    """Creates a person; returns their id."""
    how = "--password-stdin" if has_password else "--no-password"
    command = ["user", "create", "--email", email, "--timezone", "Europe/Berlin", "--json", how]
    return restwell(*command, typed=f"{PASSWORD}\n" if has_password else "", settings=settings)["user_id"]


class App:
    """A registered app that reads one person's profile."""

    def __init__(self, name, user_id):
        made = restwell("client", "create", "--name", name, "--redirect-uri", REDIRECT_URI, "--scope", "profile", "--json")
        self.user_id = user_id
        self.client_id = made["client_id"]
        self.credentials = {"client_id": made["client_id"], "client_secret": made["client_secret"]}

    def connect(self, caller):
        """Creates a grant; returns its access and refresh token."""
        code = restwell(
            "code", "create", "--client", self.client_id, "--user", self.user_id,
            "--redirect-uri", REDIRECT_URI, "--scope", "profile", "--json",
        )["code"]
        fields = {"code": code, "redirect_uri": REDIRECT_URI, **self.credentials}
        tokens = json.loads(caller.post("/api/token", fields).expect(200).body)
        return tokens["access_token"], tokens["refresh_token"]
