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

from disk import disk_full
from faults import FAULTS, ROLL_BACK
from ledger import Ledger
from load import REVOKED_WITHIN, Load
from processes import Impossible
from result import HEADING, Result, revocations
from stage import Stage

# Seconds of load before a fault, of the fault, without failures until it is over, and at most until then.
BEFORE, HOLD, WELL, PATIENCE = 2.0, 10.0, 2.5, 40.0


async def suffer(stage, name, strike, bound, hold):
    """Runs one fault under load."""
    await asyncio.to_thread(stage.make_codes)
    ledger = Ledger()
    load = Load(stage.balancer.url(), ledger, stage)
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
    present = await asyncio.to_thread(stage.present)
    missing = len(ledger.acknowledged.get(stage.writer.user_id, set()) - present)
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


async def run(arguments, folder):
    older = arguments.old_program
    stage = Stage(
        older or arguments.binary, folder, pathlib.Path(arguments.deploy), is_pooled=arguments.pgbouncer, newer=arguments.binary
    )
    results = []
    print(HEADING, flush=True)
    try:
        await stage.set()
        for name, strike, bound, is_short in ROLL_BACK if older else FAULTS:
            if (arguments.short and not is_short) or arguments.only not in name:
                continue
            result = await suffer(stage, name, strike, bound, HOLD / 2 if arguments.short else HOLD)
            results.append(result)
            print(result.row(), flush=True)
            tell(result)
        if arguments.only in "disk full" and not older:
            disk = await disk_full(stage, folder)
            if disk is not None:
                results.append(disk)
                print(disk.row(), flush=True)
                tell(disk)
    except Impossible:
        for log in sorted(folder.glob("*.log")):
            lines = [line for line in log.read_text(errors="replace").splitlines() if "request served" not in line]
            print(f"--- {log.name}", *lines[-8:], sep="\n", file=sys.stderr)
        raise
    finally:
        # A thread may have started a process before the run was stopped.
        await asyncio.get_running_loop().shutdown_default_executor()
        stage.strike()
    return results


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
    parser.add_argument("--short", action="store_true", help="five faults, shorter")
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
            results = asyncio.run(until_told_to_stop(run(arguments, folder)))
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
