"""Rows of groups as what their messages carry (source: cinder 29.0.0 wire examples)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from keel_contract.cinder import objects

Row = Mapping[str, Any]
_TYPE_FIELDS = ("id", "name", "description", "is_public", "created_at", "updated_at", "deleted_at", "deleted")


def group(row: Row) -> Any:
    """A Group with the ids of its types of volumes, without its volumes. `row`: stores.cinder.groups.get or create."""
    return _made(objects.Group, row, volume_type_ids=list(row["volume_type_ids"]))


def group_snapshot(row: Row) -> Any:
    """A GroupSnapshot, without its group and its snapshots."""
    return _made(objects.GroupSnapshot, row)


def group_spec(row: Row, group_type: Row) -> dict[str, Any]:
    """What the group itself asks of a backend: the specs of its type. A plain dict, as recorded."""
    plain_type = {name: _text(group_type[name]) for name in _TYPE_FIELDS} | {
        "group_specs": dict(group_type["group_specs"])
    }
    return {
        "group_id": row["id"],
        "group_type": plain_type,
        "qos_specs": None,
        "volume_properties": _properties(row),
    }


def member_spec(row: Row, type_row: Row, qos_specs: Row | None) -> dict[str, Any]:
    """What the volumes of one type will ask of a backend: a volume without size. A plain dict, as recorded."""
    names = (*_TYPE_FIELDS, "qos_specs_id", "extra_specs")
    return {
        "group_id": row["id"],
        "qos_specs": dict(qos_specs) if qos_specs is not None else None,
        "volume_properties": {
            **_properties(row),
            "attach_status": "detached",
            "availability_zone": row["availability_zone"],
            "encryption_key_id": None,
            "volume_type_id": type_row["id"],
        },
        "volume_type": {name: _text(type_row[name]) for name in names},
    }


def capacity_spec(row: Row, type_row: Row, size: int) -> Any:
    """A RequestSpec for one volume of a group that is copied: is there room for it?"""
    properties = objects.VolumeProperties(size=size, volume_type_id=type_row["id"], group_id=row["id"])
    kind = _made(objects.VolumeType, {**type_row, "extra_specs": dict(type_row["extra_specs"])})
    return objects.RequestSpec(volume_properties=properties, volume_type=kind, group_id=row["id"])


def _properties(row: Row) -> dict[str, Any]:
    return {
        "display_description": row["description"],
        "display_name": row["name"],
        "group_type_id": row["group_type_id"],
        "project_id": row["project_id"],
        "size": 0,
        "status": "creating",
        "user_id": row["user_id"],
    }


def _made(cls: Any, row: Row, **more: Any) -> Any:
    values = {name: _aware(row[name]) for name in cls.fields if name in row}
    made = cls(**{**values, **more})
    made.obj_reset_changes()
    return made


def _aware(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def _text(value: Any) -> Any:
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f") if isinstance(value, datetime) else value
