"""Runs commands of the program on one store, for bench-import, check-resume and check-samples."""

import json
import os
import subprocess


class SetupError(Exception):
    """The check or measurement cannot run."""


class Program:
    """One binary on one store."""

    def __init__(self, binary, storage):
        self.binary = os.path.abspath(binary)
        self.environment = {**os.environ, "RESTWELL__STORAGE__URL": storage}
        self.run("migrate")

    def run(self, *arguments, status=0):
        """Runs a command that must exit with a status, unless that is None; returns the finished process."""
        process = subprocess.run(
            [self.binary, *arguments], env=self.environment, capture_output=True, text=True, timeout=300, check=False
        )
        if status is not None and process.returncode != status:
            raise SetupError(f"`{' '.join(arguments[:2])}` exited with {process.returncode}, expected {status}:\n{process.stderr}")
        return process

    def create_person(self, name, timezone="UTC"):
        process = self.run("user", "create", "--email", f"{name}@example.org", "--timezone", timezone, "--json")
        return json.loads(process.stdout)["user_id"]
