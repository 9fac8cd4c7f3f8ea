"""Reads the marked blocks of a guide.

A mark is a comment on a line of its own before the block, unseen in a web view: `<!-- guide: KIND ... -->`.

    reader NAME...        lines in which the reader sets variables to values of their own
    shell                 lines for the one shell in which everything happens, in the order of the page
    output                what the lines before print; `...` stands for anything
    output of each program, shape of the callback
                          what every program prints, what the browser comes back to; `...` as above
    program FILE          a whole program
    dependencies          the libraries of the Rust program
    install               which versions of libraries to install
    document              a client metadata document, which a test of outbound-adapter reads
    person makes NAME, person revokes NAME
                          without a block: what the person does with a token on the pages

A block without a mark is a fault, except for drawings and for the line that starts the server.
"""

import re
from dataclasses import dataclass

MARK = re.compile(r"<!-- guide: (.+) -->")
FENCE = re.compile(r"```(\w*)")
KINDS = {"reader", "shell", "output", "shape", "program", "dependencies", "document", "install", "person"}
UNMARKED = [("mermaid", None), ("sh", "restwell demo")]


@dataclass
class Step:
    """A marked block, or a mark without a block."""

    kind: str
    words: list
    place: str
    text: str


class Unmarked(Exception):
    """A block without a mark."""


def read(path):
    """Returns the steps of a guide in order."""
    steps, waiting = [], []
    lines = iter(enumerate(path.read_text().split("\n"), 1))
    for number, line in lines:
        if mark := MARK.fullmatch(line):
            kind, *words = mark.group(1).split()
            if kind not in KINDS:
                raise Unmarked(f"{path}:{number}: what is a block of the kind {kind}?")
            step = Step(kind, words, f"{path}:{number}", "")
            steps.append(step)
            waiting = [step]
        elif fence := FENCE.fullmatch(line):
            text = []
            for _, line in lines:
                if line == "```":
                    break
                text.append(line)
            text = "\n".join(text)
            if waiting and waiting[0].kind != "person":
                waiting[0].text = text
            elif (fence.group(1), None) not in UNMARKED and (fence.group(1), text) not in UNMARKED:
                raise Unmarked(f"{path}:{number}: this block has no mark, so nobody tries it")
            waiting = []
        elif line.strip():
            waiting = []
    return steps


def matches(expected, seen):
    """Returns whether a text matches; `...` matches anything."""
    # The reader's input ends a line on the screen, but not in the output.
    parts = [re.escape(part) for part in re.split(r"\.\.\.\n?", expected.strip())]
    return re.fullmatch(".*?".join(parts), seen.strip(), re.DOTALL) is not None
