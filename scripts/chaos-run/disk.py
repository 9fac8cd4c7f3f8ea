"""A full disk under the embedded store: reads continue, writes are refused, and no acknowledged write is lost."""

import asyncio
import json
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from processes import Replica, SetupError, run_restwell, without_settings
from request_log import RequestLog
from result import Result

# Small enough to be filled at once.
SIZE = 16 * 1024 * 1024
WRITES = 200
SESSIONS_PER_WRITE = 50


class Embedded:
    """A server with the embedded store on a separate disk."""

    def __init__(self, binary, folder):
        self.binary, self.disk = binary, folder / "disk"
        self.disk.mkdir(mode=0o700)
        self.ballast = self.disk / "ballast"
        settings = {"RESTWELL__STORAGE__DATA_DIR": str(self.disk), "RESTWELL__RATE_LIMITS__INGEST": "1000000"}
        self.variables = {**without_settings(), **settings}
        self.replica = Replica(binary, "embedded", folder, self.variables)

    def mount(self):
        """Mounts the disk; returns False without root or on a kernel that does not allow it."""
        command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "tmpfs", str(self.disk)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def unmount(self):
        subprocess.run(["umount", str(self.disk)], check=False)

    def run(self, *arguments):
        return run_restwell(self.binary, self.variables, *arguments)

    def fill(self):
        with self.ballast.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(65536)):
                    pass
            except OSError:
                pass

    def send(self, method, path, token=None, body=None, content_type="application/json"):
        request = urllib.request.Request(self.replica.url() + path, body, method=method)
        request.add_header("Content-Type", content_type)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")
        except OSError as error:
            return 0, str(error)


def nights(batch):
    """Returns the items of one request, each night on a different day."""
    first = batch * SESSIONS_PER_WRITE
    return json.dumps([
        {"external_id": f"night-{day}", "source": "ring", "time_in_bed_start": f"{1971 + day // 336}-{1 + day // 28 % 12:02}-{1 + day % 28:02}T00:30:00Z",
         "time_in_bed_end": f"{1971 + day // 336}-{1 + day // 28 % 12:02}-{1 + day % 28:02}T07:30:00Z"}
        for day in range(first, first + SESSIONS_PER_WRITE)
    ]).encode()


class RecordingClient:
    """Writes and reads one person's sleep, and records the results."""

    def __init__(self, embedded, log, user_id, token):
        self.embedded, self.log, self.user_id, self.token = embedded, log, user_id, token

    def write(self, batch):
        started = self.log.begin("ingest")
        status, response = self.embedded.send("POST", f"/api/v1/sleep/{self.user_id}", self.token, nights(batch))
        self.log.end(started)
        if status == 200:
            for result in response["results"]:
                if result["status"] in ("created", "unchanged"):
                    self.log.acknowledge(self.user_id, result["id"])
                else:
                    self.log.record_wrong("ingest", str(result))
        else:
            self.log.record_failure("ingest", str(status))
        return status

    def read(self, path, token):
        started = self.log.begin("read")
        status, response = self.embedded.send("GET", path, token)
        self.log.end(started)
        if status != 200:
            self.log.record_wrong("read", f"{status}: {str(response)[:200]}")
        return response


def app_token(embedded, user_id):
    """Returns an access token for the person's sleep."""
    uri = "https://night-reader.example/callback"
    app = embedded.run("client", "create", "--name", "Night reader", "--redirect-uri", uri, "--scope", "sleep", "--json")
    code = embedded.run("code", "create", "--client", app["client_id"], "--user", user_id, "--redirect-uri", uri, "--scope", "sleep", "--json")["code"]
    fields = {"client_id": app["client_id"], "client_secret": app["client_secret"], "code": code, "redirect_uri": uri}
    return request_token(embedded, fields)


def request_token(embedded, fields):
    status, response = embedded.send("POST", "/api/token", None, urllib.parse.urlencode(fields).encode(), "application/x-www-form-urlencoded")
    if status != 200:
        raise SetupError(f"no token: {status}")
    return response["access_token"]


def expect_readiness(embedded, log, expected):
    """Waits until /readyz returns 200 with the given state of writes."""
    started = time.monotonic()
    while True:
        status, response = embedded.send("GET", "/readyz")
        if status == 200 and response["status"] == expected:
            return
        if time.monotonic() - started > 10:
            log.record_wrong("readiness", f"not {expected} after 10 s: {status}: {str(response)[:200]}")
            return
        time.sleep(0.1)


def fill_and_free(embedded, log):
    """Writes until the disk is full, then frees it; returns the time until the first accepted write."""
    user_id = embedded.run("user", "create", "--email", "ada@example.org", "--timezone", "Europe/Berlin", "--no-password", "--json")["user_id"]
    service = embedded.run("client", "create", "--service", "--name", "Backend", "--scope", "sleep:write", "--json")
    client = RecordingClient(embedded, log, user_id, request_token(embedded, {"grant_type": "client_credentials", **service}))
    reader_token = app_token(embedded, user_id)
    if client.write(0) != 200:
        raise SetupError("the first write failed")
    embedded.fill()
    refused = [batch for batch in range(1, WRITES) if client.write(batch) != 200][:5]
    if not refused:
        raise SetupError("the disk did not fill up")
    client.read(f"/api/v1/sleep/{user_id}?pageSize=30", reader_token)
    expect_readiness(embedded, log, "read_only")
    embedded.ballast.unlink()
    freed_at = time.monotonic()
    while client.write(refused[0]) != 200:
        if time.monotonic() - freed_at > 20:
            log.record_wrong("ingest", "no write is accepted 20 s after the disk was freed")
            break
    seconds = time.monotonic() - freed_at
    expect_readiness(embedded, log, "ok")
    # Every acknowledged write must be in the export.
    lines = [json.loads(line) for line in embedded.run("export", "--user", user_id).splitlines()]
    stored = {line["id"] for line in lines if line["type"] == "sleep_session"}
    return seconds, len(log.acknowledged.get(user_id, set()) - stored)


async def disk_full(binary, folder):
    """Runs the fault; returns its result, or None if no disk can be mounted."""
    embedded, log = Embedded(binary, folder), RequestLog()
    if not embedded.mount():
        print("SKIPPED: disk full: no small file system can be mounted here")
        return None
    try:
        await asyncio.to_thread(embedded.run, "migrate")
        embedded.replica.start()
        await embedded.replica.wait_until_ready()
        seconds, missing = await asyncio.to_thread(fill_and_free, embedded, log)
    finally:
        # Not in a thread, so that stopping the run cannot interrupt it.
        if embedded.replica.process is not None:
            embedded.replica.process.end()
        embedded.unmount()
    return Result("disk full, embedded store", log, seconds, missing, [])
