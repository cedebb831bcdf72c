"""What is inside the program: every crate that is compiled in, as a CycloneDX list and as licences to read."""

import hashlib
import json
import re
import subprocess
import tomllib
import uuid
from pathlib import Path

from .facts import REPOSITORY, SUMMARY, Facts

# Files of a crate that tell its terms; anything longer is no licence.
LICENCE_FILE = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)
LICENCE_BYTES_MAX = 200_000


class Parts:
    """The crates of one platform's program, its own left out of licences, in the order of their names."""

    def __init__(self, triple: str):
        command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", triple]
        told = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
        metadata = json.loads(told)
        packages = {package["id"]: package for package in metadata["packages"]}
        nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
        members = set(metadata["workspace_members"])
        root = next(each for each in members if packages[each]["name"] == "probity")
        self.needs = _reachable(root, nodes)
        self.root = packages[root]
        self.packages = sorted((packages[each] for each in self.needs), key=lambda each: (each["name"], each["version"]))
        self.foreign = [each for each in self.packages if each["id"] not in members]
        lock = tomllib.loads((REPOSITORY / "Cargo.lock").read_text())
        self.checksums = {(each["name"], each["version"]): each.get("checksum") for each in lock["package"]}


def _reachable(root: str, nodes: dict) -> dict[str, list[str]]:
    """Each crate with those it needs at run time or to be built; what only tests need is left out."""
    needs, waiting = {}, [root]
    while waiting:
        current = waiting.pop()
        if current in needs:
            continue
        needs[current] = [
            dependency["pkg"]
            for dependency in nodes[current]["deps"]
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
        ]
        waiting.extend(needs[current])
    return needs


def cyclonedx(known: Facts, parts: Parts) -> str:
    reference = {each["id"]: _purl(each) for each in parts.packages}
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": _component(parts.root, parts, "application") | {"description": SUMMARY},
            "lifecycles": [{"phase": "build"}],
        },
        "components": [_component(each, parts, "library") for each in parts.packages if each is not parts.root],
        "dependencies": [
            {"ref": reference[each["id"]], "dependsOn": sorted({reference[need] for need in parts.needs[each["id"]]})}
            for each in parts.packages
        ],
    }
    # A name of its own for every list of contents, the same whenever the contents are.
    content = json.dumps(document, sort_keys=True)
    document["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, f"{known.homepage}#{content}").urn
    return json.dumps(document, indent=1) + "\n"


def _purl(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version'].replace('+', '%2B')}"


def _component(package: dict, parts: Parts, kind: str) -> dict:
    component = {
        "type": kind,
        "bom-ref": _purl(package),
        "name": package["name"],
        "version": package["version"],
        "purl": _purl(package),
    }
    if package["license"]:
        component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    checksum = parts.checksums.get((package["name"], package["version"]))
    if checksum:
        component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if (package["repository"] or "").startswith("https://"):
        component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return component


def third_party(parts: Parts) -> str:
    """Who wrote what is inside and under which terms; each text once, with the crates it came with."""
    texts: dict[str, tuple[str, list[str]]] = {}
    for package in parts.foreign:
        for text in _texts(package):
            key = hashlib.sha256(" ".join(text.split()).encode()).hexdigest()
            texts.setdefault(key, (text, []))[1].append(f"{package['name']} {package['version']}")
    lines = ["# Licences of what is inside Probity", ""]
    lines.append(f"{len(parts.foreign)} crates of others are compiled into the program or used to build it.")
    lines += ["", "| crate | version | licence |", "|---|---|---|"]
    lines += [f"| {each['name']} | {each['version']} | {each['license'] or 'see its file'} |" for each in parts.foreign]
    for text, crates in sorted(texts.values(), key=lambda each: (-len(each[1]), each[1])):
        lines += ["", "---", "", f"From {', '.join(sorted(set(crates)))}:", ""]
        lines += [f"    {line}".rstrip() for line in text.strip().splitlines()]
    return "\n".join(lines) + "\n"


def _texts(package: dict) -> list[str]:
    folder = Path(package["manifest_path"]).parent
    named = [folder / package["license_file"]] if package.get("license_file") else []
    found = {path for path in (*folder.iterdir(), *named) if path.is_file() and LICENCE_FILE.match(path.name)}
    # What a crate carries beside code, such as a font, has its own terms.
    found |= set(folder.glob("assets/*/LICENSE"))
    small = sorted(path for path in found | set(named) if path.is_file() and path.stat().st_size <= LICENCE_BYTES_MAX)
    return [path.read_text(errors="replace") for path in small]
