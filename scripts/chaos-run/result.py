"""What a fault cost, as a row of the table and as an object."""


class Result:
    """What one fault cost."""

    def __init__(self, name, ledger, seconds, missing, faults):
        self.name, self.ledger, self.seconds, self.missing = name, ledger, seconds, missing
        self.twice = sum(1 for count in ledger.redeemed.values() if count > 1)
        self.faults = list(faults)
        for what, number in (("wrong answers", len(ledger.wrong)), ("acknowledged and missing", missing), ("codes redeemed twice", self.twice)):
            if number:
                self.faults.append(f"{number} {what}")

    def row(self):
        sent, failed = sum(self.ledger.sent.values()), len(self.ledger.failures)
        slowest = max(self.ledger.revocations, default=0)
        return f"{self.name:<32} {sent:>6} {failed:>7} {len(self.ledger.wrong):>6} {self.missing:>8} {self.twice:>6} {self.seconds:>8.1f} {slowest:>9.2f}"

    def as_object(self):
        return {
            "fault": self.name, "sent": dict(self.ledger.sent), "failed": dict(self.ledger.reasons()), "wrong": self.ledger.wrong,
            "acknowledged_and_missing": self.missing, "codes_redeemed_twice": self.twice, "seconds_until_normal": round(self.seconds, 2),
            "slowest_revocation": round(max(self.ledger.revocations, default=0), 3), "not_met": self.faults,
        }


HEADING = f"{'fault':<32} {'sent':>6} {'failed':>7} {'wrong':>6} {'missing':>8} {'twice':>6} {'normal s':>8} {'revoked s':>9}"
