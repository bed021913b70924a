"""The bytes that volumes and snapshots hold: a sparse raw file each, shared by hard links until one of them is written.

A key is "volume:PV", "snapshot:CONTENT" or that of work under way. Beside the file the store keeps what is known of its
origin under the same key. No file and nothing known is an empty volume: zeros. Known and no file is a content that was
not kept (an image that could not be converted here): whoever wants its bytes is told so.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .store import Store

CHUNK = 1 << 20
_BLOCK = 64 << 10
_ZEROS = bytes(CHUNK)


class NotKept(Exception):
    """Only the origin of this content is known, its bytes are not here."""


class Contents:
    """All files of a cluster, in ``folder`` or, without one, in a temporary directory that goes with it."""

    def __init__(self, store: Store, folder: Path | None):
        self._store = store
        self._scratch = None if folder else tempfile.TemporaryDirectory(prefix="kubesim-volumes-")
        self._folder = folder or Path(self._scratch.name)  # type: ignore[union-attr]
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()

    def facts(self, key: str) -> Any:
        """What is known of the origin; None for an empty volume."""
        return self._store.recall(key)

    def copy(self, origin: str, key: str) -> None:
        """Let ``key`` hold what ``origin`` holds ("" is nothing)."""
        with self._lock:
            self._path(key).unlink(missing_ok=True)
            if origin and self._path(origin).exists():
                os.link(self._path(origin), self._path(key))
            self._store.remember(key, self._store.recall(origin) if origin else None)

    def forget(self, key: str) -> None:
        """The content goes; copies of it stay."""
        with self._lock:
            self._path(key).unlink(missing_ok=True)
            self._store.remember(key, None)

    def receive(self) -> Incoming:
        """A file to fill; `keep` makes it a content."""
        return Incoming(self._folder)

    def keep(self, key: str, incoming: Incoming | None, facts: dict[str, Any]) -> None:
        """``key`` holds what came in; None: only its origin is known."""
        with self._lock:
            if incoming is None:
                self._path(key).unlink(missing_ok=True)
            else:
                os.replace(incoming.path, self._path(key))
            self._store.remember(key, facts)

    def check(self, key: str) -> None:
        """Raises NotKept."""
        if not self._path(key).exists() and self.facts(key) is not None:
            raise NotKept("the bytes of this volume were not kept: its image could not be converted (no qemu-img)")

    def write(self, key: str, offset: int, data: bytes) -> None:
        """As a guest would: the file of its own from now on. Raises NotKept."""
        self.check(key)
        with self._lock:
            path = self._path(key)
            if path.exists() and path.stat().st_nlink > 1:
                with Incoming(self._folder) as alone:
                    _copy(path, alone.path)
                    os.replace(alone.path, path)
            with open(path, "r+b" if path.exists() else "w+b") as file:
                file.seek(offset)
                file.write(data)
            self._store.remember(key, {**(self._store.recall(key) or {"source": "guest"}), "changed": True})

    def read(self, key: str, offset: int, length: int) -> bytes:
        """Bytes at an offset, zeros where nothing was written. Raises NotKept."""
        self.check(key)
        if not self._path(key).exists():
            return bytes(length)
        with open(self._path(key), "rb") as file:
            file.seek(offset)
            return file.read(length).ljust(length, b"\0")

    def stream(self, key: str, size: int) -> Iterator[bytes]:
        """``size`` bytes from the start, at most 1 MiB at once: as it is now, whatever happens meanwhile. Raises
        NotKept."""
        self.check(key)
        return _parts(open(self._path(key), "rb") if self._path(key).exists() else None, size)  # noqa: SIM115

    def checksum(self, key: str, size: int) -> str:
        """sha256 of the whole volume."""
        found = hashlib.sha256()
        for part in self.stream(key, size):
            found.update(part)
        return found.hexdigest()

    def close(self) -> None:
        if self._scratch:
            self._scratch.cleanup()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key.replace(':', '-')}.raw"


class Incoming:
    """A file that is being filled in order; runs of zeros become holes. Removed at the end unless it was kept."""

    def __init__(self, folder: Path):
        number, name = tempfile.mkstemp(suffix=".part", dir=folder)
        self.path = Path(name)
        self._file = os.fdopen(number, "wb")
        self.size = 0

    def write(self, data: bytes) -> None:
        """Append."""
        for start in range(0, len(data), _BLOCK):
            block = data[start : start + _BLOCK]
            if block == _ZEROS[: len(block)]:
                self._file.seek(len(block), os.SEEK_CUR)
            else:
                self._file.write(block)
        self.size += len(data)

    def finish(self) -> None:
        """All is written: holes at the end count."""
        self._file.truncate(self.size)
        self._file.close()

    def convert(self, image_format: str) -> bool:
        """Make a raw image of one in another format; False where there is no qemu-img. Raises ValueError."""
        program = shutil.which("qemu-img")
        if program is None:
            return False
        target = self.path.with_suffix(".raw.part")
        command = [program, "convert", "-f", image_format, "-O", "raw", "-t", "writeback", str(self.path), str(target)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            if done.returncode:
                raise ValueError(done.stderr.strip() or f"qemu-img ended with {done.returncode}")
            os.replace(target, self.path)
        finally:
            target.unlink(missing_ok=True)
        self.size = self.path.stat().st_size
        return True

    def __enter__(self) -> Incoming:
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)


def gzipped(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The stream as gzip, a member for each piece; pieces of zeros cost nothing."""
    empty = _member(_ZEROS)
    for part in parts:
        yield empty if part == _ZEROS else _member(part)


def _member(data: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def _parts(file: Any, size: int) -> Iterator[bytes]:
    try:
        for start in range(0, size, CHUNK):
            wanted = min(CHUNK, size - start)
            found = file.read(wanted) if file else b""
            yield found if len(found) == wanted else found + _ZEROS[: wanted - len(found)]
    finally:
        if file:
            file.close()


def _copy(origin: Path, target: Path) -> None:
    """A copy that keeps the holes."""
    with open(origin, "rb") as source, open(target, "wb") as sink:
        size, at = os.fstat(source.fileno()).st_size, 0
        while at < size:
            try:
                at = os.lseek(source.fileno(), at, os.SEEK_DATA)
            except OSError:  # ENXIO: nothing but holes from here on
                break
            end = os.lseek(source.fileno(), at, os.SEEK_HOLE)
            while at < end:
                at += os.copy_file_range(source.fileno(), sink.fileno(), end - at, at, at)
        sink.truncate(size)
