"""Wire forms as they are compared: JSON, unordered lists in order, and what reading alone changes."""

import json

_ALWAYS_CHANGED = ("extra_specs", "projects")


def plain(value):
    """JSON as it travels, with lists of changes in one order."""

    def ordered(part):
        if isinstance(part, dict):
            return {k: sorted(v) if k.endswith("_object.changes") else ordered(v) for k, v in part.items()}
        return [ordered(v) for v in part] if isinstance(part, list) else part

    return ordered(json.loads(json.dumps(value)))


def after_reading(value):
    """What a real release sends after it received ``value``: a flavor that was read counts its extra specs and projects
    as changed where it has any, and so do the objects around it (nova 34.0.0, recorded with the backports)."""
    return _read(plain(value))[0]


def _read(value):
    if isinstance(value, list):
        pairs = [_read(part) for part in value]
        return [part for part, _ in pairs], any(changed for _, changed in pairs)
    if not isinstance(value, dict):
        return value, False
    pairs = {key: _read(part) for key, part in value.items()}
    found = {key: part for key, (part, _) in pairs.items()}
    if "nova_object.data" not in value:
        return found, any(changed for _, changed in pairs.values())
    data = {key: _read(part) for key, part in value["nova_object.data"].items()}
    # a plain list of objects is not looked into
    within = {key for key, (part, changed) in data.items() if changed and (isinstance(part, dict) or key == "objects")}
    changes = set(value.get("nova_object.changes", ())) | within
    if value["nova_object.name"] == "Flavor":
        changes |= {key for key in _ALWAYS_CHANGED if value["nova_object.data"].get(key)}
    return found | ({"nova_object.changes": sorted(changes)} if changes else {}), bool(changes)
