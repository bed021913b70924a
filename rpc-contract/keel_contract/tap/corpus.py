"""A file of what was seen: one JSON object on each line, compressed when the name ends in .gz.

Each line has ``at`` (UTC), ``exchange``, ``routing_key``, ``from``, ``message`` (decoded, secrets masked) and
``violations``. What could not be decoded has ``undecodable`` (why) and ``size`` in the place of ``message``: its bytes
are not kept, since nobody can mask what nobody can read.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from typing import IO, Any, cast

from keel_contract.tap.addresses import Address
from keel_contract.tap.masking import masked
from keel_contract.tap.wire import Seen


class Corpus:
    """Writes to ``path``, which only its owner may read and which must not be there yet.

    :raises FileExistsError: it is
    """

    def __init__(self, path: str) -> None:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        binary = os.fdopen(handle, "wb")
        packed = gzip.GzipFile(filename="", fileobj=binary, mode="wb") if path.endswith(".gz") else binary
        self._file = cast(IO[bytes], packed)
        self._binary = binary
        self.lines = 0

    def add(self, seen: Seen, to: Address, sender: str, violations: Sequence[object]) -> None:
        """Keep one message."""
        told = {"from": sender, "message": _masked(seen.raw), "violations": [str(one) for one in violations]}
        self._write({"at": seen.moment.isoformat(), **_where(to), **told})

    def add_undecodable(self, at: str, to: Address, why: str, size: int) -> None:
        """Keep that there was something, and why it was nothing."""
        self._write({"at": at, **_where(to), "undecodable": why, "size": size})

    def close(self) -> None:
        self._file.close()
        self._binary.close()

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
        self.lines += 1


def _masked(raw: dict[str, Any]) -> Any:
    try:
        return masked(raw)
    except RecursionError:
        return {"unmaskable": "nested too deep"}


def _where(to: Address) -> dict[str, str]:
    return {"exchange": to.exchange, "routing_key": to.routing_key}
