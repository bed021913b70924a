"""Reading an image for an import: fetched as a stream, hashed, measured, made a raw one."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import requests

from .contents import Incoming

CHUNK = 1 << 20
_SECTOR = 512
#: Formats that are converted, as qemu-img names them: offset and magic.
_MAGIC = (
    ("qcow2", 0, b"QFI\xfb"),
    ("vmdk", 0, b"KDMV"),
    ("vdi", 64, b"\x7f\x10\xda\xbe"),
    ("vhdx", 0, b"vhdxfile"),
    ("vpc", 0, b"conectix"),
)


class ImageError(Exception):
    """Why an import failed, in the importer's words."""


@dataclass
class Source:
    """Where an image comes from. ``headers`` are lines "Name: value"; ``authority`` a CA bundle in PEM."""

    url: str
    headers: list[str] = field(default_factory=list)
    user: str = ""
    password: str = ""
    checksum: str = ""
    authority: str = ""


@dataclass
class Found:
    """What was read: bytes as transferred, their sha256, the size of the disk they are; whether its bytes are kept."""

    bytes: int
    sha256: str
    virtual_size: int
    kept: bool = True

    def facts(self, source: str) -> dict[str, Any]:
        """What is told of a volume filled with it."""
        return {"sha256": self.sha256, "bytes": self.bytes, "virtualSize": self.virtual_size, "source": source}


def fetch(
    source: Source, room: int, progress: Callable[[float], None], into: Incoming, ca_file: str | None = None
) -> Found:
    """Read the image behind an http(s) URL to its end and write its disk. Raises ImageError.

    ``room`` is the size in bytes of the volume it is to fill; ``progress`` gets percentages.
    """
    headers = {}
    for line in source.headers:
        name, separator, value = line.partition(":")
        if not separator:
            raise ImageError(f"Unable to process data: invalid extra header {name!r}")
        headers[name.strip()] = value.strip()
    login = (source.user, source.password) if source.user else None
    try:
        with requests.get(
            source.url, headers=headers, auth=login, stream=True, timeout=(10, 60), verify=ca_file or True
        ) as answer:
            if answer.status_code != 200:
                text = (
                    f"expected status code 200, got {answer.status_code}. Status: {answer.status_code} {answer.reason}"
                )
                raise ImageError(f"Unable to connect to http data source: {text}")
            total = int(answer.headers.get("Content-Length") or 0)
            return receive(answer.iter_content(CHUNK), room, source.checksum, total, progress, into)
    except requests.RequestException as error:
        raise ImageError(f"Unable to connect to http data source: {error}") from error


def receive(
    parts: Iterable[bytes],
    room: int,
    checksum: str,
    total: int,
    progress: Callable[[float], None],
    into: Incoming,
) -> Found:
    """Hash, measure and write a stream. Raises ImageError for a wrong checksum or a disk larger than the room."""
    algorithm, _, expected = checksum.partition(":")
    if checksum and algorithm not in ("md5", "sha1", "sha256", "sha512"):
        raise ImageError(f"Unable to process data: unsupported checksum algorithm {algorithm!r}")
    transferred = hashlib.sha256()
    checked = hashlib.new(algorithm) if checksum else None
    head, count, plain, inflater = b"", 0, 0, None
    for part in parts:
        if count == 0 and part[:2] == b"\x1f\x8b":
            inflater = zlib.decompressobj(31)
        count += len(part)
        transferred.update(part)
        if checked:
            checked.update(part)
        content = _inflate(inflater, part) if inflater else part
        into.write(content)
        plain += len(content)
        if len(head) < 4096:
            head += content[: 4096 - len(head)]
        if total:
            progress(min(100.0, count * 100.0 / total))
        _fits(_virtual_size(head, plain), room)
    if total and count != total:
        raise ImageError(f"Unable to process data: unexpected EOF after {count} of {total} bytes")
    if checked and checked.hexdigest() != expected.lower():
        raise ImageError(f"Unable to process data: checksum mismatch: expected {expected}, got {checked.hexdigest()}")
    into.finish()
    kept = _make_raw(head, into, room)
    return Found(count, transferred.hexdigest(), into.size if kept else _virtual_size(head, plain), kept)


def _make_raw(head: bytes, into: Incoming, room: int) -> bool:
    """Convert what is no raw image; False where that cannot be done here."""
    known = next((name for name, offset, magic in _MAGIC if head[offset : offset + len(magic)] == magic), None)
    if known is None:
        return True
    try:
        if not into.convert(known):
            return False
    except ValueError as error:
        raise ImageError(f"Unable to process data: Unable to convert source data to target format: {error}") from error
    _fits(into.size, room)
    return True


def _inflate(inflater: zlib._Decompress, part: bytes) -> bytes:
    try:
        return inflater.decompress(part)
    except zlib.error as error:
        raise ImageError(f"Unable to process data: could not read gzip stream: {error}") from error


def _virtual_size(head: bytes, plain: int) -> int:
    """The size of the disk an image holds, from its header; a raw image is its own size."""
    if head[:4] == b"QFI\xfb" and len(head) >= 32:
        return int(struct.unpack(">Q", head[24:32])[0])
    if head[:4] == b"KDMV" and len(head) >= 20:
        return int(struct.unpack("<Q", head[12:20])[0]) * _SECTOR
    if head[64:68] == b"\x7f\x10\xda\xbe" and len(head) >= 0x178:
        return int(struct.unpack("<Q", head[0x170:0x178])[0])
    return plain


def _fits(size: int, room: int) -> None:
    if size > room:
        text = (
            f"Virtual image size {size} is larger than the reported available storage {room}. A larger PVC is required."
        )
        raise ImageError(f"Unable to process data: {text}")
