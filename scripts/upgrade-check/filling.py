"""Fills a store through the interfaces of a program: commands, the API of backends, and the pages."""

import base64
import hashlib
import json
import secrets
import time
from urllib.parse import parse_qs, urlencode, urlsplit

from deployment import expect
from person import Person

EMAIL, PASSWORD = "sam@example.org", "vier graue Gänse schlafen im Gras"
REDIRECT_URI = "https://night-reader.example/callback"
SCOPES = ["profile", "sleep", "supplements"]
SUPPLEMENTS = 3
IMPORT_TIMEOUT = 30


class Account:
    """A person with two apps, a backend and a webhook endpoint, and another person for whom the backend writes."""

    def __init__(self, deployment, receiver):
        self.deployment, self.receiver = deployment, receiver
        self.person = Person(deployment.url, EMAIL, PASSWORD)

    def register(self, binary):
        """Creates the person, the apps and the backend with commands."""
        create = ("user", "create", "--email", EMAIL, "--timezone", "Europe/Berlin", "--password-stdin", "--json")
        created = self.deployment.try_run(binary, *create, text=f"{PASSWORD}\n")
        expect(f"user create: {created.stderr}", created.returncode, 0)
        self.user_id = json.loads(created.stdout)["user_id"]
        scopes = [argument for scope in SCOPES for argument in ("--scope", scope)]
        self.app = self.create_client(binary, "Night reader", "--redirect-uri", REDIRECT_URI, *scopes)
        self.other_app = self.create_client(binary, "Other reader", "--redirect-uri", REDIRECT_URI, "--scope", "sleep")
        self.public_app = self.create_client(binary, "Command line", "--public", "--redirect-uri", REDIRECT_URI, "--scope", "sleep")
        writes = [argument for kind in ("users", "profile", "sleep", "supplements") for argument in ("--scope", f"{kind}:write")]
        self.backend = self.create_client(binary, "Backend", "--service", *writes)
        endpoint = self.deployment.run(binary, "webhook", "create", "--client", self.app["client_id"], "--url", self.receiver.url, "--json")
        self.webhook_secret = endpoint["secret"]

    def create_client(self, binary, name, *options):
        return self.deployment.run(binary, "client", "create", "--name", name, *options, "--json")

    def request_token(self, base, **fields):
        """Requests tokens from a server."""
        return self.deployment.send("POST", f"{base}/api/token", data=fields).json()

    def backend_token(self, base):
        return self.request_token(base, grant_type="client_credentials", **self.backend)["access_token"]

    def write(self, base, path, items, **headers):
        """Sends items as the backend, each of which must be accepted; returns the response."""
        response = self.deployment.send("POST", f"{base}/api/v1/{path}", token=self.backend_token(base), json=items, headers=headers).json()
        expect(f"rejected items at {path}: {response}", response["rejected"], 0)
        return response

    def write_records(self, base):
        """Writes another person, the profile, supplements and their intake as the backend."""
        other = self.write(base, "users", {"email": "ada@example.org", "home_timezone": "Asia/Tokyo"})
        self.other_user_id = other["results"][0]["id"]
        profile = {"birth_date": "1990-05-17", "height_cm": 172, "weight_kg": 64.5, "blood_type": "O+"}
        self.deployment.send("PUT", f"{base}/api/v1/profile/{self.user_id}", token=self.backend_token(base), json=profile)
        magnesium = {"ingredient_name": "Magnesium", "quantity": 200, "unit": "mg"}
        labels = [{"brand": "Harbour Health", "name": f"Magnesium {number}", "supplement_ingredient": [magnesium]} for number in range(SUPPLEMENTS)]
        supplements = [result["id"] for result in self.write(base, "supplements", labels)["results"]]
        logs = [{"created_at": f"2026-01-{day:02}T22:00:00Z", "supplement_id": supplements[day % SUPPLEMENTS], "servings": 2} for day in range(1, 10)]
        self.write(base, f"supplements/{self.user_id}/logs", logs)

    def consent(self, app, scopes, **parameters):
        """Connects an app on the pages; returns the code."""
        query = {"response_type": "code", "client_id": app["client_id"], "redirect_uri": REDIRECT_URI, "scope": " ".join(scopes), "state": "s", **parameters}
        callback = self.person.authorize(f"{self.deployment.url}/authorize?{urlencode(query)}", REDIRECT_URI, scopes)
        return parse_qs(urlsplit(callback).query)["code"][0]

    def connect_on_pages(self, base):
        """Connects both apps, then turns on the second factor and signs in with it."""
        self.tokens = self.redeem(base, self.app, self.consent(self.app, SCOPES))
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        code = self.consent(self.public_app, ["sleep"], code_challenge=challenge, code_challenge_method="S256")
        self.public_tokens = self.redeem(base, self.public_app, code, code_verifier=verifier)
        self.person.turn_on_second_factor()

    def redeem(self, base, app, code, **fields):
        return self.request_token(base, grant_type="authorization_code", code=code, redirect_uri=REDIRECT_URI, **app, **fields)

    def refresh(self, base, app, tokens):
        """Refreshes at a server; returns the response."""
        return self.request_token(base, grant_type="refresh_token", refresh_token=tokens["refresh_token"], **app)

    def create_code(self, binary, app, scope):
        """Creates a code for an app by a command."""
        command = ("code", "create", "--client", app["client_id"], "--user", self.user_id, "--redirect-uri", REDIRECT_URI)
        return self.deployment.run(binary, *command, "--scope", scope, "--ttl", "10m", "--json")["code"]

    def create_personal_token(self, binary):
        command = ("token", "create", "--user", self.user_id, "--scope", "sleep", "--name", "Notebook", "--json")
        return self.deployment.run(binary, *command)["token"]

    def import_file(self, binary, file):
        self.deployment.run(binary, "import", "--user", self.user_id, str(file))

    def upload(self, binary, file):
        """Uploads a file on the pages, and returns its import once it has ended."""
        self.person.upload(file.name, file.read_bytes())
        deadline = time.monotonic() + IMPORT_TIMEOUT
        while True:
            latest = self.deployment.list(binary, "import", "list", "--user", self.user_id)[0]
            if latest["state"] == "done" or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        expect(f"the state of an upload: {latest}", latest["state"], "done")
        return latest

    def read_cursor(self, base):
        """Stores a cursor in the middle of the changes."""
        url = f"{base}/api/v1/changes/{self.user_id}?limit=10"
        self.cursor = self.deployment.send("GET", url, token=self.tokens["access_token"]).json()["cursor"]


def fill(deployment, binary, receiver, folder):
    """Fills a migrated store with a running server; returns the account."""
    base, account = deployment.url, Account(deployment, receiver)
    account.register(binary)
    receiver.receive("endpoint.challenge", account.webhook_secret)
    account.import_file(binary, folder / "nights.ndjson")
    account.write_records(base)
    account.person.sign_in()
    account.connect_on_pages(base)
    account.upload(binary, folder / "first-upload.ndjson")
    receiver.receive("records.changed", account.webhook_secret)
    account.personal_token = account.create_personal_token(binary)
    account.pending_code = account.create_code(binary, account.other_app, "sleep")
    account.read_cursor(base)
    return account
