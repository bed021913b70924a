"""Field ownership: managedFields of an object and server-side apply.

A field set is a set of paths; a path is a tuple of FieldsV1 steps: ``f:name`` a field, ``k:{...}`` a list
member by its keys, ``v:...`` a set member, ``.`` the object itself. Which lists are maps is told by the CRD
schema, or for built-in types by the table of merge keys.
"""

from __future__ import annotations

import json
from typing import Any

from .kinds import Kind
from .store import clone

Path = tuple[str, ...]
Fields = set[Path]

# Lists of built-in objects that are maps: the field's name -> the member's keys. Others are replaced whole.
LIST_KEYS: dict[str, tuple[str, ...]] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "imagePullSecrets": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "conditions": ("type",),
    "ownerReferences": ("uid",),
    "addresses": ("type",),
    "hostAliases": ("ip",),
    "secrets": ("name",),
}
SETS = frozenset({"finalizers"})
UNMANAGED = frozenset(
    "name namespace uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds"
    " managedFields selfLink generateName".split()
)


class Shape:
    """How the lists of one type are read: by schema for custom types, by name for built-in ones."""

    def __init__(self, kind: Kind):
        self._schema = kind.schema

    def root(self) -> dict[str, Any] | None:
        return self._schema

    def child(self, schema: dict[str, Any] | None, name: str) -> dict[str, Any] | None:
        if schema is None:
            return None
        extra = schema.get("additionalProperties")
        return schema.get("properties", {}).get(name, extra if isinstance(extra, dict) else {})

    def list_keys(self, schema: dict[str, Any] | None, name: str) -> tuple[str, ...] | None:
        """Keys of a map list, () for a set, None for a list replaced as a whole."""
        if name in SETS:
            return ()
        if name == "ownerReferences" or schema is None:
            return LIST_KEYS.get(name)
        if schema.get("x-kubernetes-list-type") == "map":
            return tuple(schema["x-kubernetes-list-map-keys"])
        return () if schema.get("x-kubernetes-list-type") == "set" else None


def member_step(item: dict[str, Any], keys: tuple[str, ...]) -> str:
    return "k:" + json.dumps({key: item.get(key) for key in keys}, sort_keys=True, separators=(",", ":"))


def fields_of(obj: dict[str, Any], shape: Shape) -> dict[Path, Any]:
    """Every ownable leaf of an object with its value."""
    leaves: dict[Path, Any] = {}
    for name, value in obj.items():
        if name in ("apiVersion", "kind"):
            continue
        if name == "metadata":
            value = {key: item for key, item in value.items() if key not in UNMANAGED}
        _leaves(value, name, shape, shape.child(shape.root(), name), (f"f:{name}",), leaves)
    return leaves


def _leaves(value: Any, name: str, shape: Shape, schema: Any, path: Path, into: dict[Path, Any]) -> None:
    if isinstance(value, dict) and value and not (schema and schema.get("x-kubernetes-map-type") == "atomic"):
        for key, item in value.items():
            _leaves(item, key, shape, shape.child(schema, key), (*path, f"f:{key}"), into)
        return
    if isinstance(value, list):
        keys = shape.list_keys(schema, name)
        if keys == ():
            for item in value:
                into[(*path, "v:" + json.dumps(item))] = item
            return
        if keys and all(isinstance(item, dict) for item in value):
            for item in value:
                step = (*path, member_step(item, keys))
                into[(*step, ".")] = None
                for key, sub in item.items():
                    members = schema.get("items") if schema else None
                    _leaves(sub, key, shape, shape.child(members, key), (*step, f"f:{key}"), into)
            return
    if path != ("f:metadata",) or value:
        into[path] = value


def to_tree(fields: Fields) -> dict[str, Any]:
    """A field set in the nested form of fieldsV1."""
    tree: dict[str, Any] = {}
    for path in sorted(fields):
        here = tree
        for step in path:
            here = here.setdefault(step, {})
    return tree


def from_tree(tree: dict[str, Any]) -> Fields:
    found: Fields = set()

    def walk(node: dict[str, Any], path: Path) -> None:
        if not node and path:
            found.add(path)
        for step, sub in node.items():
            walk(sub, (*path, step))

    walk(tree, ())
    return found


def field_name(path: Path) -> str:
    """A path as messages show it: .spec.runStrategy, .status.conditions[type="Ready"].status."""
    text = ""
    for step in path:
        if step.startswith("f:"):
            text += f".{step[2:]}"
        elif step.startswith("k:"):
            keys = ",".join(f"{key}={json.dumps(value)}" for key, value in json.loads(step[2:]).items())
            text += f"[{keys}]"
        elif step.startswith("v:"):
            text += f"[={step[2:]}]"
    return text


def track_update(
    new: dict[str, Any],
    old: dict[str, Any] | None,
    shape: Shape,
    manager: str,
    version: str,
    subresource: str,
    time: str,
) -> None:
    """Write metadata.managedFields after an ordinary write: what the manager changed is now its own."""
    now, before = fields_of(new, shape), fields_of(old, shape) if old else {}
    missing = object()
    changed = {path for path, value in now.items() if before.get(path, missing) != value}
    removed = before.keys() - now.keys()
    entries = entries_of(old or {})
    if not changed and not removed:
        _write(new, entries)
        return
    mine = (manager, "Update", version, subresource)
    for key, (fields, _stamp) in list(entries.items()):
        fields -= removed
        if key != mine:
            fields -= changed
    if changed:
        fields, _stamp = entries.get(mine, (set(), time))
        entries[mine] = (fields | changed, time)
    _write(new, entries)


Key = tuple[str, str, str, str]
Entries = dict[Key, tuple[Fields, str]]


def entries_of(obj: dict[str, Any]) -> Entries:
    """(manager, operation, apiVersion, subresource) -> (fields, time)."""
    found: Entries = {}
    for entry in obj.get("metadata", {}).get("managedFields") or ():
        key = (entry["manager"], entry["operation"], entry["apiVersion"], entry.get("subresource", ""))
        found[key] = (from_tree(entry.get("fieldsV1") or {}), entry.get("time", ""))
    return found


def _write(obj: dict[str, Any], entries: Entries) -> None:
    listed = []
    for (manager, operation, version, subresource), (fields, time) in entries.items():
        if not fields:
            continue
        entry = {
            "manager": manager,
            "operation": operation,
            "apiVersion": version,
            "time": time,
            "fieldsType": "FieldsV1",
            "fieldsV1": to_tree(fields),
        }
        listed.append({**entry, "subresource": subresource} if subresource else entry)
    obj["metadata"]["managedFields"] = listed


Conflict = tuple[str, str, str]


def apply(
    live: dict[str, Any] | None,
    wanted: dict[str, Any],
    shape: Shape,
    manager: str,
    version: str,
    subresource: str,
    time: str,
    force: bool,
) -> tuple[dict[str, Any], list[Conflict]]:
    """Server-side apply: the merged object with its managedFields, and the conflicts that stop it without force."""
    asked = fields_of(wanted, shape)
    have = fields_of(live, shape) if live else {}
    entries = entries_of(live or {})
    mine: Key = (manager, "Apply", version, subresource)
    former = entries.get(mine, (set(), ""))[0]
    missing = object()
    differing = {path for path, value in asked.items() if path[-1] != "." and have.get(path, missing) != value}
    conflicts = [
        (owner[0], owner[2], field_name(path))
        for owner, (fields, _stamp) in entries.items()
        if owner != mine
        for path in sorted(differing)
        if path in fields
    ]
    if conflicts and not force:
        return {}, conflicts
    for owner, (fields, _stamp) in entries.items():
        if owner != mine:
            fields -= differing
    merged = _merge(clone(live) if live else {"metadata": {}}, wanted, shape, shape.root(), "")
    others = set().union(*(fields for owner, (fields, _stamp) in entries.items() if owner != mine))
    for path in sorted(former - asked.keys() - others, key=len, reverse=True):
        _drop(merged, path)
    stamp = entries[mine][1] if mine in entries and not differing and former == asked.keys() else time
    entries[mine] = (set(asked), stamp)
    _write(merged, entries)
    return merged, []


def _merge(into: dict[str, Any], wanted: dict[str, Any], shape: Shape, schema: Any, parent: str) -> dict[str, Any]:
    for name, value in wanted.items():
        sub = shape.child(schema, name)
        present = into.get(name)
        if (
            isinstance(value, dict)
            and value
            and isinstance(present, dict)
            and not (sub and sub.get("x-kubernetes-map-type") == "atomic")
        ):
            _merge(present, value, shape, sub, name)
        elif isinstance(value, list) and isinstance(present, list) and shape.list_keys(sub, name) is not None:
            into[name] = _merge_list(present, value, shape.list_keys(sub, name) or (), shape, sub)
        else:
            into[name] = clone(value)
    return into


def _merge_list(present: list[Any], wanted: list[Any], keys: tuple[str, ...], shape: Shape, schema: Any) -> list[Any]:
    if not keys:
        return present + [item for item in wanted if item not in present]
    merged = list(present)
    index = {member_step(item, keys): place for place, item in enumerate(merged)}
    for item in wanted:
        place = index.get(member_step(item, keys))
        if place is None:
            merged.append(clone(item))
        else:
            merged[place] = _merge(merged[place], item, shape, schema.get("items") if schema else None, "")
    return merged


def _drop(obj: Any, path: Path) -> None:
    """Take one owned field out, and the empty objects above it."""
    step, rest = path[0], path[1:]
    if step == ".":
        return
    if step.startswith("f:") and isinstance(obj, dict):
        name = step[2:]
        if not rest:
            obj.pop(name, None)
        elif name in obj:
            _drop(obj[name], rest)
            if obj[name] in ({}, []) and name not in ("metadata", "spec", "status"):
                del obj[name]
    elif step.startswith("k:") and isinstance(obj, list):
        keys = json.loads(step[2:])
        for item in [item for item in obj if all(item.get(key) == value for key, value in keys.items())]:
            if rest == (".",):
                if set(item) <= set(keys):
                    obj.remove(item)
            else:
                _drop(item, rest)
                if set(item) <= set(keys):
                    obj.remove(item)
    elif step.startswith("v:") and isinstance(obj, list) and json.loads(step[2:]) in obj:
        obj.remove(json.loads(step[2:]))
