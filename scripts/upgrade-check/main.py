"""Upgrades a store that an old program filled, and rolls the program back; prints each step with its seconds.

    main.py OLD_BINARY NEW_BINARY FOLDER --store URL [--rates URL]

FOLDER has the files to import. With --rates, all servers share a Redis.
"""

import argparse
import contextlib
import pathlib
import signal
import sys
import time

from callers import Callers, night
from deployment import CheckError, Deployment, expect
from faults import EXPANSION
from filling import fill
from hooks import Receiver
from processes import SetupError
from reads import compare, list_all, parse, read_all

# Time limit of a revocation on every server, in seconds.
REVOKED_WITHIN = 2.0
# Version of a migration that no program knows.
LATER = "99990101000001"
UP_TO_DATE = "up to date"
EXCLUDED = "the schema of the store is newer than this program supports"


@contextlib.contextmanager
def step(name):
    """Prints a step with its duration, and what the step adds to the list of notes."""
    started, notes = time.monotonic(), []
    yield notes
    print(f"  {time.monotonic() - started:6.2f} s  {name}{''.join(f'; {note}' for note in notes)}", flush=True)


class Upgrade:
    """The steps of one upgrade."""

    def __init__(self, deployment, folder):
        self.deployment, self.folder, self.receiver = deployment, folder, Receiver()
        self.old, self.new = deployment.old, deployment.new
        self.first, self.second = deployment.first.url(), deployment.second.url()
        self.callers = None

    def run(self):
        with step("the old program migrates, serves, and fills the store") as notes:
            self.migrate(self.old)
            self.deployment.start(self.deployment.first, self.old)
            self.account = fill(self.deployment, self.old, self.receiver, self.folder)
            self.record(self.first, self.old)
            notes.append(f"{len(self.responses)} responses and {sum(map(len, self.lists.values()))} listed records are saved")
        self.callers = Callers(self.account, [self.first])
        with step("the new program migrates while the old server serves") as notes:
            self.callers.proceed()
            notes.append(self.migrate(self.new))
            if UP_TO_DATE in notes[0]:
                notes.append("a test migration is applied instead")
                self.deployment.execute(EXPANSION)
            self.callers.proceed()
        self.side_by_side()
        self.replace()
        self.roll_back()
        with step("the new program serves again") as notes:
            self.restart(self.new)
            notes.append(self.compare("the new server after the rollback", self.first, self.new))
            self.use("new-again")
        with step("this check notices that a later migration dropped a column"):
            self.drop_column()
        with step("a later migration excludes the old program"):
            self.exclude()

    def migrate(self, binary):
        process = self.deployment.try_run(binary, "migrate")
        expect(f"restwell migrate: {process.stderr}", process.returncode, 0)
        lines = [line for line in process.stderr.splitlines() if line.startswith(self.deployment.store.split(":")[0])]
        expect("lines of restwell migrate about the store", len(lines), 1)
        return lines[0].rpartition(": ")[2]

    def record(self, base, binary):
        """Saves what a server and a program return now."""
        self.recorder = binary
        self.responses = read_all(self.deployment, base, self.account)
        self.lists = list_all(self.deployment, binary, self.account)

    def compare(self, what, base, binary):
        """Compares what a server and a program return with what was saved."""
        responses = read_all(self.deployment, base, self.account)
        is_older = (binary, self.recorder) == (self.old, self.new)
        compare(what, parse(self.responses), parse(responses), is_older=is_older)
        compare(what, self.lists, list_all(self.deployment, binary, self.account), is_older=is_older)
        same = sum(text == responses[name] for name, text in self.responses.items())
        additions = "" if same == len(responses) else ", the others differ in added members"
        return f"{same} of {len(responses)} responses are byte for byte those saved{additions}"

    def side_by_side(self):
        with step("both versions serve the store") as notes:
            self.deployment.start(self.deployment.second, self.new)
            self.callers.servers = [self.first, self.second]
            self.callers.proceed()
            notes.append(self.compare("the old server", self.first, self.old))
            self.compare("the new server", self.second, self.new)
        with step("credentials issued by one version are accepted by the other"):
            self.exchange_credentials()
        if self.deployment.variables.get("RESTWELL__RATE_LIMITS__STORE_URL"):
            with step("both count requests together"):
                remaining = [self.remaining(base) for base in (self.first, self.second, self.first)]
                expect("the remaining requests", remaining, [remaining[0] - number for number in range(3)])
        with step("a write at either is read at the other, and repeated without effect"):
            self.write(self.second, self.first, "written-at-new")
            self.write(self.first, self.second, "written-at-old")
        with step("a revocation at one is seen by the other") as notes:
            notes.append(f"after {self.revoke(self.second, self.first, self.account.public_app, self.account.public_tokens):.2f} s at the old server")
            notes.append(f"after {self.revoke(self.first, self.second, self.account.other_app, self.other_tokens):.2f} s at the new one")

    def exchange_credentials(self):
        account = self.account
        account.person.expect_signed_in(self.second)
        # A code of the old program is redeemed at the new server, and its tokens are used at the old one.
        self.other_tokens = account.redeem(self.second, account.other_app, account.pending_code)
        self.read_sleep(self.first, self.other_tokens["access_token"])
        for issuer, other in ((self.first, self.second), (self.second, self.first)):
            for app, tokens in ((account.app, account.tokens), (account.other_app, self.other_tokens)):
                self.read_sleep(other, account.refresh(issuer, app, tokens)["access_token"])
            # The refresh token of a public app is replaced with each use.
            account.public_tokens = account.refresh(issuer, account.public_app, account.public_tokens)
            self.read_sleep(other, account.public_tokens["access_token"])
        self.read_sleep(self.first, account.create_personal_token(self.new))

    def read_sleep(self, base, token, status=200):
        url = f"{base}/api/v1/sleep/{self.account.user_id}?pageSize=10000"
        return self.deployment.send("GET", url, token=token, status=status)

    def remaining(self, base):
        return self.read_sleep(base, self.account.tokens["access_token"]).json()["limit"]["X-RateLimit-Remaining"]

    def write(self, base, other, name):
        """Writes a night at a server, reads it at another one, and repeats the request there."""
        path, key = f"sleep/{self.account.user_id}", {"Idempotency-Key": name}
        item = night(3000 + len(self.read_sleep(base, self.account.personal_token).json()["data"])) | {"external_id": name}
        written = self.account.write(base, path, [item], **key)["results"]
        repeated = self.account.write(other, path, [item], **key)["results"]
        expect("the response to a repeated request", repeated, written)
        expect("the status of a new night", written[0]["status"], "created")
        expect("the night at the other server", written[0]["id"] in self.read_sleep(other, self.account.personal_token).text)
        message = self.receiver.receive("records.changed", self.account.webhook_secret)
        expect("the person of a webhook", message["user_id"], self.account.user_id)

    def revoke(self, base, other, app, tokens):
        """Revokes a grant at a server; returns the seconds until another one rejects its token."""
        self.read_sleep(other, tokens["access_token"])
        self.deployment.send("POST", f"{base}/oauth/revoke", data={"token": tokens["refresh_token"], **app})
        started = time.monotonic()
        while True:
            seconds = time.monotonic() - started
            try:
                self.read_sleep(other, tokens["access_token"], status=401)
                return seconds
            except CheckError:
                if seconds > REVOKED_WITHIN:
                    raise
            time.sleep(0.02)

    def replace(self):
        with step("a new server replaces the old one under load") as notes:
            self.record(self.first, self.old)
            self.callers.servers = [self.second]
            # A request to the old server may still be running.
            self.callers.proceed()
            self.restart(self.new)
            self.callers.servers = [self.first]
            self.callers.proceed()
            self.deployment.stop(self.deployment.second)
            notes.append(self.compare("the new server", self.first, self.new))
            notes.append(f"without a failed request: {self.callers.end(self.new)}")
        with step("people and apps use the new program"):
            self.use("new")
            self.upload_id = self.account.upload(self.new, self.folder / "second-upload.ndjson")["import_id"]
            self.record(self.first, self.new)

    def restart(self, binary):
        self.deployment.stop(self.deployment.first)
        self.deployment.start(self.deployment.first, binary)

    def use(self, name):
        """Signs in with a one-time code and a recovery code, refreshes, and writes."""
        account = self.account
        account.person.expect_signed_in(self.first)
        account.person.sign_in()
        self.used_code = account.person.recovery_codes.pop()
        account.person.sign_in_with_recovery_code(self.used_code, is_accepted=True)
        self.read_sleep(self.first, account.refresh(self.first, account.app, account.tokens)["access_token"])
        self.write(self.first, self.first, name)
        for tokens in (account.public_tokens, self.other_tokens):
            self.read_sleep(self.first, tokens["access_token"], status=401)

    def roll_back(self):
        with step("the old program serves the migrated store") as notes:
            self.restart(self.old)
            notes.append(self.compare("the old server after the rollback", self.first, self.old))
            self.account.person.sign_in_with_recovery_code(self.used_code, is_accepted=False)
            self.use("old-after-rollback")
            self.deployment.run(self.old, "import", "undo", self.upload_id)
            self.record(self.first, self.old)

    def drop_column(self):
        """Drops a column that the program reads; the comparison must fail."""
        self.deployment.execute("ALTER TABLE account DROP COLUMN blood_type")
        try:
            self.compare("the new server", self.first, self.new)
        except CheckError:
            return
        raise CheckError("a dropped column was not noticed")

    def exclude(self):
        """Applies a migration that names a later program as the oldest one; the old program must not start."""
        self.deployment.stop(self.deployment.first)
        self.deployment.execute(
            f"INSERT INTO __diesel_schema_migrations (version) VALUES ('{LATER}'); INSERT INTO schema_compatibility VALUES ('{LATER}', 1000)"
        )
        for command in ("serve", "migrate"):
            process = self.deployment.try_run(self.old, command)
            expect(f"the exit code of {command}", process.returncode, 1)
            expect(f"the message of {command}: {process.stderr}", EXCLUDED in process.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--store", required=True)
    parser.add_argument("--rates")
    arguments = parser.parse_args()
    deployment = Deployment(arguments.old, arguments.new, arguments.folder, arguments.store, arguments.rates)
    upgrade = Upgrade(deployment, arguments.folder)
    # Otherwise the servers would continue.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        upgrade.run()
    except (CheckError, SetupError) as error:
        print(f"check-upgrade: {error}", file=sys.stderr)
        return 1
    finally:
        if upgrade.callers is not None:
            upgrade.callers.stop()
        deployment.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
