"""Runs each proxy of deploy/ in front of a server. Pages and tokens are served only by https under the server's name. No
request is retried, no secret is logged, no bare line feed is forwarded, and connections per address are limited.

    proxies.py BINARY SCRATCH_FOLDER

It needs the ports 80, 443 and 8080, so run it in a network namespace.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import urllib.parse

from stage import PATIENCE, Process, accepts, eventually, fail, foreign

HOST = "sleep.example.org"
CALLBACK = "https://app.example.org/callback"
MARKER = "LEAKME123"
SERVER, RELAY = ("127.0.0.1", 8081), ("127.0.0.1", 8080)
BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")
# Connections per address in the files, and in this test.
LIMIT, TEST_LIMIT = 1000, 20
# Caddy has no such limit.
UNLIMITED = {"caddy"}
# Requests with a bare line feed.
BARE = {
    "all lines of the head": "GET /lf HTTP/1.1\nHost: {host}\nConnection: close\n\n",
    "one header": "GET /lf HTTP/1.1\r\nHost: {host}\r\nX: y\nConnection: close\r\n\r\n",
    "the end of the head": "GET /lf HTTP/1.1\r\nHost: {host}\r\nConnection: close\n\n",
    "a chunk's size": "{post}5\nx=abc\r\n0\r\n\r\n",
    "a chunk's extension": "{post}5;a=b\nx=abc\r\n0\r\n\r\n",
    "a chunk's end": "{post}5\r\nx=abc\n0\r\n\r\n",
    "a trailer": "{post}5\r\nx=abc\r\n0\r\nY: z\n\r\n",
}
POST = (
    f"POST /lf HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    "Transfer-Encoding: chunked\r\n\r\n"
)


class Relay:
    """Stands between proxy and server: records what the proxy sends, closes the connection of a request for /breaks-off, and
    delays requests for /delayed."""

    def __init__(self):
        self.received, self.listener = [], socket.create_server(RELAY, backlog=64)
        self.ends_delay = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            caller, _ = self.listener.accept()
            threading.Thread(target=self.carry, args=(caller,), daemon=True).start()

    def carry(self, caller):
        kept = bytearray()
        self.received.append(kept)
        with caller, socket.create_connection(SERVER) as server:
            threading.Thread(target=pour, args=(server, caller), daemon=True).start()
            try:
                while data := caller.recv(65536):
                    kept += data
                    if b" /breaks-off" in data:
                        caller.shutdown(socket.SHUT_RDWR)
                        return
                    if b" /delayed" in data:
                        self.ends_delay.wait(PATIENCE)
                    server.sendall(data)
                server.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def requests(self, path):
        """Returns the data of the connections that requested a path."""
        return [bytes(kept) for kept in self.received if f" {path}".encode() in kept]


def pour(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def connect(name=None):
    """Connects to the proxy, with TLS if a name is given."""
    stream = socket.create_connection(("127.0.0.1", 443 if name is not None else 80), timeout=PATIENCE)
    if name is None:
        return stream
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(stream, server_hostname=name or None)


def exchange(request, name=None):
    """Sends a request, with TLS if a name is given, and returns everything received until the connection is closed."""
    answer = b""
    try:
        with connect(name) as stream:
            stream.sendall(request.encode())
            while data := stream.recv(65536):
                answer += data
    except (ssl.SSLError, ConnectionError) as error:
        # Data received before the error is the answer.
        return answer.decode(errors="replace") or f"refused: {error}"
    return answer.decode(errors="replace")


def get(path, host=HOST, headers=""):
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n"


def post(path, form, host=HOST):
    body = urllib.parse.urlencode(form)
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
    return f"{head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n{body}"


def status(answer):
    found = re.match(r"HTTP/1\.1 (\d+) ", answer)
    return int(found[1]) if found else None


class Server:
    """Restwell behind the relay, with a person and an app."""

    def __init__(self, binary, folder):
        self.binary = binary
        key = subprocess.run([binary, "key", "generate"], capture_output=True, text=True, check=True).stdout.strip()
        self.environment = foreign({
            "RESTWELL__SERVER__LISTEN": "127.0.0.1:8081",
            "RESTWELL__SERVER__PUBLIC_URL": f"https://{HOST}",
            "RESTWELL__SERVER__TRUSTED_PROXIES": "127.0.0.1",
            "RESTWELL__SERVER__DRAIN_SECONDS": "0",
            "RESTWELL__KEYS__ENCRYPTION_KEY": key,
            "RESTWELL__STORAGE__DATA_DIR": str(folder / "data"),
        })
        self.run("migrate")
        self.process = Process("restwell", [binary, "serve"], folder, env=self.environment)
        eventually("the server listens", lambda: accepts(*SERVER), [self.process])
        person = self.run("user", "create", "--email", "sam@example.org", "--timezone", "Europe/Berlin", "--json")
        self.person = json.loads(person)["user_id"]
        self.app = json.loads(self.run("client", "create", "--name", "a", "--redirect-uri", CALLBACK, "--scope", "sleep", "--json"))

    def run(self, *arguments):
        done = subprocess.run([self.binary, *arguments], env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"restwell {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def redemption(self):
        """Returns the form that redeems a fresh code."""
        app = self.app["client_id"]
        arguments = ("--client", app, "--user", self.person, "--redirect-uri", CALLBACK, "--scope", "sleep", "--json")
        code = json.loads(self.run("code", "create", *arguments))["code"]
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
        return {**form, "client_id": app, "client_secret": self.app["client_secret"]}


class Proxy:
    """A running proxy."""

    def __init__(self, file, folder, processes):
        self.file, self.kind, self.folder = file, file.parent.name, folder / file.parent.name / file.stem
        self.folder.mkdir(parents=True)
        # If root starts nginx, its workers run as nobody.
        for part in (folder, self.folder.parent, self.folder):
            part.chmod(0o755)
        certificate, key, both = (folder / name for name in ("tls.crt", "tls.key", "tls.pem"))
        upstream = f"{RELAY[0]}:{RELAY[1]}"
        variables = {
            "RESTWELL_PROXY_HOST": HOST,
            "RESTWELL_PROXY_LISTEN": "443 ssl http2",
            "RESTWELL_PROXY_PLAIN_LISTEN": "80",
            "RESTWELL_PROXY_CERTIFICATE": str(certificate),
            "RESTWELL_PROXY_KEY": str(key),
            "RESTWELL_PROXY_BIND": f"*:443 ssl crt {both} alpn h2,http/1.1",
            "RESTWELL_PROXY_PLAIN_BIND": "*:80",
            "RESTWELL_PROXY_TLS": f"tls {certificate} {key}",
            "RESTWELL_SERVER": upstream,
            "RESTWELL_REPLICA_A": upstream,
            "RESTWELL_REPLICA_B": upstream,
        }
        command = getattr(self, self.kind)(variables)
        home = {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        self.process = Process(f"{self.kind}-{file.stem}", command, folder, env=foreign({**variables, **home}))
        processes.append(self.process)
        ready = lambda: status(exchange(get("/readyz"), HOST)) == 200  # noqa: E731
        eventually(f"{file} leads to the server", ready, [self.process])

    def haproxy(self, _):
        config = self.folder / self.file.name
        config.write_text(self.text_with_test_limit(f"sc_conn_cur(0) gt {LIMIT}"))
        return [program("haproxy"), "-db", "-f", str(config)]

    def caddy(self, _):
        return [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(self.file)]

    def nginx(self, variables):
        """Includes the file in a main configuration, as the content of `http`."""
        site, main = self.folder / "site.conf", self.folder / "nginx.conf"
        text = self.text_with_test_limit(f"limit_conn restwell_clients {LIMIT};")
        text = re.sub(r"\$\{(RESTWELL_\w+)\}", lambda found: variables[found[1]], text)
        site.write_text(text)
        temporary = "".join(f"{kind}_temp_path {self.folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        main.write_text(
            f"daemon off;\npid {self.folder}/nginx.pid;\nerror_log /dev/stderr notice;\nworker_processes 1;\n"
            f"events {{ worker_connections 512; }}\nhttp {{\n{temporary}include {site};\n}}\n"
        )
        return [program("nginx"), "-c", str(main)]

    def text_with_test_limit(self, line):
        """Returns the file with a lower limit of connections per address."""
        text = self.file.read_text()
        if text.count(line) != 1:
            fail(f"{self.file} does not limit connections per address: {line}")
        return text.replace(line, line.replace(str(LIMIT), str(TEST_LIMIT)))


def program(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin") or fail(f"{name} is not installed")


def only_https_under_the_name(proxy, server):
    form = server.redemption()
    elsewhere = {
        "by http": (HOST, None),
        "by http under another name": ("evil.example", None),
        "under another name": ("evil.example", "evil.example"),
        "under another name than TLS": ("evil.example", HOST),
        "under its address": ("127.0.0.1", ""),
        "under a longer name": (f"{HOST}.evil.example", HOST),
    }
    for what, (host, name) in elsewhere.items():
        query = urllib.parse.urlencode(form)
        for request in (get("/sign-in", host), get(f"/api/token?{query}", host), post("/api/token", form, host)):
            answer = exchange(request, name)
            is_page = "<form" in answer or "<html" in answer.lower() and "Restwell" in answer
            if is_page or "access_token" in answer or status(answer) in range(200, 300):
                fail(f"{proxy.file} serves {request.split(chr(13))[0]} {what}: {answer}")
    answer = exchange(get("/sign-in?x=y"))
    if status(answer) not in (301, 308) or f"ocation: https://{HOST}/sign-in?x=y\r\n" not in answer:
        fail(f"{proxy.file} does not redirect to https: {answer}")
    for path in ("/api/token?x=y", "/api/v1/profile/x", "/oauth/revoke"):
        answer = exchange(get(path))
        if status(answer) != 403:
            fail(f"{proxy.file} does not refuse {path} by http: {answer}")
    if status(exchange(get("/sign-in"), HOST)) != 200:
        fail(f"{proxy.file} does not serve a page by https")
    # None of the requests above redeemed the code.
    answer = exchange(post("/api/token", form), HOST)
    if status(answer) != 200 or "access_token" not in answer:
        fail(f"{proxy.file} does not serve tokens by https: {answer}")


def sends_the_true_address(proxy, relay):
    lies = "".join(f"{header}: 203.0.113.7\r\n" for header in ("X-Forwarded-For", "Forwarded", "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override"))
    exchange(get("/lies", headers=lies), HOST)
    head = relay.requests("/lies")[-1].decode()
    if "203.0.113.7" in head or not re.search(r"(?im)^x-forwarded-for: 127\.0\.0\.1\r$", head):
        fail(f"{proxy.file} forwards headers that the caller forged:\n{head}")
    if f"host: {HOST}" not in head.lower():
        fail(f"{proxy.file} forwards another Host:\n{head}")


def limits_connections(proxy, relay):
    if proxy.kind in UNLIMITED:
        return
    relay.ends_delay.clear()
    before = len(relay.requests("/delayed"))
    streams = [connect(HOST) for _ in range(TEST_LIMIT)]
    for stream in streams:
        stream.sendall(get("/delayed").encode())
    eventually("all requests are in progress", lambda: len(relay.requests("/delayed")) == before + TEST_LIMIT, [proxy.process])
    answer = exchange(get("/livez"), HOST)
    if not (status(answer) == 503 or answer.startswith("refused") or answer == ""):
        fail(f"{proxy.file} accepts more than {TEST_LIMIT} connections of one address: {answer}")
    relay.ends_delay.set()
    for stream in streams:
        stream.close()
    eventually("the limit is no longer reached", lambda: status(exchange(get("/livez"), HOST)) == 200, [proxy.process])


def sends_once(proxy, relay):
    for request in (get("/breaks-off"), post("/breaks-off", {})):
        before = len(relay.requests("/breaks-off"))
        # The second request of a connection, which some programs retry.
        first = get("/livez").replace("Connection: close\r\n", "")
        answer = exchange(first + request, HOST)
        if "HTTP/1.1 502 " not in answer:
            fail(f"{proxy.file} does not answer 502 after the connection was closed: {answer}")
        if len(relay.requests("/breaks-off")) != before + 1:
            fail(f"{proxy.file} retries a request")


def logs_no_secret(proxy):
    headers = "".join(f"{header}: {MARKER}\r\n" for header in ("Authorization", "Cookie", "Referer", "User-Agent", "X-Forwarded-For"))
    for path in ("/api/token", "/breaks-off", "/sign-in"):
        for host, name in ((HOST, HOST), (HOST, None), (f"{MARKER}.example", None), (f"{MARKER}.example", HOST)):
            exchange(get(f"{path}?code={MARKER}", host, headers), name)
            exchange(get(f"{path}?code={MARKER} x", host, headers), name)
            exchange(post(f"{path}?code={MARKER}", {"client_secret": MARKER}, host), name)
    if MARKER in proxy.process.output():
        fail(f"{proxy.file} logs secrets:\n{proxy.process.output()}")


def forwards_no_bare_line_feed(proxy, relay):
    results = []
    for what, request in BARE.items():
        before = len(relay.requests("/lf"))
        answer = exchange(request.format(host=HOST, post=POST), HOST)
        received = relay.requests("/lf")[before:]
        if any(BARE_LINE_FEED.search(connection) for connection in received):
            fail(f"{proxy.file} forwards a bare line feed in {what}: {received}")
        if answer.count("HTTP/1.1 ") > 1:
            fail(f"{proxy.file} answers twice to a bare line feed in {what}: {answer}")
        results.append(f"{what}: {'rewritten' if status(answer) == 404 else f'refused ({status(answer)})'}")
    return "; ".join(results)


def certificate(folder):
    subject = ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-days", "90", "-nodes"]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command = ["openssl", "req", "-x509", *kind, "-out", folder / "tls.crt", "-keyout", folder / "tls.key", *subject]
    subprocess.run(command, check=True, capture_output=True)
    (folder / "tls.pem").write_text((folder / "tls.crt").read_text() + (folder / "tls.key").read_text())


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "proxies"
    folder.mkdir()
    certificate(folder)
    processes = []
    try:
        server = Server(binary, folder)
        processes.append(server.process)
        relay = Relay()
        deploy = pathlib.Path("deploy").resolve()
        for file in sorted([*deploy.glob("nginx/*"), *deploy.glob("haproxy/*"), *deploy.glob("caddy/*")]):
            proxy = Proxy(file, folder, processes)
            only_https_under_the_name(proxy, server)
            sends_the_true_address(proxy, relay)
            print(f"{file.relative_to(deploy)}: bare line feeds in {forwards_no_bare_line_feed(proxy, relay)}", flush=True)
            limits_connections(proxy, relay)
            # From here on nginx avoids replicas whose connections failed.
            sends_once(proxy, relay)
            logs_no_secret(proxy)
            proxy.process.stop()
    finally:
        for process in processes:
            if process.poll() is None:
                process.stop()


main()
