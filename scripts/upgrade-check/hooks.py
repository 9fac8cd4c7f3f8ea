"""A receiver of webhooks that verifies every message with the endpoint's secret (Standard Webhooks)."""

import base64
import hmac
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from threading import Thread

from deployment import CheckError, expect

TIMEOUT = 30


class Receiver:
    """Receives the messages of one endpoint, and echoes challenges."""

    def __init__(self):
        messages = self.messages = Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                challenge = json.loads(body)["data"].get("challenge", "").encode()
                self.send_response(200)
                self.send_header("content-length", str(len(challenge)))
                self.end_headers()
                self.wfile.write(challenge)
                messages.put((body, self.headers))

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A server that stops closes its connections, and sends the message again later.
        self.server.handle_error = lambda *_: None
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"

    def receive(self, kind, secret):
        """Waits for a message of this type, and returns its data."""
        while True:
            try:
                body, headers = self.messages.get(timeout=TIMEOUT)
            except Empty:
                raise CheckError(f"no webhook of type {kind} within {TIMEOUT} s") from None
            signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
            key = base64.b64decode(secret.removeprefix("whsec_"))
            expect("the signature of a webhook", f"v1,{base64.b64encode(hmac.digest(key, signed, 'sha256')).decode()}" in headers["webhook-signature"].split())
            message = json.loads(body)
            if message["type"] == kind:
                return message["data"]
