"""Result of a fault, as a row of the table and as an object."""

from ledger import quantile


class Result:
    """Result of one fault."""

    def __init__(self, name, ledger, seconds, missing, faults):
        self.name, self.ledger, self.seconds, self.missing = name, ledger, seconds, missing
        self.twice = sum(1 for count in ledger.redeemed.values() if count > 1)
        self.faults = list(faults)
        for what, number in (("wrong answers", len(ledger.wrong)), ("acknowledged and missing", missing), ("codes redeemed twice", self.twice)):
            if number:
                self.faults.append(f"{number} {what}")

    def row(self):
        sent, failed = sum(self.ledger.sent.values()), len(self.ledger.failures)
        waits = f"{self.ledger.wait(0.5) * 1000:>7.0f} {self.ledger.wait(0.99) * 1000:>7.0f} {self.ledger.wait(1) * 1000:>8.0f}"
        slowest = max(self.ledger.revocations, default=0)
        return f"{self.name:<32} {sent:>6} {failed:>7} {len(self.ledger.wrong):>6} {self.missing:>8} {self.twice:>6} {self.seconds:>8.1f} {self.ledger.longest_gap():>7.1f} {waits} {slowest:>9.2f}"

    def as_object(self):
        return {
            "fault": self.name, "sent": dict(self.ledger.sent), "failed": dict(self.ledger.reasons()), "wrong": self.ledger.wrong,
            "acknowledged_and_missing": self.missing, "codes_redeemed_twice": self.twice, "seconds_until_normal": round(self.seconds, 2),
            "longest_seconds_without_write": round(self.ledger.longest_gap(), 2),
            "milliseconds": {name: round(self.ledger.wait(share) * 1000, 1) for name, share in (("p50", 0.5), ("p99", 0.99), ("longest", 1))},
            "revocations": len(self.ledger.revocations), "slowest_revocation": round(max(self.ledger.revocations, default=0), 3),
            "not_met": self.faults,
        }


def revocations(results):
    """Summarises all revocations of a run in one line."""
    all_of_them = [seconds for result in results for seconds in result.ledger.revocations]
    return (
        f"{len(all_of_them)} revocations, each asked of every replica: the last that still served was asked "
        f"{quantile(all_of_them, 0.5):.2f} s (median), {quantile(all_of_them, 0.99):.2f} s (p99), "
        f"{quantile(all_of_them, 1):.2f} s (longest) afterwards"
    )


HEADING = f"{'fault':<32} {'sent':>6} {'failed':>7} {'wrong':>6} {'missing':>8} {'twice':>6} {'normal s':>8} {'write s':>7} {'p50 ms':>7} {'p99 ms':>7} {'max ms':>8} {'revoked s':>9}"
