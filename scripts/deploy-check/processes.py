"""Processes of scripts/check-deploy."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time

# Seconds; generous, for busy machines.
TIMEOUT = 60


def fail(what):
    sys.exit(f"check-deploy: {what}")


def eventually(what, poll, processes=()):
    """Polls until the result is true, and returns it; fails if a process exits."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            result = poll()
            if result:
                return result
        for process in processes:
            if process.poll() is not None:
                process.show()
                fail(f"{what}: {process.name} exited")
        time.sleep(0.05)
    for process in processes:
        process.show()
    return fail(f"not within {TIMEOUT} s: {what}")


def accepts_connections(address, port):
    with socket.create_connection((address, port), timeout=1):
        return True


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def installed_program(name):
    """Returns the path of an installed program."""
    path = f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"
    return shutil.which(name, path=path) or fail(f"{name} is not installed")


def environment_with(variables):
    """Returns the variables of the shell without Restwell's settings, plus these variables."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RESTWELL_")}
    return {**inherited, **{name: str(value) for name, value in variables.items()}}


def run_restwell(binary, environment, *arguments):
    """Runs a command of the program; returns its output."""
    process = subprocess.run([binary, *arguments], env=environment, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        fail(f"restwell {' '.join(arguments)}: {process.stderr}")
    return process.stdout


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
        """Terminates the process, and kills it after a timeout."""
        self.terminate()
        try:
            return self.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.wait()
