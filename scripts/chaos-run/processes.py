"""Processes on loopback: Restwell, PostgreSQL with a standby, Redis, HAProxy, and a TCP connection that can be cut."""

import asyncio
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time
from string import ascii_uppercase

HERE = "127.0.0.1"


class Impossible(Exception):
    """The environment could not be created."""


def free_port():
    with socket.socket() as listener:
        listener.bind((HERE, 0))
        return listener.getsockname()[1]


async def until(condition, what, seconds=30.0, every=0.05):
    """Waits for a condition; returns the seconds it took."""
    begun = time.monotonic()
    while not await asyncio.to_thread(condition):
        if time.monotonic() - begun > seconds:
            raise Impossible(f"{what} did not happen in {seconds:.0f} s")
        await asyncio.sleep(every)
    return time.monotonic() - begun


class Process:
    """A process with a log; ended by its id."""

    def __init__(self, command, log, environment=None):
        self.log = pathlib.Path(log)
        with self.log.open("ab") as out:
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)

    def send(self, number):
        if self.child.poll() is None:
            os.kill(self.child.pid, number)

    def is_running(self):
        return self.child.poll() is None

    def end(self, number=signal.SIGTERM, seconds=20):
        self.send(signal.SIGCONT)
        self.send(number)
        try:
            self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL)
            self.child.wait()


class Replica:
    """One server of Restwell."""

    def __init__(self, binary, name, folder, environment):
        self.binary, self.name, self.port = binary, name, free_port()
        self.log = folder / f"{name}.log"
        self.environment = environment
        self.process = None

    def start(self, **changes):
        environment = {**self.environment, "RESTWELL__SERVER__LISTEN": f"{HERE}:{self.port}", **changes}
        self.process = Process([self.binary, "serve"], self.log, environment)

    def url(self):
        return f"http://{HERE}:{self.port}"

    def answers(self, path):
        """Returns the status of a health check; 0 without an answer."""
        import http.client

        connection = http.client.HTTPConnection(HERE, self.port, timeout=2)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    async def ready(self, seconds=30):
        return await until(lambda: self.answers("/readyz") == 200, f"{self.name} to be ready", seconds)


class Postgres:
    """A PostgreSQL server; its data directory belongs to PostgreSQL's user."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        # initdb does not run as root.
        self.user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name

    def run(self, program, *arguments):
        prefix = ["setpriv", "--reuid", self.user, "--regid", self.user, "--init-groups"] if os.getuid() == 0 else []
        command = [*prefix, str(self.programs / program), *arguments]
        # Not captured, because the server inherits the output of pg_ctl.
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as out:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False)
        return done.returncode

    def own(self):
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.getuid() == 0:
            shutil.chown(self.folder, self.user, self.user)

    def create(self):
        self.own()
        if self.run("initdb", "-A", "trust", "-U", "restwell", "--locale=C.UTF-8", "-D", str(self.folder)) != 0:
            raise Impossible("initdb failed")
        with (self.folder / "pg_hba.conf").open("a") as rules:
            rules.write("host replication all 127.0.0.1/32 trust\n")

    def follow(self, primary):
        """Becomes a standby of another server."""
        self.own()
        copied = self.run(
            "pg_basebackup", "-h", HERE, "-p", str(primary.port), "-U", "restwell", "-D", str(self.folder), "-R", "-X", "stream", "-c", "fast"
        )
        if copied != 0:
            raise Impossible("pg_basebackup failed")

    def start(self):
        # With fsync, because acknowledged writes must survive.
        options = f"-p {self.port} -k '' -c listen_addresses={HERE} -c max_connections=200 -c wal_level=replica -c hot_standby=on"
        if self.run("pg_ctl", "-D", str(self.folder), "-w", "-s", "-l", str(self.folder / "server.log"), "-o", options, "start") != 0:
            raise Impossible(f"PostgreSQL did not start: {(self.folder / 'server.log').read_text()[-2000:]}")

    def stop(self, mode):
        self.run("pg_ctl", "-D", str(self.folder), "-w", "-s", "-m", mode, "stop")

    def kill(self):
        """Ends it like a power failure: the main process and its children at once."""
        main = int((self.folder / "postmaster.pid").read_text().split()[0])
        children = [int(pid) for pid in pathlib.Path(f"/proc/{main}/task/{main}/children").read_text().split()]
        for pid in (main, *children):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def promote(self):
        self.run("pg_ctl", "-D", str(self.folder), "-w", "-s", "promote")

    def query(self, sql, database="restwell"):
        command = ["psql", "-X", "-q", "-A", "-t", "-h", HERE, "-p", str(self.port), "-U", "restwell", "-d", database, "-c", sql]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Impossible(f"psql: {done.stderr.strip()}")
        return done.stdout.strip()

    def accepts(self):
        command = ["psql", "-X", "-q", "-A", "-t", "-h", HERE, "-p", str(self.port), "-U", "restwell", "-d", "restwell", "-c", "SELECT 1"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Pooler:
    """PgBouncer in transaction mode, with the shipped settings, in front of one server."""

    def __init__(self, shipped, folder, port, host=HERE, login=""):
        self.shipped, self.folder, self.login, self.port, self.process = shipped, folder, login, free_port(), None
        self.file = folder / f"pgbouncer-{self.port}.ini"
        self.point_at(port, host)

    def point_at(self, port, host=HERE):
        """Writes the settings for a server; a running PgBouncer reloads them."""
        changes = {
            "listen_port": self.port, "auth_type": "any", "auth_file": None, "server_tls_sslmode": "prefer", "server_tls_ca_file": None,
        }
        lines = []
        for line in self.shipped.read_text().splitlines():
            name = line.split(" = ")[0]
            if name == "restwell":
                line = f"restwell = host={host} port={port} dbname=restwell user=restwell {self.login} connect_query" + line.split("connect_query")[1]
            elif name in changes:
                line = f"{name} = {changes[name]}" if changes[name] else ""
            lines.append(line)
        self.file.write_text("\n".join([*lines, "unix_socket_dir =", ""]))
        self.file.chmod(0o644)
        if self.process is not None:
            self.process.send(signal.SIGHUP)

    def start(self):
        # PgBouncer does not run as root.
        prefix = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"] if os.getuid() == 0 else []
        program = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
        self.process = Process([*prefix, program, str(self.file)], self.folder / f"pgbouncer-{self.port}.log")

    def accepts(self):
        command = ["psql", "-X", "-q", "-h", HERE, "-p", str(self.port), "-U", "restwell", "-d", "restwell", "-c", "SELECT 1"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Redis:
    """A Redis or Valkey without persistence."""

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None
        self.program = shutil.which("valkey-server") or shutil.which("redis-server")

    def start(self):
        command = [self.program, "--port", str(self.port), "--bind", HERE, "--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        self.process = Process(command, self.folder / "redis.log")

    def end(self):
        self.process.end(signal.SIGKILL)


class Balancer:
    """HAProxy with the shipped configuration."""

    def __init__(self, shipped, folder, replicas):
        self.port, self.process, self.folder = free_port(), None, folder
        self.file = folder / "haproxy.cfg"
        self.file.write_text(for_replicas(shipped.read_text(), replicas))
        # Plain http; the other frontend is not used.
        self.environment = {
            **os.environ,
            "RESTWELL_PROXY_HOST": HERE,
            "RESTWELL_PROXY_BIND": f"{HERE}:{self.port}",
            "RESTWELL_PROXY_PLAIN_BIND": f"abns@restwell-plain-{self.port}",
            # Two runs at a time must not share it.
            "RESTWELL_PROXY_INNER": f"abns@restwell-once-{self.port}",
        }
        for letter, replica in zip(ascii_uppercase, replicas):
            self.environment[f"RESTWELL_REPLICA_{letter}"] = f"{HERE}:{replica.port}"

    def start(self):
        self.process = Process(["haproxy", "-db", "-f", str(self.file)], self.folder / "haproxy.log", self.environment)

    def url(self):
        return f"http://{HERE}:{self.port}"


def for_replicas(text, replicas):
    """Adds servers to the two that the shipped configuration has in each backend."""
    lines = []
    for line in text.splitlines():
        lines.append(line)
        if line.split()[:2] == ["server", "b"]:
            for letter in ascii_uppercase[2 : len(replicas)]:
                lines.append(line.replace(" b ", f" {letter.lower()} ").replace("RESTWELL_REPLICA_B", f"RESTWELL_REPLICA_{letter}"))
    return "\n".join(lines) + "\n"


class Cable:
    """A TCP connection that can be cut: data is then dropped silently."""

    def __init__(self, target_port):
        self.target_port, self.port, self.server, self.is_cut = target_port, free_port(), None, False
        self.connections = set()
        self.whole = asyncio.Event()
        self.whole.set()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, HERE, self.port)

    def accept(self, reader, writer):
        # A separate task, because the library would log its cancellation.
        task = asyncio.create_task(self.connect(reader, writer))
        self.connections.add(task)
        task.add_done_callback(self.connections.discard)

    def cut(self):
        self.whole.clear()

    def mend(self):
        self.whole.set()

    async def connect(self, reader, writer):
        await self.whole.wait()
        try:
            other_reader, other_writer = await asyncio.open_connection(HERE, self.target_port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.pump(reader, other_writer), self.pump(other_reader, writer))

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(65536):
                await self.whole.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
