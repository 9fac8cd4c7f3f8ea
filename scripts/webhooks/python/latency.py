"""Changes the profiles of many people, and measures the time until the receiver is notified."""

import json
import os
import subprocess
import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median, quantiles
from threading import Event, Thread, local
from urllib.parse import urlsplit

people = int(os.environ["PEOPLE"])
base = urlsplit(os.environ["BASE_URL"]).netloc
arrived, confirmed = {}, Event()
connections = local()

# Grants for everyone with made-up token hashes, because the app never uses the tokens.
GRANTS = """
INSERT INTO refresh_token (token_hash, user_id) SELECT sha256(id::text::bytea), id FROM account;
INSERT INTO access_grant (id, client_id, user_id, scopes, refresh_token_hash, created_at)
SELECT gen_random_uuid(), '{client}', id, 'profile', sha256(id::text::bytea), now() FROM account;
"""


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        now = time.monotonic()
        event = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = event["data"].get("challenge", "").encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        if event["type"] == "records.changed":
            arrived.setdefault(event["data"]["user_id"], now)
        else:
            confirmed.set()

    def log_message(self, *_):
        pass


def send(method, path, body, headers):
    if not hasattr(connections, "open"):
        connections.open = HTTPConnection(base)
    connections.open.request(method, path, body, headers)
    response = connections.open.getresponse()
    answer = json.loads(response.read())
    assert response.status == 200, answer
    return answer


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.request_queue_size = 128
    Thread(target=server.serve_forever, daemon=True).start()
    basic = b64encode(f"{os.environ['SERVICE_ID']}:{os.environ['SERVICE_SECRET']}".encode()).decode()
    form = {"authorization": f"Basic {basic}", "content-type": "application/x-www-form-urlencoded"}
    token = send("POST", "/api/token", "grant_type=client_credentials", form)["access_token"]
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    users = [{"email": f"person-{number}@example.org", "home_timezone": "UTC"} for number in range(people)]
    results = send("POST", "/api/v1/users", json.dumps(users), headers)["results"]
    client = os.environ["CLIENT_ID"]
    sql = GRANTS.format(client=client)
    subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", os.environ["DATABASE"], "-c", sql], check=True)
    url = f"http://127.0.0.1:{server.server_port}/hooks"
    create = [os.environ["RESTWELL_BIN"], "webhook", "create", "--client", client, "--url", url, "--json"]
    subprocess.run(create, check=True, capture_output=True)
    assert confirmed.wait(30), "no challenge was received"

    def change(user_id):
        send("PUT", f"/api/v1/profile/{user_id}", '{"height_cm": 171}', headers)
        return user_id, time.monotonic()

    with ThreadPoolExecutor(8) as pool:
        began = time.monotonic()
        committed = dict(pool.map(change, [result["id"] for result in results]))
        changed = time.monotonic() - began
    deadline = time.monotonic() + 120
    while len(arrived) < people and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(arrived) == people, f"{len(arrived)} of {people} arrived"
    waits = sorted(1000 * (arrived[user_id] - at) for user_id, at in committed.items())
    everything = max(arrived.values()) - began
    figures = {"people": people, "changed_within_s": changed, "notified_within_s": everything}
    figures |= {"median_ms": median(waits), "p99_ms": quantiles(waits, n=100)[98], "max_ms": waits[-1]}
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))


main()
