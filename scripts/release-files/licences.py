"""Prints the licence texts of the packages that the programs contain or are built with.

    licences.py TARGET...

Copies each text that a package contains, because cargo-about replaces the names of some authors with placeholders and leaves
NOTICE files out. The dist package of Swagger UI has the texts of what its script contains; the archive in the crate has not.
"""

import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

TEXT = re.compile(r"((un)?licen[cs]e|copying|copyright|notice|authors)([-._].*)?", re.IGNORECASE)
# Sources that are named after what they do.
CODE = {".rs", ".c", ".h", ".py", ".go", ".pl", ".js", ".jsx", ".toml", ".json", ".yml"}
BUNDLE = "swagger-ui-bundle.js"


def packages_of(target):
    """Returns the packages that the program needs, by id, without those of its tests."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.check_output(command))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    needed, waiting = set(), [package["id"] for package in packages.values() if package["name"] == "server"]
    while waiting:
        package = waiting.pop()
        if package not in needed:
            needed.add(package)
            waiting += [
                dependency["pkg"]
                for dependency in nodes[package]["deps"]
                if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
            ]
    return {package: packages[package] for package in needed if packages[package]["source"]}


def texts(root):
    """Returns the texts in a package's folder, by name."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.suffix == ".zip":
            found |= swagger_texts(path)
        elif path.is_file() and TEXT.fullmatch(path.name) and path.suffix not in CODE:
            found[str(path.relative_to(root))] = path.read_bytes().decode(errors="replace").strip()
    return found


def swagger_texts(path):
    """Returns the texts of the npm package that has the same script as this archive."""
    with zipfile.ZipFile(path) as archive:
        folder = archive.namelist()[0]
        script = archive.read(f"{folder}dist/{BUNDLE}")
    version = folder.rstrip("/").rpartition("-")[2]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.check_call(["npm", "pack", "--silent", f"swagger-ui-dist@{version}"], cwd=scratch, stdout=subprocess.DEVNULL)
        content = next(pathlib.Path(scratch).iterdir()).read_bytes()
    with tarfile.open(fileobj=io.BytesIO(content)) as package:
        if package.extractfile(f"package/{BUNDLE}").read() != script:
            sys.exit(f"the npm package swagger-ui-dist {version} has another script than {path.name}")
        names = ["LICENSE", "NOTICE", f"{BUNDLE}.LICENSE.txt"]
        return {f"swagger-ui/{name}": package.extractfile(f"package/{name}").read().decode().strip() for name in names}


def main():
    packages = {}
    for target in sys.argv[1:]:
        packages |= packages_of(target)
    numbers = {}
    print("Licences of the packages that Restwell's programs contain, or are built with. The numbered texts follow.\n")
    for package in sorted(packages.values(), key=lambda package: (package["name"], package["version"])):
        print(f"{package['name']} {package['version']}: {package['license']}")
        found = texts(pathlib.Path(package["manifest_path"]).parent)
        for name, text in found.items():
            print(f"    {name}: text {numbers.setdefault(text, len(numbers) + 1)}")
        if not found:
            authors = ", ".join(package["authors"]) or package["repository"]
            print(f"    LICENSE-MIT or LICENSE-APACHE beside this file, by {authors}")
    for text, number in numbers.items():
        print(f"\n{'=' * 80}\nText {number}\n\n{text}")


main()
