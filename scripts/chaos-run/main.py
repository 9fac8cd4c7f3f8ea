"""Injects faults under load and reports their cost.

    main.py BINARY DEPLOY_FOLDER [--short] [--only WORD] [--json FILE] [--pgbouncer] [--old-program PATH]

Exit code 0: every fault stayed within its limits. 1: one did not. 2: the setup failed. 130: it was interrupted.
"""

import argparse
import asyncio
import json
import pathlib
import signal
import sys
import tempfile
import time

from citus import CITUS_FAULTS, CitusEnvironment, CitusUnavailable
from disk import disk_full
from environment import Environment
from faults import FAULTS, UPGRADE_FAULTS
from load import REVOKED_WITHIN, Load
from patroni import PatroniEnvironment, failovers
from processes import SetupError
from request_log import RequestLog
from result import HEADING, Result, revocation_summary

# Seconds of load before a fault.
WARM_UP = 2.0
FAULT_DURATION = 10.0
# Seconds without a failed request after which a fault is over, and the longest wait for them.
QUIET_PERIOD, RECOVERY_TIMEOUT = 2.5, 40.0


async def run_fault(environment, name, inject, limits, duration):
    """Runs one fault under load."""
    await asyncio.to_thread(environment.create_codes)
    log = RequestLog()
    load = Load(environment.url(), log, environment)
    running = asyncio.create_task(load.run())
    try:
        await asyncio.sleep(WARM_UP)
        repaired_at = await inject(environment, duration)
        await wait_until_recovered(log, running)
        recovery = max(0.0, (log.last_failure() or 0) - repaired_at)
    except asyncio.CancelledError:
        running.cancel()
        raise
    finally:
        load.stop()
        await asyncio.gather(running, return_exceptions=asyncio.current_task().cancelling() > 0)
    await load.check_rejected()
    stored = await asyncio.to_thread(environment.sessions, environment.writer.user_id)
    missing = len(log.acknowledged.get(environment.writer.user_id, set()) - stored)
    for replica in environment.replicas:
        if not replica.process.is_running():
            log.record_wrong("process", f"{replica.name} exited")
    return Result(name, log, recovery, missing, limits.violations(log, recovery))


async def wait_until_recovered(log, running):
    """Waits until no request has failed for a while."""
    started = time.monotonic()
    while time.monotonic() - started < RECOVERY_TIMEOUT:
        if running.done():
            running.result()
        since = max(log.last_failure() or 0, started)
        if time.monotonic() - since > QUIET_PERIOD:
            return
        await asyncio.sleep(0.1)


class Run:
    """All faults of a run, each kind in a separate environment."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.results = arguments, folder, []
        self.environment = None

    async def run(self):
        deploy, binary, older = pathlib.Path(self.arguments.deploy), self.arguments.binary, self.arguments.old_program
        print(HEADING, flush=True)
        try:
            environment = Environment(older or binary, self.new_folder("pair"), deploy, is_pooled=self.arguments.pgbouncer, newer=binary)
            await self.run_faults(environment, UPGRADE_FAULTS if older else FAULTS)
            if self.arguments.only in "disk full" and not older:
                self.add(await disk_full(binary, self.folder))
            for replica_count in () if older else (1, 2):
                folder = self.new_folder(f"patroni-{replica_count}")
                environment = PatroniEnvironment(binary, folder, deploy, replica_count, is_pooled=self.arguments.pgbouncer)
                await self.run_faults(environment, failovers(replica_count))
            if not older and not self.arguments.pgbouncer:
                try:
                    await self.run_faults(CitusEnvironment(binary, self.new_folder("citus"), deploy), CITUS_FAULTS)
                except CitusUnavailable as error:
                    print(f"NOT RUN: the faults on Citus: {error}")
        except SetupError:
            for log in sorted(self.folder.rglob("*.log")):
                lines = [line for line in log.read_text(errors="replace").splitlines() if "request served" not in line]
                print(f"--- {log.name}", *lines[-8:], sep="\n", file=sys.stderr)
            raise
        finally:
            # A thread may have started a process before the run was stopped.
            await asyncio.get_running_loop().shutdown_default_executor()
            if self.environment is not None:
                self.environment.stop()
        return self.results

    def new_folder(self, name):
        """Creates a folder that PostgreSQL's user may enter."""
        folder = self.folder / name
        folder.mkdir(mode=0o711)
        return folder

    async def run_faults(self, environment, faults):
        """Runs the selected faults; starts the environment if there are any."""
        selected = [fault for fault in faults if (fault[3] or not self.arguments.short) and self.arguments.only in fault[0]]
        if not selected:
            return
        self.environment = environment
        await environment.start()
        duration = FAULT_DURATION / 2 if self.arguments.short else FAULT_DURATION
        for name, inject, limits, _ in selected:
            self.add(await run_fault(environment, name, inject, limits, duration))
        await asyncio.to_thread(environment.stop)
        self.environment = None

    def add(self, result):
        if result is not None:
            self.results.append(result)
            print(result.row(), flush=True)
            print_failures(result)


async def run_interruptible(work):
    """Awaits work that SIGINT or SIGTERM cancels; further signals are ignored."""
    task, is_interrupted = asyncio.current_task(), False

    def interrupt():
        nonlocal is_interrupted
        if not is_interrupted:
            is_interrupted = True
            print("chaos: interrupted, stopping all processes", file=sys.stderr, flush=True)
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, interrupt)
    return await work


def print_failures(result):
    for reason, number in sorted(result.log.failure_reasons().items()):
        print(f"    {number} x {reason}")
    for text in (*result.log.wrong[:5], *(f"NOT MET: {violation}" for violation in result.violations)):
        print(f"    {text}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("deploy")
    parser.add_argument("--short", action="store_true", help="the most important faults, shorter")
    parser.add_argument("--only", default="", metavar="WORD", help="the faults whose names contain a word")
    parser.add_argument("--json", metavar="FILE", help="also write the results there")
    parser.add_argument("--pgbouncer", action="store_true", help="the replicas reach their database through PgBouncer")
    parser.add_argument("--old-program", metavar="PATH", help="only the upgrade from that program: migrate, run both side by side, roll back")
    arguments = parser.parse_args()
    arguments.binary = str(pathlib.Path(arguments.binary).resolve())
    if arguments.old_program:
        arguments.old_program = str(pathlib.Path(arguments.old_program).resolve())
    try:
        with tempfile.TemporaryDirectory(prefix="restwell-chaos-", dir="/tmp") as name:
            folder = pathlib.Path(name)
            # PostgreSQL's user needs access.
            folder.chmod(0o711)
            results = asyncio.run(run_interruptible(Run(arguments, folder).run()))
    except SetupError as error:
        print(f"chaos: {error}", file=sys.stderr)
        return 2
    except asyncio.CancelledError:
        return 130
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps([result.as_object() for result in results], indent=1) + "\n")
    print(revocation_summary(results))
    print(f"a revocation must take effect within {REVOKED_WITHIN:.0f} s; ms: from a request to its response or failure")
    failed = [result for result in results if result.violations]
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
