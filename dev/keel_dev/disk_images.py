"""Disk images made by hand, good ones and hostile ones, so that tests need no tools and no large files.

Layouts: qcow2 (QEMU's interop document), VMDK, VDI, VHD, VHDX headers. Everything is returned as bytes.
"""

from __future__ import annotations

import struct

CLUSTER = 1 << 16
_L2_REACH = CLUSTER // 8 * CLUSTER
_COPIED = 1 << 63
_EXTERNAL_DATA = 1 << 2


def qcow2(
    size: int,
    data: bytes = b"",
    backing_file: str = "",
    data_file: bool = False,
    version: int = 3,
    incompatible: int = 0,
) -> bytes:
    """A qcow2 image of ``size`` bytes that begins with ``data`` (1 MiB at most); with a reference to a backing file or
    the flag of an external data file, and with any incompatible feature bits."""
    blocks = [data[start : start + CLUSTER].ljust(CLUSTER, b"\0") for start in range(0, len(data), CLUSTER)]
    tables = -(-size // _L2_REACH)
    first_data = 5 * CLUSTER
    header = bytearray(
        struct.pack(
            ">4sIQIIQIIQQIIQ",
            b"QFI\xfb",
            version,
            0,
            0,
            16,
            size,
            0,
            tables,
            3 * CLUSTER,
            CLUSTER,
            1,
            0,
            0,
        )
    )
    if version >= 3:
        bits = incompatible | (_EXTERNAL_DATA if data_file else 0)
        header += struct.pack(">QQQII", bits, 0, 0, 4, 104)
        header += struct.pack(">II", 0, 0)  # the end of the header's extensions
    if backing_file:
        name = backing_file.encode()
        header[8:20] = struct.pack(">QI", len(header), len(name))
        header += name
    entries = [first_data + number * CLUSTER | _COPIED for number in range(len(blocks))]
    counts = [1] * (5 + len(blocks))
    return b"".join(
        (
            bytes(header).ljust(CLUSTER, b"\0"),
            struct.pack(">Q", 2 * CLUSTER).ljust(CLUSTER, b"\0"),
            struct.pack(f">{len(counts)}H", *counts).ljust(CLUSTER, b"\0"),
            struct.pack(">Q", 4 * CLUSTER | _COPIED).ljust(CLUSTER, b"\0"),
            struct.pack(f">{len(entries)}Q", *entries).ljust(CLUSTER, b"\0"),
            *blocks,
        )
    )
