"""Host names inside the guest, from display names, and the names of servers that are created together."""

import re

_LIMIT = 63


def hostname_for(name: str, fallback: str) -> str:
    """Return the host name for display name `name`: lower case, letters, digits, dots, dashes, underscores as dashes.

    At most 63 characters; `fallback` (e.g. `Server-<uuid>`) when nothing is left or the result is a number.
    """
    cleaned = re.sub(r"[ _\.]", "-", name)
    cleaned = re.sub(r"[^\w-]+", "", cleaned, flags=re.ASCII)
    cleaned = cleaned.lower().strip(".-")[:_LIMIT].rstrip("-")
    return cleaned or fallback


def numbered(name: str, index: int, count: int) -> str:
    """Return the display name of server `index` (from 0) of `count` created together."""
    return name if count == 1 else f"{name}-{index + 1}"
