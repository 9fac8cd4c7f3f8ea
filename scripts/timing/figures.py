"""Medians, percentiles, and their table."""

import math
import statistics


def milliseconds(seconds):
    return f"{seconds * 1000:.2f} ms"


def percentile(samples, share):
    """Returns a percentile of the samples."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def p99(samples):
    return percentile(samples, 0.99)


median = statistics.median


def in_turns(kinds, rounds, ask):
    """Asks for every kind in every round, each round beginning with another kind, so that a drift meets all alike.

    Returns the seconds that each took, by kind.
    """
    samples = {kind: [] for kind in kinds}
    for number in range(rounds):
        at = number % len(kinds)
        for kind in [*kinds[at:], *kinds[:at]]:
            samples[kind].append(ask(kind, number))
    return samples


class Table:
    """Results and whether they are within their limits."""

    def __init__(self):
        self.failed = []

    def title(self, row, sentence):
        print(f"\n{row}  {sentence}", flush=True)

    def line(self, what, count, figure, limit="", holds=None):
        """Prints a line; a line with a limit is checked."""
        verdict = "" if holds is None else "ok" if holds else "FAILED"
        print(f"  {what:<52} {count:>6}  {figure:<28} {limit:<26} {verdict}".rstrip(), flush=True)
        if holds is False:
            self.failed.append(what)

    def medians(self, samples, limit):
        """Compares the medians of all kinds; checks the two farthest apart."""
        medians = {kind: median(taken) for kind, taken in samples.items()}
        first = next(iter(medians.values()))
        for kind, value in medians.items():
            self.line(kind, len(samples[kind]), f"median {milliseconds(value)}, {value / first:.3f} of it")
        apart = max(medians.values()) - min(medians.values())
        self.line("farthest apart", "", milliseconds(apart), f"less than {milliseconds(limit)}", apart < limit)
