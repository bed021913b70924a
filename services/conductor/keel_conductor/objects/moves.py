"""Migration, MigrationList and MigrationContext."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import extras
from keel_common.db.stores.nova import migrations as store
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

NAME = "Migration"
LIST = "MigrationList"
MOMENTS = ("changes-since", "changes-before")


def _object(row: dict[str, Any] | None, what: Any, name: str = "MigrationNotFound", **facts: Any) -> Any:
    if row is None:
        raise not_found(name, f"Migration {what}", **(facts or {"migration_id": what}))
    return wire.record(NAME, row)


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The migration exists.", action="create", reason="already created")
    if obj.get("dest_node") and not obj.get("dest_compute_id"):
        reason = "a move to a node needs its dest_compute_id"
        raise Refused("ObjectActionError", "The id of the node is missing.", action="create", reason=reason)
    asked = {"user_id": call.context.user_id, "project_id": call.context.project_id}
    return Done(wire.fields(NAME, call.db.run(store.create, asked | wire.changed(obj))))


@action(NAME, "save")
def save(call: Call, obj: Any) -> Done:
    values = wire.changed(obj)
    values.pop("id", None)
    if not values:
        return Done({})
    return Done(wire.fields(NAME, call.db.run(store.update, obj.id, values)))


@class_action(NAME, "get_by_id")
def get_by_id(call: Call, migration_id: int) -> Any:
    return _object(call.db.read(store.find, id=migration_id), migration_id)


@class_action(NAME, "get_by_uuid")
def get_by_uuid(call: Call, migration_uuid: str) -> Any:
    return _object(call.db.read(store.find, uuid=migration_uuid), migration_uuid)


@class_action(NAME, "get_by_id_and_instance")
def get_by_id_and_instance(call: Call, migration_id: int, instance_uuid: str) -> Any:
    row = call.db.read(store.find, id=migration_id, instance_uuid=instance_uuid)
    facts = {"migration_id": migration_id, "instance_id": instance_uuid}
    return _object(row, migration_id, "MigrationNotFoundForInstance", **facts)


@class_action(NAME, "get_by_instance_and_status")
def get_by_instance_and_status(call: Call, instance_uuid: str, status: str) -> Any:
    row = call.db.read(store.by_instance_and_status, instance_uuid, status)
    facts = {"instance_id": instance_uuid, "status": status}
    return _object(row, f"of server {instance_uuid} in {status}", "MigrationNotFoundByStatus", **facts)


def _listed(rows: list[dict[str, Any]]) -> Any:
    return wire.listed(LIST, rows, NAME)


@class_action(LIST, "get_in_progress_by_host_and_node")
def get_in_progress(call: Call, host: str, node: str) -> Any:
    return _listed(call.db.read(store.in_progress, host, node))


@class_action(LIST, "get_in_progress_and_error")
def get_in_progress_and_error(call: Call, host: str, node: str) -> Any:
    return _listed(call.db.read(store.in_progress, host, node, True))


@class_action(LIST, "get_in_progress_by_instance")
def get_live(call: Call, instance_uuid: str, migration_type: str | None = None) -> Any:
    return _listed(call.db.read(store.live_of_instance, instance_uuid, migration_type))


@class_action(LIST, "get_unconfirmed_by_dest_compute")
def get_unconfirmed(call: Call, confirm_window: int, dest_compute: str, use_slave: bool = False) -> Any:
    return _listed(call.db.read(store.unconfirmed, confirm_window, dest_compute))


@class_action(LIST, "get_by_filters")
def get_by_filters(
    call: Call,
    filters: dict[str, Any],
    sort_keys: Any = None,
    sort_dirs: Any = None,
    limit: int | None = None,
    marker: str | None = None,
) -> Any:
    """Behind the migration with uuid `marker`, when one is named."""
    order = list(zip(sort_keys or (), sort_dirs or ["desc"] * len(sort_keys or ()), strict=False))
    wanted = {name: wire.moment(value) if name in MOMENTS else value for name, value in filters.items()}
    if marker is None:
        return _listed(call.db.read(store.listing, wanted, order, limit))
    rows = call.db.read(store.listing, wanted, order)
    uuids = [row["uuid"] for row in rows]
    if marker not in uuids:
        raise not_found("MarkerNotFound", f"Migration {marker}", marker=marker)
    behind = rows[uuids.index(marker) + 1 :]
    return _listed(behind if limit is None else behind[:limit])


@class_action("MigrationContext", "get_by_instance_uuid")
def get_context(call: Call, instance_uuid: str) -> Any:
    there, found = call.db.read(extras.get, instance_uuid, "migration_context")
    if not there:
        text = f"Migration context of server {instance_uuid}"
        raise not_found("MigrationContextNotFound", text, instance_uuid=instance_uuid)
    return wire.stored(found)
