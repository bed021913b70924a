"""A raw disk that would be taken for an image in another format, packed so that it is not.

CDI looks at the first bytes of an upload and converts or unpacks what it knows (CDI 1.66). The first bytes of a volume
are its guest's: one that wrote the header of a qcow2 there would have its own backing file read, or lose its data. Such
a disk is sent inside a qcow2 image of ours, in which every cluster is there in order, so that it can still be streamed.
Pure.
"""

from __future__ import annotations

from keel_volume.csi import qcow2

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


def is_needed(head: bytes) -> bool:
    """Whether a disk that begins like this would not be written as it is."""
    return any(head[offset : offset + len(magic)] == magic for offset, magic in _MAGIC)


def front(size: int) -> bytes:
    """What comes before the ``size`` bytes of the disk."""
    return qcow2.front(size)


def back(size: int) -> int:
    """Zero bytes that follow the disk."""
    return -size % qcow2.CLUSTER
