"""Checks that the program accepts every setting in the files under deploy/.

    settings.py BINARY SCRATCH_FOLDER
"""

import pathlib
import re
import subprocess
import sys

import yaml

from processes import environment_with, fail

SECRETS = {
    "restwell-storage-url": "postgres://restwell:x@primary/restwell",
    "restwell-read-url": "postgres://restwell:x@standby/restwell",
    "storage-url": "postgres://restwell:x@primary/restwell",
    "rate-store-url": "redis://valkey:6379",
    "restwell-mail-password": "x",
}
# The image cannot know the address of the proxy.
WITHOUT_PROXY = ("Containerfile",)


def check_config(binary, secrets, what, variables, arguments=()):
    """Runs check-config with the secrets at the paths in the files."""
    environment = environment_with({name: str(value).replace("/run/secrets", str(secrets)) for name, value in variables.items()})
    process = subprocess.run([binary, "check-config", *arguments], env=environment, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        fail(f"{what}:\n{process.stdout}{process.stderr}")
    if "server.trusted_proxies lists none" in process.stdout and what not in WITHOUT_PROXY:
        fail(f"{what} trusts no proxy:\n{process.stdout}")
    print(f"{what}: the settings are accepted")


def image_variables():
    """Returns the variables of the image."""
    text = pathlib.Path("deploy/container/Containerfile").read_text().replace("\\\n", " ")
    return dict(re.findall(r"(RESTWELL__\w+)=(\S+)", "".join(line for line in text.splitlines() if line.startswith("ENV "))))


def compose_services(path):
    """Returns the settings of each Restwell service, including commented-out ones."""
    text, count = re.subn(r"(?m)^( *)#(?=RESTWELL__|- |restwell-|  file:)", r"\1", path.read_text())
    if count == 0:
        fail(f"{path} has no commented settings")
    for name, service in yaml.safe_load(text)["services"].items():
        variables = service.get("environment", {})
        if isinstance(variables, dict) and any(key.startswith("RESTWELL__") for key in variables):
            yield name, {key: substitute(str(value)) for key, value in variables.items()}


def substitute(value):
    """Substitutes the variables that an operator exports."""
    value = re.sub(r"\$\{RESTWELL_PUBLIC_URL[^}]*\}", "https://sleep.example.org", value)
    return re.sub(r"\$\{RESTWELL_HOST[^}]*\}", "sleep.example.org", value)


def main():
    binary, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
    secrets = scratch / "secrets"
    secrets.mkdir(mode=0o700)
    (secrets / "restwell").mkdir(mode=0o700)
    key = subprocess.run([binary, "key", "generate"], capture_output=True, text=True, check=True).stdout.strip()
    for name, value in {**SECRETS, "restwell-key": key, "encryption-key": key}.items():
        for folder in (secrets, secrets / "restwell"):
            (folder / name).write_text(value)
            (folder / name).chmod(0o600)
    image = image_variables()
    public = {"RESTWELL__SERVER__PUBLIC_URL": "https://sleep.example.org", "RESTWELL__KEYS__ENCRYPTION_KEY": key}
    check_config(binary, secrets, "Containerfile", {**image, **public})
    for path in sorted(pathlib.Path("deploy/compose").glob("*.yaml")):
        for name, variables in compose_services(path):
            check_config(binary, secrets, f"{path.name}: {name}", {**image, **variables})
    settings = yaml.safe_load(pathlib.Path("deploy/kubernetes/configmap.yaml").read_text())["data"]["restwell.toml"]
    file = scratch / "kubernetes.toml"
    file.write_text(settings.replace("/run/secrets", str(secrets)))
    check_config(binary, secrets, "configmap.yaml", image, ("--config", str(file)))
    example = ("--config", "deploy/restwell.example.toml")
    check_config(binary, secrets, "restwell.example.toml", {"RESTWELL__KEYS__ENCRYPTION_KEY": key}, example)


main()
