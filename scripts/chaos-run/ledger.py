"""Record of requests and answers."""

import itertools
import math
import time
from collections import Counter


def quantile(numbers, share):
    """Returns a percentile; 0 if there are no numbers."""
    return sorted(numbers)[max(0, math.ceil(share * len(numbers)) - 1)] if numbers else 0.0


class Ledger:
    """Requests during one fault, by kind."""

    def __init__(self):
        self.sent, self.failed = Counter(), Counter()
        # Failures: time, kind, reason.
        self.failures = []
        self.wrong = []
        # Acknowledged writes: person -> ids; and the time of each acknowledgement.
        self.acknowledged, self.acknowledgements = {}, []
        # Tokens of acknowledged revocations.
        self.revoked = []
        self.redeemed = Counter()
        # Seconds from the answer to a revocation until every replica rejected the token.
        self.revocations = []
        # Seconds from each request to its answer or failure.
        self.waits = []

    def begin(self, kind):
        self.sent[kind] += 1
        return time.monotonic()

    def end(self, begun):
        self.waits.append(time.monotonic() - begun)

    def fail(self, kind, reason):
        self.failed[kind] += 1
        self.failures.append((time.monotonic(), kind, reason))

    def mistake(self, kind, text):
        self.wrong.append(f"{kind}: {text}")

    def acknowledge(self, person, record):
        self.acknowledged.setdefault(person, set()).add(record)
        self.acknowledgements.append(time.monotonic())

    def last_failure(self):
        return self.failures[-1][0] if self.failures else None

    def longest_gap(self):
        """Returns the longest time between two acknowledged writes; 0 if there are fewer."""
        return max((later - earlier for earlier, later in itertools.pairwise(self.acknowledgements)), default=0.0)

    def wait(self, share):
        return quantile(self.waits, share)

    def reasons(self):
        return Counter(f"{kind}: {reason}" for _, kind, reason in self.failures)
