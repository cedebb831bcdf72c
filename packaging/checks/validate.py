"""Holds `target/packages` against the tools and schemas of those who read it. Run with .tools/packages/venv's Python."""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib import resources
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = REPOSITORY / "target/packages"
MCPB = REPOSITORY / ".tools/packages/node_modules/.bin/mcpb"


def checksums() -> str:
    named = dict(reversed(line.split("  ", 1)) for line in (PACKAGES / "SHA256SUMS").read_text().splitlines())
    files = [path for path in PACKAGES.rglob("*") if path.is_file() and "container" not in path.parts]
    for path in files:
        if path.name != "SHA256SUMS":
            assert named.pop(path.name) == hashlib.sha256(path.read_bytes()).hexdigest(), path
    assert not named, f"named, but not there: {named}"
    return f"{len(files) - 1} files"


def bundle() -> str:
    said = []
    for path in sorted(PACKAGES.glob("*.mcpb")):
        with tempfile.TemporaryDirectory() as folder:
            run(MCPB, "unpack", path, folder)
            run(MCPB, "validate", f"{folder}/manifest.json")
            program = Path(folder) / "server/probity"
            assert program.stat().st_mode & 0o111, "the program is not executable"
        said.append(path.name)
    assert said, "no bundle"
    return ", ".join(said)


def registry() -> str:
    import jsonschema

    entry = json.loads((PACKAGES / "server.json").read_text())
    version = entry["$schema"].split("/")[-2].replace("-", "_")
    schema = resources.files("skillsaw") / f"schemas/mcp_registry/v{version}/server.schema.json"
    jsonschema.Draft7Validator(json.loads(schema.read_text())).validate(entry)
    return entry["$schema"]


def contents() -> str:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    said = []
    for path in sorted(PACKAGES.glob("*.cdx.json")):
        problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(path.read_text())
        assert problem is None, problem
        said.append(f"{len(json.loads(path.read_text())['components'])} components")
    assert said, "no list of contents"
    return ", ".join(said)


def wheels() -> str:
    """Every file of a wheel is in its RECORD with its digest, and the other way round."""
    import base64

    found = sorted((PACKAGES / "pypi").glob("*.whl"))
    assert found, "no wheel"
    for path in found:
        with zipfile.ZipFile(path) as wheel:
            record_name = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
            record = dict(line.split(",", 1) for line in wheel.read(record_name).decode().splitlines())
            for name in wheel.namelist():
                content = wheel.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                wanted = "," if name == record_name else f"sha256={digest},{len(content)}"
                assert record.pop(name) == wanted, name
            assert not record, record
    return f"{len(found)} wheel"


def formula() -> str:
    if not shutil.which("ruby"):
        return "not checked: no ruby here"
    return run("ruby", "-c", PACKAGES / "probity.rb").strip()


def installer() -> str:
    run("sh", "-n", PACKAGES / "install.sh")
    if not shutil.which("shellcheck"):
        return "syntax only: no shellcheck here"
    run("shellcheck", "-s", "sh", PACKAGES / "install.sh")
    return "shellcheck has nothing to say"


def run(*command) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
    return done.stdout


def main() -> int:
    short = 0
    for check in (checksums, wheels, bundle, registry, contents, formula, installer):
        try:
            print(f"ok    {check.__name__}: {check()}")
        except Exception as error:  # noqa: BLE001 - every check is told of, whatever the one before said
            short += 1
            print(f"short {check.__name__}: {type(error).__name__}: {error}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
