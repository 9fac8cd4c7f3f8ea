"""Runs each proxy of deploy/ in front of a server. Pages and tokens are served only over https under the server's name. No
request is retried, no secret is logged, no bare line feed is forwarded, and connections per address are limited. Each file runs with
its lines for compression uncommented; only the data endpoints are compressed.

    proxies.py BINARY SCRATCH_FOLDER

It needs the ports 80, 443 and 8080, so run it in a network namespace.
"""

import contextlib
import json
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import threading
import urllib.parse

from processes import (
    TIMEOUT, Process, accepts_connections, environment_with, eventually, fail, installed_program, run_restwell,
)

HOST = "sleep.example.org"
CALLBACK = "https://app.example.org/callback"
SECRET = "LEAKME123"
SERVER, RECORDER = ("127.0.0.1", 8081), ("127.0.0.1", 8080)
BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")
# Connections per address in the files, and in this test.
LIMIT, TEST_LIMIT = 1000, 20
# Caddy has no such limit.
UNLIMITED = {"caddy"}
# HAProxy's file for one server has one backend for all endpoints.
UNCOMPRESSED = {"haproxy/single.cfg"}
COMPRESSION = re.compile(r"(?m)^(\s*)# (@data|encode|gzip|compression|location ~ \^/api/)")
LARGE = b'{"data":"' + b"z" * 10_000 + b'"}'
# Requests with a bare line feed.
BARE_LINE_FEED_REQUESTS = {
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


class RecordingProxy:
    """A TCP proxy between the tested proxy and the server. Records what it receives, closes the connection of a request for /closed,
    holds that of a request for /delayed without asking the server, which would end it after five seconds, and answers requests for
    .../large itself."""

    def __init__(self):
        self.received, self.listener = [], socket.create_server(RECORDER, backlog=64)
        self.delay_ended = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.forward, args=(client,), daemon=True).start()

    def forward(self, client):
        received = bytearray()
        self.received.append(received)
        server = None
        with client, contextlib.ExitStack() as stack:
            try:
                while data := client.recv(65536):
                    received += data
                    if b" /closed" in data:
                        client.shutdown(socket.SHUT_RDWR)
                        return
                    if b" /delayed" in data:
                        self.delay_ended.wait(TIMEOUT)
                        return
                    if re.match(rb"GET /\S+/large ", data):
                        head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                        client.sendall(f"{head}Content-Length: {len(LARGE)}\r\n\r\n".encode() + LARGE)
                        return
                    if server is None:
                        server = stack.enter_context(socket.create_connection(SERVER))
                        threading.Thread(target=copy, args=(server, client), daemon=True).start()
                    server.sendall(data)
                if server is not None:
                    server.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def requests(self, path):
        """Returns the data of the connections that requested a path."""
        return [bytes(received) for received in self.received if f" {path}".encode() in received]


def copy(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def connect(name=None):
    """Connects to the proxy, with TLS if a name is given."""
    stream = socket.create_connection(("127.0.0.1", 443 if name is not None else 80), timeout=TIMEOUT)
    if name is None:
        return stream
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(stream, server_hostname=name or None)


def exchange(request, name=None):
    """Sends a request, with TLS if a name is given, and returns everything received until the connection is closed."""
    response = b""
    try:
        with connect(name) as stream:
            stream.sendall(request.encode())
            while data := stream.recv(65536):
                response += data
    except (ssl.SSLError, ConnectionError) as error:
        # Data received before the error is the response.
        return response.decode(errors="replace") or f"refused: {error}"
    return response.decode(errors="replace")


def get(path, host=HOST, headers=""):
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n"


def post(path, form, host=HOST):
    body = urllib.parse.urlencode(form)
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
    return f"{head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n{body}"


def status(response):
    match = re.match(r"HTTP/1\.1 (\d+) ", response)
    return int(match[1]) if match else None


class Server:
    """Restwell behind the recording proxy, with a person and an app."""

    def __init__(self, binary, folder):
        self.binary = binary
        key = subprocess.run([binary, "key", "generate"], capture_output=True, text=True, check=True).stdout.strip()
        self.environment = environment_with({
            "RESTWELL__SERVER__LISTEN": "127.0.0.1:8081",
            "RESTWELL__SERVER__PUBLIC_URL": f"https://{HOST}",
            "RESTWELL__SERVER__TRUSTED_PROXIES": "127.0.0.1",
            "RESTWELL__SERVER__DRAIN_SECONDS": "0",
            "RESTWELL__KEYS__ENCRYPTION_KEY": key,
            "RESTWELL__STORAGE__DATA_DIR": str(folder / "data"),
        })
        self.run("migrate")
        self.process = Process("restwell", [binary, "serve"], folder, env=self.environment)
        eventually("the server listens", lambda: accepts_connections(*SERVER), [self.process])
        person = self.run("user", "create", "--email", "sam@example.org", "--timezone", "Europe/Berlin", "--json")
        self.person = json.loads(person)["user_id"]
        self.app = json.loads(self.run("client", "create", "--name", "a", "--redirect-uri", CALLBACK, "--scope", "sleep", "--json"))

    def run(self, *arguments):
        return run_restwell(self.binary, self.environment, *arguments)

    def redemption_form(self):
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
        upstream = f"{RECORDER[0]}:{RECORDER[1]}"
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
        self.process = Process(f"{self.kind}-{file.stem}", command, folder, env=environment_with({**variables, **home}))
        processes.append(self.process)
        is_ready = lambda: status(exchange(get("/readyz"), HOST)) == 200  # noqa: E731
        eventually(f"{file} reaches the server", is_ready, [self.process])

    def haproxy(self, _):
        config = self.folder / self.file.name
        config.write_text(self.with_compression(self.text_with_test_limit(f"sc_conn_cur(0) gt {LIMIT}")))
        return [installed_program("haproxy"), "-db", "-f", str(config)]

    def caddy(self, _):
        config = self.folder / self.file.name
        config.write_text(self.with_compression(self.file.read_text()))
        return [installed_program("caddy"), "run", "--adapter", "caddyfile", "--config", str(config)]

    def nginx(self, variables):
        """Wraps the file in a main configuration, as the content of `http`."""
        site, main = self.folder / "site.conf", self.folder / "nginx.conf"
        text = self.with_compression(self.text_with_test_limit(f"limit_conn restwell_clients {LIMIT};"))
        text = re.sub(r"\$\{(RESTWELL_\w+)\}", lambda match: variables[match[1]], text)
        site.write_text(text)
        temporary = "".join(f"{kind}_temp_path {self.folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        main.write_text(
            f"daemon off;\npid {self.folder}/nginx.pid;\nerror_log /dev/stderr notice;\nworker_processes 1;\n"
            f"events {{ worker_connections 512; }}\nhttp {{\n{temporary}include {site};\n}}\n"
        )
        return [installed_program("nginx"), "-c", str(main)]

    @property
    def compresses(self):
        return f"{self.kind}/{self.file.name}" not in UNCOMPRESSED

    def with_compression(self, text):
        """Uncomments the lines that turn compression on."""
        text, count = COMPRESSION.subn(r"\1\2", text)
        if (count > 0) != self.compresses:
            fail(f"{self.file} has {count} lines for compression")
        return text

    def text_with_test_limit(self, line):
        """Returns the file with a lower limit of connections per address."""
        text = self.file.read_text()
        if text.count(line) != 1:
            fail(f"{self.file} does not limit connections per address: {line}")
        return text.replace(line, line.replace(str(LIMIT), str(TEST_LIMIT)))


def check_https_only(proxy, server):
    form = server.redemption_form()
    other_addresses = {
        "over http": (HOST, None),
        "over http under another name": ("evil.example", None),
        "under another name": ("evil.example", "evil.example"),
        "under another name than TLS": ("evil.example", HOST),
        "under its address": ("127.0.0.1", ""),
        "under a longer name": (f"{HOST}.evil.example", HOST),
    }
    for what, (host, name) in other_addresses.items():
        query = urllib.parse.urlencode(form)
        for request in (get("/sign-in", host), get(f"/api/token?{query}", host), post("/api/token", form, host)):
            response = exchange(request, name)
            is_page = "<form" in response or "<html" in response.lower() and "Restwell" in response
            if is_page or "access_token" in response or status(response) in range(200, 300):
                fail(f"{proxy.file} serves {request.split(chr(13))[0]} {what}: {response}")
    response = exchange(get("/sign-in?x=y"))
    if status(response) not in (301, 308) or f"ocation: https://{HOST}/sign-in?x=y\r\n" not in response:
        fail(f"{proxy.file} does not redirect to https: {response}")
    for path in ("/api/token?x=y", "/api/v1/profile/x", "/oauth/revoke"):
        response = exchange(get(path))
        if status(response) != 403:
            fail(f"{proxy.file} does not reject {path} over http: {response}")
    if status(exchange(get("/sign-in"), HOST)) != 200:
        fail(f"{proxy.file} does not serve a page over https")
    # None of the requests above redeemed the code.
    response = exchange(post("/api/token", form), HOST)
    if status(response) != 200 or "access_token" not in response:
        fail(f"{proxy.file} does not serve tokens over https: {response}")


def check_forwarded_headers(proxy, recorder):
    forged = "".join(f"{header}: 203.0.113.7\r\n" for header in ("X-Forwarded-For", "Forwarded", "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override"))
    exchange(get("/forged", headers=forged), HOST)
    head = recorder.requests("/forged")[-1].decode()
    if "203.0.113.7" in head or not re.search(r"(?im)^x-forwarded-for: 127\.0\.0\.1\r$", head):
        fail(f"{proxy.file} forwards headers that the client forged:\n{head}")
    if f"host: {HOST}" not in head.lower():
        fail(f"{proxy.file} forwards another Host:\n{head}")


def check_connection_limit(proxy, recorder):
    if proxy.kind in UNLIMITED:
        return
    recorder.delay_ended.clear()
    before = len(recorder.requests("/delayed"))
    streams = []
    for _ in range(TEST_LIMIT):
        streams.append(connect(HOST))
        # Immediately, because the proxy closes a connection that sends no request for five seconds.
        streams[-1].sendall(get("/delayed").encode())
    eventually("all requests are in progress", lambda: len(recorder.requests("/delayed")) == before + TEST_LIMIT, [proxy.process])
    response = exchange(get("/livez"), HOST)
    if not (status(response) == 503 or response.startswith("refused") or response == ""):
        fail(f"{proxy.file} accepts more than {TEST_LIMIT} connections from one address: {response}")
    recorder.delay_ended.set()
    for stream in streams:
        stream.close()
    eventually("the limit is no longer reached", lambda: status(exchange(get("/livez"), HOST)) == 200, [proxy.process])


def check_compression(proxy):
    expected = {
        "/api/v1/sleep/large": True, "/api/sleep/large": True,
        "/api/token/large": False, "/oauth/large": False, "/account/large": False,
    }
    for path, is_data in expected.items():
        response = exchange(get(path, headers="Accept-Encoding: gzip\r\n"), HOST)
        if status(response) != 200 or ("content-encoding: gzip\r\n" in response.lower()) != (is_data and proxy.compresses):
            fail(f"{proxy.file} compresses the wrong endpoints: {path} {response[:1000]}")


def check_no_retries(proxy, recorder):
    for request in (get("/closed"), post("/closed", {})):
        before = len(recorder.requests("/closed"))
        # The second request of a connection, which some programs retry.
        first = get("/livez").replace("Connection: close\r\n", "")
        response = exchange(first + request, HOST)
        if "HTTP/1.1 502 " not in response:
            fail(f"{proxy.file} does not return 502 after the connection was closed: {response}")
        if len(recorder.requests("/closed")) != before + 1:
            fail(f"{proxy.file} retries a request")


def check_log(proxy):
    headers = "".join(f"{header}: {SECRET}\r\n" for header in ("Authorization", "Cookie", "Referer", "User-Agent", "X-Forwarded-For"))
    for path in ("/api/token", "/closed", "/sign-in"):
        for host, name in ((HOST, HOST), (HOST, None), (f"{SECRET}.example", None), (f"{SECRET}.example", HOST)):
            exchange(get(f"{path}?code={SECRET}", host, headers), name)
            exchange(get(f"{path}?code={SECRET} x", host, headers), name)
            exchange(post(f"{path}?code={SECRET}", {"client_secret": SECRET}, host), name)
    if SECRET in proxy.process.output():
        fail(f"{proxy.file} logs secrets:\n{proxy.process.output()}")


def check_bare_line_feeds(proxy, recorder):
    results = []
    for what, request in BARE_LINE_FEED_REQUESTS.items():
        before = len(recorder.requests("/lf"))
        response = exchange(request.format(host=HOST, post=POST), HOST)
        received = recorder.requests("/lf")[before:]
        if any(BARE_LINE_FEED.search(connection) for connection in received):
            fail(f"{proxy.file} forwards a bare line feed in {what}: {received}")
        if response.count("HTTP/1.1 ") > 1:
            fail(f"{proxy.file} responds twice to a bare line feed in {what}: {response}")
        results.append(f"{what}: {'rewritten' if status(response) == 404 else f'rejected ({status(response)})'}")
    return "; ".join(results)


def create_certificate(folder):
    subject = ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-days", "90", "-nodes"]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command = ["openssl", "req", "-x509", *kind, "-out", folder / "tls.crt", "-keyout", folder / "tls.key", *subject]
    subprocess.run(command, check=True, capture_output=True)
    (folder / "tls.pem").write_text((folder / "tls.crt").read_text() + (folder / "tls.key").read_text())


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "proxies"
    folder.mkdir()
    create_certificate(folder)
    processes = []
    try:
        server = Server(binary, folder)
        processes.append(server.process)
        recorder = RecordingProxy()
        deploy = pathlib.Path("deploy").resolve()
        for file in sorted([*deploy.glob("nginx/*"), *deploy.glob("haproxy/*"), *deploy.glob("caddy/*")]):
            proxy = Proxy(file, folder, processes)
            check_https_only(proxy, server)
            check_forwarded_headers(proxy, recorder)
            print(f"{file.relative_to(deploy)}: bare line feeds in {check_bare_line_feeds(proxy, recorder)}", flush=True)
            check_compression(proxy)
            check_connection_limit(proxy, recorder)
            # Afterwards nginx avoids replicas whose connections failed.
            check_no_retries(proxy, recorder)
            check_log(proxy)
            proxy.process.stop()
    finally:
        for process in processes:
            if process.poll() is None:
                process.stop()


main()
