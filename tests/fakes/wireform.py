"""Wire forms as they are compared: JSON, unordered lists in order, and what reading alone changes."""

import json

_CHANGED_BY_READING = {
    "Flavor": ("extra_specs", "projects"),
    "Backup": ("metadata",),
    "BackupImport": ("metadata",),
    "Snapshot": ("metadata",),
    "QualityOfServiceSpecs": ("specs",),
}


def plain(value):
    """JSON as it travels, with lists of changes in one order."""

    def ordered(part):
        if isinstance(part, dict):
            return {k: sorted(v) if k.endswith("_object.changes") else ordered(v) for k, v in part.items()}
        return [ordered(v) for v in part] if isinstance(part, list) else part

    return ordered(json.loads(json.dumps(value)))


def after_reading(value):
    """What a real release sends after it received ``value``: some objects call a field changed that they were sent,
    unless it is empty, and so do the objects around them (recorded with the backports)."""
    return _read(plain(value))[0]


def _read(value):
    if isinstance(value, list):
        pairs = [_read(part) for part in value]
        return [part for part, _ in pairs], any(changed for _, changed in pairs)
    if not isinstance(value, dict):
        return value, False
    pairs = {key: _read(part) for key, part in value.items()}
    found = {key: part for key, (part, _) in pairs.items()}
    prefix = next((prefix for prefix in ("nova_object", "versioned_object") if f"{prefix}.data" in value), None)
    if prefix is None:
        return found, any(changed for _, changed in pairs.values())
    given = value[f"{prefix}.data"]
    data = {key: _read(part) for key, part in given.items()}
    # a plain list of objects is not looked into
    within = {key for key, (part, changed) in data.items() if changed and (isinstance(part, dict) or key == "objects")}
    changes = set(value.get(f"{prefix}.changes", ())) | within
    changes |= {
        key for key in _CHANGED_BY_READING.get(value[f"{prefix}.name"], ()) if given.get(key, {}) not in ({}, [])
    }
    return found | ({f"{prefix}.changes": sorted(changes)} if changes else {}), bool(changes)
