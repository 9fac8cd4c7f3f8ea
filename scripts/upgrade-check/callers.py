"""Callers that read, refresh and write without a pause in a step; no request may fail."""

import datetime
import itertools
import threading
import time

import requests

from deployment import CheckError, expect, new_session
from reads import CHANGING

# Pause between two requests of a caller, so that a small machine is not saturated.
PAUSE = 0.02


def night(number):
    """Returns a distinct night."""
    start = datetime.datetime(2001, 1, 1, 22) + datetime.timedelta(days=number)
    end = start + datetime.timedelta(hours=8)
    return {"external_id": f"night-{number}", "source": "ring", "time_in_bed_start": f"{start.isoformat()}Z", "time_in_bed_end": f"{end.isoformat()}Z"}


class Callers:
    """One thread for each kind of request; each request goes to the next server."""

    def __init__(self, account, servers):
        self.account, self.servers = account, servers
        self.is_running, self.errors = True, []
        self.counts = {"reads": 0, "refreshes": 0, "writes": 0}
        self.backend_token, self.next_night = account.backend_token(servers[0]), itertools.count()
        self.expected = None
        self.threads = [threading.Thread(target=self.repeat, args=call) for call in (("reads", self.read), ("refreshes", self.refresh), ("writes", self.write))]
        for thread in self.threads:
            thread.start()

    def repeat(self, kind, call):
        http, turns = new_session(), itertools.count()
        # A server may close an idle connection at any time, which is no failure.
        http.headers["Connection"] = "close"
        while self.is_running and not self.errors:
            servers = self.servers
            try:
                call(http, servers[next(turns) % len(servers)])
                self.counts[kind] += 1
            except (CheckError, KeyError, requests.RequestException) as error:
                self.errors.append(f"{kind}: {error}")
            time.sleep(PAUSE)

    def send(self, http, method, url, **arguments):
        response = http.request(method, url, timeout=20, **arguments)
        expect(f"{method} {url}: {response.text[:200]!r}", response.status_code, 200)
        return response

    def read(self, http, base):
        url = f"{base}/api/v1/supplements/{self.account.user_id}"
        text = self.send(http, "GET", url, headers={"Authorization": f"Bearer {self.account.tokens['access_token']}"}).text
        text = CHANGING.sub("", text)
        self.expected = self.expected or text
        expect("a read under load", text, self.expected)

    def refresh(self, http, base):
        data = {"grant_type": "refresh_token", "refresh_token": self.account.tokens["refresh_token"], **self.account.app}
        token = self.send(http, "POST", f"{base}/api/token", data=data).json()["access_token"]
        self.send(http, "GET", f"{base}/api/v1/profile/{self.account.user_id}", headers={"Authorization": f"Bearer {token}"})

    def write(self, http, base):
        url = f"{base}/api/v1/sleep/{self.account.other_user_id}"
        response = self.send(http, "POST", url, json=[night(next(self.next_night))], headers={"Authorization": f"Bearer {self.backend_token}"})
        expect("a write under load", response.json()["created"], 1)

    def proceed(self):
        """Waits until every kind of caller has had further responses."""
        before, deadline = dict(self.counts), time.monotonic() + 30
        while any(self.counts[kind] < count + 10 for kind, count in before.items()):
            if self.errors or time.monotonic() > deadline:
                raise CheckError(f"requests under load: {self.errors or 'no responses for 30 s'}")
            time.sleep(PAUSE)

    def stop(self):
        self.is_running = False
        for thread in self.threads:
            thread.join()

    def end(self, binary):
        """Stops all callers, none of whose requests may have failed, and checks that no write was lost."""
        self.stop()
        expect("failed requests under load", self.errors, [])
        lines = self.account.deployment.run(binary, "export", "--user", self.account.other_user_id).splitlines()
        stored = sum('"type":"sleep_session"' in line for line in lines)
        expect("nights after the load", stored, self.counts["writes"])
        return ", ".join(f"{count} {kind}" for kind, count in self.counts.items())
