"""Environment of a run: a primary with a standby, Redis, three replicas behind HAProxy, people, an app, and a backend."""

import asyncio
import json
import signal
import urllib.parse
import urllib.request

from load import REDIRECT_URI, Person
from processes import (
    LOOPBACK, Balancer, Pooler, Postgres, Redis, Replica, TcpProxy, run_restwell, storage_url, wait_until, without_settings,
)

REPLICAS = 3
PEOPLE = 4
NIGHTS = 20
# Codes are created before a fault, each by a command.
CODES = 40


class Token:
    """The tokens of one grant."""

    def __init__(self, access, refresh):
        self.access, self.refresh = access, refresh


class Environment:
    """All processes, people and apps."""

    def __init__(self, binary, folder, deploy, *, is_pooled=False, newer=None):
        self.binary, self.folder, self.newer = binary, folder, newer
        self.haproxy_file, self.pooler_file = deploy / "haproxy" / "haproxy.cfg", deploy / "pgbouncer" / "pgbouncer.ini"
        self.is_pooled, self.poolers = is_pooled, []
        self.nights, self.codes, self.tokens = 0, [], []

    async def start(self):
        urls = await self.start_stores()
        self.redis = Redis(self.folder)
        self.redis.start()
        self.variables = {
            **without_settings(),
            "RESTWELL__STORAGE__URL": urls[0],
            "RESTWELL__STORAGE__DATA_DIR": str(self.folder / "data"),
            "RESTWELL__RATE_LIMITS__STORE_URL": f"redis://{LOOPBACK}:{self.redis.port}",
            "RESTWELL__RATE_LIMITS__PROFILE": "1000000",
            "RESTWELL__RATE_LIMITS__INGEST": "1000000",
            "RESTWELL__RATE_LIMITS__SLEEP": "1000000",
            "RESTWELL__SERVER__TRUSTED_PROXIES": LOOPBACK,
        }
        self.replicas = [
            Replica(self.binary, f"replica-{number}", self.folder, {**self.variables, "RESTWELL__STORAGE__URL": url})
            for number, url in enumerate(urls, 1)
        ]
        self.balancer = Balancer(self.haproxy_file, self.folder, self.replicas)
        # The issuer is the address that the apps use.
        for variables in (self.variables, *(replica.environment for replica in self.replicas)):
            variables["RESTWELL__SERVER__PUBLIC_URL"] = self.url()
        await asyncio.to_thread(self.migrate, self.binary)
        for replica in self.replicas:
            replica.start()
        if len(self.replicas) > 1:
            self.balancer.start()
        for replica in self.replicas:
            await replica.wait_until_ready()
        await wait_until(self.is_reachable, "the balancer to respond")
        await asyncio.to_thread(self.create_accounts)

    def url(self):
        """Returns the address of the balancer, or of a single server."""
        return self.balancer.url() if len(self.replicas) > 1 else self.replicas[0].url()

    async def start_stores(self):
        """Starts the databases; returns the URL of each replica."""
        self.primary, self.standby = Postgres(self.folder / "primary"), Postgres(self.folder / "standby")
        await asyncio.to_thread(self.start_pair)
        ports = [self.primary.port, self.standby.port]
        if self.is_pooled:
            self.start_pooler(self.primary.port)
            await wait_until(self.poolers[0].accepts_queries, "PgBouncer to respond")
            ports = [self.poolers[0].port]
        # The second replica reaches its database through a proxy that can be cut.
        self.database_proxy = TcpProxy(ports[0])
        await self.database_proxy.start()
        return [storage_url(*([self.database_proxy.port] if number == 1 else ports)) for number in range(REPLICAS)]

    def start_pooler(self, *server):
        self.poolers.append(Pooler(self.pooler_file, self.folder, *server))
        self.poolers[-1].start()

    def start_pair(self):
        self.primary.create()
        self.primary.start()
        self.primary.query("CREATE DATABASE restwell", "postgres")
        self.standby.create_standby(self.primary)
        self.standby.start()

    def migrate(self, binary):
        run_restwell(binary, {**self.variables, "RESTWELL__STORAGE__URL": self.direct_url()}, "migrate")

    def direct_url(self):
        """Returns the URL of the primary itself, because a pooler has no sessions to hold a lock."""
        return storage_url(self.primary.port)

    def is_reachable(self):
        try:
            return urllib.request.urlopen(f"{self.url()}/readyz", timeout=2).status == 200
        except OSError:
            return False

    def run(self, *arguments):
        return run_restwell(self.binary, self.variables, *arguments)

    def create_accounts(self):
        """Creates people with nights, an app, and a backend."""
        self.app = self.run(
            "client", "create", "--name", "Night reader", "--redirect-uri", REDIRECT_URI, "--scope", "profile", "--scope", "sleep", "--json"
        )
        self.credentials = credentials(self.app)
        service = self.run("client", "create", "--service", "--name", "Backend", "--scope", "sleep:write", "--json")
        self.service_token = self.request_tokens(grant_type="client_credentials", **credentials(service))["access_token"]
        people = [self.create_person(number) for number in range(PEOPLE)]
        self.writer, self.code_person = self.create_person(PEOPLE, nights=0), people[0]
        for person in people:
            self.connect_app(person)

    def connect_app(self, person):
        """Grants the app access to a person's data."""
        tokens = self.request_tokens(code=self.create_code(person), redirect_uri=REDIRECT_URI, **self.credentials)
        self.tokens.append((person, Token(tokens["access_token"], tokens["refresh_token"])))

    def request_tokens(self, **fields):
        body = urllib.parse.urlencode(fields).encode()
        with urllib.request.urlopen(f"{self.url()}/api/token", body, timeout=10) as response:
            return json.load(response)

    def create_person(self, number, nights=NIGHTS):
        email = f"person-{number}@example.org"
        created = self.run("user", "create", "--email", email, "--timezone", "Europe/Berlin", "--no-password", "--json")
        user_id = created["user_id"]
        if not nights:
            return Person(user_id, set())
        file = self.folder / "nights.ndjson"
        file.write_text("".join(night_line(day) for day in range(nights)))
        self.run("import", "--user", user_id, "--json", str(file))
        return Person(user_id, self.sessions(user_id))

    def create_code(self, person):
        return self.run(
            "code", "create", "--client", self.app["client_id"], "--user", person.user_id, "--redirect-uri", REDIRECT_URI,
            "--scope", "profile", "--scope", "sleep", "--ttl", "10m", "--json",
        )["code"]

    def request_kind(self, kind, person):
        """Returns the kind under which a failed request for a person is recorded."""
        return kind

    def create_codes(self):
        self.codes = [self.create_code(self.code_person) for _ in range(CODES)]

    def next_code(self):
        return self.codes.pop() if self.codes else None

    def next_night(self):
        self.nights += 1
        return self.nights

    def sessions(self, user_id):
        """Returns the ids of a person's records from the current primary."""
        return set(self.query(f"SELECT id FROM sleep_session WHERE user_id = '{user_id}'").split())

    def query(self, sql):
        """Runs a statement on the current primary."""
        server = self.primary if self.primary.accepts_queries() else self.standby
        return server.query(sql)

    def stop(self):
        """Ends all processes; signals every one before waiting for any."""
        started = (*getattr(self, "replicas", ()), getattr(self, "balancer", None), getattr(self, "redis", None), *self.poolers)
        running = [one.process for one in started if one is not None and one.process is not None]
        for process in running:
            process.send(signal.SIGCONT)
            process.send(signal.SIGTERM)
        for process in running:
            process.end()
        self.stop_stores()

    def stop_stores(self):
        for server in (getattr(self, "standby", None), getattr(self, "primary", None)):
            if server is not None and (server.folder / "postmaster.pid").exists():
                server.stop("immediate")


def credentials(client):
    return {name: client[name] for name in ("client_id", "client_secret")}


def night_line(day):
    date = f"2025-{1 + day // 28:02}-{1 + day % 28:02}"
    return json.dumps(
        {"type": "sleep_session", "external_id": f"night-{day}", "source": "ring", "time_in_bed_start": f"{date}T00:30:00Z", "time_in_bed_end": f"{date}T07:30:00Z"}
    ) + "\n"
