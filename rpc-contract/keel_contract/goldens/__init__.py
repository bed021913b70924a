"""Recordings of the real services that the declarations here are compared with.

``nova-34.0.0`` and ``cinder-29.0.0``, each with ``methods`` (server and client tables), ``objects`` (fingerprints and
the versions within), ``primitives`` (wire forms of real objects, backported ones with what was asked) and ``messages``
(captured from a broker).
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from typing import Any

RELEASES = {"nova": "nova-34.0.0", "cinder": "cinder-29.0.0"}


@functools.cache
def load(suite: str, part: str) -> Any:
    """One recording; treat it as read-only."""
    text = importlib.resources.files(__name__).joinpath(f"{RELEASES[suite]}-{part}.json").read_text()
    return json.loads(text)
