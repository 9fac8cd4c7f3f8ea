"""Faults and their limits. Each function breaks something, waits, and repairs it.

Each returns the moment from which on everything should be normal again.
"""

import asyncio
import signal
import shutil
import time

from processes import Impossible, until

# Ends the names of requests for people on a lost node.
LOST = " of a lost person"
# Time until the service manager restarts a killed replica.
AWAY = 2.0


class Bound:
    """Limits of a fault: which kinds of request may not fail, for how long others may, and without acknowledged writes.
    If `lost`, only requests for people on a lost node may fail, and must."""

    def __init__(self, *, nothing=False, reads=False, lost=False, seconds=None, gap=None):
        self.nothing, self.reads, self.lost, self.seconds, self.gap = nothing, reads, lost, seconds, gap

    def faults(self, ledger, seconds):
        if self.nothing and ledger.failures:
            yield f"{len(ledger.failures)} requests failed, none may"
        if self.lost:
            lost = [kind.endswith(LOST) for _, kind, _ in ledger.failures]
            if not any(lost):
                yield "no request for a person on the lost node failed"
            if not all(lost):
                yield f"{lost.count(False)} requests for people on other nodes failed"
        # The balancer cannot retry a request after the first byte of its response.
        reads = [reason for _, kind, reason in ledger.failures if kind == "read" and "broke off" not in reason]
        if self.reads and reads:
            yield f"{len(reads)} reads failed that had no answer yet"
        if self.seconds is not None and seconds > self.seconds:
            yield f"normal after {seconds:.1f} s, {self.seconds} are allowed"
        if self.gap is not None and ledger.longest_gap() > self.gap:
            yield f"no write acknowledged for {ledger.longest_gap():.1f} s, {self.gap} are allowed"


async def replica_killed(stage, hold):
    replica = stage.replicas[0]
    replica.process.end(signal.SIGKILL)
    broken = time.monotonic()
    await asyncio.sleep(AWAY)
    replica.start()
    await replica.ready()
    return broken


async def replica_stopped(stage, hold):
    replica = stage.replicas[0]
    await asyncio.to_thread(replica.process.end)
    ended = time.monotonic()
    replica.start()
    await replica.ready()
    return ended


async def rolling_restart(stage, hold):
    for replica in stage.replicas:
        await asyncio.to_thread(replica.process.end)
        replica.start()
        await replica.ready()
        # The balancer must notice before the next replica stops.
        await asyncio.sleep(1.5)
    return time.monotonic()


async def replica_paused(stage, hold):
    replica = stage.replicas[0]
    replica.process.send(signal.SIGSTOP)
    await asyncio.sleep(hold)
    replica.process.send(signal.SIGCONT)
    return time.monotonic()


async def postgres_restarted(stage, hold):
    await asyncio.to_thread(stage.primary.stop, "fast")
    await asyncio.to_thread(stage.primary.start)
    return time.monotonic()


async def primary_lost(stage, hold):
    # Replication is asynchronous: what the standby has not received would be lost.
    stage.primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
    stage.primary.query("SELECT pg_reload_conf()")
    await until(lambda: stage.primary.query("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1", "the standby to keep step")
    await asyncio.to_thread(stage.primary.kill)
    await asyncio.sleep(1)
    await asyncio.to_thread(stage.standby.promote)
    await until(lambda: stage.standby.query("SELECT pg_is_in_recovery()") == "f", "the standby to be promoted")
    promoted = time.monotonic()
    stage.primary, stage.standby = stage.standby, stage.primary
    if stage.poolers:
        # The operator points the pooler at the new primary.
        stage.poolers[0].point_at(stage.primary.port)
    else:
        stage.cable.target_port = stage.primary.port
    return promoted


async def redis_gone(stage, hold):
    stage.redis.end()
    await asyncio.sleep(hold / 2)
    stage.redis.start()
    return time.monotonic()


async def pool_full(stage, hold):
    """Locks a table that every token needs, so that all connections of every pool wait."""
    holder = await asyncio.create_subprocess_exec(
        "psql", "-X", "-q", "-h", "127.0.0.1", "-p", str(stage.primary.port), "-U", "restwell", "-d", "restwell",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
    )
    holder.stdin.write(b"BEGIN; LOCK TABLE access_grant, sleep_session IN ACCESS EXCLUSIVE MODE;\n")
    await holder.stdin.drain()
    await asyncio.sleep(hold)
    holder.stdin.write(b"ROLLBACK;\n\\q\n")
    await holder.stdin.drain()
    await holder.wait()
    return time.monotonic()


async def network_cut(stage, hold):
    stage.cable.cut()
    await asyncio.sleep(hold)
    stage.cable.mend()
    return time.monotonic()


async def clock_wrong(stage, hold):
    library = faketime_library()
    replica = stage.replicas[2]
    await asyncio.to_thread(replica.process.end)
    replica.start(LD_PRELOAD=library, FAKETIME="+5m", FAKETIME_DONT_FAKE_MONOTONIC="1")
    await until(lambda: replica.answers("/livez") == 200, "the replica to live")
    deadline = time.monotonic() + hold
    while time.monotonic() < deadline:
        if await asyncio.to_thread(replica.answers, "/readyz") == 200:
            raise Impossible("a replica whose clock is 5 minutes off says that it is ready")
        await asyncio.sleep(0.2)
    await asyncio.to_thread(replica.process.end)
    replica.start()
    await replica.ready()
    return time.monotonic()


async def replace(stage, replica, binary, number=signal.SIGTERM):
    """Replaces a replica by another program."""
    await asyncio.to_thread(replica.process.end, number)
    replica.binary = binary
    replica.start()
    await replica.ready()
    # The balancer must notice before the next replica stops.
    await asyncio.sleep(1.5)


async def upgraded_and_rolled_back(stage, hold):
    """Migrates under old replicas, restarts one, runs both versions side by side, and rolls back."""
    older, applied = stage.binary, "SELECT count(*) FROM __diesel_schema_migrations"
    before = int(stage.primary.query(applied))
    await asyncio.to_thread(stage.migrate, stage.newer)
    if int(stage.primary.query(applied)) == before:
        print("    no migration lies between the two programs: one was made up", flush=True)
        await asyncio.to_thread(stage.primary.query, MADE_UP)
    await asyncio.sleep(hold / 4)
    await replace(stage, stage.replicas[0], older, signal.SIGKILL)
    await replace(stage, stage.replicas[1], stage.newer)
    await asyncio.sleep(hold / 2)
    await replace(stage, stage.replicas[0], stage.newer)
    await replace(stage, stage.replicas[2], stage.newer)
    await asyncio.sleep(hold / 4)
    for replica in stage.replicas:
        await replace(stage, replica, older)
    return time.monotonic()


# Changes that a release may make while the previous one runs (docs/schema-changes.md).
MADE_UP = """
    BEGIN;
    SET LOCAL lock_timeout = '20s';
    ALTER TABLE account ADD COLUMN nickname text;
    ALTER TABLE sleep_session ADD COLUMN mood text;
    CREATE TABLE habit (user_id integer NOT NULL, name text NOT NULL, PRIMARY KEY (user_id, name));
    CREATE INDEX account_nickname ON account (nickname);
    INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000');
    INSERT INTO schema_compatibility VALUES ('99990101000000', 1);
    COMMIT;
"""


def faketime_library():
    import glob

    found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not found or shutil.which("faketime") is None:
        raise Impossible("faketime is not installed")
    return found[0]


# Name, function, limits, whether part of the short form.
FAULTS = (
    ("kill -9 of a replica", replica_killed, Bound(reads=True, seconds=10), True),
    ("SIGTERM of a replica", replica_stopped, Bound(nothing=True), True),
    ("rolling restart", rolling_restart, Bound(nothing=True), False),
    ("a replica paused", replica_paused, Bound(seconds=10), False),
    ("PostgreSQL restarted", postgres_restarted, Bound(seconds=2), True),
    ("Redis stopped and started", redis_gone, Bound(nothing=True), True),
    ("the pool filled", pool_full, Bound(seconds=2), False),
    ("network to the database cut", network_cut, Bound(seconds=10), False),
    ("a clock 5 minutes off", clock_wrong, Bound(nothing=True), False),
    # Last, because it leaves a primary without a standby.
    ("primary lost, standby promoted", primary_lost, Bound(seconds=2), True),
)

# Only with --old-program; requests of the killed replica may fail.
ROLL_BACK = (("migrated, upgraded, rolled back", upgraded_and_rolled_back, Bound(reads=True, seconds=2), True),)
