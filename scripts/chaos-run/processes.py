"""Processes on loopback: Restwell, PostgreSQL with a standby, PgBouncer, Redis, HAProxy, and a TCP proxy."""

import asyncio
import http.client
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time
from string import ascii_uppercase

LOOPBACK = "127.0.0.1"


class SetupError(Exception):
    """The environment could not be created."""


def free_port():
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        return listener.getsockname()[1]


async def wait_until(condition, what, seconds=30.0):
    deadline = time.monotonic() + seconds
    while not await asyncio.to_thread(condition):
        if time.monotonic() > deadline:
            raise SetupError(f"waited {seconds:.0f} s for {what}")
        await asyncio.sleep(0.05)


def without_settings():
    """Returns the variables of the shell without Restwell's settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("RESTWELL_")}


def run_restwell(binary, variables, *arguments):
    """Runs a command of the program; returns its output, parsed if it is JSON."""
    process = subprocess.run([binary, *arguments], env=variables, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise SetupError(f"restwell {' '.join(arguments[:2])}: {process.stderr}")
    return json.loads(process.stdout) if "--json" in arguments else process.stdout


def storage_url(*ports, database="restwell"):
    """Returns the URL of one server, or a URL of several that selects the primary."""
    hosts = ",".join(f"{LOOPBACK}:{port}" for port in ports)
    return f"postgres://restwell@{hosts}/{database}" + ("?target_session_attrs=read-write" if len(ports) > 1 else "")


def psql(url, *arguments):
    """Runs psql; returns its output."""
    process = subprocess.run(["psql", "-XqAt", url, *arguments], capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise SetupError(f"psql: {process.stderr.strip()}")
    return process.stdout.strip()


def accepts_queries(port):
    try:
        psql(storage_url(port), "-c", "SELECT 1")
    except SetupError:
        return False
    return True


def postgres_programs():
    """Returns the folder with the programs of the newest installed PostgreSQL."""
    return sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]


class Process:
    """A process with a log file."""

    def __init__(self, command, log, environment=None):
        with log.open("ab") as out:
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
        environment = {**self.environment, "RESTWELL__SERVER__LISTEN": f"{LOOPBACK}:{self.port}", **changes}
        self.process = Process([self.binary, "serve"], self.log, environment)

    def url(self):
        return f"http://{LOOPBACK}:{self.port}"

    def health_status(self, path):
        """Returns the status of a health check; 0 without a response."""
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=2)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    async def wait_until_ready(self):
        await wait_until(lambda: self.health_status("/readyz") == 200, f"{self.name} to be ready")


class Postgres:
    """A PostgreSQL server; its data directory belongs to PostgreSQL's user."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        # initdb does not run as root.
        self.user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name

    def run(self, program, *arguments):
        prefix = ["setpriv", "--reuid", self.user, "--regid", self.user, "--init-groups"] if os.getuid() == 0 else []
        command = [*prefix, str(postgres_programs() / program), *arguments]
        # Not captured, because the server inherits the output of pg_ctl.
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as out:
            return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False).returncode

    def create_folder(self):
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.getuid() == 0:
            shutil.chown(self.folder, self.user, self.user)

    def create(self):
        self.create_folder()
        if self.run("initdb", "-A", "trust", "-U", "restwell", "--locale=C.UTF-8", "-D", str(self.folder)) != 0:
            raise SetupError("initdb failed")
        with (self.folder / "pg_hba.conf").open("a") as rules:
            rules.write("host replication all 127.0.0.1/32 trust\n")

    def create_standby(self, primary):
        """Creates the server as a standby of another one."""
        self.create_folder()
        copied = self.run(
            "pg_basebackup", "-h", LOOPBACK, "-p", str(primary.port), "-U", "restwell", "-D", str(self.folder), "-R", "-X", "stream", "-c", "fast"
        )
        if copied != 0:
            raise SetupError("pg_basebackup failed")

    def start(self):
        # With fsync, because acknowledged writes must survive.
        options = f"-p {self.port} -k '' -c listen_addresses={LOOPBACK} -c max_connections=200 -c wal_level=replica -c hot_standby=on"
        if self.run("pg_ctl", "-D", str(self.folder), "-w", "-s", "-l", str(self.folder / "server.log"), "-o", options, "start") != 0:
            raise SetupError(f"PostgreSQL did not start: {(self.folder / 'server.log').read_text()[-2000:]}")

    def stop(self, mode):
        self.run("pg_ctl", "-D", str(self.folder), "-w", "-s", "-m", mode, "stop")

    def kill(self):
        """Ends it abruptly, like a power failure: the main process and its children at once."""
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
        return psql(storage_url(self.port, database=database), "-c", sql)

    def accepts_queries(self):
        return accepts_queries(self.port)


class Pooler:
    """PgBouncer in transaction mode, with the shipped settings, in front of one server."""

    def __init__(self, shipped, folder, port, host=LOOPBACK, login=""):
        self.shipped, self.folder, self.login, self.port, self.process = shipped, folder, login, free_port(), None
        self.file = folder / f"pgbouncer-{self.port}.ini"
        self.set_target(port, host)

    def set_target(self, port, host=LOOPBACK):
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

    def accepts_queries(self):
        return accepts_queries(self.port)


class Redis:
    """A Redis or Valkey without persistence."""

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None
        self.program = shutil.which("valkey-server") or shutil.which("redis-server")

    def start(self):
        command = [self.program, "--port", str(self.port), "--bind", LOOPBACK, "--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        self.process = Process(command, self.folder / "redis.log")

    def end(self):
        self.process.end(signal.SIGKILL)


class Balancer:
    """HAProxy with the shipped configuration."""

    def __init__(self, shipped, folder, replicas):
        self.port, self.process, self.folder = free_port(), None, folder
        self.file = folder / "haproxy.cfg"
        self.file.write_text(add_replicas(shipped.read_text(), replicas))
        # The https frontend serves plain http here; the one that redirects to https is not used.
        self.environment = {
            **os.environ,
            "RESTWELL_PROXY_HOST": LOOPBACK,
            "RESTWELL_PROXY_BIND": f"{LOOPBACK}:{self.port}",
            "RESTWELL_PROXY_PLAIN_BIND": f"abns@restwell-plain-{self.port}",
            # Concurrent runs must not share it.
            "RESTWELL_PROXY_INNER": f"abns@restwell-once-{self.port}",
        }
        for letter, replica in zip(ascii_uppercase, replicas):
            self.environment[f"RESTWELL_REPLICA_{letter}"] = f"{LOOPBACK}:{replica.port}"

    def start(self):
        self.process = Process(["haproxy", "-db", "-f", str(self.file)], self.folder / "haproxy.log", self.environment)

    def url(self):
        return f"http://{LOOPBACK}:{self.port}"


def add_replicas(text, replicas):
    """Adds servers to the two that the shipped configuration has in each backend."""
    lines = []
    for line in text.splitlines():
        lines.append(line)
        if line.split()[:2] == ["server", "b"]:
            for letter in ascii_uppercase[2 : len(replicas)]:
                lines.append(line.replace(" b ", f" {letter.lower()} ").replace("RESTWELL_REPLICA_B", f"RESTWELL_REPLICA_{letter}"))
    return "\n".join(lines) + "\n"


class TcpProxy:
    """A TCP proxy that can stop forwarding: connections stay open, but nothing arrives."""

    def __init__(self, target_port):
        self.target_port, self.port, self.server = target_port, free_port(), None
        self.connections = set()
        self.forwards = asyncio.Event()
        self.forwards.set()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, LOOPBACK, self.port)

    def accept(self, reader, writer):
        # A separate task, because the library would log its cancellation.
        task = asyncio.create_task(self.connect(reader, writer))
        self.connections.add(task)
        task.add_done_callback(self.connections.discard)

    def cut(self):
        self.forwards.clear()

    def restore(self):
        self.forwards.set()

    async def connect(self, reader, writer):
        await self.forwards.wait()
        try:
            other_reader, other_writer = await asyncio.open_connection(LOOPBACK, self.target_port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.forward(reader, other_writer), self.forward(other_reader, writer))

    async def forward(self, reader, writer):
        try:
            while data := await reader.read(65536):
                await self.forwards.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
