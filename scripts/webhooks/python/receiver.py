"""A webhook receiver that verifies every message with two libraries; prints one line per check."""

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread

import standardwebhooks.webhooks
import svix.webhooks

LIBRARIES = [
    (standardwebhooks.webhooks.Webhook, standardwebhooks.webhooks.WebhookVerificationError),
    (svix.webhooks.Webhook, svix.webhooks.WebhookVerificationError),
]
TIMEOUT = 30
messages = Queue()


class Receiver(BaseHTTPRequestHandler):
    """Echoes challenges, and accepts all other messages."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        event = json.loads(body)
        challenge = event["data"].get("challenge", "").encode()
        self.send_response(200 if challenge else 204)
        self.send_header("content-length", str(len(challenge)))
        self.end_headers()
        self.wfile.write(challenge)
        messages.put((body, {name.lower(): value for name, value in self.headers.items()}))

    def log_message(self, *_):
        pass


def check(what, passed, actual=""):
    """Prints a passed check; exits after a failed one."""
    if not passed:
        print(f"FAIL {what} {actual}", flush=True)
        sys.exit(1)
    print(f"ok   {what}", flush=True)


def restwell(*arguments):
    """Runs a command, and returns its JSON."""
    command = [os.environ["RESTWELL_BIN"], *arguments, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def accepts(library, secret, body, headers):
    webhook, error = library
    try:
        webhook(secret).verify(body, headers)
        return True
    except error:
        return False


def receive(kind, secrets):
    """Waits for a message of this type, and verifies it with each secret and library."""
    body, headers = messages.get(timeout=TIMEOUT)
    event = json.loads(body)
    check(f"{kind} is received", event["type"] == kind, event)
    is_verified = all(accepts(library, secret, body, headers) for library in LIBRARIES for secret in secrets)
    check(f"{kind} is verified by standardwebhooks and svix with {len(secrets)} secret(s)", is_verified, headers)
    return body, headers


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/hooks"
    client, email = os.environ["CLIENT_ID"], os.environ["EMAIL"]
    created = restwell("webhook", "create", "--client", client, "--url", url)
    endpoint, secret = created["endpoint_id"], created["secret"]
    receive("endpoint.challenge", [secret])

    restwell("user", "update", email, "--height-cm", "171")
    body, headers = receive("records.changed", [secret])
    data = json.loads(body)["data"]
    check("a change has the person, kinds and cursor", data["kinds"] == ["profile"] and len(data) == 3, data)
    for library in LIBRARIES:
        check("a modified body is rejected", not accepts(library, secret, body.replace(b"profile", b"sleep"), headers))
        check("another id is rejected", not accepts(library, secret, body, headers | {"webhook-id": "msg_0"}))
        check("an old message is rejected", not accepts(library, secret, body, headers | {"webhook-timestamp": "1"}))

    rotated = restwell("webhook", "rotate", endpoint)["secret"]
    restwell("webhook", "test", endpoint)
    receive("endpoint.test", [secret, rotated])
    restwell("grant", "revoke", "--client", client, "--user", email)
    receive("grant.revoked", [secret, rotated])


main()
