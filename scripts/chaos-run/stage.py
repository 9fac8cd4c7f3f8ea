"""Environment: a primary with a standby, Redis, three replicas behind HAProxy, people, an app, and a backend."""

import asyncio
import json
import os
import signal
import subprocess

from load import REDIRECT_URI, Person
from processes import HERE, Balancer, Cable, Impossible, Pooler, Postgres, Redis, Replica, until

REPLICAS = 3
PEOPLE = 4
NIGHTS = 20
# Codes are created beforehand, each by a command.
CODES = 40


class Token:
    """The tokens of one grant."""

    def __init__(self, access, refresh):
        self.access, self.refresh = access, refresh


class Stage:
    """All processes, people and apps."""

    def __init__(self, binary, folder, deploy, *, is_pooled=False, newer=None):
        self.binary, self.folder, self.newer = binary, folder, newer
        self.shipped, self.pooler_settings = deploy / "haproxy" / "haproxy.cfg", deploy / "pgbouncer" / "pgbouncer.ini"
        self.is_pooled, self.poolers = is_pooled, []
        self.nights, self.codes, self.tokens = 0, [], []

    async def set(self):
        urls = await self.start_stores()
        self.redis = Redis(self.folder)
        self.redis.start()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("RESTWELL_")},
            "RESTWELL__STORAGE__URL": urls[0],
            "RESTWELL__STORAGE__DATA_DIR": str(self.folder / "data"),
            "RESTWELL__RATE_LIMITS__STORE_URL": f"redis://{HERE}:{self.redis.port}",
            "RESTWELL__RATE_LIMITS__PROFILE": "1000000",
            "RESTWELL__RATE_LIMITS__INGEST": "1000000",
            "RESTWELL__RATE_LIMITS__SLEEP": "1000000",
            "RESTWELL__SERVER__TRUSTED_PROXIES": HERE,
        }
        self.replicas = [
            Replica(self.binary, f"replica-{number}", self.folder, {**self.environment, "RESTWELL__STORAGE__URL": url})
            for number, url in enumerate(urls, 1)
        ]
        self.balancer = Balancer(self.shipped, self.folder, self.replicas)
        # The issuer is the address that the apps use.
        for environment in (self.environment, *(replica.environment for replica in self.replicas)):
            environment["RESTWELL__SERVER__PUBLIC_URL"] = self.url()
        await asyncio.to_thread(self.migrate, self.binary)
        for replica in self.replicas:
            replica.start()
        if len(self.replicas) > 1:
            self.balancer.start()
        for replica in self.replicas:
            await replica.ready()
        await until(self.is_balanced, "the balancer to answer")
        await asyncio.to_thread(self.settle)

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
            await until(self.poolers[0].accepts, "PgBouncer to answer")
            ports = [self.poolers[0].port]
        # The second replica reaches its database through a connection that can be cut.
        self.cable = Cable(ports[0])
        await self.cable.start()
        return [storage_url(*([self.cable.port] if number == 1 else ports)) for number in range(REPLICAS)]

    def start_pooler(self, *server):
        self.poolers.append(Pooler(self.pooler_settings, self.folder, *server))
        self.poolers[-1].start()

    def start_pair(self):
        self.primary.create()
        self.primary.start()
        self.primary.query("CREATE DATABASE restwell", "postgres")
        self.standby.follow(self.primary)
        self.standby.start()

    def migrate(self, binary):
        direct = {"RESTWELL__STORAGE__URL": self.direct_url()}
        done = subprocess.run([binary, "migrate"], env={**self.environment, **direct}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Impossible(f"restwell migrate: {done.stderr}")

    def direct_url(self):
        """Returns the URL of the primary itself, because a pooler has no sessions to hold a lock."""
        return storage_url(self.primary.port)

    def is_balanced(self):
        import urllib.request

        try:
            return urllib.request.urlopen(f"{self.url()}/readyz", timeout=2).status == 200
        except OSError:
            return False

    def run(self, *arguments, typed=None):
        """Runs a command of the program; returns its output, parsed if it is JSON."""
        done = subprocess.run(
            [self.binary, *arguments], input=typed, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise Impossible(f"restwell {' '.join(arguments[:2])}: {done.stderr}")
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    def settle(self):
        """Creates people with nights, an app, and a backend."""
        self.app = self.run(
            "client", "create", "--name", "Night reader", "--redirect-uri", REDIRECT_URI, "--scope", "profile", "--scope", "sleep", "--json"
        )
        service = self.run("client", "create", "--service", "--name", "Backend", "--scope", "sleep:write", "--json")
        self.service_token = self.ask("/api/token", grant_type="client_credentials", **service)["access_token"]
        people = [self.person(number) for number in range(PEOPLE)]
        self.writer, self.code_person = self.person(PEOPLE, nights=0), people[0]
        for person in people:
            tokens = self.ask("/api/token", code=self.code(person), redirect_uri=REDIRECT_URI, **self.app)
            self.tokens.append((self.app, person, Token(tokens["access_token"], tokens["refresh_token"])))

    def ask(self, path, **fields):
        import urllib.parse
        import urllib.request

        known = {name: fields[name] for name in fields if name in ("client_id", "client_secret", "grant_type", "code", "redirect_uri")}
        body = urllib.parse.urlencode(known).encode()
        with urllib.request.urlopen(self.url() + path, body, timeout=10) as answer:
            return json.load(answer)

    def person(self, number, nights=NIGHTS):
        made = self.run("user", "create", "--email", f"person-{number}@example.org", "--timezone", "Europe/Berlin", "--no-password", "--json")
        user_id = made["user_id"]
        if not nights:
            return Person(user_id, set())
        file = self.folder / "nights.ndjson"
        file.write_text("".join(night_line(day) for day in range(nights)))
        self.run("import", "--user", user_id, "--json", str(file))
        return Person(user_id, self.sessions(user_id))

    def code(self, person):
        return self.run(
            "code", "create", "--client", self.app["client_id"], "--user", person.user_id, "--redirect-uri", REDIRECT_URI,
            "--scope", "profile", "--scope", "sleep", "--ttl", "10m", "--json",
        )["code"]

    def kind(self, kind, person):
        """Returns the name under which a request for a person is recorded."""
        return kind

    def make_codes(self):
        self.codes = [self.code(self.code_person) for _ in range(CODES)]

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
        server = self.primary if self.primary.accepts() else self.standby
        return server.query(sql)

    def strike(self):
        """Ends everything; signals all processes before waiting for any."""
        known = (*getattr(self, "replicas", ()), getattr(self, "balancer", None), getattr(self, "redis", None), *self.poolers)
        running = [one.process for one in known if one is not None and one.process is not None]
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


def night_line(day):
    date = f"2025-{1 + day // 28:02}-{1 + day % 28:02}"
    return json.dumps(
        {"type": "sleep_session", "external_id": f"night-{day}", "source": "ring", "time_in_bed_start": f"{date}T00:30:00Z", "time_in_bed_end": f"{date}T07:30:00Z"}
    ) + "\n"


def storage_url(*ports):
    """Returns the URL of several servers that selects the primary."""
    hosts = ",".join(f"{HERE}:{port}" for port in ports)
    return f"postgres://restwell@{hosts}/restwell" + ("?target_session_attrs=read-write" if len(ports) > 1 else "")
