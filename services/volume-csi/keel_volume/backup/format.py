"""What a backup looks like in the store (documented in docs/backups.md).

``<prefix>/chunks/<2 hex>/<sha256>``: one object for each chunk that holds something; ``<prefix>/index``: one entry for
each chunk of the volume in order; ``<prefix>/metadata.json``, written last: a prefix without it is no backup. Chunks of
zeros are not stored; what an earlier backup of the chain holds is not stored again, its entry names that backup.
"""

from __future__ import annotations

import bz2
import hashlib
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
import zstandard

from keel_volume.backup.store import Store, checked

FORMAT, VERSION = "openkeel-backup", 1
#: sha256 of the chunk, and which of ``owners`` holds it; 32 zero bytes: nothing but zeros, held by nobody.
_ENTRY = struct.Struct(">32sH")
_ZEROS = bytes(32)
MAX_OWNERS = 1 << 16
_MAX_CHUNK = 64 << 20


class Damaged(Exception):
    """What the store holds is not what was written."""


class Index:
    """Entries of all chunks, packed: 34 bytes each (about 9 MB for a TiB in chunks of 4 MiB)."""

    def __init__(self, data: bytes | bytearray = b""):
        if len(data) % _ENTRY.size:
            raise Damaged("the index has half an entry")
        self._data = bytearray(data)

    def __len__(self) -> int:
        return len(self._data) // _ENTRY.size

    def __getitem__(self, number: int) -> tuple[bytes | None, int]:
        """(digest, owner) of a chunk; digest None for zeros."""
        digest, owner = _ENTRY.unpack_from(self._data, number * _ENTRY.size)
        return (None if digest == _ZEROS else digest), owner

    def add(self, digest: bytes | None, owner: int = 0) -> None:
        """The entry of the next chunk."""
        self._data += _ENTRY.pack(digest or _ZEROS, owner)

    def dump(self) -> bytes:
        """As it is stored."""
        return bytes(self._data)


@dataclass(frozen=True)
class Backup:
    """A whole backup: facts of ``metadata.json`` and its index. ``owners``: prefixes, its own first."""

    prefix: str
    size: int
    chunk_size: int
    owners: tuple[str, ...]
    index: Index
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Of the backup."""
        return self.facts["backup_id"]


def prefix(container: str, volume_id: str, backup_id: str) -> str:
    """Where a backup lies. ValueError for a container that is no plain name."""
    return checked(f"{container}/volume_{volume_id}/backup_{backup_id}")


def chunk_name(owner: str, digest: bytes) -> str:
    """Name of the object of a chunk."""
    text = digest.hex()
    return f"{owner}/chunks/{text[:2]}/{text}"


def save(store: Store, backup: Backup) -> None:
    """Write index and metadata: with this the backup is there. Raises StoreError."""
    data = backup.index.dump()
    store.put(f"{backup.prefix}/index", data)
    body = {
        **backup.facts,
        "format": FORMAT,
        "version": VERSION,
        "size": backup.size,
        "chunk_size": backup.chunk_size,
        "chunks": len(backup.index),
        "hash": "sha256",
        "owners": list(backup.owners),
        "index": {"name": "index", "sha256": hashlib.sha256(data).hexdigest()},
    }
    store.put(f"{backup.prefix}/metadata.json", orjson.dumps(body, option=orjson.OPT_INDENT_2))


def load(store: Store, where: str) -> Backup:
    """A backup, its index checked. Raises Missing, StoreError, Damaged."""
    where = checked(where)
    try:
        body = orjson.loads(store.get(f"{where}/metadata.json"))
        if (body["format"], body["version"], body["hash"]) != (FORMAT, VERSION, "sha256"):
            raise Damaged(f"{where} is of format {body['format']} {body['version']}, not {FORMAT} {VERSION}")
        owners = tuple(checked(owner) for owner in body["owners"])
        size, chunk_size, chunks = int(body["size"]), int(body["chunk_size"]), int(body["chunks"])
        expected = bytes.fromhex(body["index"]["sha256"])
    except (ValueError, KeyError, TypeError) as problem:
        raise Damaged(f"the metadata of {where} cannot be read: {problem}") from problem
    data = store.get(f"{where}/index")
    if hashlib.sha256(data).digest() != expected:
        raise Damaged(f"the index of {where} does not have its checksum")
    index = Index(data)
    fits = len(index) == chunks == -(-size // chunk_size) if 0 < chunk_size <= _MAX_CHUNK else False
    if not fits or not owners or any(index[n][1] >= len(owners) for n in range(len(index))):
        raise Damaged(f"the index of {where} does not fit its metadata")
    return Backup(where, size, chunk_size, owners, index, body)


def pack(data: bytes, compression: str) -> bytes:
    """A chunk as it is stored: a letter for the compression, then the bytes; as they are when that is no longer."""
    letter, compress, _ = _CODECS[compression]
    packed = letter + compress(data)
    return packed if len(packed) < len(data) else b"n" + data


def unpack(data: bytes, length: int, digest: bytes) -> bytes:
    """The bytes of a chunk. Raises Damaged unless they are ``length`` bytes with that digest."""
    codec = _BY_LETTER.get(data[:1])
    if codec is None:
        raise Damaged(f"chunk {digest.hex()} is packed in a way nobody knows")
    try:
        found = codec(data[1:], length)
    except (zlib.error, OSError, ValueError, EOFError, zstandard.ZstdError) as problem:
        raise Damaged(f"chunk {digest.hex()} cannot be unpacked: {problem}") from problem
    if len(found) != length or hashlib.sha256(found).digest() != digest:
        raise Damaged(f"chunk {digest.hex()} does not have its checksum")
    return found


def entries(index: Index, size: int, chunk_size: int) -> Iterator[tuple[int, bytes | None, int]]:
    """(length, digest, owner) of every chunk in order."""
    for number in range(len(index)):
        digest, owner = index[number]
        yield min(chunk_size, size - number * chunk_size), digest, owner


def _zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(data)


def _unzstd(data: bytes, length: int) -> bytes:
    """At most one byte more than asked for, whatever the frame says of itself."""
    return zstandard.ZstdDecompressor().stream_reader(data).read(length + 1)


def _unzlib(data: bytes, length: int) -> bytes:
    return zlib.decompressobj().decompress(data, length + 1)


def _unbz2(data: bytes, length: int) -> bytes:
    return bz2.BZ2Decompressor().decompress(data, length + 1)


Codec = tuple[bytes, Callable[[bytes], bytes], Callable[[bytes, int], bytes]]
_NONE: Codec = (b"n", bytes, lambda data, length: bytes(data))
_ZLIB: Codec = (b"z", lambda data: zlib.compress(data, 6), _unzlib)
_BZ2: Codec = (b"b", bz2.compress, _unbz2)
_ZSTD: Codec = (b"s", _zstd, _unzstd)
#: Values of ``backup_compression_algorithm`` (cinder 29.0.0 config).
_CODECS: dict[str, Codec] = {
    "none": _NONE,
    "off": _NONE,
    "no": _NONE,
    "zlib": _ZLIB,
    "gzip": _ZLIB,
    "bz2": _BZ2,
    "bzip2": _BZ2,
    "zstd": _ZSTD,
}
_BY_LETTER = {codec[0]: codec[2] for codec in (_NONE, _ZLIB, _BZ2, _ZSTD)}
