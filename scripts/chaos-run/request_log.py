"""Record of the requests sent during a fault, and of their responses."""

import itertools
import math
import time
from collections import Counter


def quantile(numbers, share):
    """Returns a percentile; 0 if there are no numbers."""
    return sorted(numbers)[max(0, math.ceil(share * len(numbers)) - 1)] if numbers else 0.0


class RequestLog:
    """Requests during one fault, by kind."""

    def __init__(self):
        self.sent = Counter()
        # Failures: time, kind, reason.
        self.failures = []
        self.wrong = []
        # Acknowledged writes: ids by person; and the time of each acknowledgement.
        self.acknowledged, self.acknowledgements = {}, []
        # Tokens of acknowledged revocations.
        self.revoked = []
        # Number of successful redemptions by code.
        self.redeemed = Counter()
        # Seconds from the response to a revocation until every replica rejected the token.
        self.revocation_delays = []
        # Seconds from each request to its response or failure.
        self.durations = []

    def begin(self, kind):
        self.sent[kind] += 1
        return time.monotonic()

    def end(self, started):
        self.durations.append(time.monotonic() - started)

    def record_failure(self, kind, reason):
        self.failures.append((time.monotonic(), kind, reason))

    def record_wrong(self, kind, text):
        self.wrong.append(f"{kind}: {text}")

    def acknowledge(self, person, record):
        self.acknowledged.setdefault(person, set()).add(record)
        self.acknowledgements.append(time.monotonic())

    def last_failure(self):
        return self.failures[-1][0] if self.failures else None

    def longest_write_gap(self):
        """Returns the longest time between two acknowledged writes; 0 if there are fewer."""
        return max((later - earlier for earlier, later in itertools.pairwise(self.acknowledgements)), default=0.0)

    def duration(self, share):
        return quantile(self.durations, share)

    def failure_reasons(self):
        return Counter(f"{kind}: {reason}" for _, kind, reason in self.failures)
