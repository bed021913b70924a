"""Is an image what it says it is, and does it keep to itself? Asked of its bytes before anything is done with them.

The inspectors of oslo.utils look at the stream; nothing of it is kept. Refused are: another format than declared, two
formats at once, references to other files (backing files, data files, extents), unknown features, disks larger than the
volume, and packed data that its container does not announce, which CDI would unpack (cinder 29.0.0 flows 1.6; attacks
of this kind: CVE-2015-5163, CVE-2022-47951, CVE-2024-32498).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from oslo_utils.imageutils import format_inspector as formats

from keel_volume.csi import disguise
from keel_volume.flows.refusals import Refused

#: Bytes from the start that every inspector but that of a VMDK with a footer can decide by.
HEAD = 8 << 20
#: What a declared format may look like. GPT is a raw disk with partitions; a bootable ISO is both.
_MATCHING: Mapping[str, tuple[frozenset[str], ...]] = {
    "raw": (frozenset({"raw"}), frozenset({"gpt"})),
    "iso": (frozenset({"iso"}), frozenset({"iso", "gpt"})),
    **{name: (frozenset({name}),) for name in ("qcow2", "vmdk", "vdi", "vhd", "vhdx")},
}
DECLARED = tuple(_MATCHING)
#: Not looked at when they come with an ISO: the boot record of a CD is no partition table to be kept to.
_BESIDE_ISO = frozenset({"gpt"})
COMPRESSED = "compressed"
#: Their file is the disk, and Glance knows its size.
_OF_THEIR_OWN_SIZE = ("raw", "gpt", "iso")
#: Region of an inspector that needs the end of the stream.
_FOOTER = "footer"
_PIECE = 1 << 20


def inspect(
    read: Callable[[], Iterator[bytes]], image: Mapping[str, Any], room: int, vmdk_types: Sequence[str] = ()
) -> None:
    """Raises Refused when the image is not to be written into a volume of ``room`` bytes.

    ``read()`` gives the bytes from the start; it is called a second time for what can only be known at the end.
    ``vmdk_types``: the subformats of a VMDK that are allowed ([DEFAULT]vmdk_allowed_types).
    """
    declared, packed = image["disk_format"], image.get("container_format") == COMPRESSED
    if declared not in _MATCHING:
        raise _refused(f"images of format {declared} cannot be written to a volume")
    pieces = _Pieces(_unpacked(read()) if packed else read())
    try:
        found = _detect(pieces)
    finally:
        pieces.close()
    names = frozenset(str(one) for one in found)
    if names not in _MATCHING[declared]:
        raise _refused(f"it is declared as {declared} and looks like {' and '.join(sorted(names))}")
    if disguise.is_needed(pieces.start) and names <= {"raw", "gpt", "iso"}:
        raise _refused("it is packed, and its container does not say so")
    for inspector in found:
        if str(inspector) in _BESIDE_ISO and len(found) > 1:
            continue
        if not pieces.ended and inspector.has_region(_FOOTER):
            inspector = _to_the_end(str(inspector), _unpacked(read()) if packed else read(), room + HEAD)
        _check(inspector, room, vmdk_types)


def _detect(pieces: _Pieces) -> list[formats.FileInspector]:
    wrapper = formats.InspectWrapper(pieces)  # type: ignore[arg-type]
    try:
        for _ in wrapper:
            if wrapper.formats is not None or pieces.count >= HEAD:
                break
        wrapper.close()
        return wrapper.formats or []
    except formats.ImageFormatError as problem:
        raise _refused(str(problem)) from problem


def _to_the_end(name: str, pieces: Iterator[bytes], limit: int) -> formats.FileInspector:
    """An inspector that has seen everything; no image of a disk that fits is longer than ``limit``."""
    kind = formats.get_inspector(name)
    if kind is None:
        raise _refused(f"nobody can tell whether {name} is safe")
    inspector = kind()
    try:
        for piece in pieces:
            limit -= len(piece)
            if limit < 0:
                raise _refused("its file is longer than the volume")
            inspector.eat_chunk(piece)
        inspector.finish()
    except formats.ImageFormatError as problem:
        raise _refused(str(problem)) from problem
    return inspector


def _check(inspector: formats.FileInspector, room: int, vmdk_types: Sequence[str]) -> None:
    try:
        inspector.safety_check()
    except formats.SafetyCheckFailed as problem:
        failures = ", ".join(f"{name}: {why}" for name, why in problem.failures.items())
        raise _refused(f"it is not safe as {inspector} ({failures})") from problem
    except formats.ImageFormatError as problem:
        raise _refused(str(problem)) from problem
    kind = getattr(inspector, "vmdktype", None)
    if kind is not None and kind not in {one.lower() for one in vmdk_types}:
        raise _refused(f"VMDK images of type {kind} are not allowed")
    if str(inspector) in _OF_THEIR_OWN_SIZE:
        return
    size = inspector.virtual_size
    if size <= 0:
        raise _refused(f"as {inspector} it does not tell the size of its disk")
    if size > room:
        raise _refused(f"its disk has {size} bytes, the volume {room}")


def _unpacked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """What is inside a gzip container, a little at a time."""
    unpacker = zlib.decompressobj(31)
    try:
        for piece in pieces:
            while piece:
                yield unpacker.decompress(piece, _PIECE)
                piece = unpacker.unconsumed_tail
    except zlib.error as problem:
        raise _refused(f"its container is compressed and its data is no gzip: {problem}") from problem


class _Pieces:
    """The stream as the inspectors want it: an iterator that can be closed. It counts, and keeps the very start."""

    def __init__(self, pieces: Iterator[bytes]):
        self.count, self.start, self.ended = 0, b"", False
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            piece = next(self._pieces)
        except StopIteration:
            self.ended = True
            raise
        self.count += len(piece)
        if len(self.start) < disguise.HEAD:
            self.start += piece[: disguise.HEAD]
        return piece

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()


def _refused(why: str) -> Refused:
    text = f"the image is unacceptable: {why}"
    return Refused(text, retry=False, action="COPY_IMAGE_TO_VOLUME", detail="IMAGE_FORMAT_UNACCEPTABLE")
