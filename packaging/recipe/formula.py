"""Files that point at the released ones by address and checksum: Homebrew's formula and the MCP registry's entry."""

import json
from pathlib import Path

from . import archives, facts
from .facts import Facts, Platform


def formula(known: Facts, released: dict[Platform, Path], folder: Path) -> Path:
    blocks = []
    for platform, archive in released.items():
        system, processor = platform.homebrew
        blocks.append(
            f"  {system} do\n    {processor} do\n"
            f'      url "{known.downloads}/{archive.name}"\n'
            f'      sha256 "{archives.sha256(archive)}"\n'
            "    end\n  end"
        )
    words = known.words() | {"PLATFORMS": "\n\n".join(blocks)}
    return archives.write(folder / "probity.rb", facts.template("homebrew/probity.rb", words).encode())


def registry_entry(known: Facts, bundles: list[Path], folder: Path) -> Path:
    entry = facts.template_json("registry/server.json", known.words())
    for bundle in bundles:
        entry["packages"].append(
            {
                "registryType": "mcpb",
                "identifier": f"{known.downloads}/{bundle.name}",
                "version": known.version,
                "fileSha256": archives.sha256(bundle),
                "transport": {"type": "stdio"},
            }
        )
    return archives.write(folder / "server.json", (json.dumps(entry, indent=2) + "\n").encode())
