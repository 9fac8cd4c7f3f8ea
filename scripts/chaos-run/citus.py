"""A Citus cluster under load: a worker is added, and a worker is lost."""

import asyncio
import os
import pathlib
import signal
import subprocess
import time

from environment import PEOPLE, Environment
from faults import LOST_NODE, Limits
from processes import LOOPBACK, SetupError, postgres_programs, psql

SCRIPT = pathlib.Path(__file__).parents[1] / "citus-cluster"
WORKERS = 3
# Enough for each worker to have some of them.
READERS = 12
SHARDS = 8


class CitusUnavailable(Exception):
    """The installed PostgreSQL has no extension citus."""


class CitusEnvironment(Environment):
    """One server of Restwell, without a balancer, on a coordinator with two workers and a spare one."""

    def __init__(self, binary, folder, deploy):
        super().__init__(binary, folder, deploy)
        self.cluster, self.distribution = folder / "cluster", deploy / "citus" / "distribute.sql"
        self.database_url, self.lost_users = None, set()

    async def start_stores(self):
        await asyncio.to_thread(self.start_cluster)
        return [self.database_url]

    def start_cluster(self):
        process = subprocess.run([SCRIPT, "start", self.cluster, str(WORKERS)], capture_output=True, text=True, check=False)
        if process.returncode != 0:
            raise CitusUnavailable(process.stderr.strip())
        self.database_url = process.stdout.strip()
        self.query(f"SELECT citus_remove_node('{LOOPBACK}', {self.port(WORKERS)})")

    def migrate(self, binary):
        super().migrate(binary)
        psql(self.database_url, "-v", f"shards={SHARDS}", "-f", str(self.distribution))

    def direct_url(self):
        return self.database_url

    def create_accounts(self):
        super().create_accounts()
        first = PEOPLE + 1
        # On one worker, so that another one can be lost.
        while self.worker_ports()[self.writer.user_id] != self.worker_ports()[self.code_person.user_id]:
            self.writer, first = self.create_person(first, nights=0), first + 1
        for number in range(first, first + READERS):
            self.connect_app(self.create_person(number))

    def data_folder(self, number):
        """Returns the data folder of the coordinator, 0, or of a worker."""
        return self.cluster / str(number) / "data"

    def port(self, number):
        return int((self.data_folder(number) / "postmaster.pid").read_text().splitlines()[3])

    def restart(self, number):
        """Starts a killed node with the options that it had."""
        (self.data_folder(number) / "postmaster.pid").unlink()
        prefix = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--"] if os.getuid() == 0 else []
        command = [*prefix, postgres_programs() / "pg_ctl", "-D", self.data_folder(number), "-w", "-l", self.data_folder(number) / "server.log", "restart"]
        # Not a pipe, because the server inherits stdout.
        with (self.folder / "citus.log").open("ab") as log:
            process = subprocess.run(command, stdout=log, stderr=log, check=False)
        if process.returncode != 0:
            raise SetupError(f"node {number} did not start again")

    def kill(self, number):
        os.kill(int((self.data_folder(number) / "postmaster.pid").read_text().splitlines()[0]), signal.SIGKILL)

    def query(self, sql):
        return psql(self.database_url, "-c", sql)

    def worker_ports(self):
        """Returns the port of each person's worker."""
        rows = self.query(
            "SELECT a.id, p.nodeport FROM account a JOIN citus_shards p ON p.shardid = get_shard_id_for_distribution_column('account', a.id)"
        )
        return {row.split("|")[0]: int(row.split("|")[1]) for row in rows.splitlines()}

    def request_kind(self, kind, person):
        return kind + LOST_NODE if person.user_id in self.lost_users else kind

    def stop_stores(self):
        if self.cluster.exists():
            subprocess.run([SCRIPT, "stop", self.cluster], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


async def worker_added(environment, duration):
    """Adds a worker and moves shards to it, one after the other."""
    port = environment.port(WORKERS)
    await asyncio.to_thread(environment.query, f"SELECT citus_add_node('{LOOPBACK}', {port})")
    await asyncio.to_thread(environment.query, "SELECT rebalance_table_shards(shard_transfer_mode => 'force_logical')")
    moved = await asyncio.to_thread(
        environment.query, f"SELECT count(*) FROM citus_shards WHERE nodeport = {port} AND citus_table_type = 'distributed'"
    )
    if int(moved) == 0:
        raise SetupError("no shard has moved")
    return time.monotonic()


async def worker_killed(environment, duration):
    """Kills the worker that has the most readers, and neither the writer nor the person whose codes are redeemed."""
    worker_ports = await asyncio.to_thread(environment.worker_ports)
    excluded = {worker_ports[environment.writer.user_id], worker_ports[environment.code_person.user_id]}
    readers = {person.user_id for person, _ in environment.tokens}
    numbers = {environment.port(number): number for number in range(1, WORKERS + 1)}
    readers_by_port = {port: {user for user in readers if worker_ports[user] == port} for port in numbers if port not in excluded}
    port = max(readers_by_port, key=lambda port: len(readers_by_port[port]))
    if not readers_by_port[port]:
        raise SetupError("no reader is on a worker that can be lost")
    environment.lost_users = readers_by_port[port]
    await asyncio.to_thread(environment.kill, numbers[port])
    await asyncio.sleep(duration)
    await asyncio.to_thread(environment.restart, numbers[port])
    return time.monotonic()


# Name, function, limits, whether part of the short form.
CITUS_FAULTS = (
    ("Citus: a worker is added", worker_added, Limits(recovery=2), False),
    ("Citus: a worker is lost", worker_killed, Limits(lost_node_only=True, recovery=5), True),
)
