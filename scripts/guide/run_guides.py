"""Runs the blocks of guides and compares their output. See scripts/check-guide."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import blocks
from demo_user import DemoUser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLIENTS = ROOT / "scripts" / "clients"
REDIRECT_URI = "http://localhost:9000/callback"
GRANTED = ["profile", "sleep"]


class GuideError(Exception):
    """A block that fails."""


def check(what, passed, actual=""):
    if not passed:
        raise GuideError(f"{what}: {actual}")
    print(f"ok   {what}", flush=True)


class Guides:
    """The guides, followed as a reader would."""

    def __init__(self, arguments):
        self.scratch = arguments.scratch
        self.arguments = arguments
        self.steps = [step for path in arguments.guides for step in blocks.read(path)]
        demo = json.loads((self.scratch / "demo.json").read_text().splitlines()[0])
        self.base = demo["base_url"]
        self.user_id = demo["user_id"]
        self.user = DemoUser(self.base, demo["email"], demo["password"])
        # Variables that the reader sets.
        self.variables = {
            "RESTWELL__STORAGE__URL": f"sqlite://{self.scratch}/demo/restwell.db",
            "BASE": self.base,
            "REDIRECT_URI": REDIRECT_URI,
        }

    def steps_of(self, *words):
        return [step for step in self.steps if [step.kind, *step.words][: len(words)] == list(words)]

    def expected(self, *words):
        """Returns the expected output of a kind of block, with this server's address."""
        [step] = self.steps_of(*words)
        return self.with_base(step.text)

    def with_base(self, text):
        return text.replace("http://127.0.0.1:8080", self.base)

    # Shell commands.

    def run_shell(self):
        """Runs all shell commands in one bash, and replies to its prompts."""
        script = self.scratch / "lines.sh"
        script.write_text("".join(self.script()))
        shell = subprocess.Popen(
            ["bash", "-euo", "pipefail", script], cwd=self.scratch,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        outputs, location = {}, None
        for line in shell.stdout:
            if request := re.fullmatch(r"@@(\w+) (.*)\n", line):
                command, argument = request.groups()
                if command == "block":
                    location = argument
                    outputs[location] = ""
                elif command == "read":
                    self.send(shell, self.variables[argument])
                elif command == "user":
                    self.use_token_page(*argument.split())
                    self.send(shell, "done")
                continue
            outputs[location] += line
            self.store_credentials(line)
            if line.startswith(f"{self.base}/authorize?"):
                callback = self.user.authorize(line.strip(), REDIRECT_URI, GRANTED)
                shape = self.expected("shape").replace("127.0.0.1%3A8080", self.base.split("/")[-1].replace(":", "%3A"))
                check("the callback has the documented shape", blocks.matches(shape, callback), callback)
                self.send(shell, callback)
        if shell.wait() != 0:
            raise GuideError(f"{location}: the lines exit with {shell.returncode}:\n{outputs.get(location)}")
        self.check_outputs(outputs)

    def script(self):
        for step in self.steps:
            if step.kind == "reader":
                names = re.findall(r"^(?:export )?(\w+)=", step.text, re.MULTILINE)
                if names != step.words:
                    raise GuideError(f"{step.location}: the lines set {names}, but the comment lists {step.words}")
                for name in names:
                    yield f"echo '@@read {name}'\nread -r {name}\nexport {name}\n"
            elif step.kind == "shell":
                yield f"echo '@@block {step.location}'\n{step.text}\n"
            elif step.kind == "user":
                yield f"echo '@@user {' '.join(step.words)}'\nread -r _\n"

    def send(self, shell, text):
        shell.stdin.write(text + "\n")
        shell.stdin.flush()

    def use_token_page(self, action, name):
        """Creates a token, or revokes one and waits two seconds, in which a revocation takes effect."""
        if action == "creates":
            self.variables[name], self.variables["USER_ID"] = self.user.create_token()
            check("the token page shows the user id", self.variables["USER_ID"] == self.user_id)
        else:
            self.user.revoke_token()
            time.sleep(2)

    def store_credentials(self, line):
        if match := re.match(r"(client_id|client_secret): +(\S+)", line):
            self.variables[match.group(1).upper()] = match.group(2)

    def check_outputs(self, outputs):
        shell = None
        for step in self.steps:
            if step.kind == "shell":
                shell = step
            elif step.kind == "output" and not step.words:
                output = outputs[shell.location]
                check(f"{shell.location} prints what {step.location} says", blocks.matches(self.with_base(step.text), output), output)

    # The programs.

    def build_rust(self, step):
        """Starts building the Rust program with the versions pinned in scripts/clients."""
        project = self.scratch / "rust"
        (project / "src").mkdir(parents=True)
        shutil.copy(CLIENTS / "rust" / "Cargo.lock", project)
        [dependencies] = self.steps_of("dependencies")
        head = '[package]\nname = "guide"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n'
        (project / "Cargo.toml").write_text(head + dependencies.text)
        (project / "src" / "main.rs").write_text(step.text)
        return subprocess.Popen(
            # With the profile of this repository, so that nothing is compiled twice.
            ["cargo", "build", "--quiet", "--offline", "--config", ROOT / ".cargo" / "config.toml", "--target-dir", self.arguments.rust_target],
            cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )

    def write_program(self, step):
        """Writes a program to a file; returns the command that runs it."""
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

    def check_program(self, name, command):
        """Runs a program twice: the user denies access, then grants it."""
        status, output = self.run_program(command, None)
        check(f"{name}: reports a denial", status != 0 and "not connected: access_denied" in output, output)
        status, output = self.run_program(command, GRANTED)
        is_documented = blocks.matches(self.expected("output", "of"), output)
        check(f"{name}: reads, refreshes and revokes", status == 0 and is_documented, output)

    def run_program(self, command, allow):
        names = ("BASE", "REDIRECT_URI", "CLIENT_ID", "CLIENT_SECRET")
        environment = {**os.environ, **{name: self.variables[name] for name in names}}
        program = subprocess.Popen(
            ["timeout", "60", *command], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        output = program.stdout.readline()
        if output.startswith(f"{self.base}/authorize?"):
            self.send(program, self.user.authorize(output.strip(), REDIRECT_URI, allow))
        program.stdin.close()
        output += program.stdout.read()
        return program.wait(), output

    # The versions.

    def check_versions(self):
        """Checks that the guides name the pinned versions."""
        pinned = {
            **json.loads((CLIENTS / "node" / "package.json").read_text())["dependencies"],
            **dict(re.findall(r"^([\w-]+)==(\S+)", (CLIENTS / "python" / "requirements.txt").read_text(), re.MULTILINE)),
            **dict(re.findall(r'name = "(oauth2)"\nversion = "(.+)"', (CLIENTS / "rust" / "Cargo.lock").read_text())),
        }
        commands = "\n".join(step.text for step in self.steps_of("install"))
        named = {*re.findall(r"([\w-]+)(?:==|@)(\S+)", commands)}
        # The table of libraries.
        named |= {*re.findall(r"^\| (\w[\w-]+) (\d+\.\S+) \(", (ROOT / "docs" / "reading-data.md").read_text(), re.MULTILINE)}
        for name, version in sorted(named):
            check(f"{name} {version} is the tested version", pinned[name.lower()] == version, pinned)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("guides", type=pathlib.Path, nargs="+")
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--node-modules", type=pathlib.Path, required=True)
    parser.add_argument("--rust-target", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    guides = Guides(arguments)
    programs = [step for step in guides.steps_of("program") if arguments.only in step.words[0]]
    if not programs:
        raise GuideError(f"no program name contains {arguments.only}")
    builds = {step.words[0]: guides.build_rust(step) for step in programs if step.words[0].endswith(".rs")}
    guides.check_versions()
    guides.run_shell()
    for step in programs:
        name = step.words[0]
        if name in builds:
            output, _ = builds[name].communicate()
            check(f"{name}: builds", builds[name].returncode == 0, output)
            guides.check_program(name, [arguments.rust_target / "debug" / "guide"])
        else:
            guides.check_program(name, guides.write_program(step))


try:
    main()
except (GuideError, blocks.CommentError) as error:
    sys.exit(f"check-guide: {error}")
