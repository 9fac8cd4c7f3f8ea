"""Reads the blocks of a guide.

A comment on the line before a block, invisible in a web view, states its kind: `<!-- guide: KIND ... -->`.

    reader NAME...            lines in which the reader sets variables
    shell                     shell lines, all run in one shell in the order of the page
    output                    output of the previous shell lines; `...` matches anything
    output of each program    output of every program, with `...`
    shape of the callback     the callback URL, with `...`
    program FILE              a whole program
    dependencies              the libraries of the Rust program
    install                   the command that installs libraries, with their versions
    document                  a client metadata document, which a test of outbound-adapter reads
    user creates NAME         without a block: the user creates a token on the pages
    user revokes NAME         without a block: the user revokes it

A block without a comment is an error, except for diagrams and the line that starts the server.
"""

import re
from dataclasses import dataclass

COMMENT = re.compile(r"<!-- guide: (.+) -->")
FENCE = re.compile(r"```(\w*)")
KINDS = {"reader", "shell", "output", "shape", "program", "dependencies", "document", "install", "user"}
WITHOUT_COMMENT = [("mermaid", None), ("sh", "restwell demo")]


@dataclass
class Step:
    """A block with its comment, or a comment without a block."""

    kind: str
    words: list
    location: str
    text: str


class CommentError(Exception):
    """A block without a comment, or a wrong comment."""


def read(path):
    """Returns the steps of a guide in order."""
    steps, pending = [], None
    lines = iter(enumerate(path.read_text().split("\n"), 1))
    for number, line in lines:
        if comment := COMMENT.fullmatch(line):
            kind, *words = comment.group(1).split()
            if kind not in KINDS:
                raise CommentError(f"{path}:{number}: unknown kind of block: {kind}")
            step = Step(kind, words, f"{path}:{number}", "")
            steps.append(step)
            pending = step
        elif fence := FENCE.fullmatch(line):
            text = []
            for _, line in lines:
                if line == "```":
                    break
                text.append(line)
            text = "\n".join(text)
            if pending and pending.kind != "user":
                pending.text = text
            elif (fence.group(1), None) not in WITHOUT_COMMENT and (fence.group(1), text) not in WITHOUT_COMMENT:
                raise CommentError(f"{path}:{number}: this block has no `guide:` comment, so it is not tested")
            pending = None
        elif line.strip():
            pending = None
    return steps


def matches(expected, actual):
    """Returns whether a text matches; `...` matches anything."""
    # A prompt is followed by the reader's line break on the screen, but not in the output.
    parts = [re.escape(part) for part in re.split(r"\.\.\.\n?", expected.strip())]
    return re.fullmatch(".*?".join(parts), actual.strip(), re.DOTALL) is not None
