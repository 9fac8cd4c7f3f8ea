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


def interleave(kinds, rounds, measure):
    """Measures every kind in every round; the order rotates, so that drift affects all equally. Returns seconds by kind."""
    samples = {kind: [] for kind in kinds}
    for number in range(rounds):
        first = number % len(kinds)
        for kind in [*kinds[first:], *kinds[:first]]:
            samples[kind].append(measure(kind, number))
    return samples


class Table:
    """Results and whether they are within their limits."""

    def __init__(self):
        self.failed = []

    def title(self, row, sentence):
        print(f"\n{row}  {sentence}", flush=True)

    def line(self, what, count, figure, limit="", passed=None):
        """Prints a line; a line with a limit is checked."""
        verdict = "" if passed is None else "ok" if passed else "FAILED"
        print(f"  {what:<52} {count:>6}  {figure:<28} {limit:<26} {verdict}".rstrip(), flush=True)
        if passed is False:
            self.failed.append(what)

    def medians(self, samples, limit):
        """Compares the medians of all kinds; checks the largest difference."""
        medians = {kind: median(seconds) for kind, seconds in samples.items()}
        first = next(iter(medians.values()))
        for kind, value in medians.items():
            self.line(kind, len(samples[kind]), f"median {milliseconds(value)}, {value / first:.3f} of the first")
        difference = max(medians.values()) - min(medians.values())
        self.line("largest difference", "", milliseconds(difference), f"less than {milliseconds(limit)}", difference < limit)
