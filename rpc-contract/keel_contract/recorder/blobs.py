"""What a real Nova stores of its objects as JSON in its databases, and what it reads from rows of others.

Recorded for each case of a server (``probes/blobs.py``): the objects ``sent``, the ``rows`` (table -> rows, columns
without a value left out) and the objects ``read`` back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from keel_contract.recorder import probing

_PROGRAM = "blobs.py"


def files(python: str, suite: str) -> dict[str, bytes]:
    """File name -> content of the golden of the Nova that the interpreter ``python`` has; nothing for Cinder.

    :raises NotRecorded: with what the program said
    """
    if suite != "nova":
        return {}
    found = json.loads(probing.run(python, _PROGRAM, asked={"write": True}))
    return {probing.path(f"nova-{found['release'].partition('.')[0]}", "blobs").name: probing.compressed(found)}


def stored(name: str) -> dict[str, Any]:
    """The golden of a release such as ``nova-33``."""
    return probing.read(probing.path(name, "blobs"))


def read_by(python: str, rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Case -> objects that the Nova of ``python`` reads from the rows of each case.

    :raises NotRecorded: with what the program said
    """
    found = json.loads(probing.run(python, _PROGRAM, asked={"rows": rows}))
    return {case: each["read"] for case, each in found["cases"].items()}
