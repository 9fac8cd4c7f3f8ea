"""Runs the program so that it exports every metric, and a Prometheus with the files under deploy/. Each query of the
dashboard and each alert must be valid and return data.

    monitoring.py BINARY SCRATCH_FOLDER STORE_URL

STORE_URL is that of a Redis in which requests are counted.
"""

import json
import pathlib
import re
import ssl
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import yaml

from processes import TIMEOUT, Process, environment_with, eventually, fail, free_port, run_restwell

# Metrics without data here, and why.
UNUSED_METRICS = {
    "restwell_sign_ins_total": "there are no sign-ins",
    "restwell_upload_received_bytes_total": "there are no uploads",
    "restwell_upload_read_bytes_total": "there are no uploads",
    "restwell_upload_records_total": "there are no uploads",
    "restwell_uploads_total": "there are no uploads",
    "restwell_rate_limit_store_outages_total": "the Redis does not fail",
}
CALLBACK = "https://app.example.org/callback"
UNVERIFIED_TLS = ssl.create_default_context()
UNVERIFIED_TLS.check_hostname = False
UNVERIFIED_TLS.verify_mode = ssl.CERT_NONE


class Server:
    """Restwell with TLS, an unreachable mail server, and shared counters."""

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
        self.environment = environment_with({f"RESTWELL__{name}": value for name, value in settings.items()})
        self.run("migrate")
        self.process = Process("restwell", [binary, "serve"], folder, env=self.environment)
        # Before waiting for it, so that it is always stopped.
        running.append(self.process)
        self.address = eventually("the server listens", lambda: self.logged_address("listening"), [self.process])
        self.metrics_address = eventually("the server exports metrics", lambda: self.logged_address("serving metrics"), [self.process])

    def run(self, *arguments):
        return run_restwell(self.binary, self.environment, *arguments)

    def logged_address(self, message):
        """Returns the address in a line of the log."""
        for line in self.process.output().splitlines():
            if line.startswith("{") and line.endswith("}"):
                line = json.loads(line)
                if line.get("message") == message:
                    return line["address"]
        return None

    def send(self, path, token=None, form=None, body=None):
        """Sends a request; returns the status and body."""
        data = urllib.parse.urlencode(form).encode() if form else json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"https://{self.address}{path}", data)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        if body:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, context=UNVERIFIED_TLS, timeout=TIMEOUT) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def request_token(self, **form):
        status, body = self.send("/api/token", form=form)
        if status != 200:
            fail(f"no token: {status} {body}")
        return json.loads(body)

    def generate_metrics(self):
        """Uses the server so that it exports every metric."""
        email = ("--email", "sam@example.org", "--timezone", "Europe/Berlin")
        user = json.loads(self.run("user", "create", *email, "--json"))["user_id"]
        scopes = [part for scope in ("profile", "sleep", "supplements") for part in ("--scope", scope)]
        arguments = ("--name", "Night Reader", "--redirect-uri", CALLBACK, *scopes, "--json")
        client = json.loads(self.run("client", "create", *arguments))
        credentials = {name: client[name] for name in ("client_id", "client_secret")}
        # No receiver returns the challenge.
        self.run("webhook", "create", "--client", client["client_id"], "--url", f"http://127.0.0.1:{free_port()}/")
        arguments = ("--client", client["client_id"], "--user", user, "--redirect-uri", CALLBACK, *scopes, "--json")
        code = json.loads(self.run("code", "create", *arguments))["code"]
        tokens = self.request_token(code=code, redirect_uri=CALLBACK, **credentials)
        self.request_token(grant_type="refresh_token", refresh_token=tokens["refresh_token"], **credentials)
        for endpoint in ("profile", "sleep", "supplements"):
            self.send(f"/api/v1/{endpoint}/{user}", token=tokens["access_token"])
        self.send("/nowhere")
        arguments = ("--service", "--name", "Backend", "--scope", "users:write", "--json")
        service = json.loads(self.run("client", "create", *arguments))
        credentials = {name: service[name] for name in ("client_id", "client_secret")}
        token = self.request_token(grant_type="client_credentials", **credentials)["access_token"]
        status, body = self.send("/api/v1/users", token, body=[{"email": "kim@example.org", "home_timezone": "Europe/Berlin"}])
        if status != 200:
            fail(f"backends cannot write: {status} {body}")
        self.run("grant", "revoke", "--user", user, "--client", client["client_id"])
        path = f"/api/v1/profile/{user}"
        eventually("the token is rejected", lambda: self.send(path, tokens["access_token"])[0] == 401)


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
        self.process = Process("prometheus", ["prometheus", f"--web.listen-address={self.address}", *arguments], folder)
        running.append(self.process)
        eventually("Prometheus responds", lambda: self.get("/api/v1/query", query="1"), [self.process])

    def get(self, path, **parameters):
        url = f"http://{self.address}{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            # It returns 503 while it starts.
            return None if error.code == 503 else fail(f"{parameters}: {error.read().decode()}")
        except OSError:
            return None

    def series(self, query):
        return self.get("/api/v1/query", query=query)["result"]


def metric_names(query):
    """Returns the metrics in a query; parts of a histogram as the histogram."""
    names = re.findall(r"\b(?:restwell|process)_\w+", query)
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}


def is_unused(query):
    return metric_names(query) <= UNUSED_METRICS.keys()


def check_dashboard(prometheus):
    panels = json.loads(pathlib.Path("deploy/grafana/restwell.json").read_text())["panels"]
    queries = [(panel["title"], target["expr"]) for panel in panels for target in panel.get("targets", [])]
    empty = []
    for title, query in queries:
        plain = query.replace("$instance", ".*").replace("$__rate_interval", "1m")
        if not prometheus.series(plain) and not is_unused(query):
            empty.append(f"{title}: {plain}")
    if empty:
        fail("these panels are empty:\n" + "\n".join(empty))
    return len(queries)


def check_alerts(prometheus):
    rules = [rule for group in prometheus.get("/api/v1/rules")["groups"] for rule in group["rules"]]
    for rule in rules:
        if rule["health"] != "ok":
            fail(f"{rule['name']}: {rule.get('lastError', rule['health'])}")
        if rule["state"] == "firing":
            fail(f"{rule['name']} fires on a healthy server: {rule['alerts']}")
        for name in sorted(metric_names(rule["query"]) - UNUSED_METRICS.keys()):
            if not prometheus.series(f'{{__name__=~"{name}(_bucket)?"}}'):
                fail(f"{rule['name']} queries {name}, which is not exported")
    return len(rules)


def main():
    binary, scratch, store_url = sys.argv[1], pathlib.Path(sys.argv[2]) / "monitoring", sys.argv[3]
    scratch.mkdir(mode=0o700)
    running = []
    try:
        server = Server(binary, scratch, store_url, running)
        prometheus = Prometheus(scratch, server.metrics_address, running)
        server.generate_metrics()
        # Rates need two scrapes.
        for metric in ('restwell_ingest_items_total{kind="users",outcome="created"}', "restwell_revocation_delay_seconds_count"):
            query = f"count_over_time({metric}[5m]) >= 3"
            eventually("the server is scraped", lambda query=query: prometheus.series(query), [prometheus.process])
        eventually("all alerts are evaluated", lambda: all(
            rule["health"] != "unknown"
            for group in prometheus.get("/api/v1/rules")["groups"]
            for rule in group["rules"]
        ))
        if not prometheus.get("/api/v1/label/instance/values", **{"match[]": "restwell_build_info"}):
            fail("the dashboard's list of servers is empty")
        queries, rules = check_dashboard(prometheus), check_alerts(prometheus)
        print(f"monitoring: {queries} queries of the dashboard and {rules} alerts are valid and find their metrics")
    finally:
        for process in running:
            process.stop()


main()
