"""Rows of Cinder's database as the objects its messages carry (source: cinder 29.0.0 wire examples).

Every function takes rows as the stores give them. Objects come without changes, as one that was just read; a
RequestSpec
keeps its changes, as recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from keel_contract.cinder import objects

Row = Mapping[str, Any]

_TYPE_FIELDS = (
    "id",
    "name",
    "description",
    "is_public",
    "qos_specs_id",
    "created_at",
    "updated_at",
    "deleted_at",
    "deleted",
)
_TYPE_FIELDS_PLAIN = (*_TYPE_FIELDS, "extra_specs")
_VOLUME_PROPERTIES = (
    "attach_status",
    "availability_zone",
    "display_description",
    "display_name",
    "encryption_key_id",
    "group_id",
    "metadata",
    "multiattach",
    "project_id",
    "size",
    "snapshot_id",
    "source_volid",
    "status",
    "user_id",
    "volume_type_id",
)


def _aware(value: Any) -> Any:
    """Times of the database are UTC; objects want that said."""
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def _fields(cls: Any, row: Row) -> dict[str, Any]:
    """The columns of a row that are plain fields of the object."""
    return {name: _aware(row[name]) for name in cls.fields if name in row}


def _made(cls: Any, values: Mapping[str, Any]) -> Any:
    obj = cls(**values)
    obj.obj_reset_changes()
    return obj


def volume_type(row: Row, projects: Sequence[str] | None = None) -> Any:
    """A VolumeType with its extra_specs; with `projects` where the sender knows them."""
    values = {name: _aware(row[name]) for name in _TYPE_FIELDS} | {"extra_specs": dict(row["extra_specs"])}
    if projects is not None:
        values["projects"] = list(projects)
    return _made(objects.VolumeType, values)


def attachment(row: Row) -> Any:
    """A VolumeAttachment, without its volume."""
    return _made(objects.VolumeAttachment, _fields(objects.VolumeAttachment, row))


def volume(row: Row, type_row: Row | None, attachments: Sequence[Row] = ()) -> Any:
    """A Volume with metadata, admin_metadata, attachments and type.

    `row`: a volume with `metadata` and `admin_metadata` (stores.cinder.volumes.show or create); `type_row`: its type
    with
    extra_specs. Image metadata travels when the row has `glance_metadata`.
    """
    values = _fields(objects.Volume, row)
    values["metadata"] = dict(row["metadata"])
    values["admin_metadata"] = dict(row["admin_metadata"])
    values["volume_attachment"] = _made(
        objects.VolumeAttachmentList, {"objects": [attachment(one) for one in attachments]}
    )
    values["volume_type"] = volume_type(type_row) if type_row else None
    return _made(objects.Volume, values)


def snapshot(row: Row) -> Any:
    """A Snapshot with its metadata, without its volume."""
    values = _fields(objects.Snapshot, row)
    values["metadata"] = dict(row["metadata"])
    return _made(objects.Snapshot, values)


def create_spec(
    row: Row,
    type_row: Row,
    *,
    zones: Sequence[str],
    reservations: Sequence[str],
    projects: Sequence[str] = (),
    image_id: str | None = None,
    backup_id: str | None = None,
    qos_specs: Mapping[str, str] | None = None,
    resource_backend: str | None = None,
) -> Any:
    """The RequestSpec of a new volume. `resource_backend`: `host@backend#pool` it has to land on, if any."""
    properties = objects.VolumeProperties(
        **{name: row[name] for name in _VOLUME_PROPERTIES},
        consistencygroup_id=None,
        cgsnapshot_id=None,
        qos_specs=dict(qos_specs) if qos_specs is not None else None,
        reservations=list(reservations),
    )
    backend = {"resource_backend": resource_backend} if resource_backend else {}
    return objects.RequestSpec(
        volume_id=row["id"],
        volume=volume(row, type_row),
        volume_properties=properties,
        volume_type=volume_type(type_row, projects),
        snapshot_id=row["snapshot_id"],
        source_volid=row["source_volid"],
        image_id=image_id,
        consistencygroup_id=None,
        cgsnapshot_id=None,
        group_id=row["group_id"],
        backup_id=backup_id,
        availability_zones=list(zones),
        **backend,
    )


def snapshot_spec(snapshot_id: str, size: int) -> Any:
    """The RequestSpec of a new snapshot: it is placed by the size of its volume."""
    return objects.RequestSpec(snapshot_id=snapshot_id, volume_properties=objects.VolumeProperties(size=size))


def plain_type(row: Row, with_projects: bool = False) -> dict[str, Any]:
    """A volume type as a plain dict; some messages name the projects it was given to, too."""
    found = {name: _text(row[name]) for name in _TYPE_FIELDS_PLAIN}
    return {**found, "projects": list(row.get("projects", ()))} if with_projects else found


def extend_spec(row: Row, type_row: Row | None) -> dict[str, Any]:
    """The request_spec of an extension, a migration, a retype and a take-over: a plain dict, as recorded."""
    kind = plain_type(type_row) if type_row else None
    properties = {name: _text(row[name]) for name in objects.Volume.fields if name in row}
    properties.update(
        volume_type=kind,
        name=f"volume-{row['_name_id'] or row['id']}",
        name_id=row["_name_id"] or row["id"],
        volume_attachment=[],
        volume_metadata=_pairs(row["metadata"]),
        volume_admin_metadata=_pairs(row["admin_metadata"]),
        volume_glance_metadata=_pairs(row["image_metadata"]),
    )
    return {"volume_id": row["id"], "volume_properties": properties, "volume_type": kind}


def _pairs(found: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in found.items()]


def _text(value: Any) -> Any:
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f") if isinstance(value, datetime) else value
