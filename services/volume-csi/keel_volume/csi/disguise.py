"""A raw disk that would be taken for an image in another format, packed so that it is not.

CDI looks at the first bytes of an upload and converts or unpacks what it knows (CDI 1.66). The first bytes of a volume
are its guest's: one that wrote the header of a qcow2 there would have its own backing file read, or lose its data. Such
a disk is sent inside a qcow2 image of ours, in which every cluster is there in order, so that it can still be streamed.
Pure.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

#: Offset and magic of what CDI unpacks or converts: gzip, xz, zstd, qcow2, VMDK, VDI, VHD, VHDX.
_MAGIC = (
    (0, b"\x1f\x8b"),
    (0, b"\xfd7zXZ"),
    (0, b"\x28\xb5\x2f\xfd"),
    (0, b"QFI\xfb"),
    (0, b"KDMV"),
    (0, b"COWD"),
    (0, b"# Disk DescriptorFile"),
    (64, b"\x7f\x10\xda\xbe"),
    (0, b"conectix"),
    (0, b"vhdxfile"),
)
#: Bytes of a disk to look at.
HEAD = 512
_BITS = 21
_CLUSTER = 1 << _BITS
_TABLE = _CLUSTER // 8
_COUNTS = _CLUSTER // 2
_COPIED = 1 << 63


def is_needed(head: bytes) -> bool:
    """Whether a disk that begins like this would not be written as it is."""
    return any(head[offset : offset + len(magic)] == magic for offset, magic in _MAGIC)


def front(size: int) -> bytes:
    """What comes before the ``size`` bytes of the disk: header and tables of a qcow2 version 3 (QEMU's layout)."""
    data = -(-size // _CLUSTER)
    tables = -(-data // _TABLE)
    counts = 1
    while counts * _COUNTS < 3 + counts + tables + data:
        counts += 1
    first = 3 + counts + tables
    header = struct.pack(
        ">4sIQIIQIIQQIIQQQQIIII",
        b"QFI\xfb", 3, 0, 0, _BITS, size, 0, tables, (2 + counts) << _BITS, _CLUSTER, 1, 0, 0, 0, 0, 0, 4, 104, 0, 0,
    )  # fmt: skip
    blocks = [_entries((2 + number) << _BITS for number in range(counts))]
    ones = b"\0\1" * (first + data)
    blocks += [ones[start : start + _CLUSTER].ljust(_CLUSTER, b"\0") for start in range(0, counts * _CLUSTER, _CLUSTER)]
    blocks.append(_entries((3 + counts + number) << _BITS | _COPIED for number in range(tables)))
    for start in range(0, data, _TABLE):
        end = min(data, start + _TABLE)
        blocks.append(_entries((first + number) << _BITS | _COPIED for number in range(start, end)))
    return header.ljust(_CLUSTER, b"\0") + b"".join(blocks)


def back(size: int) -> int:
    """Zero bytes that follow the disk."""
    return -size % _CLUSTER


def _entries(offsets: Iterable[int]) -> bytes:
    found = list(offsets)
    return struct.pack(f">{len(found)}Q", *found).ljust(_CLUSTER, b"\0")
