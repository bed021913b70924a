"""The front of a qcow2 image (version 3, QEMU's layout) whose clusters follow in the order of the disk. Pure.

Clusters are large, so that tables are small: 2 MiB each, one table for 512 GiB.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

_BITS = 21
CLUSTER = 1 << _BITS
_TABLE = CLUSTER // 8
_COUNTS = CLUSTER // 2
_COPIED = 1 << 63


def clusters(size: int) -> int:
    """How many a disk of ``size`` bytes has; the last one is to be filled up with zeros."""
    return -(-size // CLUSTER)


def front(size: int, present: Sequence[int] | None = None) -> bytes:
    """Header and tables; after them come the clusters of the disk, or those whose number is true in ``present``."""
    here = present if present is not None else b"\1" * clusters(size)
    data, tables, counts = sum(1 for one in here if one), -(-len(here) // _TABLE), 1
    while counts * _COUNTS < 3 + counts + tables + data:
        counts += 1
    first = 3 + counts + tables
    header = struct.pack(
        ">4sIQIIQIIQQIIQQQQIIII",
        b"QFI\xfb", 3, 0, 0, _BITS, size, 0, tables, (2 + counts) << _BITS, CLUSTER, 1, 0, 0, 0, 0, 0, 4, 104, 0, 0,
    )  # fmt: skip
    ones = b"\0\1" * (first + data)
    blocks = [header.ljust(CLUSTER, b"\0"), _entries((2 + number) << _BITS for number in range(counts))]
    blocks += [ones[start : start + CLUSTER].ljust(CLUSTER, b"\0") for start in range(0, counts * CLUSTER, CLUSTER)]
    blocks.append(_entries((3 + counts + number) << _BITS | _COPIED for number in range(tables)))
    places = _places(here, first)
    blocks += [_entries(places[start : start + _TABLE]) for start in range(0, len(here), _TABLE)]
    return b"".join(blocks)


def _places(present: Sequence[int], first: int) -> list[int]:
    """Where each cluster stands in the file; 0 for one that is all zeros."""
    found, place = [], first
    for one in present:
        found.append(place << _BITS | _COPIED if one else 0)
        place += 1 if one else 0
    return found


def _entries(offsets: Iterable[int]) -> bytes:
    found = list(offsets)
    return struct.pack(f">{len(found)}Q", *found).ljust(CLUSTER, b"\0")
