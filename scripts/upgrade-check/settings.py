"""Checks that a program accepts the settings file of an earlier version, with every setting that the earlier program accepts.

    settings.py OLD_BINARY NEW_BINARY EXAMPLE_FILE
"""

import pathlib
import re
import subprocess
import sys

from processes import SetupError, without_settings

SECRETS = {
    "restwell-storage-read-url": "postgres://restwell:x@standby/restwell",
    "restwell-rate-limits-url": "redis://valkey:6379",
    "restwell-mail-password": "x",
}
COMMENTED = re.compile(r"# ([a-z_]+) = ")


def rejection(binary, file, text):
    """Returns the error of check-config, or None."""
    file.write_text(text)
    command = [binary, "check-config", "--config", str(file)]
    process = subprocess.run(command, env=without_settings(), capture_output=True, text=True, timeout=30, check=False)
    return process.stderr.strip() if process.returncode != 0 else None


def with_secrets(example, folder, key):
    """Returns the text of the example, whose secret files are in a folder."""
    folder.mkdir(mode=0o700)
    for name, value in {**SECRETS, "restwell-key": key}.items():
        (folder / name).touch(mode=0o600)
        (folder / name).write_text(value)
    return example.read_text().replace("/run/secrets", str(folder))


def main():
    old, new, example = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    key = subprocess.run([old, "key", "generate"], capture_output=True, text=True, check=True).stdout.strip()
    lines = with_secrets(example, example.parent / "secrets", key).splitlines(keepends=True)
    trial = example.with_name("trial.toml")
    # First, because the file is rejected without a key.
    order = sorted((index for index, line in enumerate(lines) if COMMENTED.match(line)), key=lambda index: "encryption_key_file" not in lines[index])
    rejected = []
    for index in order:
        changed = [*lines[:index], lines[index].removeprefix("# "), *lines[index + 1 :]]
        if rejection(old, trial, "".join(changed)) is None:
            lines = changed
        else:
            rejected.append(COMMENTED.match(lines[index])[1])
    # Others need files, or exclude each other.
    if len(rejected) * 2 > len(order) or not order:
        raise SetupError(f"{len(rejected)} of {len(order)} commented settings are rejected by the earlier version itself")
    for binary in (old, new):
        if error := rejection(binary, trial, "".join(lines)):
            raise SetupError(f"the settings of the earlier version are rejected: {error}")
    print(f"the example settings of the earlier version are accepted, with {len(order) - len(rejected)} commented ones; not: {', '.join(rejected)}")


main()
