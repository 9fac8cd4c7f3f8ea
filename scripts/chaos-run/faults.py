"""Faults and their limits. Each function injects a fault for about `duration` seconds and repairs it.

Each returns the time from which requests should succeed again.
"""

import asyncio
import glob
import signal
import time

from processes import SetupError, storage_url, wait_until

# Suffix of the kind of requests for people whose data is on a lost node.
LOST_NODE = " on a lost node"
# Time until the service manager restarts a killed replica.
RESTART_DELAY = 2.0


class Limits:
    """Limits of a fault.

    `no_failures`: no request may fail; `no_failed_reads`: no read may. `lost_node_only`: requests for people on a lost
    node must fail, and no others. `recovery`: seconds for which requests may fail after the repair. `write_gap`: seconds
    without an acknowledged write.
    """

    def __init__(self, *, no_failures=False, no_failed_reads=False, lost_node_only=False, recovery=None, write_gap=None):
        self.no_failures, self.no_failed_reads, self.lost_node_only = no_failures, no_failed_reads, lost_node_only
        self.recovery, self.write_gap = recovery, write_gap

    def violations(self, log, recovery):
        if self.no_failures and log.failures:
            yield f"{len(log.failures)} requests failed; none may"
        if self.lost_node_only:
            are_on_lost_node = [kind.endswith(LOST_NODE) for _, kind, _ in log.failures]
            if not any(are_on_lost_node):
                yield "no request for a person on the lost node failed"
            if not all(are_on_lost_node):
                yield f"{are_on_lost_node.count(False)} requests for people on other nodes failed"
        # The balancer cannot retry a request after the first byte of its response.
        reads = [reason for _, kind, reason in log.failures if kind == "read" and "cut off" not in reason]
        if self.no_failed_reads and reads:
            yield f"{len(reads)} reads failed before the first byte of a response"
        if self.recovery is not None and recovery > self.recovery:
            yield f"back to normal after {recovery:.1f} s; allowed: {self.recovery} s"
        if self.write_gap is not None and log.longest_write_gap() > self.write_gap:
            yield f"no write acknowledged for {log.longest_write_gap():.1f} s; allowed: {self.write_gap} s"


async def replica_killed(environment, duration):
    replica = environment.replicas[0]
    replica.process.end(signal.SIGKILL)
    killed_at = time.monotonic()
    await asyncio.sleep(RESTART_DELAY)
    replica.start()
    await replica.wait_until_ready()
    return killed_at


async def replica_stopped(environment, duration):
    replica = environment.replicas[0]
    await asyncio.to_thread(replica.process.end)
    stopped_at = time.monotonic()
    replica.start()
    await replica.wait_until_ready()
    return stopped_at


async def rolling_restart(environment, duration):
    """Restarts each replica, and waits 1.5 s, because no event shows that the balancer has noticed."""
    for replica in environment.replicas:
        await asyncio.to_thread(replica.process.end)
        replica.start()
        await replica.wait_until_ready()
        # The balancer must notice before the next replica stops.
        await asyncio.sleep(1.5)
    return time.monotonic()


async def replica_paused(environment, duration):
    replica = environment.replicas[0]
    replica.process.send(signal.SIGSTOP)
    await asyncio.sleep(duration)
    replica.process.send(signal.SIGCONT)
    return time.monotonic()


async def postgres_restarted(environment, duration):
    await asyncio.to_thread(environment.primary.stop, "fast")
    await asyncio.to_thread(environment.primary.start)
    return time.monotonic()


async def primary_killed(environment, duration):
    """Kills the primary, and promotes the standby 1 s later, so that requests fail in between."""
    # Replication is asynchronous: what the standby has not received would be lost.
    environment.primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
    environment.primary.query("SELECT pg_reload_conf()")
    in_sync = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
    await wait_until(lambda: environment.primary.query(in_sync) == "1", "the standby to be in sync")
    await asyncio.to_thread(environment.primary.kill)
    await asyncio.sleep(1)
    await asyncio.to_thread(environment.standby.promote)
    await wait_until(lambda: environment.standby.query("SELECT pg_is_in_recovery()") == "f", "the standby to be promoted")
    promoted_at = time.monotonic()
    environment.primary, environment.standby = environment.standby, environment.primary
    if environment.poolers:
        # The operator points the pooler at the new primary.
        environment.poolers[0].set_target(environment.primary.port)
    else:
        environment.database_proxy.target_port = environment.primary.port
    return promoted_at


async def redis_restarted(environment, duration):
    environment.redis.end()
    await asyncio.sleep(duration / 2)
    environment.redis.start()
    return time.monotonic()


async def pool_exhausted(environment, duration):
    """Locks a table that every token needs, so that all connections of every pool wait."""
    session = await asyncio.create_subprocess_exec(
        "psql", "-Xq", storage_url(environment.primary.port), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
    )
    session.stdin.write(b"BEGIN; LOCK TABLE access_grant, sleep_session IN ACCESS EXCLUSIVE MODE;\n")
    await session.stdin.drain()
    await asyncio.sleep(duration)
    session.stdin.write(b"ROLLBACK;\n\\q\n")
    await session.stdin.drain()
    await session.wait()
    return time.monotonic()


async def network_cut(environment, duration):
    environment.database_proxy.cut()
    await asyncio.sleep(duration)
    environment.database_proxy.restore()
    return time.monotonic()


async def clock_skewed(environment, duration):
    library = faketime_library()
    replica = environment.replicas[2]
    await asyncio.to_thread(replica.process.end)
    replica.start(LD_PRELOAD=library, FAKETIME="+5m", FAKETIME_DONT_FAKE_MONOTONIC="1")
    await wait_until(lambda: replica.health_status("/livez") == 200, "the replica to be live")
    deadline = time.monotonic() + duration
    while time.monotonic() < deadline:
        if await asyncio.to_thread(replica.health_status, "/readyz") == 200:
            raise SetupError("a replica whose clock is 5 minutes off reports that it is ready")
        await asyncio.sleep(0.2)
    await asyncio.to_thread(replica.process.end)
    replica.start()
    await replica.wait_until_ready()
    return time.monotonic()


async def restart_with(replica, binary, number=signal.SIGTERM):
    """Restarts a replica with another program, and waits 1.5 s, because no event shows that the balancer has noticed."""
    await asyncio.to_thread(replica.process.end, number)
    replica.binary = binary
    replica.start()
    await replica.wait_until_ready()
    # The balancer must notice before the next replica stops.
    await asyncio.sleep(1.5)


async def upgraded_and_rolled_back(environment, duration):
    """Migrates under old replicas, restarts one, runs both versions side by side, and rolls back."""
    older, applied_migrations = environment.binary, "SELECT count(*) FROM __diesel_schema_migrations"
    before = int(environment.primary.query(applied_migrations))
    await asyncio.to_thread(environment.migrate, environment.newer)
    if int(environment.primary.query(applied_migrations)) == before:
        print("    both programs have the same schema: applying a test migration", flush=True)
        await asyncio.to_thread(environment.primary.query, TEST_MIGRATION)
    await asyncio.sleep(duration / 4)
    await restart_with(environment.replicas[0], older, signal.SIGKILL)
    await restart_with(environment.replicas[1], environment.newer)
    await asyncio.sleep(duration / 2)
    await restart_with(environment.replicas[0], environment.newer)
    await restart_with(environment.replicas[2], environment.newer)
    await asyncio.sleep(duration / 4)
    for replica in environment.replicas:
        await restart_with(replica, older)
    return time.monotonic()


# Changes that a release may make while the previous one runs (docs/schema-changes.md), for both stores.
EXPANSION = """
    ALTER TABLE account ADD COLUMN nickname text;
    ALTER TABLE sleep_session ADD COLUMN mood text;
    CREATE TABLE habit (user_id integer NOT NULL, name text NOT NULL, PRIMARY KEY (user_id, name));
    CREATE INDEX account_nickname ON account (nickname);
    INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000');
    INSERT INTO schema_compatibility VALUES ('99990101000000', 1);
"""
TEST_MIGRATION = f"BEGIN; SET LOCAL lock_timeout = '20s'; {EXPANSION} COMMIT;"


def faketime_library():
    libraries = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not libraries:
        raise SetupError("faketime is not installed")
    return libraries[0]


# Name, function, limits, whether part of the short form.
FAULTS = (
    ("kill -9 of a replica", replica_killed, Limits(no_failed_reads=True, recovery=10), True),
    ("SIGTERM of a replica", replica_stopped, Limits(no_failures=True), True),
    ("rolling restart", rolling_restart, Limits(no_failures=True), False),
    ("a replica paused", replica_paused, Limits(recovery=10), False),
    ("PostgreSQL restarted", postgres_restarted, Limits(recovery=2), True),
    ("Redis stopped and started", redis_restarted, Limits(no_failures=True), True),
    ("connection pool exhausted", pool_exhausted, Limits(recovery=2), False),
    ("network to the database cut", network_cut, Limits(recovery=10), False),
    ("a clock 5 minutes off", clock_skewed, Limits(no_failures=True), False),
    # Last, because it leaves a primary without a standby.
    ("primary lost, standby promoted", primary_killed, Limits(recovery=2), True),
)

# Only with --old-program; requests of the killed replica may fail.
UPGRADE_FAULTS = (("migrated, upgraded, rolled back", upgraded_and_rolled_back, Limits(no_failed_reads=True, recovery=2), True),)
