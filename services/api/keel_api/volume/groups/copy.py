"""Make a group from a group snapshot or another group (source: cinder 29.0.0 group flow)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import faults, group_rpc, settings
from keel_api.volume.group_snapshots.lookup import load as load_snapshot
from keel_api.volume.groups import views
from keel_api.volume.groups.create import owner, project_needed, take_quota, words
from keel_api.volume.groups.lookup import load, no_consistency_group, not_frozen
from keel_common.db.stores.cinder import group_snapshots, groups, quotas, types, volumes, workers
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume.states import SOURCE_STATES
from keel_common.wire.group import capacity_spec
from keel_contract.errors import RemoteFault

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
_COPIED = ("size", "bootable", "multiattach", "volume_type_id", "display_name", "display_description")


@handles("POST /groups/action #create-from-src")
def create_from_source(req: Request) -> Row:
    """A group with a volume for each one of its source: 202."""
    asked = req.args
    row = copy(req, asked, asked.get("group_snapshot_id"), asked.get("source_group_id"), old_api=False)
    return {"group": views.render(req, views.SUMMARY, [row])[0]}


def copy(req: Request, asked: Row, snapshot_id: str | None, source_id: str | None, old_api: bool) -> Row:
    """Write the group and its volumes and hand them to the backend of the source; the row of the group."""
    project_needed(req)
    if old_api:  # asks before it looks, the newer one the other way round (cinder 29.0.0, measured)
        req.must("group:create")
    cut, source = req.services.db.read(_sources, req, snapshot_id, source_id, old_api)
    _check_room(req, source, cut)
    try:
        row = req.services.db.run(_record, req, asked, cut, source)
    except quota_rules.OverQuota as error:
        raise faults.over_quota(error, "groups" if "groups" in error.overs else "volumes") from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        group_rpc.create_from_source(req, row, cut, None if cut else source)
    except Exception:
        LOG.exception("Group %s could not be handed to its backend", row["id"])
        req.services.db.run(_give_up, row["id"])
        raise
    return row


def _sources(
    conn: Any, req: Request, snapshot_id: str | None, source_id: str | None, old_api: bool
) -> tuple[Row | None, Row]:
    """The group snapshot, if any, and the group whose volumes are copied."""
    cut = load_snapshot(conn, req, None, snapshot_id) if snapshot_id else None
    source = load(conn, req, None, cut["group_id"] if cut else source_id)
    req.must("group:create")
    if not old_api:
        no_consistency_group(source)
    if cut is not None and cut["status"] != "available":
        raise faults.invalid("InvalidGroupSnapshot", f"its status is {cut['status']}, it must be available")
    if cut is None and source["status"] not in SOURCE_STATES["group"]:
        raise faults.invalid("InvalidGroup", f"its status is {source['status']}, it must be available")
    if not source["host"]:
        raise faults.invalid("InvalidGroup", "it lies on no backend")
    not_frozen(conn, source)
    return cut, source


def _check_room(req: Request, source: Row, cut: Row | None) -> None:
    """Ask the scheduler whether each volume has room where its source lies; a 400 where not."""
    for member, type_row in req.services.db.read(_members, source, cut):
        try:
            room = group_rpc.has_room(req, source["cluster_name"] or source["host"], _room(source, member, type_row))
        except RemoteFault as error:
            raise faults.of_peer(error) from None
        if not room:
            raise faults.invalid("InvalidGroup", f"{source['host']} has no room for a copy of {member['id']}")


def _room(source: Row, member: Row, type_row: Row) -> Any:
    return capacity_spec(source, type_row, member["size"])


def _members(conn: Any, source: Row, cut: Row | None) -> list[tuple[Row, Row]]:
    """Volumes to copy, each with its type; a copy of a snapshot is as large as the volume was then. A group snapshot
    or group without volumes is refused."""
    if cut is None:
        found = groups.volumes(conn, source["id"])
    else:
        found = []
        for one in group_snapshots.snapshots(conn, cut["id"]):
            origin = volumes.get(conn, one["volume_id"])
            if origin is None:
                raise faults.not_found("Volume", one["volume_id"])
            found.append({**origin, "size": one["volume_size"], "snapshot": one["id"]})
    if not found:
        raise faults.invalid("InvalidGroup", "Source group is empty. No group will be created.")
    return [(one, types.get(conn, one["volume_type_id"]) or {}) for one in found]


def _record(conn: Any, req: Request, asked: Row, cut: Row | None, source: Row) -> Row:
    take_quota(conn, req)
    values = {
        **owner(req),
        **words(asked),
        "availability_zone": source["availability_zone"],
        "group_type_id": source["group_type_id"],
        "host": source["host"],
        "cluster_name": source["cluster_name"],
        "group_snapshot_id": cut["id"] if cut else None,
        "source_group_id": None if cut else source["id"],
    }
    row = groups.create(conn, values, source["volume_type_ids"])
    for member, type_row in _members(conn, source, cut):
        _copy_volume(conn, req, row, member, type_row, counts_size=cut is None)
    return row


def _copy_volume(conn: Any, req: Request, row: Row, member: Row, type_row: Row, counts_size: bool) -> None:
    """One volume of the new group. Copies of a group snapshot count by number alone (as recorded)."""
    req.must("volume:create")
    deltas = {"volumes": 1, "gigabytes": member["size"]} if counts_size else {"volumes": 1}
    deltas = quota_rules.with_type(deltas, type_row.get("name"))
    options, project = settings.quotas(req), req.context.project_id
    quotas.take(conn, options, project, deltas, quotas.limits(conn, options, project, deltas, req.context.quota_class))
    values = {
        **owner(req),
        **{key: member[key] for key in _COPIED},
        "status": "creating",
        "attach_status": "detached",
        "shared_targets": True,
        "availability_zone": row["availability_zone"],
        "host": member["host"] or row["host"],
        "cluster_name": row["cluster_name"],
        "group_id": row["id"],
        "snapshot_id": member.get("snapshot"),
        "source_volid": None if "snapshot" in member else member["id"],
    }
    made = volumes.create(conn, values)
    workers.create(conn, "Volume", made["id"], "creating", fresh=True)


def _give_up(conn: Any, group_id: str) -> None:
    groups.change(conn, group_id, {"status": "error"})
    for member in groups.volumes(conn, group_id):
        volumes.restore_status(conn, member["id"], "creating", "error")
        workers.remove(conn, "Volume", member["id"])


def one_of(asked: Row, first: str, second: str) -> None:
    """A 400 unless exactly one of two keys has a value."""
    if bool(asked.get(first)) == bool(asked.get(second)):
        word = "Cannot provide both" if asked.get(first) else "Either"
        raise Fault(400, f"{word} '{first}' and '{second}' to create a consistency group from source.")
