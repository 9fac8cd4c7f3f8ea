"""Checks that the names in the manifests and the secret of install.md refer to each other.

    manifests.py FOLDER SECRET
"""

import pathlib
import sys

import yaml

from processes import fail


def read(folder):
    listed = yaml.safe_load((folder / "kustomization.yaml").read_text())
    files = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
    if set(listed["resources"]) != files:
        fail(f"kustomization.yaml lists {sorted(listed['resources'])}, there are {sorted(files)}")
    return {resource["kind"]: resource for name in files for resource in [yaml.safe_load((folder / name).read_text())]}


def check(condition, text):
    if not condition:
        fail(text)


def matches(selector, labels):
    return all(labels.get(key) == value for key, value in selector.items())


def main():
    by_kind = read(pathlib.Path(sys.argv[1]))
    deployment, job = by_kind["Deployment"]["spec"]["template"], by_kind["Job"]["spec"]["template"]
    labels = deployment["metadata"]["labels"]
    check(matches(by_kind["Deployment"]["spec"]["selector"]["matchLabels"], labels), "the Deployment does not select its pods")
    check(matches(by_kind["Service"]["spec"]["selector"], labels), "the Service does not select the pods")
    check(not matches(by_kind["Service"]["spec"]["selector"], job["metadata"]["labels"]), "the Service selects the migration")
    check(matches(by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"], labels), "the budget does not select the pods")
    check(matches(by_kind["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"], labels), "the policy does not select the pods")
    target = by_kind["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"]
    check(target == by_kind["Deployment"]["metadata"]["name"], "the autoscaler scales another resource")
    ports = {port["name"] for port in deployment["spec"]["containers"][0]["ports"]}
    check(all(port["targetPort"] in ports for port in by_kind["Service"]["spec"]["ports"]), "the Service names a port that does not exist")
    secret = yaml.safe_load(pathlib.Path(sys.argv[2]).read_text())["data"]
    settings = by_kind["ConfigMap"]["data"]["restwell.toml"]
    for line in settings.splitlines():
        _, found, name = line.partition("/run/secrets/restwell/")
        check(not found or name.rstrip('"') in secret, f"no secret has the key of {line.strip()}")
    for pod in (deployment, job):
        volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
        mounts = {mount["name"] for container in pod["spec"]["containers"] for mount in container["volumeMounts"]}
        check(volumes == mounts, f"volumes {sorted(volumes)}, mounted {sorted(mounts)}")
        for container in pod["spec"]["containers"]:
            context = container["securityContext"]
            check(context["readOnlyRootFilesystem"] and not context["allowPrivilegeEscalation"], "a container may write to its root file system or escalate privileges")
    print(f"{len(by_kind)} kinds of manifests refer to each other correctly")


main()
