"""A full disk under the embedded store: reads continue, writes are refused, and no acknowledged write is lost."""

import asyncio
import json
import os
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from ledger import Ledger
from processes import HERE, Impossible, Replica
from result import Result

# Small enough to be filled at once.
SIZE = 16 * 1024 * 1024
WRITES = 200
SESSIONS_A_WRITE = 50


class Embedded:
    """A server with the embedded store on a separate disk."""

    def __init__(self, binary, folder):
        self.binary, self.disk = binary, folder / "disk"
        self.disk.mkdir(mode=0o700)
        self.ballast = self.disk / "ballast"
        base = {name: value for name, value in os.environ.items() if not name.startswith("RESTWELL_")}
        self.environment = {**base, "RESTWELL__STORAGE__DATA_DIR": str(self.disk), "RESTWELL__RATE_LIMITS__INGEST": "1000000"}
        self.replica = Replica(binary, "embedded", folder, self.environment)

    def is_mounted(self):
        """Creates the disk; needs root and a kernel that allows it."""
        return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "tmpfs", str(self.disk)], capture_output=True, check=False).returncode == 0

    def unmount(self):
        subprocess.run(["umount", str(self.disk)], check=False)

    def run(self, *arguments):
        done = subprocess.run([self.binary, *arguments], env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Impossible(f"restwell {' '.join(arguments[:2])}: {done.stderr}")
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    def fill(self):
        with self.ballast.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(65536)):
                    pass
            except OSError:
                pass

    def ask(self, method, path, token=None, body=None, content_type="application/json"):
        request = urllib.request.Request(f"http://{HERE}:{self.replica.port}{path}", body, method=method)
        request.add_header("Content-Type", content_type)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")
        except OSError as error:
            return 0, str(error)


def nights(batch):
    """Returns the items of one request, each night on a different day."""
    first = batch * SESSIONS_A_WRITE
    return json.dumps([
        {"external_id": f"night-{day}", "source": "ring", "time_in_bed_start": f"{1971 + day // 336}-{1 + day // 28 % 12:02}-{1 + day % 28:02}T00:30:00Z",
         "time_in_bed_end": f"{1971 + day // 336}-{1 + day // 28 % 12:02}-{1 + day % 28:02}T07:30:00Z"}
        for day in range(first, first + SESSIONS_A_WRITE)
    ]).encode()


class Writer:
    """A backend that writes, with its results."""

    def __init__(self, embedded, ledger, user_id, token):
        self.embedded, self.ledger, self.user_id, self.token = embedded, ledger, user_id, token

    def write(self, batch):
        begun = self.ledger.begin("ingest")
        status, answer = self.embedded.ask("POST", f"/api/v1/sleep/{self.user_id}", self.token, nights(batch))
        self.ledger.end(begun)
        if status == 200:
            for result in answer["results"]:
                if result["status"] in ("created", "unchanged"):
                    self.ledger.acknowledge(self.user_id, result["id"])
                else:
                    self.ledger.mistake("ingest", str(result))
        else:
            self.ledger.fail("ingest", str(status))
        return status

    def read(self, path, token):
        begun = self.ledger.begin("read")
        status, answer = self.embedded.ask("GET", path, token)
        self.ledger.end(begun)
        if status != 200:
            self.ledger.mistake("read", f"{status}: {str(answer)[:200]}")
        return answer


def connected(embedded, user_id):
    """Returns an access token for the person's sleep."""
    uri = "https://night-reader.example/callback"
    app = embedded.run("client", "create", "--name", "Night reader", "--redirect-uri", uri, "--scope", "sleep", "--json")
    code = embedded.run("code", "create", "--client", app["client_id"], "--user", user_id, "--redirect-uri", uri, "--scope", "sleep", "--json")["code"]
    fields = {"client_id": app["client_id"], "client_secret": app["client_secret"], "code": code, "redirect_uri": uri}
    return token_of(embedded, fields)


def token_of(embedded, fields):
    status, answer = embedded.ask("POST", "/api/token", None, urllib.parse.urlencode(fields).encode(), "application/x-www-form-urlencoded")
    if status != 200:
        raise Impossible(f"no token: {status}")
    return answer["access_token"]


def expect_readiness(embedded, ledger, expected):
    """Waits until /readyz returns 200 with the given state of writes."""
    begun = time.monotonic()
    while True:
        status, answer = embedded.ask("GET", "/readyz")
        if status == 200 and answer["status"] == expected:
            return
        if time.monotonic() - begun > 10:
            ledger.mistake("readiness", f"not {expected} after 10 s: {status}: {str(answer)[:200]}")
            return
        time.sleep(0.1)


def fill_and_free(embedded, ledger):
    """Writes until the disk is full, then frees it; returns the time until the first accepted write."""
    user_id = embedded.run("user", "create", "--email", "ada@example.org", "--timezone", "Europe/Berlin", "--no-password", "--json")["user_id"]
    service = embedded.run("client", "create", "--service", "--name", "Backend", "--scope", "sleep:write", "--json")
    writer = Writer(embedded, ledger, user_id, token_of(embedded, {"grant_type": "client_credentials", **service}))
    reader = connected(embedded, user_id)
    if writer.write(0) != 200:
        raise Impossible("the first write failed")
    embedded.fill()
    refused = [batch for batch in range(1, WRITES) if writer.write(batch) != 200][:5]
    if not refused:
        raise Impossible("the disk did not get full")
    writer.read(f"/api/v1/sleep/{user_id}?pageSize=30", reader)
    expect_readiness(embedded, ledger, "read_only")
    embedded.ballast.unlink()
    freed = time.monotonic()
    while writer.write(refused[0]) != 200:
        if time.monotonic() - freed > 20:
            ledger.mistake("ingest", "no write is taken 20 s after the disk was freed")
            break
    seconds = time.monotonic() - freed
    expect_readiness(embedded, ledger, "ok")
    # Every acknowledged write must be in the export.
    lines = [json.loads(line) for line in embedded.run("export", "--user", user_id).splitlines()]
    stored = {line["id"] for line in lines if line["type"] == "sleep_session"}
    return seconds, len(ledger.acknowledged.get(user_id, set()) - stored)


async def disk_full(binary, folder):
    """Runs the fault; returns its result, or None if no disk can be created."""
    embedded, ledger = Embedded(binary, folder), Ledger()
    if not embedded.is_mounted():
        print("SKIPPED: disk full: no small file system can be mounted here")
        return None
    try:
        await asyncio.to_thread(embedded.run, "migrate")
        embedded.replica.start()
        await embedded.replica.ready()
        seconds, missing = await asyncio.to_thread(fill_and_free, embedded, ledger)
    finally:
        # Not in a thread, so that stopping the run cannot interrupt it.
        if embedded.replica.process is not None:
            embedded.replica.process.end()
        embedded.unmount()
    return Result("disk full, embedded store", ledger, seconds, missing, [])
