"""The three ordinary patch types: JSON patch, merge patch, and strategic merge for built-in types."""

from __future__ import annotations

from typing import Any

import jsonpatch
import jsonpointer

from .errors import bad_request, patch_rejected
from .fields import LIST_KEYS, SETS
from .store import clone

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


def json_patch(obj: dict[str, Any], operations: Any) -> dict[str, Any]:
    """RFC 6902. 400 when the patch is malformed, 422 when a test fails or a path is missing."""
    if not isinstance(operations, list):
        raise bad_request("error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    try:
        return jsonpatch.JsonPatch(operations).apply(obj)
    except jsonpatch.InvalidJsonPatch as error:
        raise bad_request(f"error decoding patch: {error}") from error
    except (jsonpatch.JsonPatchConflict, jsonpatch.JsonPatchTestFailed, jsonpointer.JsonPointerException) as error:
        raise patch_rejected() from error


def merge_patch(obj: Any, change: Any) -> Any:
    """RFC 7386; nulls inside members of arrays are dropped, as the API server's decoder does."""
    if not isinstance(change, dict):
        return _without_nulls(change) if isinstance(change, list) else change
    merged = dict(obj) if isinstance(obj, dict) else {}
    for name, value in change.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return value


def strategic_patch(obj: Any, change: Any, name: str = "") -> Any:
    """Merge patch that merges the members of keyed lists; `$patch: delete|replace` and
    `$deleteFromPrimitiveList/x` are understood, `$setElementOrder` and `$retainKeys` only order and are skipped."""
    if isinstance(change, list):
        return _strategic_list(obj if isinstance(obj, list) else [], change, name)
    if not isinstance(change, dict):
        return change
    if change.get("$patch") == "replace":
        return {key: clone(value) for key, value in change.items() if key != "$patch"}
    merged = dict(obj) if isinstance(obj, dict) else {}
    for key, value in change.items():
        if key.startswith("$deleteFromPrimitiveList/"):
            field = key.partition("/")[2]
            merged[field] = [item for item in merged.get(field) or () if item not in value]
        elif key.startswith("$"):
            continue
        elif value is None:
            merged.pop(key, None)
        else:
            merged[key] = strategic_patch(merged.get(key), value, key)
    return merged


def _strategic_list(present: list[Any], change: list[Any], name: str) -> list[Any]:
    keys = LIST_KEYS.get(name)
    if name in SETS:
        return present + [item for item in change if item not in present]
    if not keys or not all(isinstance(item, dict) for item in change):
        return clone(change)
    if any(item.get("$patch") == "replace" for item in change):
        return [clone(item) for item in change if item.get("$patch") != "replace"]
    merged = list(present)
    for item in change:
        identity = [item.get(key) for key in keys]
        place = next((at for at, old in enumerate(merged) if [old.get(key) for key in keys] == identity), None)
        if item.get("$patch") == "delete":
            if place is not None:
                del merged[place]
        elif place is None:
            merged.append(clone(item))
        else:
            merged[place] = strategic_patch(merged[place], item)
    return merged
