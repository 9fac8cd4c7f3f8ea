"""Two programs on one store: commands, servers on two ports, and requests to them."""

import asyncio
import json
import subprocess
from http.client import responses

import requests

from processes import Replica, SetupError, run_restwell, without_settings

TIMEOUT = 20


class CheckError(Exception):
    """A response or a store that is not as expected."""


def expect(what, actual, expected=True):
    if actual != expected:
        raise CheckError(f"{what}: {str(actual)[:400]}, expected {expected}")


def new_session():
    """Returns an HTTP client that ignores the shell's proxies and .netrc."""
    session = requests.Session()
    session.trust_env = False
    return session


class Deployment:
    """The old and the new program with the same settings. The first server has the public URL."""

    def __init__(self, old, new, folder, store, rates):
        self.old, self.new, self.store = old, new, store
        self.variables = {
            **without_settings(),
            "RESTWELL__STORAGE__URL": store,
            "RESTWELL__STORAGE__DATA_DIR": str(folder),
            "RESTWELL__SERVER__DRAIN_SECONDS": "0",
            "RESTWELL__RATE_LIMITS__INGEST": "1000000",
            **({"RESTWELL__RATE_LIMITS__STORE_URL": rates} if rates else {}),
        }
        kind = store.split(":")[0]
        self.first, self.second = (Replica(old, f"{kind}-{name}", folder, self.variables) for name in ("first", "second"))
        self.url = self.first.url()
        self.variables["RESTWELL__SERVER__PUBLIC_URL"] = self.url
        self.http = new_session()

    def run(self, binary, *arguments):
        """Runs a command of a program, and returns its JSON or text."""
        return run_restwell(binary, self.variables, *arguments)

    def list(self, binary, *arguments):
        """Runs a command that prints one JSON object per line."""
        process = self.try_run(binary, *arguments, "--json")
        expect(f"restwell {' '.join(arguments)}: {process.stderr}", process.returncode, 0)
        return [json.loads(line) for line in process.stdout.splitlines()]

    def try_run(self, binary, *arguments, text=None):
        command = [binary, *arguments]
        return subprocess.run(command, env=self.variables, input=text, capture_output=True, text=True, timeout=60, check=False)

    def start(self, replica, binary):
        replica.binary = binary
        replica.start()
        asyncio.run(replica.wait_until_ready())

    def stop(self, replica):
        """Stops a server, which must exit cleanly."""
        replica.process.end()
        expect(f"the exit code of {replica.name}", replica.process.child.returncode, 0)
        replica.process = None

    def end(self):
        for replica in (self.first, self.second):
            if replica.process is not None:
                replica.process.end()

    def send(self, method, url, *, token=None, status=200, **arguments):
        """Sends a request, which must have a status."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= arguments.pop("headers", {})
        response = self.http.request(method, url, headers=headers, timeout=TIMEOUT, allow_redirects=False, **arguments)
        what = f"{method} {url}: {response.text[:200]!r}"
        expect(what, f"{response.status_code} {responses[response.status_code]}", f"{status} {responses[status]}")
        return response

    def execute(self, statements):
        """Runs statements on the store in one transaction, outside of both programs."""
        if self.store.startswith("sqlite:"):
            command = ["sqlite3", "-bail", self.store.removeprefix("sqlite://")]
            text = f"PRAGMA busy_timeout = 20000; BEGIN IMMEDIATE; {statements}; COMMIT;"
        else:
            command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", self.store]
            text = f"BEGIN; SET LOCAL lock_timeout = '20s'; {statements}; COMMIT;"
        process = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
        if process.returncode != 0:
            raise SetupError(f"{command[0]}: {process.stderr}")
