"""Runs each compose file without a container engine: the commands of deploy/install.md or at its head, then its services in
order, each with its mounts, user and environment.

    compose.py BINARY IMAGE_ROOT IMAGE_VARIABLES SCRATCH_FOLDER

Restwell's services run in a copy of the image's file system, with BINARY as the program and its libraries beside it. A
new named volume gets the owner and mode of the image's folder, or belongs to root if there is none; a secret is the
host's file with its owner and mode. Services of other images run the distribution's program. All share one network
namespace, where each has a separate address instead of 0.0.0.0. Needs root, and a network and a mount namespace.
"""

import glob
import json
import os
import pathlib
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

import yaml

from processes import TIMEOUT, Process, environment_with, eventually, fail, installed_program

HOST = "sleep.example.org"
# Variables that the commands write to deploy/compose/.env.
SHELL = {"RESTWELL_PUBLIC_URL": f"https://{HOST}", "RESTWELL_HOST": HOST}
# Replaces the engine: only the program in the image is run.
ENGINE = """
docker() {
    case "$*" in
        "run --rm restwell:$VERSION "*) shift 3; "$RESTWELL_BIN" "$@" ;;
        "version --format {{.Server.Arch}}") echo amd64 ;;
        "load --input restwell-$VERSION-amd64.image.tar" | "compose "*) ;;
        *) return 1 ;;
    esac
}
set -euo pipefail
"""


class Image:
    """The image of Restwell: file system, variables, and program with its libraries."""

    def __init__(self, binary, root, variables):
        self.binary, self.root = pathlib.Path(binary).resolve(), pathlib.Path(root)
        self.variables = read_variables(variables)
        self.version = subprocess.run([self.binary, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        mode = (self.root / "restwell").stat().st_mode
        if mode & 0o7777 != 0o755:
            fail(f"the program in the image has mode {mode:o}")
        # Unlike a release, this program is not static.
        linked = subprocess.run(["ldd", self.binary], capture_output=True, text=True, check=False).stdout
        self.libraries = re.findall(r"(/\S+) \(0x", linked)

    def copy(self, root):
        subprocess.run(["cp", "--archive", "--no-target-directory", self.root, root], check=True)
        for library in self.libraries:
            copied = root / library.lstrip("/")
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, copied)


class Compose:
    """A compose file and its running services."""

    def __init__(self, file, image, scratch, number):
        self.file, self.image, self.folder = file, image, scratch / f"compose-{file.stem}"
        self.processes, self.finished, self.volumes, self.count = {}, [], {}, 0
        source = self.folder / f"restwell-{image.version}"
        shutil.copytree("deploy", source / "deploy")
        archive = ["tar", "--create", "--gzip", "--file", f"restwell-deploy-{image.version}.tar.gz", "--remove-files", source.name]
        subprocess.run(archive, cwd=self.folder, check=True)
        source.mkdir()
        for name in ("tls.crt", "tls.key"):
            shutil.copy(scratch / "proxies" / name, source / {"tls.crt": "fullchain.pem", "tls.key": "privkey.pem"}[name])
        self.path = source / "deploy" / "compose" / file.name
        self.run_commands(source)
        text = re.sub(r"\$\{(RESTWELL_\w+)(?::[^}]*)?\}", lambda match: SHELL[match[1]], file.read_text())
        self.content = yaml.safe_load(text)
        self.services = self.content["services"]
        self.address = {name: f"172.30.{number}.{host}" for host, name in enumerate(self.services, 10)}
        for address in self.address.values():
            subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
        hosts = [f"{address} {name}\n" for name, address in self.address.items()]
        self.hosts = self.folder / "hosts"
        self.hosts.write_text("127.0.0.1 localhost\n" + "".join(hosts))

    def run_commands(self, source):
        """Runs the commands of deploy/install.md for this file, or those at its head, with the usual umask."""
        install = pathlib.Path("deploy/install.md").read_text().split("\n## Compose\n")[1].split("```sh\n")[1].split("```")[0]
        head = self.file.read_text().split("\nname:")[0]
        commands = "\n".join(line.removeprefix("#   ") for line in head.splitlines() if line.startswith("#   "))
        unpack = install.split("cd ")[0] + f"cd {source.name}\n"
        variables = {"RESTWELL_BIN": str(self.image.binary), "VERSION": self.image.version}
        command = ["bash", "-c", f"umask 022{ENGINE}{unpack + commands if commands else install}"]
        if subprocess.run(command, cwd=self.folder, env=environment_with(variables), check=False).returncode != 0:
            fail(f"the commands for {self.file} failed")
        if read_variables(self.path.parent / ".env").items() - SHELL.items():
            fail(f"the commands for {self.file} write other variables than {SHELL}")

    def start(self):
        waiting = dict(self.services)
        while waiting:
            ready = [name for name, service in waiting.items() if not set(dependencies(service)) & set(waiting)]
            for name in ready or fail(f"{self.file}: {sorted(waiting)} depend on each other"):
                for other, condition in dependencies(waiting[name]).items():
                    self.wait_for(other, condition)
                self.processes[name] = self.start_container(name, self.command(name))
                del waiting[name]

    def wait_for(self, name, condition):
        if name in self.finished:
            return
        process = self.processes[name]
        if condition == "service_completed_successfully":
            if process.wait(TIMEOUT) != 0:
                process.show()
                fail(f"{self.file}: {name} failed")
            self.finished.append(name)
        if condition == "service_healthy":
            test = self.services[name]["healthcheck"]["test"][1:]
            test[0] = installed_program(test[0])
            test = [self.address[name] if part == "127.0.0.1" else part for part in test]
            is_healthy = lambda: subprocess.run(test, capture_output=True, check=False).returncode == 0  # noqa: E731
            eventually(f"{self.file}: {name} is healthy", is_healthy, [process])

    def command(self, name):
        service = self.services[name]
        entry = service.get("entrypoint", [])
        return [str(part).replace("$$", "$") for part in [*entry, *service.get("command", [])]]

    def environment(self, name):
        variables = {key: str(value) for key, value in self.services[name].get("environment", {}).items()}
        if self.is_restwell(name):
            variables = {**self.image.variables, **variables}
        # All services share the addresses of one machine.
        return {key: value.replace("0.0.0.0:", f"{self.address[name]}:") for key, value in variables.items()}

    def is_restwell(self, name):
        return self.services[name]["image"] == f"restwell:{self.image.version}"

    def start_container(self, name, command):
        """Runs a command in a new container of a service."""
        if self.is_restwell(name):
            return self.run_restwell(name, command)
        kind = re.split(r"[/:]", self.services[name]["image"])[0]
        return getattr(self, f"run_{kind}")(name, command)

    def run_restwell(self, name, command):
        service = self.services[name]
        root = self.folder / f"root-{name}-{self.count}"
        self.image.copy(root)
        mounts = [f"mount --bind {root} {root}", f"mount --bind {self.image.binary} {root}/restwell"]
        for point in ("proc", "etc/hosts"):
            mount_point(root, point, is_file=point == "etc/hosts")
        mounts += [f"mount --bind /proc {root}/proc", f"mount --bind {self.hosts} {root}/etc/hosts"]
        for volume in service.get("volumes", []):
            named, target = volume.split(":")
            mounts.append(f"mount --bind {self.volume_folder(named, target)} {mount_point(root, target)}")
        for temporary in service.get("tmpfs", []):
            target, options = temporary.split(":")
            mounts.append(f"mount -t tmpfs -o {options} tmpfs {mount_point(root, target)}")
        mounts += self.secret_mounts(service, root)
        if service.get("read_only"):
            mounts.append(f"mount -o remount,bind,ro {root}")
        variables = [f"{key}={value}" for key, value in self.environment(name).items()]
        as_user = ["setpriv", "--no-new-privs", "chroot", f"--userspec={service['user']}", "--groups=", str(root)]
        return self.run(name, mounts, [*as_user, "/restwell", *command], ["env", "-i", *variables])

    def secret_mounts(self, service, root):
        mounts = []
        for secret in service.get("secrets", []):
            file = (self.path.parent / self.content["secrets"][secret]["file"]).resolve()
            mounts.append(f"mount --bind {file} {mount_point(root, f'run/secrets/{secret}', is_file=True)}")
        return mounts

    def volume_folder(self, named, target):
        """Returns the folder of a named volume; a fresh one is a copy of the image's folder."""
        if named not in self.volumes:
            self.volumes[named] = folder = self.folder / f"volume-{named}"
            origin = self.image.root / target.lstrip("/")
            if origin.exists():
                subprocess.run(["cp", "--archive", "--no-target-directory", origin, folder], check=True)
            else:
                folder.mkdir(mode=0o755)
        return self.volumes[named]

    def run(self, name, mounts, command, prefix=()):
        script = "\n".join(["set -e", "umask 022", *mounts, f"exec {shlex.join([*prefix, *command])}"])
        self.count += 1
        return Process(f"{self.file.stem}-{name}-{self.count}", ["unshare", "--mount", "sh", "-c", script], self.folder)

    def run_installed(self, name, command, user):
        """Runs an installed program as a user, with the secrets of a service under /run/secrets."""
        root = self.folder / f"run-{name}"
        mounts = [*self.secret_mounts(self.services[name], root), f"mount --rbind {mount_point(root, 'run')} /run", f"mount --bind {self.hosts} /etc/hosts"]
        variables = [f"{key}={value}" for key, value in self.environment(name).items()]
        as_user = ["setpriv", "--no-new-privs", "--reuid", user, "--regid", user, "--clear-groups"]
        return self.run(name, mounts, [*as_user, *command], ["env", f"PATH={postgres_programs()}:{os.environ['PATH']}:/usr/sbin", *variables])

    def run_haproxy(self, name, _):
        file, _, _ = self.services[name]["volumes"][0].split(":")
        # The user of the image.
        return self.run_installed(name, ["haproxy", "-db", "-f", str((self.path.parent / file).resolve())], "99")

    def run_valkey(self, name, command):
        server = shutil.which("valkey-server") or installed_program("redis-server")
        user = self.services[name]["user"].split(":")[0]
        return self.run_installed(name, [server, "--bind", self.address[name], *command[1:]], user)

    def run_postgres(self, name, command):
        """Runs the installed programs as the image's entry point does."""
        data, sockets = self.folder / f"data-{name}", self.folder / f"sockets-{name}"
        for folder in (data, sockets):
            folder.mkdir(mode=0o700)
            shutil.chown(folder, "postgres", "postgres")
        variables = {"PGDATA": str(data), "PGHOST": str(sockets)}
        listen = f"listen_addresses={self.address[name]}"
        options = f"-c unix_socket_directories={sockets} -c fsync=off"
        if "entrypoint" in self.services[name]:
            script = [*command[:-1], re.sub(r"exec postgres", f"exec postgres -c {listen} {options}", command[-1])]
        else:
            config = self.services[name]["configs"][0]
            (self.folder / "init.sh").write_text(self.content["configs"][config["source"]]["content"].replace("$$", "$"))
            (self.folder / "init.sh").chmod(0o755)
            script = ["bash", "-euc", INITIALISE.format(init=self.folder / "init.sh", command=shlex.join([*command, "-c", listen]), options=options)]
        self.services[name].setdefault("environment", {}).update(variables)
        return self.run_installed(name, script, "postgres")

    def execute(self, name, *command):
        """Runs a command in the container of a service, like `docker compose exec`; returns its output."""
        process = self.start_container(name, list(command))
        if process.wait(TIMEOUT) != 0:
            process.show()
            fail(f"{self.file}: restwell {' '.join(command)} failed in {name}")
        return process.output()

    def stop(self):
        for process in reversed(self.processes.values()):
            if process.poll() is None:
                process.stop()


# Initialisation of a fresh volume by PostgreSQL's image.
INITIALISE = """
initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust $POSTGRES_INITDB_ARGS --no-sync >/dev/null
echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
pg_ctl --wait --silent -o "-c listen_addresses= {options}" start
createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
{init}
pg_ctl --wait --silent --mode=fast stop
exec {command} {options}
"""


def read_variables(file):
    return dict(line.split("=", 1) for line in file.read_text().splitlines() if line)


def dependencies(service):
    listed = service.get("depends_on", {})
    if isinstance(listed, list):
        return dict.fromkeys(listed, "service_started")
    return {name: entry["condition"] for name, entry in listed.items()}


def mount_point(root, target, *, is_file=False):
    """Creates a mount point."""
    point = root / target.lstrip("/")
    if is_file:
        point.parent.mkdir(parents=True, exist_ok=True)
        point.touch()
    else:
        point.mkdir(parents=True, exist_ok=True)
    return point


def postgres_programs():
    candidates = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return os.path.dirname(candidates[-1] if candidates else installed_program("initdb"))


def request(url, headers=()):
    """Sends a request without following redirects; returns the status and location."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    opener = urllib.request.build_opener(NoRedirects, urllib.request.HTTPSHandler(context=context))
    try:
        with opener.open(urllib.request.Request(url, headers={"Host": HOST, **dict(headers)}), timeout=TIMEOUT) as response:
            return response.status, None
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("Location")


def check_trusted_proxies(compose, names):
    for name in names:
        if "trusted_proxies" in compose.processes[name].output():
            compose.processes[name].show()
            fail(f"{compose.file}: {name} does not trust its proxy")


def check_single(compose):
    """Checks that the proxy reaches the server, and that a second container can use the volume."""
    url = f"http://{compose.address['restwell']}:8080"
    eventually("the server is ready", lambda: request(f"{url}/readyz")[0] == 200, [compose.processes["restwell"]])
    if request(f"{url}/sign-in", {"X-Forwarded-For": "203.0.113.7"})[0] != 200:
        fail(f"{compose.file}: no page is served")
    create = ("user", "create", "--email", "sam@example.org", "--timezone", "Europe/Berlin", "--json")
    json.loads(compose.execute("restwell", *create).splitlines()[-1])
    compose.processes["restwell"].stop()
    if "sam@example.org" not in compose.execute("restwell", "user", "list"):
        fail(f"{compose.file}: the volume does not keep written data")
    check_trusted_proxies(compose, ["restwell"])


def check_cluster(compose):
    """Checks https through the balancer, and reads from the standby."""
    url = f"https://{compose.address['balancer']}:8443"
    eventually("the balancer reaches a replica", lambda: request(f"{url}/readyz")[0] == 200, [compose.processes["balancer"]])
    for name in ("one", "two"):
        address = f"http://{compose.address[name]}:8080/readyz"
        eventually(f"{name} is ready", lambda address=address: request(address)[0] == 200, [compose.processes[name]])
    if request(f"{url}/sign-in")[0] != 200:
        fail(f"{compose.file}: no page is served")
    if request(f"http://{compose.address['balancer']}:8000/sign-in") != (301, f"https://{HOST}/sign-in"):
        fail(f"{compose.file}: http is not redirected to https")
    secret = (compose.path.parents[2] / "secrets" / "restwell-storage-url").read_text()
    url = secret.replace("@primary/", f"@{compose.address['primary']}/")
    query = ["psql", "--no-psqlrc", "--tuples-only", "--no-align", url, "-c", "SELECT count(*) FROM pg_stat_replication"]
    is_replicating = lambda: subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip() == "1"  # noqa: E731
    eventually("the standby replicates", is_replicating, [compose.processes["standby"]])
    check_trusted_proxies(compose, ["one", "two"])


def main():
    binary, root, variables, scratch = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    image = Image(binary, root, variables)
    for name, (check, number) in {"single.yaml": (check_single, 2), "cluster.yaml": (check_cluster, 1)}.items():
        began = time.monotonic()
        compose = Compose(pathlib.Path("deploy/compose") / name, image, scratch, number)
        prepared = time.monotonic()
        try:
            compose.start()
            started = time.monotonic()
            check(compose)
        finally:
            compose.stop()
        print(f"compose/{name}: commands {prepared - began:.1f} s; started in {started - prepared:.1f} s: {', '.join(compose.services)}")


main()
