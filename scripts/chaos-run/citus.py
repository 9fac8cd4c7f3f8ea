"""A Citus cluster under load: it grows by a worker, and loses one."""

import asyncio
import os
import pathlib
import signal
import subprocess
import time

from faults import LOST, Bound
from load import REDIRECT_URI
from processes import HERE, Impossible
from stage import PEOPLE, Stage, Token

# Starts and stops a throwaway cluster; optional, beside the project.
TOOL = pathlib.Path(__file__).parents[3] / "shared" / "tools" / "citus" / "citus-cluster"
WORKERS = 3
# Enough that each worker has some of them.
READERS = 12
SHARDS = 8


class NotThere(Exception):
    """The tool cannot start a cluster here, because it needs root and a PostgreSQL of the version that it was built for."""


class CitusStage(Stage):
    """One server of Restwell, without a balancer, on a coordinator with two workers and a spare one."""

    def __init__(self, binary, folder, deploy):
        super().__init__(binary, folder, deploy)
        self.cluster, self.distribution = folder / "cluster", deploy / "citus" / "distribute.sql"
        self.database, self.lost = None, set()

    async def start_stores(self):
        await asyncio.to_thread(self.start_cluster)
        return [self.database]

    def start_cluster(self):
        if not TOOL.exists():
            raise NotThere(f"there is no {TOOL}")
        done = subprocess.run([TOOL, "start", self.cluster, str(WORKERS)], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise NotThere(f"{TOOL} does not start a cluster")
        self.database = done.stdout.strip()
        # Shards are copied by logical replication, so that writes go on.
        for number in range(WORKERS + 1):
            self.node_query(number, "ALTER SYSTEM SET wal_level = logical")
            self.control(number, "restart")
        self.query(f"SELECT citus_remove_node('{HERE}', {self.port(WORKERS)})")

    def migrate(self, binary):
        super().migrate(binary)
        self.psql("-v", f"shards={SHARDS}", "-f", str(self.distribution))

    def direct_url(self):
        return self.database

    def settle(self):
        super().settle()
        first = PEOPLE + 1
        # On one worker, so that another one can be lost.
        while self.homes()[self.writer.user_id] != self.homes()[self.code_person.user_id]:
            self.writer, first = self.person(first, nights=0), first + 1
        for number in range(first, first + READERS):
            person = self.person(number)
            tokens = self.ask("/api/token", code=self.code(person), redirect_uri=REDIRECT_URI, **self.app)
            self.tokens.append((self.app, person, Token(tokens["access_token"], tokens["refresh_token"])))

    def data(self, number):
        """Returns the data folder of the coordinator, 0, or of a worker."""
        return self.cluster / str(number) / "data"

    def port(self, number):
        return int((self.data(number) / "postmaster.pid").read_text().splitlines()[3])

    def control(self, number, command):
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        call = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--", programs / "pg_ctl"]
        # The server inherits the output, so it is no pipe.
        with (self.folder / "citus.log").open("ab") as log:
            done = subprocess.run([*call, "-D", self.data(number), "-w", "-l", self.cluster / str(number) / "log", command], stdout=log, stderr=log, check=False)
        if done.returncode != 0:
            raise Impossible(f"pg_ctl {command} failed for node {number}")

    def kill(self, number):
        os.kill(int((self.data(number) / "postmaster.pid").read_text().splitlines()[0]), signal.SIGKILL)

    def psql(self, *arguments, url=None):
        done = subprocess.run(["psql", "-XqAt", url or self.database, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Impossible(f"psql: {done.stderr.strip()}")
        return done.stdout.strip()

    def query(self, sql):
        return self.psql("-c", sql)

    def node_query(self, number, sql):
        return self.psql("-c", sql, url=f"postgres://postgres@{HERE}:{self.port(number)}/restwell")

    def homes(self):
        """Returns the port of the worker of each person."""
        rows = self.query(
            "SELECT a.id, p.nodeport FROM account a JOIN citus_shards p ON p.shardid = get_shard_id_for_distribution_column('account', a.id)"
        )
        return {row.split("|")[0]: int(row.split("|")[1]) for row in rows.splitlines()}

    def kind(self, kind, person):
        return kind + LOST if person.user_id in self.lost else kind

    def stop_stores(self):
        if self.cluster.exists():
            subprocess.run([TOOL, "stop", self.cluster], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


async def worker_added(stage, hold):
    """Adds a worker and moves shards to it, one after the other."""
    await asyncio.to_thread(stage.query, f"SELECT citus_add_node('{HERE}', {stage.port(WORKERS)})")
    await asyncio.to_thread(stage.query, "SELECT rebalance_table_shards(shard_transfer_mode => 'force_logical')")
    moved = await asyncio.to_thread(stage.query, f"SELECT count(*) FROM citus_shards WHERE nodeport = {stage.port(WORKERS)} AND citus_table_type = 'distributed'")
    if int(moved) == 0:
        raise Impossible("no shard has moved")
    return time.monotonic()


async def worker_lost(stage, hold):
    """Kills the worker that has the most readers, and neither the writer nor the person whose codes are redeemed."""
    homes = await asyncio.to_thread(stage.homes)
    kept = {homes[stage.writer.user_id], homes[stage.code_person.user_id]}
    readers = {person.user_id for _, person, _ in stage.tokens}
    ports = {stage.port(number): number for number in range(1, WORKERS + 1)}
    victims = {port: {user for user in readers if homes[user] == port} for port in ports if port not in kept}
    port = max(victims, key=lambda one: len(victims[one]))
    if not victims[port]:
        raise Impossible("no reader is on a worker that can be lost")
    stage.lost = victims[port]
    await asyncio.to_thread(stage.kill, ports[port])
    await asyncio.sleep(hold)
    (stage.data(ports[port]) / "postmaster.pid").unlink()
    await asyncio.to_thread(stage.control, ports[port], "start")
    return time.monotonic()


# Name, function, limits, whether part of the short form.
CITUS_FAULTS = (
    ("Citus: a worker is added", worker_added, Bound(seconds=2), False),
    ("Citus: a worker is lost", worker_lost, Bound(lost=True, seconds=5), True),
)
