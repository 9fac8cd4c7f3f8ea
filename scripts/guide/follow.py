"""Runs the blocks of guides and compares their output. See scripts/check-guide."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import marks
from person import Person

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLIENTS = ROOT / "scripts" / "clients"
REDIRECT_URI = "http://localhost:9000/callback"
ASKED = ["profile", "sleep"]


class Fault(Exception):
    """A block that fails."""


def check(what, holds, seen=""):
    if not holds:
        raise Fault(f"{what}: {seen}")
    print(f"ok   {what}", flush=True)


class Guide:
    """A reader of the guide."""

    def __init__(self, arguments):
        self.scratch = arguments.scratch
        self.arguments = arguments
        self.steps = [step for path in arguments.guides for step in marks.read(path)]
        demo = json.loads((self.scratch / "demo.json").read_text().splitlines()[0])
        self.base = demo["base_url"]
        self.user_id = demo["user_id"]
        self.person = Person(self.base, demo["email"], demo["password"])
        # Variables of the reader.
        self.known = {
            "RESTWELL__STORAGE__URL": f"sqlite://{self.scratch}/demo/restwell.db",
            "BASE": self.base,
            "REDIRECT_URI": REDIRECT_URI,
        }

    def of_kind(self, *words):
        return [step for step in self.steps if [step.kind, *step.words][: len(words)] == list(words)]

    def expected(self, *words):
        """Returns the expected output of a kind of block, with this server's address."""
        [step] = self.of_kind(*words)
        return self.here(step.text)

    def here(self, text):
        return text.replace("http://127.0.0.1:8080", self.base)

    # Shell commands.

    def follow_shell(self):
        """Runs all shell commands in one bash, and answers their prompts."""
        script = self.scratch / "lines.sh"
        script.write_text("".join(self.script()))
        shell = subprocess.Popen(
            ["bash", "-euo", "pipefail", script], cwd=self.scratch,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        printed, at = {}, None
        for line in shell.stdout:
            if mark := re.fullmatch(r"@@(\w+) (.*)\n", line):
                word, rest = mark.groups()
                if word == "at":
                    at = rest
                    printed[at] = ""
                elif word == "need":
                    self.tell(shell, self.known[rest])
                elif word == "person":
                    self.act(*rest.split())
                    self.tell(shell, "done")
                continue
            printed[at] += line
            self.learn(line)
            if line.startswith(f"{self.base}/authorize?"):
                callback = self.person.go_back_to_app(line.strip(), REDIRECT_URI, ASKED)
                shape = self.expected("shape").replace("127.0.0.1%3A8080", self.base.split("/")[-1].replace(":", "%3A"))
                check("the browser comes back as announced", marks.matches(shape, callback), callback)
                self.tell(shell, callback)
        if shell.wait() != 0:
            raise Fault(f"{at}: the lines end with {shell.returncode}:\n{printed.get(at)}")
        self.compare(printed)

    def script(self):
        for step in self.steps:
            if step.kind == "reader":
                names = re.findall(r"^(?:export )?(\w+)=", step.text, re.MULTILINE)
                if names != step.words:
                    raise Fault(f"{step.place}: the lines set {names}, the mark says {step.words}")
                for name in names:
                    yield f"echo '@@need {name}'\nread -r {name}\nexport {name}\n"
            elif step.kind == "shell":
                yield f"echo '@@at {step.place}'\n{step.text}\n"
            elif step.kind == "person":
                yield f"echo '@@person {' '.join(step.words)}'\nread -r _\n"

    def tell(self, shell, text):
        shell.stdin.write(text + "\n")
        shell.stdin.flush()

    def act(self, deed, name):
        if deed == "makes":
            self.known[name], self.known["USER_ID"] = self.person.make_token()
            check("the page of tokens shows the person's id", self.known["USER_ID"] == self.user_id)
        else:
            self.person.revoke_token()
            # Within two seconds, on every server.
            subprocess.run(["sleep", "2"], check=True)

    def learn(self, line):
        if found := re.match(r"(client_id|client_secret): +(\S+)", line):
            self.known[found.group(1).upper()] = found.group(2)

    def compare(self, printed):
        before = None
        for step in self.steps:
            if step.kind == "shell":
                before = step
            elif step.kind == "output" and not step.words:
                seen = printed[before.place]
                check(f"{before.place} prints what {step.place} says", marks.matches(self.here(step.text), seen), seen)

    # The programs.

    def build_rust(self, step):
        """Starts building the Rust program with the versions pinned in scripts/clients."""
        project = self.scratch / "rust"
        (project / "src").mkdir(parents=True)
        shutil.copy(CLIENTS / "rust" / "Cargo.lock", project)
        [dependencies] = self.of_kind("dependencies")
        head = '[package]\nname = "guide"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n[profile.dev]\ndebug = false\n'
        (project / "Cargo.toml").write_text(head + dependencies.text)
        (project / "src" / "main.rs").write_text(step.text)
        return subprocess.Popen(
            ["cargo", "build", "--quiet", "--offline", "--target-dir", self.arguments.rust_target],
            cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )

    def command(self, step):
        name = step.words[0]
        folder = self.scratch / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(step.text)
        if name.endswith(".py"):
            return [sys.executable, "-B", folder / name]
        modules = folder / "node_modules"
        if not modules.exists():
            modules.symlink_to(self.arguments.node_modules)
        return ["node", folder / name]

    def follow_program(self, name, command):
        """Runs a program twice: access is denied, then allowed."""
        status, seen = self.walk(command, None)
        check(f"{name}: a person who denies", status != 0 and "not connected: access_denied" in seen, seen)
        status, seen = self.walk(command, ASKED)
        announced = marks.matches(self.expected("output", "of"), seen)
        check(f"{name}: reads, refreshes and gives back", status == 0 and announced, seen)

    def walk(self, command, allow):
        names = ("BASE", "REDIRECT_URI", "CLIENT_ID", "CLIENT_SECRET")
        environment = {**os.environ, **{name: self.known[name] for name in names}}
        program = subprocess.Popen(
            ["timeout", "60", *command], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        seen = program.stdout.readline()
        if seen.startswith(f"{self.base}/authorize?"):
            self.tell(program, self.person.go_back_to_app(seen.strip(), REDIRECT_URI, allow))
        program.stdin.close()
        seen += program.stdout.read()
        return program.wait(), seen

    # The versions.

    def check_versions(self):
        """Checks that the guides name the pinned versions."""
        pinned = {
            **json.loads((CLIENTS / "node" / "package.json").read_text())["dependencies"],
            **dict(re.findall(r"^([\w-]+)==(\S+)", (CLIENTS / "python" / "requirements.txt").read_text(), re.MULTILINE)),
            **dict(re.findall(r'name = "(oauth2)"\nversion = "(.+)"', (CLIENTS / "rust" / "Cargo.lock").read_text())),
        }
        installed = "\n".join(step.text for step in self.of_kind("install"))
        named = {*re.findall(r"([\w-]+)(?:==|@)(\S+)", installed)}
        # The table of libraries.
        named |= {*re.findall(r"^\| (\w[\w-]+) (\d+\.\S+) \(", (ROOT / "docs" / "reading-data.md").read_text(), re.MULTILINE)}
        for name, version in sorted(named):
            check(f"{name} {version} is the one that is run", pinned[name.lower()] == version, pinned)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("guides", type=pathlib.Path, nargs="+")
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--node-modules", type=pathlib.Path, required=True)
    parser.add_argument("--rust-target", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    guide = Guide(arguments)
    programs = [step for step in guide.of_kind("program") if arguments.only in step.words[0]]
    if not programs:
        raise Fault(f"no program of the guide is called {arguments.only}")
    builds = {step.words[0]: guide.build_rust(step) for step in programs if step.words[0].endswith(".rs")}
    guide.check_versions()
    guide.follow_shell()
    for step in programs:
        name = step.words[0]
        if name in builds:
            said, _ = builds[name].communicate()
            check(f"{name}: builds", builds[name].returncode == 0, said)
            guide.follow_program(name, [arguments.rust_target / "debug" / "guide"])
        else:
            guide.follow_program(name, guide.command(step))


try:
    main()
except (Fault, marks.Unmarked) as fault:
    sys.exit(f"check-guide: {fault}")
