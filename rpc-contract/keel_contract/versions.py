"""Versions of messages and objects: "major.minor"; within a major a higher minor understands a lower one."""

from __future__ import annotations


def parse(version: str) -> tuple[int, int]:
    """(major, minor) of "6.5". A third part (X.Y.Z of a stable branch) does not count.

    :raises ValueError: for anything else
    """
    try:
        major, minor = version.split(".")[:2]
        return int(major), int(minor)
    except (ValueError, AttributeError):  # not even a text
        raise ValueError(f"{version!r} is no version") from None


def understands(own: str, wanted: str) -> bool:
    """True when a peer of version ``own`` understands what is sent at version ``wanted``."""
    own_major, own_minor = parse(own)
    major, minor = parse(wanted)
    return own_major == major and own_minor >= minor


def older(version: str, than: str) -> bool:
    """True when ``version`` is below ``than``, majors included."""
    return parse(version) < parse(than)
