"""Servers as rows become the objects their messages carry (nova 34.0.0 wire examples).

A server is a dict of `keel_common.db.stores.nova.servers`; objects come without changes, as ones that were just read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from keel_contract.nova import objects

Row = Mapping[str, Any]

INSTANCE_PARTS = ("flavor", "network_info", "metadata", "system_metadata", "trusted_certs")
"""Parts to read beside the columns, so that a receiver needs to ask for nothing that most actions use."""

_FLAGS = ("deleted", "cleaned", "locked", "hidden", "auto_disk_config", "shutdown_terminate", "disable_terminate")
_OTHER = frozenset(INSTANCE_PARTS) | {"tags", "volumes", "fault", "service", "locked_reason", "internal_id", "keypairs"}
_DEVICE_FLAGS = ("deleted", "delete_on_termination", "no_device", "encrypted")


def aware(value: Any) -> Any:
    """Times of the database are UTC; objects want that said."""
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def read(cls: type, values: Mapping[str, Any]) -> Any:
    """An object with these values and no changes."""
    made = cls(**values)
    made.obj_reset_changes(recursive=True)
    return made


def instance(server: Row) -> objects.Instance:
    """An Instance with the columns and parts that `server` has."""
    fields = objects.Instance.fields
    values = {name: aware(server[name]) for name in fields if name in server and name not in _OTHER}
    values |= {name: bool(values[name]) for name in _FLAGS if name in values}
    for name in ("metadata", "system_metadata"):
        if name in server:
            values[name] = dict(server[name])
    if server.get("flavor"):
        values |= {"flavor": flavor(server["flavor"]), "old_flavor": None, "new_flavor": None}
    if "network_info" in server:
        values["info_cache"] = read(
            objects.InstanceInfoCache, {"instance_uuid": server["uuid"], "network_info": server["network_info"]}
        )
    if "trusted_certs" in server:
        ids = server["trusted_certs"]
        values["trusted_certs"] = read(objects.TrustedCerts, {"ids": ids}) if ids else None
    return read(objects.Instance, values)


def flavor(row: Row) -> objects.Flavor:
    """A Flavor from a row with extra_specs, or from the fields of a stored one."""
    values = {name: row[name] for name in objects.Flavor.fields if name in row and name != "projects"}
    values |= {name: bool(values[name]) for name in ("disabled", "is_public", "deleted") if name in values}
    for name in ("created_at", "updated_at", "deleted_at"):
        moment = values.get(name)
        values[name] = datetime.fromisoformat(moment) if isinstance(moment, str) else aware(moment)
    values.setdefault("deleted", False)
    values["extra_specs"] = dict(row["extra_specs"])
    return read(objects.Flavor, values)


def device(row: Row) -> objects.BlockDeviceMapping:
    """A BlockDeviceMapping of a row of block_device_mapping."""
    values = {name: aware(row[name]) for name in objects.BlockDeviceMapping.fields if name in row}
    values |= {name: bool(values[name]) for name in _DEVICE_FLAGS if name in values}
    return read(objects.BlockDeviceMapping, values)


def devices(rows: Iterable[Row]) -> objects.BlockDeviceMappingList:
    """A list of block devices."""
    return read(objects.BlockDeviceMappingList, {"objects": [device(row) for row in rows]})


def share(row: Row) -> objects.ShareMapping:
    """A ShareMapping of a row of share_mapping."""
    return read(objects.ShareMapping, {name: aware(row[name]) for name in objects.ShareMapping.fields if name in row})


def external_event(server_uuid: str, name: str, status: str, tag: str | None) -> objects.InstanceExternalEvent:
    """An event another service reports about a server; it keeps its changes, as recorded."""
    return objects.InstanceExternalEvent(instance_uuid=server_uuid, name=name, status=status, tag=tag, data={})
