"""Yubico's fido2 as a browser with an authenticator: adds passkeys of each offered algorithm, and signs in with them.

Passkeys need a host name, so the script starts a separate server whose public URL has one.
"""

import os
import re
import subprocess
import tempfile
from urllib.parse import urlsplit

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2.cose import ES256, RS256, EdDSA
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from browser import Forms
from harness import check

ORIGIN = "http://localhost:8080"
PASSWORD = os.environ["PASSWORD"]
FLAG = AuthenticatorData.FLAG


def start_server(folder):
    """Starts a server and returns its process and address."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("RESTWELL__")} | {
        "RESTWELL__STORAGE__DATA_DIR": folder,
        "RESTWELL__SERVER__LISTEN": "127.0.0.1:0",
        "RESTWELL__SERVER__PUBLIC_URL": ORIGIN,
    }
    program = os.environ["RESTWELL_BIN"]
    subprocess.run([program, "migrate"], env=settings, check=True, capture_output=True)
    create = ["user", "create", "--email", "sam@example.org", "--timezone", "Europe/Berlin", "--password-stdin"]
    subprocess.run([program, *create], env=settings, check=True, capture_output=True, input=f"{PASSWORD}\n".encode())
    server = subprocess.Popen([program, "serve"], env=settings, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        match = re.search(r" listening .*address=(\S+)", line)
        if match:
            return server, f"http://{match[1]}"
    raise SystemExit("the server did not start")


class ScriptedBrowser:
    """A browser that sends what the script of the page would send."""

    def __init__(self, base):
        self.base = base
        self.session = requests.Session()
        self.session.trust_env = False

    def form(self, path, action):
        page = self.session.get(self.base + path)
        assert page.status_code == 200, page.status_code
        form = next(form for form in Forms(page.text).forms if form["attributes"]["action"] == action)
        fields = {control["name"]: control.get("value", "") for _, control in form["controls"] if "name" in control}
        return form["attributes"], fields

    def post(self, path, fields):
        return self.session.post(self.base + path, data=fields, allow_redirects=False)

    def request_challenge(self, attributes, fields):
        response = self.post(attributes["data-begin"], {"form_token": fields["form_token"]})
        assert response.status_code == 200, response.status_code
        return response.content

    def sign_in(self, email, password):
        _, fields = self.form("/sign-in", "/sign-in")
        return self.post("/sign-in", fields | {"email": email, "password": password})


class Authenticator:
    """An authenticator with one discoverable credential."""

    def __init__(self, kind):
        self.kind = kind
        self.count = 0
        self.credential_id = os.urandom(32)
        if kind is ES256:
            self.key = ec.generate_private_key(ec.SECP256R1())
        elif kind is EdDSA:
            self.key = ed25519.Ed25519PrivateKey.generate()
        else:
            self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def authenticator_data(self, relying_party, flags, credential=b""):
        self.count += 1
        flags |= FLAG.USER_PRESENT | FLAG.USER_VERIFIED
        return AuthenticatorData.create(sha256(relying_party.encode()), flags, self.count, credential)

    def sign(self, message):
        if self.kind is ES256:
            return self.key.sign(message, ec.ECDSA(hashes.SHA256()))
        if self.kind is EdDSA:
            return self.key.sign(message)
        return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())

    def add_passkey(self, browser, name):
        attributes, fields = browser.form("/account", "/account/passkeys")
        check(f"{name}: the algorithm is offered", str(self.kind.ALGORITHM) in attributes["data-algorithms"].split())
        self.user_handle = websafe_decode(attributes["data-user-handle"])
        client = CollectedClientData.create("webauthn.create", browser.request_challenge(attributes, fields), ORIGIN)
        key = self.kind.from_cryptography_key(self.key.public_key())
        credential = AttestedCredentialData.create(bytes(16), self.credential_id, key)
        data = self.authenticator_data(attributes["data-relying-party"], FLAG.ATTESTED, credential)
        attestation = AttestationObject.create("none", data, {})
        return browser.post("/account/passkeys", fields | {
            "passkey_name": name, "client_data": websafe_encode(client), "attestation_object": websafe_encode(attestation)})

    def sign_in(self, browser, origin=ORIGIN):
        attributes, fields = browser.form("/sign-in", "/sign-in/passkey")
        client = CollectedClientData.create("webauthn.get", browser.request_challenge(attributes, fields), origin)
        data = self.authenticator_data(attributes["data-relying-party"], FLAG(0))
        return browser.post("/sign-in/passkey", fields | {
            "credential_id": websafe_encode(self.credential_id), "user_handle": websafe_encode(self.user_handle),
            "client_data": websafe_encode(client), "authenticator_data": websafe_encode(data),
            "signature": websafe_encode(self.sign(data + client.hash))})


with tempfile.TemporaryDirectory() as folder:
    server, base = start_server(folder)
    try:
        owner = ScriptedBrowser(base)
        check("the user signs in", owner.sign_in("sam@example.org", PASSWORD).status_code == 303)
        for kind in (ES256, EdDSA, RS256):
            name = kind.__name__
            authenticator = Authenticator(kind)
            added = authenticator.add_passkey(owner, name)
            check(f"{name}: added", added.headers.get("Location") == "/account?done=passkey-added", added.status_code)
            browser = ScriptedBrowser(base)
            signed_in = authenticator.sign_in(browser)
            check(f"{name}: signed in", signed_in.status_code == 303 and urlsplit(signed_in.headers["Location"]).path == "/")
            check(f"{name}: the account opens", "sam@example.org" in browser.session.get(f"{base}/account").text)
            phished = authenticator.sign_in(ScriptedBrowser(base), "https://evil.example")
            check(f"{name}: a phished sign-in is rejected", phished.status_code == 422, phished.status_code)
            authenticator.count = 0
            cloned = authenticator.sign_in(ScriptedBrowser(base))
            check(f"{name}: a cloned counter is rejected", cloned.status_code == 422, cloned.status_code)
        duplicate = Authenticator(ES256)
        duplicate.credential_id = authenticator.credential_id
        check("a credential id in use is rejected", duplicate.add_passkey(owner, "again").status_code == 422)
    finally:
        server.kill()
        server.wait()
