"""What was sent and what came back."""

import time
from collections import Counter


class Ledger:
    """The requests of one fault, by kind."""

    def __init__(self):
        self.sent, self.failed = Counter(), Counter()
        # (moment, kind, reason) of what failed.
        self.failures = []
        self.wrong = []
        # What the server said that it has stored: person -> ids.
        self.acknowledged = {}
        self.redeemed = Counter()
        # Seconds from the answer to a revocation until nothing was served any more.
        self.revocations = []

    def begin(self, kind):
        self.sent[kind] += 1
        return time.monotonic()

    def fail(self, kind, reason):
        self.failed[kind] += 1
        self.failures.append((time.monotonic(), kind, reason))

    def mistake(self, kind, text):
        self.wrong.append(f"{kind}: {text}")

    def acknowledge(self, person, record):
        self.acknowledged.setdefault(person, set()).add(record)

    def last_failure(self):
        return self.failures[-1][0] if self.failures else None

    def reasons(self):
        return Counter(f"{kind}: {reason}" for _, kind, reason in self.failures)
