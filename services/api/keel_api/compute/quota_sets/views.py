"""Which limits an answer shows at a version (nova 34.0.0: network quotas leave at 2.36, injected files at 2.57)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.http.version import Version
from keel_common.domain.compute_quota import FILES, NAMES, NETWORK

_NETWORK_GONE = (2, 36)
_FILES_GONE = (2, 57)
_CLASS_GROUPS_SHOWN = (2, 50)  # for quota classes; quota sets always had them
_CLASS_NETWORK_GONE = (2, 50)
_GROUPS = ("server_groups", "server_group_members")


def names(version: Version) -> list[str]:
    """Of a quota set."""
    hidden = {*(NETWORK if version >= _NETWORK_GONE else ()), *(FILES if version >= _FILES_GONE else ())}
    return [name for name in NAMES if name not in hidden]


def class_names(version: Version) -> list[str]:
    """Of a quota class set."""
    hidden = {
        *(NETWORK if version >= _CLASS_NETWORK_GONE else ()),
        *(FILES if version >= _FILES_GONE else ()),
        *(() if version >= _CLASS_GROUPS_SHOWN else _GROUPS),
    }
    return [name for name in NAMES if name not in hidden]


def quota_set(values: Mapping[str, Any], shown: list[str], owner: str | None = None) -> dict[str, Any]:
    """The values that are shown, with the id of whom they belong to."""
    body = {name: values[name] for name in shown}
    return body if owner is None else {"id": owner, **body}
