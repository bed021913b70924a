"""A stream of bytes into the store, and out of it again: chunk by chunk, a few under way at a time.

Memory is bounded by the chunks under way (at most ``_AHEAD``) and by 34 bytes of index and the digest of every chunk.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from keel_volume.backup import format
from keel_volume.backup.format import Backup, Damaged, Index
from keel_volume.backup.store import Store

_THREADS = 4
_AHEAD = 8


class Sink(Protocol):
    """Where a backup is written to: ``size`` bytes in order."""

    size: int

    def write(self, data: bytes) -> None: ...

    def skip(self, length: int) -> None: ...


@dataclass
class Written:
    """What came of a backup: its index; ``size`` read, ``objects`` of its own, ``bytes`` sent, chunks of ``zeros``."""

    index: Index
    owners: tuple[str, ...]
    size: int = 0
    objects: int = 0
    bytes: int = 0
    zeros: int = 0


class TooSmall(Exception):
    """The backup holds something behind the end of the volume."""


def store_stream(
    store: Store,
    prefix: str,
    stream: Iterable[bytes],
    chunk_size: int,
    compression: str,
    parent: Backup | None,
    go_on: Callable[[], None],
) -> Written:
    """Write what is new of a stream: not zeros, not what the parent's chain holds, not what an earlier try has written.

    ``go_on`` is called for every chunk and raises what ends the work. Raises StoreError, and what the stream raises.
    """
    written = Written(Index(), (prefix, *(parent.owners if parent else ())))
    there = {bytes.fromhex(name.rpartition("/")[2]) for name in store.names(f"{prefix}/chunks")}
    own: set[bytes] = set()
    zeros = bytes(chunk_size)
    with _pool(written) as put:
        for number, chunk in enumerate(_chunks(stream, chunk_size)):
            go_on()
            written.size += len(chunk)
            if chunk == zeros[: len(chunk)]:  # The whole of it is not copied.
                written.index.add(None)
                written.zeros += 1
                continue
            digest = hashlib.sha256(chunk).digest()
            held = parent.index[number] if parent and number < len(parent.index) else (None, 0)
            if held[0] == digest:
                written.index.add(digest, held[1] + 1)
                continue
            written.index.add(digest)
            if digest not in there and digest not in own:
                put(_put, store, format.chunk_name(prefix, digest), chunk, compression)
            own.add(digest)
    for digest in there - own:
        store.drop(format.chunk_name(prefix, digest))
    written.objects = len(own)
    return written


def _put(store: Store, name: str, chunk: bytes, compression: str) -> int:
    packed = format.pack(chunk, compression)
    store.put(name, packed)
    return len(packed)


def _chunks(stream: Iterable[bytes], size: int) -> Iterator[bytes]:
    held = bytearray()
    for piece in stream:
        held += piece
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
    if held:
        yield bytes(held)


def restore_stream(store: Store, backup: Backup, sink: Sink, go_on: Callable[[], None]) -> None:
    """Write a backup into a sink, every chunk compared with its digest first.

    Raises StoreError, Damaged, TooSmall, what ``go_on`` raises and what the sink raises.
    """
    position = 0
    waiting: deque[tuple[int, Future | None]] = deque()
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="restore") as pool:
        try:
            for length, digest, owner in format.entries(backup.index, backup.size, backup.chunk_size):
                future = None
                if digest is not None:
                    future = pool.submit(_fetch, store, backup.owners[owner], digest, length)
                waiting.append((length, future))
                if len(waiting) >= _AHEAD:
                    go_on()
                    position += _pass_on(waiting.popleft(), sink, max(0, sink.size - position))
            while waiting:
                go_on()
                position += _pass_on(waiting.popleft(), sink, max(0, sink.size - position))
        finally:
            for _, future in waiting:
                if future:
                    future.cancel()


def _pass_on(chunk: tuple[int, Future | None], sink: Sink, room: int) -> int:
    """Write a chunk; how long it was. Zeros behind the end may fall away."""
    length, future = chunk
    if future is None:
        sink.skip(min(length, room))
        return length
    data = future.result()
    if data[room:].strip(b"\0"):
        raise TooSmall(f"the backup holds more than {sink.size} bytes")
    sink.write(data[:room])
    return length


def _fetch(store: Store, owner: str, digest: bytes, length: int) -> bytes:
    return format.unpack(store.get(format.chunk_name(owner, digest)), length, digest)


@contextmanager
def _pool(written: Written) -> Iterator[Callable[..., None]]:
    """``put(fn, ...)`` runs in the background, a few at a time; an error comes out at the next one or at the end. What
    ``fn`` gives back counts as bytes written."""
    under_way: deque[Future] = deque()
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="backup") as pool:

        def put(work: Callable[..., Any], *args: Any) -> None:
            if len(under_way) >= _AHEAD:
                written.bytes += under_way.popleft().result()
            under_way.append(pool.submit(work, *args))

        try:
            yield put
            while under_way:
                written.bytes += under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()


__all__ = ["Damaged", "Sink", "Written", "restore_stream", "store_stream"]
