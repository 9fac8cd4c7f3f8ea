"""Failovers by Patroni: one server or two replicas on three PostgreSQL servers, with all of them in the URL."""

import asyncio
import pathlib
import re
import subprocess
import time

from environment import Environment
from faults import Limits
from processes import SetupError, psql, storage_url

SCRIPT = pathlib.Path(__file__).parents[1] / "patroni-cluster"
# Longest time without an acknowledged write: the highest age of a lost primary's lock (ttl) and the election; a switchover.
FAILOVER_SECONDS, SWITCHOVER_SECONDS = 20 + 10, 10


class PatroniEnvironment(Environment):
    """Servers of Restwell on a cluster of scripts/patroni-cluster; a single one without the balancer. If pooled, a PgBouncer
    in front of each PostgreSQL server."""

    def __init__(self, binary, folder, deploy, replica_count, *, is_pooled):
        super().__init__(binary, folder, deploy, is_pooled=is_pooled)
        self.replica_count, self.cluster, self.killed, self.database_url = replica_count, folder / "cluster", None, None

    def run_script(self, command, *arguments):
        """Runs a command of scripts/patroni-cluster; returns its output."""
        # stderr is not a pipe, because the servers inherit it.
        with (self.folder / "patroni.log").open("ab") as log:
            process = subprocess.run([SCRIPT, command, self.cluster, *arguments], stdout=subprocess.PIPE, stderr=log, text=True, check=False)
        if process.returncode != 0:
            raise SetupError(f"patroni-cluster {command} failed")
        return process.stdout.strip()

    async def start_stores(self):
        self.database_url = await asyncio.to_thread(self.run_script, "start")
        if not self.is_pooled:
            return [self.database_url] * self.replica_count
        password, servers = re.match("postgres://restwell:(.+)@(.+)/restwell", self.database_url).groups()
        for server in servers.split(","):
            host, port = server.split(":")
            self.start_pooler(port, host, f"password={password}")
        return [storage_url(*(pooler.port for pooler in self.poolers))] * self.replica_count

    def direct_url(self):
        return self.database_url

    def query(self, sql):
        return psql(f"{self.database_url}&target_session_attrs=read-write", "-c", sql)

    def stop_stores(self):
        if (self.cluster / "etcd").exists():
            self.run_script("stop")


async def primary_killed(environment, duration):
    environment.killed = await asyncio.to_thread(environment.run_script, "kill", "primary")
    killed_at = time.monotonic()
    while not await asyncio.to_thread(has_primary, environment):
        if time.monotonic() - killed_at > 2 * FAILOVER_SECONDS:
            raise SetupError("no standby was promoted")
        await asyncio.sleep(0.1)
    return time.monotonic()


def has_primary(environment):
    try:
        environment.run_script("primary")
    except SetupError:
        return False
    return True


async def killed_server_restarted(environment, duration):
    """Restarts a killed server. If it must be killed first, waits for the requests that still fail."""
    if environment.killed is None:
        await primary_killed(environment, duration)
        await asyncio.sleep(duration)
    restarted_at = time.monotonic()
    await asyncio.to_thread(environment.run_script, "restart", environment.killed)
    await asyncio.to_thread(environment.run_script, "rewound", environment.killed)
    return restarted_at


async def switched_over(environment, duration):
    await asyncio.to_thread(environment.run_script, "switchover")
    return time.monotonic()


async def standby_killed(environment, duration):
    """Kills the synchronous standby: commits wait until Patroni chooses the other one."""
    killed = await asyncio.to_thread(environment.run_script, "kill", "sync")
    await asyncio.sleep(duration)
    await asyncio.to_thread(environment.run_script, "restart", killed)
    return time.monotonic()


def failovers(replica_count):
    """Returns the faults for this number of replicas, in the order in which they must run."""
    servers = "1 server" if replica_count == 1 else f"{replica_count} servers"
    return (
        (f"Patroni, {servers}: primary lost", primary_killed, Limits(recovery=2, write_gap=FAILOVER_SECONDS), replica_count > 1),
        (f"Patroni, {servers}: it returns", killed_server_restarted, Limits(recovery=0), False),
        (f"Patroni, {servers}: standby lost", standby_killed, Limits(no_failures=True), False),
        (f"Patroni, {servers}: switchover", switched_over, Limits(recovery=2, write_gap=SWITCHOVER_SECONDS), False),
    )
