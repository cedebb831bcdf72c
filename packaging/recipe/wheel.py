"""A wheel that holds the program as a script: `pip install`, `uv tool install` and `uvx` put it on the path."""

import base64
import hashlib
from pathlib import Path

from . import archives, facts
from .archives import Entry
from .facts import REPOSITORY, Facts, Platform


def wheel(known: Facts, platform: Platform, binary: Path, third_party: str, folder: Path) -> Path:
    name = known.pypi.replace("-", "_")
    information = f"{name}-{known.version}.dist-info"
    tags = [f"py3-none-{each}" for each in platform.wheel.split(".")]
    metadata = facts.template("pypi/METADATA", known.words())
    licences = ("LICENSE-APACHE", "LICENSE-MIT")
    entries = [
        Entry(f"{name}-{known.version}.data/scripts/probity", binary.read_bytes(), program=True),
        Entry(f"{information}/METADATA", metadata.encode()),
        Entry(f"{information}/WHEEL", _wheel_file(tags).encode()),
        *(Entry(f"{information}/licenses/{each}", (REPOSITORY / each).read_bytes()) for each in licences),
        Entry(f"{information}/licenses/THIRD-PARTY.md", third_party.encode()),
    ]
    record = "".join(f"{entry.name},sha256={_digest(entry.content)},{len(entry.content)}\n" for entry in entries)
    entries.append(Entry(f"{information}/RECORD", f"{record}{information}/RECORD,,\n".encode()))
    path = folder / f"{name}-{known.version}-py3-none-{platform.wheel}.whl"
    return archives.write(path, archives.zip_bytes(entries))


def _wheel_file(tags: list[str]) -> str:
    # Not pure: the script is a program of one platform.
    head = "Wheel-Version: 1.0\nGenerator: probity packaging\nRoot-Is-Purelib: false\n"
    return head + "".join(f"Tag: {tag}\n" for tag in tags)


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
