"""The `.mcpb` bundle: one file that an MCP host installs with a double click."""

import json
from pathlib import Path

from . import archives, facts, icon
from .archives import Entry
from .facts import REPOSITORY, Facts, Platform


def bundle(known: Facts, platform: Platform, binary: Path, third_party: str, tools: list[dict], folder: Path) -> Path:
    manifest = facts.template_json("mcpb/manifest.json", known.words())
    manifest["compatibility"]["platforms"] = [platform.npm_os]
    manifest["tools"] = tools
    entries = [
        Entry("manifest.json", (json.dumps(manifest, indent=2) + "\n").encode()),
        Entry("icon.png", icon.png()),
        Entry("server/probity", binary.read_bytes(), program=True),
        Entry("THIRD-PARTY.md", third_party.encode()),
        *(Entry(name, (REPOSITORY / name).read_bytes()) for name in ("LICENSE-APACHE", "LICENSE-MIT")),
    ]
    path = folder / f"probity-{known.version}-{platform.npm_os}-{platform.npm_cpu}.mcpb"
    return archives.write(path, archives.zip_bytes(entries))


def tools() -> list[dict]:
    """Names and first sentences of the tools, from the page that a test makes from the code."""
    found, name = [], None
    for line in (REPOSITORY / "docs/generated/tools.md").read_text().splitlines():
        if line.startswith("## `"):
            name = line.removeprefix("## `").removesuffix("`")
        elif name and line:
            found.append({"name": name, "description": line.split(". ")[0].removesuffix(".") + "."})
            name = None
    if not found:
        raise SystemExit("docs/generated/tools.md names no tool")
    return found
