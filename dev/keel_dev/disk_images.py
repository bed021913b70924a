"""Disk images made by hand, good ones and hostile ones, so that tests need no tools and no large files.

Layouts: qcow2, QED (QEMU), VMDK (VMware), VDI (VirtualBox), VHD (Microsoft), ISO 9660, MBR, LUKS. All is bytes.
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


def vmdk(
    size: int,
    kind: str = "monolithicSparse",
    extents: tuple[str, ...] = ('RW 2048 SPARSE "disk.vmdk"',),
    footer: bool = False,
    lines: tuple[str, ...] = (),
) -> bytes:
    """A VMDK with its descriptor inside; with a footer (as a stream has it) in place of the header's tables."""
    text = "\n".join(("# Disk DescriptorFile", "version=1", f'createType="{kind}"', *lines, *extents, "ddb.uuid=1"))
    at_end = (1 << 64) - 1
    head = _vmdk_header(size, at_end if footer else 22)
    body = head + text.encode().ljust(20 * 512, b"\0") + bytes(107 * 512)
    if footer:
        body += struct.pack("<QII496x", 1, 0, 3) + _vmdk_header(size, 22) + struct.pack("<QII496x", 0, 0, 0)
    return body


def vmdk_descriptor(extent: str) -> bytes:
    """A VMDK that is nothing but a text naming other files."""
    return f'# Disk DescriptorFile\nversion=1\ncreateType="monolithicFlat"\n{extent}\n'.encode().ljust(4096, b"\n")


def _vmdk_header(size: int, tables: int) -> bytes:
    packed = struct.pack("<4sIIQQQQIQQ", b"KDMV", 1, 3, size // 512, 128, 1, 20, 512, 21, tables)
    return packed.ljust(512, b"\0")


def vdi(size: int) -> bytes:
    """The header of a VirtualBox disk."""
    head = bytearray(512)
    head[64:68], head[0x170:0x178] = struct.pack("<I", 0xBEDA107F), struct.pack("<Q", size)
    return bytes(head)


def vhd(size: int) -> bytes:
    """The header of a dynamic Virtual PC disk."""
    head = bytearray(512)
    head[:8], head[40:48] = b"conectix", struct.pack(">Q", size)
    return bytes(head)


def iso(blocks: int = 100, bootable: bool = False) -> bytes:
    """A CD of 2 KiB blocks; a bootable one has a boot record at its start, as if it were a disk."""
    head = bytearray(partitioned((0x17,))[:32768].ljust(32768, b"\0") if bootable else bytes(32768))
    descriptor = bytearray(2048)
    descriptor[:6], descriptor[80:84], descriptor[128:130] = b"\1CD001", struct.pack("<L", blocks), b"\0\x08"
    return bytes(head) + bytes(descriptor) + bytes(2048)


def partitioned(types: tuple[int, ...] = (0xEE,), boot: int = 0) -> bytes:
    """The start of a disk with a boot record; its only type 0xEE is a GPT."""
    record = bytearray(512)
    for number, kind in enumerate(types):
        at = 446 + 16 * number
        record[at : at + 16] = struct.pack("<B3BB3BII", boot, 0, 2, 0, kind, 0xFF, 0xFF, 0xFF, 1, 2047)
    record[510:] = b"\x55\xaa"
    return bytes(record) + bytes(65024)


def luks() -> bytes:
    """The header of an encrypted disk (LUKS version 1)."""
    return b"LUKS\xba\xbe\0\1" + b"aes".ljust(32, b"\0") + b"xts-plain64".ljust(32, b"\0") + bytes(4096)


def qed() -> bytes:
    """A disk in QEMU's abandoned format."""
    return b"QED\0" + bytes(1020)
