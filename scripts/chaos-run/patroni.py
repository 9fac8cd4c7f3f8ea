"""Failovers by Patroni: one server or two replicas on three PostgreSQL servers, with all of them in the URL."""

import asyncio
import pathlib
import re
import subprocess
import time

from faults import Bound
from processes import Impossible
from stage import Stage, storage_url

SCRIPT = pathlib.Path(__file__).parents[1] / "patroni-cluster"
# Longest time without an acknowledged write: highest age of a lost primary's lock (ttl) and the election; a switchover.
LOST, SWITCHED = 20 + 10, 10


class PatroniStage(Stage):
    """Servers of Restwell on a cluster of scripts/patroni-cluster; a single one without the balancer. If pooled, a PgBouncer
    in front of each PostgreSQL server."""

    def __init__(self, binary, folder, deploy, replicas, *, is_pooled):
        super().__init__(binary, folder, deploy, is_pooled=is_pooled)
        self.count, self.cluster, self.killed, self.database = replicas, folder / "cluster", None, None

    def manage(self, command, *arguments):
        """Runs a command of the script; returns its output."""
        # The servers inherit the error output, so it is no pipe.
        with (self.folder / "patroni.log").open("ab") as log:
            done = subprocess.run([SCRIPT, command, self.cluster, *arguments], stdout=subprocess.PIPE, stderr=log, text=True, check=False)
        if done.returncode != 0:
            raise Impossible(f"patroni-cluster {command} failed")
        return done.stdout.strip()

    async def start_stores(self):
        self.database = await asyncio.to_thread(self.manage, "start")
        if not self.is_pooled:
            return [self.database] * self.count
        password, servers = re.match("postgres://restwell:(.+)@(.+)/restwell", self.database).groups()
        for server in servers.split(","):
            host, port = server.split(":")
            self.start_pooler(port, host, f"password={password}")
        return [storage_url(*(pooler.port for pooler in self.poolers))] * self.count

    def direct_url(self):
        return self.database

    def query(self, sql):
        url = f"{self.database}&target_session_attrs=read-write"
        done = subprocess.run(["psql", "-XqAt", url, "-c", sql], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Impossible(f"psql: {done.stderr.strip()}")
        return done.stdout.strip()

    def stop_stores(self):
        if (self.cluster / "etcd").exists():
            self.manage("stop")


async def primary_killed(stage, hold):
    stage.killed = await asyncio.to_thread(stage.manage, "kill", "primary")
    killed = time.monotonic()
    while await asyncio.to_thread(is_without_primary, stage):
        if time.monotonic() - killed > 2 * LOST:
            raise Impossible("no standby was promoted")
        await asyncio.sleep(0.1)
    return time.monotonic()


def is_without_primary(stage):
    try:
        stage.manage("primary")
    except Impossible:
        return True
    return False


async def killed_returns(stage, hold):
    if stage.killed is None:
        await primary_killed(stage, hold)
        # Its last requests may still fail.
        await asyncio.sleep(hold)
    restarted = time.monotonic()
    await asyncio.to_thread(stage.manage, "restart", stage.killed)
    await asyncio.to_thread(stage.manage, "rewound", stage.killed)
    return restarted


async def switched_over(stage, hold):
    await asyncio.to_thread(stage.manage, "switchover")
    return time.monotonic()


async def standby_lost(stage, hold):
    """Kills the synchronous standby: commits wait until Patroni chooses the other one."""
    killed = await asyncio.to_thread(stage.manage, "kill", "sync")
    await asyncio.sleep(hold)
    await asyncio.to_thread(stage.manage, "restart", killed)
    return time.monotonic()


def failovers(replicas):
    """Returns the faults for this number of replicas, in this order."""
    servers = "1 server" if replicas == 1 else f"{replicas} servers"
    return (
        (f"Patroni, {servers}: primary lost", primary_killed, Bound(seconds=2, gap=LOST), replicas > 1),
        (f"Patroni, {servers}: it returns", killed_returns, Bound(seconds=0), False),
        (f"Patroni, {servers}: standby lost", standby_lost, Bound(nothing=True), False),
        (f"Patroni, {servers}: switchover", switched_over, Bound(seconds=2, gap=SWITCHED), False),
    )
