"""Injects faults under load and reports their cost.

    main.py BINARY DEPLOY_FOLDER [--short] [--only WORD] [--json FILE] [--pgbouncer] [--old-program PATH]

Exit code 0: every fault cost no more than it may. 1: one did. 2: the stage could not be set. 130: it was told to stop.
"""

import argparse
import asyncio
import json
import pathlib
import signal
import sys
import tempfile
import time

from citus import CITUS_FAULTS, CitusStage, NotThere
from disk import disk_full
from faults import FAULTS, ROLL_BACK
from ledger import Ledger
from load import REVOKED_WITHIN, Load
from patroni import PatroniStage, failovers
from processes import Impossible
from result import HEADING, Result, revocations
from stage import Stage

# Seconds of load before a fault, of the fault, without failures until it is over, and at most until then.
BEFORE, HOLD, WELL, PATIENCE = 2.0, 10.0, 2.5, 40.0


async def suffer(stage, name, strike, bound, hold):
    """Runs one fault under load."""
    await asyncio.to_thread(stage.make_codes)
    ledger = Ledger()
    load = Load(stage.url(), ledger, stage)
    running = asyncio.create_task(load.run())
    try:
        await asyncio.sleep(BEFORE)
        mended = await strike(stage, hold)
        await well_again(ledger, running)
        seconds = max(0.0, (ledger.last_failure() or 0) - mended)
    except asyncio.CancelledError:
        running.cancel()
        raise
    finally:
        load.stop()
        await asyncio.gather(running, return_exceptions=asyncio.current_task().cancelling() > 0)
    await load.read_back()
    present = await asyncio.to_thread(stage.sessions, stage.writer.user_id)
    missing = len(ledger.acknowledged.get(stage.writer.user_id, set()) - present)
    for replica in stage.replicas:
        if not replica.process.is_running():
            ledger.mistake("process", f"{replica.name} has ended")
    return Result(name, ledger, seconds, missing, bound.faults(ledger, seconds))


async def well_again(ledger, running):
    """Waits until no request has failed for a while."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        if running.done():
            running.result()
        since = max(ledger.last_failure() or 0, begun)
        if time.monotonic() - since > WELL:
            return
        await asyncio.sleep(0.1)


class Run:
    """All faults of a run, each kind on its own stage."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.results = arguments, folder, []
        self.stage = None

    async def all(self):
        deploy, binary, older = pathlib.Path(self.arguments.deploy), self.arguments.binary, self.arguments.old_program
        print(HEADING, flush=True)
        try:
            stage = Stage(older or binary, self.below("pair"), deploy, is_pooled=self.arguments.pgbouncer, newer=binary)
            await self.on_stage(stage, ROLL_BACK if older else FAULTS)
            if self.arguments.only in "disk full" and not older:
                self.add(await disk_full(binary, self.folder))
            for replicas in () if older else (1, 2):
                folder, is_pooled = self.below(f"patroni-{replicas}"), self.arguments.pgbouncer
                await self.on_stage(PatroniStage(binary, folder, deploy, replicas, is_pooled=is_pooled), failovers(replicas))
            if not older and not self.arguments.pgbouncer:
                try:
                    await self.on_stage(CitusStage(binary, self.below("citus"), deploy), CITUS_FAULTS)
                except NotThere as error:
                    print(f"NOT RUN: the faults on Citus: {error}")
        except Impossible:
            for log in sorted(self.folder.rglob("*.log")):
                lines = [line for line in log.read_text(errors="replace").splitlines() if "request served" not in line]
                print(f"--- {log.name}", *lines[-8:], sep="\n", file=sys.stderr)
            raise
        finally:
            # A thread may have started a process before the run was stopped.
            await asyncio.get_running_loop().shutdown_default_executor()
            if self.stage is not None:
                self.stage.strike()
        return self.results

    def below(self, name):
        """Creates a folder that PostgreSQL's user may enter."""
        folder = self.folder / name
        folder.mkdir(mode=0o711)
        return folder

    async def on_stage(self, stage, faults):
        """Sets a stage if a fault is chosen, and runs the chosen ones on it."""
        chosen = [fault for fault in faults if (fault[3] or not self.arguments.short) and self.arguments.only in fault[0]]
        if not chosen:
            return
        self.stage = stage
        await stage.set()
        for name, strike, bound, _ in chosen:
            self.add(await suffer(stage, name, strike, bound, HOLD / 2 if self.arguments.short else HOLD))
        await asyncio.to_thread(stage.strike)
        self.stage = None

    def add(self, result):
        if result is not None:
            self.results.append(result)
            print(result.row(), flush=True)
            tell(result)


async def until_told_to_stop(work):
    """Runs something that SIGINT and SIGTERM end, with everything it started; further signals are ignored."""
    task, is_told = asyncio.current_task(), False

    def tell():
        nonlocal is_told
        if not is_told:
            is_told = True
            print("chaos: told to stop, ending what was started", file=sys.stderr, flush=True)
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, tell)
    return await work


def tell(result):
    for reason, number in sorted(result.ledger.reasons().items()):
        print(f"    {number} x {reason}")
    for text in (*result.ledger.wrong[:5], *(f"NOT MET: {fault}" for fault in result.faults)):
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
    parser.add_argument("--old-program", metavar="PATH", help="only this: that program, the new one's migration, both side by side, and back")
    arguments = parser.parse_args()
    arguments.binary = str(pathlib.Path(arguments.binary).resolve())
    if arguments.old_program:
        arguments.old_program = str(pathlib.Path(arguments.old_program).resolve())
    try:
        with tempfile.TemporaryDirectory(prefix="restwell-chaos-", dir="/tmp") as name:
            folder = pathlib.Path(name)
            # PostgreSQL's user needs access.
            folder.chmod(0o711)
            results = asyncio.run(until_told_to_stop(Run(arguments, folder).all()))
    except Impossible as error:
        print(f"chaos: {error}", file=sys.stderr)
        return 2
    except asyncio.CancelledError:
        return 130
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps([result.as_object() for result in results], indent=1) + "\n")
    print(revocations(results))
    print(f"a revocation counts within {REVOKED_WITHIN:.0f} s; ms: from a request to its answer, whatever that was")
    failed = [result for result in results if result.faults]
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
