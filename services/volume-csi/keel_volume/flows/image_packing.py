"""A raw disk as the data of an image: in which format, in which container, and what it sums up to. Streamed.

raw and qcow2 are made here, in memory that does not grow with the disk; for qcow2 the disk is read twice, to leave out
what is empty. Others are made by a converter (image_converting), which needs room for the disk on a file system.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from keel_volume.csi import qcow2
from keel_volume.csi.streams import Interrupted, Reading
from keel_volume.flows import image_converting
from keel_volume.flows.image_converting import Converter
from keel_volume.flows.refusals import Refused

#: Container that is gzip around the data (Glance: compressed).
COMPRESSED = "compressed"
_PIECE = 1 << 20


class Packed:
    """An iterable for one upload: a second iteration raises Interrupted, so that nobody sends a rest as a whole.

    ``size`` and ``digest`` (sha512) are those of what has been given out.
    """

    def __init__(self, pieces: Iterator[bytes]):
        self.size = 0
        self._pieces, self._begun = pieces, False
        self._hash = hashlib.sha512()

    def __iter__(self) -> Iterator[bytes]:
        if self._begun:
            raise Interrupted("the data of an image can be sent once")
        self._begun = True
        for piece in self._pieces:
            self.size += len(piece)
            self._hash.update(piece)
            yield piece

    @property
    def digest(self) -> str:
        """sha512 in hexadecimal."""
        return self._hash.hexdigest()


def check(disk_format: str) -> None:
    """Raises Refused for a format that cannot be made."""
    if disk_format in _FORMATS or (disk_format in image_converting.FORMATS and image_converting.is_possible()):
        return
    raise Refused(f"a volume cannot be uploaded as {disk_format} here", retry=False, detail="IMAGE_FORMAT_UNACCEPTABLE")


def pack(stream: Reading, disk_format: str, container_format: str, converter: Converter) -> Packed:
    """The data of the image. Raises Refused."""
    check(disk_format)
    if disk_format in _FORMATS:
        pieces = _FORMATS[disk_format](stream)
    else:
        pieces = converter.pieces(stream, disk_format)
    return Packed(_compressed(pieces) if container_format == COMPRESSED else pieces)


def _raw(stream: Reading) -> Iterator[bytes]:
    return iter(stream)


def _qcow2(stream: Reading) -> Iterator[bytes]:
    present = bytearray(any_data for any_data in (_has_data(one) for one in _clusters(stream)))
    front = qcow2.front(stream.size, present)
    for start in range(0, len(front), _PIECE):
        yield front[start : start + _PIECE]
    for number, one in enumerate(_clusters(stream)):
        if present[number]:
            yield one
        elif _has_data(one):
            raise Interrupted("the disk has changed while it was read")


def _clusters(stream: Reading) -> Iterator[bytes]:
    held = bytearray()
    for piece in stream:
        held += piece
        while len(held) >= qcow2.CLUSTER:
            yield bytes(held[: qcow2.CLUSTER])
            del held[: qcow2.CLUSTER]
    if held:
        yield bytes(held.ljust(qcow2.CLUSTER, b"\0"))


_EMPTY = bytes(qcow2.CLUSTER)


def _has_data(cluster: bytes) -> bool:
    return cluster != _EMPTY


def _compressed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()


_FORMATS: dict[str, Callable[[Any], Iterator[bytes]]] = {"raw": _raw, "qcow2": _qcow2}
