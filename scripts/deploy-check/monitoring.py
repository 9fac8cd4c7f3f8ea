"""Runs the program with everything that is measured, and a Prometheus that asks it with the files under deploy/: each
query of the dashboard and each alert must be understood and find what it looks for.

    monitoring.py BINARY SCRATCH_FOLDER STORE_URL

STORE_URL is that of a Redis in which requests are counted.
"""

import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

# Metrics of events that do not happen here, and why.
SILENT = {
    "restwell_sign_ins_total": "nobody signs in",
    "restwell_upload_received_bytes_total": "nobody uploads",
    "restwell_upload_read_bytes_total": "nobody uploads",
    "restwell_upload_records_total": "nobody uploads",
    "restwell_uploads_total": "nobody uploads",
    "restwell_rate_limit_store_outages_total": "the Redis stays",
}
# Timeout, generous for a busy machine.
PATIENCE = 60
CALLBACK = "https://app.example.org/callback"
PLAIN = ssl.create_default_context()
PLAIN.check_hostname = False
PLAIN.verify_mode = ssl.CERT_NONE


def fail(what):
    sys.exit(f"check-deploy: monitoring: {what}")


def eventually(what, ask):
    """Polls until there is an answer."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.1)
    return fail(f"not in {PATIENCE} s: {what}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """The program with TLS, an unreachable mail server, and shared counters."""

    def __init__(self, binary, folder, store_url, running):
        self.binary, self.folder = binary, folder
        certificate, key = folder / "tls.crt", folder / "tls.key"
        arguments = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "90", "-nodes"]
        command = ["openssl", "req", "-x509", "-newkey", "ed25519", "-out", certificate, "-keyout", key, *arguments]
        subprocess.run(command, check=True, capture_output=True)
        key.chmod(0o600)
        secret = subprocess.run([binary, "key", "generate"], capture_output=True, text=True, check=True).stdout.strip()
        settings = {
            "STORAGE__DATA_DIR": folder / "data",
            "SERVER__LISTEN": "127.0.0.1:0",
            "SERVER__PUBLIC_URL": "https://localhost:8443",
            "SERVER__TLS_CERTIFICATE_FILE": certificate,
            "SERVER__TLS_KEY_FILE": key,
            "SERVER__DRAIN_SECONDS": 0,
            "KEYS__ENCRYPTION_KEY": secret,
            "METRICS__LISTEN": "127.0.0.1:0",
            "RATE_LIMITS__STORE_URL": store_url,
            "MAIL__HOST": "127.0.0.1",
            "MAIL__PORT": free_port(),
            "MAIL__TLS": "none",
            "LOG__FORMAT": "json",
        }
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("RESTWELL_")}
        self.environment |= {f"RESTWELL__{name}": str(value) for name, value in settings.items()}
        self.run("migrate")
        self.log = folder / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen([binary, "serve"], env=self.environment, stdout=log, stderr=log)
        # Before waiting for it, so that it is always ended.
        running.append(self.process)
        self.address = eventually("the server listens", lambda: self.told("listening"))
        self.metrics = eventually("the server tells its metrics", lambda: self.told("serving metrics"))

    def run(self, *arguments):
        done = subprocess.run([self.binary, *arguments], env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"restwell {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def told(self, message):
        """Returns the address in a line of the log."""
        if getattr(self, "process", None) and self.process.poll() is not None:
            fail(f"the server ended:\n{self.log.read_text()}")
        for line in self.log.read_text().splitlines():
            if line.startswith("{") and line.endswith("}"):
                line = json.loads(line)
                if line.get("message") == message:
                    return line["address"]
        return None

    def ask(self, path, token=None, form=None, body=None):
        """Sends a request; returns status and body."""
        data = urllib.parse.urlencode(form).encode() if form else json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"https://{self.address}{path}", data)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        if body:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, context=PLAIN, timeout=PATIENCE) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def token(self, **form):
        status, body = self.ask("/api/token", form=form)
        if status != 200:
            fail(f"no token: {status} {body}")
        return json.loads(body)

    def be_used(self):
        """Causes every metric once."""
        email = ("--email", "sam@example.org", "--timezone", "Europe/Berlin")
        user = json.loads(self.run("user", "create", *email, "--json"))["user_id"]
        scopes = [part for scope in ("profile", "sleep", "supplements") for part in ("--scope", scope)]
        arguments = ("--name", "Night Reader", "--redirect-uri", CALLBACK, *scopes, "--json")
        client = json.loads(self.run("client", "create", *arguments))
        known = {name: client[name] for name in ("client_id", "client_secret")}
        # Nobody takes the challenge.
        self.run("webhook", "create", "--client", client["client_id"], "--url", f"http://127.0.0.1:{free_port()}/")
        arguments = ("--client", client["client_id"], "--user", user, "--redirect-uri", CALLBACK, *scopes, "--json")
        code = json.loads(self.run("code", "create", *arguments))["code"]
        tokens = self.token(code=code, redirect_uri=CALLBACK, **known)
        self.token(grant_type="refresh_token", refresh_token=tokens["refresh_token"], **known)
        for endpoint in ("profile", "sleep", "supplements"):
            self.ask(f"/api/v1/{endpoint}/{user}", token=tokens["access_token"])
        self.ask("/nowhere")
        arguments = ("--service", "--name", "Backend", "--scope", "users:write", "--json")
        service = json.loads(self.run("client", "create", *arguments))
        known = {name: service[name] for name in ("client_id", "client_secret")}
        token = self.token(grant_type="client_credentials", **known)["access_token"]
        status, body = self.ask("/api/v1/users", token, body=[{"email": "kim@example.org", "home_timezone": "Europe/Berlin"}])
        if status != 200:
            fail(f"nothing is taken from backends: {status} {body}")
        self.run("grant", "revoke", "--user", user, "--client", client["client_id"])
        path = f"/api/v1/profile/{user}"
        eventually("the token is refused", lambda: self.ask(path, tokens["access_token"])[0] == 401)


class Prometheus:
    """A Prometheus with the files under deploy/ and a shorter scrape interval."""

    def __init__(self, folder, target, running):
        rules = pathlib.Path("deploy/prometheus/restwell.rules.yml").read_text()
        (folder / "restwell.rules.yml").write_text(rules)
        config = yaml.safe_load(pathlib.Path("deploy/prometheus/prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [target]
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        self.address = f"127.0.0.1:{free_port()}"
        arguments = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/series", "--log.level=warn"]
        self.log = folder / "prometheus.log"
        with self.log.open("w") as log:
            command = ["prometheus", f"--web.listen-address={self.address}", *arguments]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        running.append(self.process)
        eventually("Prometheus answers", lambda: self.get("/api/v1/query", query="1"))

    def get(self, path, **parameters):
        if self.process.poll() is not None:
            fail(f"Prometheus ended:\n{self.log.read_text()}")
        url = f"http://{self.address}{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            # It returns 503 while it starts.
            return None if error.code == 503 else fail(f"{parameters}: {error.read().decode()}")
        except OSError:
            return None

    def series(self, query):
        return self.get("/api/v1/query", query=query)["result"]


def names(query):
    """Returns the metrics in a query; parts of a histogram as the histogram."""
    found = re.findall(r"\b(?:restwell|process)_\w+", query)
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in found}


def is_silent(query):
    return names(query) <= SILENT.keys()


def dashboard(prometheus):
    panels = json.loads(pathlib.Path("deploy/grafana/restwell.json").read_text())["panels"]
    queries = [(panel["title"], target["expr"]) for panel in panels for target in panel.get("targets", [])]
    empty = []
    for title, query in queries:
        plain = query.replace("$instance", ".*").replace("$__rate_interval", "1m")
        if not prometheus.series(plain) and not is_silent(query):
            empty.append(f"{title}: {plain}")
    if empty:
        fail("these panels show nothing:\n" + "\n".join(empty))
    return len(queries)


def alerts(prometheus):
    rules = [rule for group in prometheus.get("/api/v1/rules")["groups"] for rule in group["rules"]]
    for rule in rules:
        if rule["health"] != "ok":
            fail(f"{rule['name']}: {rule.get('lastError', rule['health'])}")
        if rule["state"] == "firing":
            fail(f"{rule['name']} fires on a server that is well: {rule['alerts']}")
        for name in sorted(names(rule["query"]) - SILENT.keys()):
            if not prometheus.series(f'{{__name__=~"{name}(_bucket)?"}}'):
                fail(f"{rule['name']} asks for {name}, of which nothing is told")
    return len(rules)


def main():
    binary, scratch, store_url = sys.argv[1], pathlib.Path(sys.argv[2]) / "monitoring", sys.argv[3]
    scratch.mkdir(mode=0o700)
    running = []
    try:
        server = Server(binary, scratch, store_url, running)
        prometheus = Prometheus(scratch, server.metrics, running)
        server.be_used()
        # Rates need two scrapes.
        seen = 'count_over_time(restwell_ingest_items_total{kind="users",outcome="created"}[5m]) >= 3'
        eventually("the server is looked at", lambda: prometheus.series(seen))
        seen = "count_over_time(restwell_revocation_delay_seconds_count[5m]) >= 3"
        eventually("the server is looked at", lambda: prometheus.series(seen))
        eventually("all alerts are looked at", lambda: all(
            rule["health"] != "unknown"
            for group in prometheus.get("/api/v1/rules")["groups"]
            for rule in group["rules"]
        ))
        if not prometheus.get("/api/v1/label/instance/values", **{"match[]": "restwell_build_info"}):
            fail("the dashboard's list of servers is empty")
        queries, rules = dashboard(prometheus), alerts(prometheus)
        print(f"monitoring: Prometheus understands {queries} queries of the dashboard and {rules} alerts, and finds what they name")
    finally:
        for process in running:
            process.terminate()
            process.wait()


main()
