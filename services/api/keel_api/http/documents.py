"""The version documents (nova 34.0.0 and cinder 29.0.0 http discovery), from the data of each suite."""

from __future__ import annotations

import copy
from typing import Any

from keel_api.http.dialect import Dialect
from keel_api.http.ops import data

_HOST = "http://h"


class Documents:
    """The documents of a suite; ``root`` is the address of the service without a version."""

    def __init__(self, dialect: Dialect):
        self._data = data(dialect, "versions.json")

    def nova_root(self, root: str) -> dict[str, Any]:
        """The list of versions at ``/`` (200)."""
        return _placed(self._data["root"], root)

    def nova_choices(self, root: str, path: str) -> dict[str, Any]:
        """What any unknown first segment gets (300): the same path under each version."""
        choices = _placed(self._data["choices"], root)
        for choice in choices["choices"]:
            for link in choice["links"]:
                link["href"] = link["href"].removesuffix("/foo") + "/" + path.lstrip("/")
        return choices

    def nova_version(self, root: str, name: str) -> dict[str, Any] | None:
        """One version, ``v2`` or ``v2.1``; None for another name."""
        document = self._data.get({"v2.0": "v2"}.get(name, name)) if name in ("v2", "v2.0", "v2.1") else None
        return None if document is None else _placed(document, root)

    def cinder(self, root: str) -> dict[str, Any]:
        """The one list of versions, at ``/`` (300) and ``/v3/`` (200)."""
        document = copy.deepcopy(self._data)
        document["versions"][0]["links"].append({"rel": "self", "href": f"{root}/v3/"})
        return document


def _placed(value: Any, root: str) -> Any:
    """A copy of a document with the address of this service in its links."""
    if isinstance(value, dict):
        return {key: _placed(item, root) for key, item in value.items()}
    if isinstance(value, list):
        return [_placed(item, root) for item in value]
    if isinstance(value, str) and value.startswith(_HOST + "/"):
        return root + value.removeprefix(_HOST)
    return value
