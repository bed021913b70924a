"""Reading an image for an import: fetched as a stream, hashed, measured; nothing is kept but what it was."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import requests

CHUNK = 1 << 20
_SECTOR = 512


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
    """What was read: bytes as transferred, their sha256, and the size of the disk they are."""

    bytes: int
    sha256: str
    virtual_size: int


def fetch(source: Source, room: int, progress: Callable[[float], None], ca_file: str | None = None) -> Found:
    """Read the image behind an http(s) URL to its end. Raises ImageError.

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
            return measure(answer.iter_content(CHUNK), room, source.checksum, total, progress)
    except requests.RequestException as error:
        raise ImageError(f"Unable to connect to http data source: {error}") from error


def measure(parts: Iterable[bytes], room: int, checksum: str, total: int, progress: Callable[[float], None]) -> Found:
    """Hash and measure a stream. Raises ImageError for a wrong checksum or a disk larger than the room."""
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
    return Found(count, transferred.hexdigest(), _virtual_size(head, plain))


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
