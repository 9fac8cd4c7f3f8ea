"""Result of a fault, as a row of the table and as an object."""

from request_log import quantile


class Result:
    """Result of one fault."""

    def __init__(self, name, log, recovery, missing, violations):
        self.name, self.log, self.recovery, self.missing = name, log, recovery, missing
        self.redeemed_twice = sum(1 for count in log.redeemed.values() if count > 1)
        self.violations = list(violations)
        for what, number in (
            ("wrong responses", len(log.wrong)), ("acknowledged writes lost", missing), ("codes redeemed twice", self.redeemed_twice),
        ):
            if number:
                self.violations.append(f"{number} {what}")

    def row(self):
        log = self.log
        sent, failed = sum(log.sent.values()), len(log.failures)
        durations = f"{log.duration(0.5) * 1000:>7.0f} {log.duration(0.99) * 1000:>7.0f} {log.duration(1) * 1000:>8.0f}"
        slowest = max(log.revocation_delays, default=0)
        return (
            f"{self.name:<32} {sent:>6} {failed:>7} {len(log.wrong):>6} {self.missing:>8} {self.redeemed_twice:>6} "
            f"{self.recovery:>8.1f} {log.longest_write_gap():>7.1f} {durations} {slowest:>9.2f}"
        )

    def as_object(self):
        log = self.log
        return {
            "fault": self.name, "sent": dict(log.sent), "failed": dict(log.failure_reasons()), "wrong": log.wrong,
            "acknowledged_and_missing": self.missing, "codes_redeemed_twice": self.redeemed_twice,
            "seconds_until_normal": round(self.recovery, 2), "longest_seconds_without_write": round(log.longest_write_gap(), 2),
            "milliseconds": {name: round(log.duration(share) * 1000, 1) for name, share in (("p50", 0.5), ("p99", 0.99), ("longest", 1))},
            "revocations": len(log.revocation_delays), "slowest_revocation": round(max(log.revocation_delays, default=0), 3),
            "not_met": self.violations,
        }


def revocation_summary(results):
    """Summarises all revocations of a run in one line."""
    delays = [seconds for result in results for seconds in result.log.revocation_delays]
    return (
        f"{len(delays)} revocations, each tested on every replica; a revoked token was last accepted "
        f"{quantile(delays, 0.5):.2f} s (median), {quantile(delays, 0.99):.2f} s (p99), "
        f"{quantile(delays, 1):.2f} s (longest) after the revocation"
    )


HEADING = (
    f"{'fault':<32} {'sent':>6} {'failed':>7} {'wrong':>6} {'missing':>8} {'twice':>6} {'normal s':>8} {'write s':>7} "
    f"{'p50 ms':>7} {'p99 ms':>7} {'max ms':>8} {'revoked s':>9}"
)
