"""Processes in the network namespace of scripts/check-deploy."""

import contextlib
import os
import socket
import subprocess
import sys
import time

# Timeout, generous for a busy machine.
PATIENCE = 60


def fail(what):
    sys.exit(f"check-deploy: {what}")


def eventually(what, ask, processes=()):
    """Polls until there is an answer; fails if a process exits."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            answer = ask()
            if answer:
                return answer
        for process in processes:
            if process.poll() is not None:
                process.show()
                fail(f"{what}: {process.name} ended")
        time.sleep(0.05)
    for process in processes:
        process.show()
    return fail(f"not in {PATIENCE} s: {what}")


def accepts(address, port):
    with socket.create_connection((address, port), timeout=1):
        return True


def foreign(environment):
    """Returns the shell's variables without Restwell's settings, plus the given ones."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("RESTWELL_")}
    return {**own, **environment}


class Process(subprocess.Popen):
    """A process with its output in a file."""

    def __init__(self, name, command, folder, **options):
        self.name, self.log = name, folder / f"{name}.log"
        with self.log.open("ab") as log:
            super().__init__(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)

    def output(self):
        return self.log.read_text(errors="replace")

    def show(self):
        print(f"--- {self.name}:\n{self.output()[-4000:]}", file=sys.stderr)

    def stop(self):
        """Terminates it, and kills it after a timeout."""
        self.terminate()
        try:
            return self.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.wait()
