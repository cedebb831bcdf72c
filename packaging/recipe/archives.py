"""Zip and tar files whose bytes depend on their contents alone: no clock, no user, no order of the disk."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

# The first moment that a zip file can name.
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
TAR_EPOCH = 315532800


@dataclass(frozen=True)
class Entry:
    name: str
    content: bytes
    program: bool = False

    @property
    def mode(self) -> int:
        return 0o755 if self.program else 0o644


def zip_bytes(entries: list[Entry]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for entry in entries:
            information = zipfile.ZipInfo(entry.name, ZIP_EPOCH)
            information.create_system = 3
            information.external_attr = (0o100000 | entry.mode) << 16
            archive.writestr(information, entry.content, zipfile.ZIP_DEFLATED, compresslevel=9)
    return buffer.getvalue()


def tar_gz_bytes(entries: list[Entry]) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=buffer, mode="wb", compresslevel=9, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for entry in entries:
                information = tarfile.TarInfo(entry.name)
                information.size, information.mode, information.mtime = len(entry.content), entry.mode, TAR_EPOCH
                archive.addfile(information, io.BytesIO(entry.content))
    return buffer.getvalue()


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
