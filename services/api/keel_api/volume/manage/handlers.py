"""Take over volumes and snapshots that lie on a backend (source: cinder 29.0.0 manage flow)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.http.view import View
from keel_api.volume import faults, lists, lookup, move_rpc, settings
from keel_api.volume.manage import backend
from keel_api.volume.places import one_place
from keel_api.volume.snapshots import views as snapshot_views
from keel_api.volume.volumes import views as volume_views
from keel_api.volume.volumes.wish import is_uuid
from keel_common.db.stores.cinder import encryptions, quotas, snapshots, transitions, types, volumes
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume.states import Transition

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
_MULTIATTACH = "<is> True"
_MANAGED_NAME = "volume-"
_VOLUME_LOST = Transition(
    "cast failed", "volumes", {"status": ("managing",)}, values={"status": "error_managing"}, on_mismatch=None
)
_SNAPSHOT_LOST = Transition(
    "cast failed", "snapshots", {"status": ("creating",)}, values={"status": "error"}, on_mismatch=None
)
#: Managing answers the fields of 3.0 at every version (as recorded).
_OLDEST = (3, 0)


@handles("POST /os-volume-manage", "POST /manageable_volumes")
def manage_volume(req: Request) -> Row:
    """A volume in `managing` for what lies on a backend: 202."""
    req.must("volume_extension:volume_manage")
    if not req.context.project_id:
        raise Fault(403, "A token of a project is needed.")
    asked = req.body["volume"]
    cluster, place = one_place(asked, req.at_least(3, 16))
    try:
        row, type_row = req.services.db.run(_record_volume, req, asked, place, cluster)
    except quota_rules.OverQuota as error:
        raise faults.over_quota(error, "volumes") from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        move_rpc.manage(req, {**row, "image_metadata": {}}, type_row, asked["ref"])
    except Exception:
        LOG.exception("Volume %s could not be handed to the scheduler", row["id"])
        req.services.db.run(transitions.apply, _VOLUME_LOST, row["id"])
        raise
    shown = {**row, "volume_type_name": type_row["name"], "attachments": [], "image_metadata": {}}
    return {"volume": _oldest(req, volume_views.DETAIL, shown)}


def _oldest(req: Request, view: View, row: Row) -> Row:
    return view.one(_OLDEST, req.allowed(view.policies), row, req)


def _record_volume(conn: Any, req: Request, asked: Row, place: str, cluster: bool) -> tuple[Row, Row]:
    type_row = _type(conn, req, asked.get("volume_type"))
    service = backend.find(conn, place, cluster)
    if service is None:
        raise Fault(400, f"{'Cluster' if cluster else 'Host'} '{place}' not found")
    backend.working(req, service)
    _not_managed(conn, asked["ref"])
    if encryptions.get(conn, type_row["id"]):
        raise faults.invalid_volume("an encrypted volume cannot be taken over")
    options, project = settings.quotas(req), req.context.project_id
    deltas = quota_rules.create_volume(0, type_row["name"])
    quotas.take(conn, options, project, deltas, quotas.limits(conn, options, project, deltas, req.context.quota_class))
    values = {
        "size": 0,
        "user_id": req.context.user_id,
        "project_id": project,
        "status": "managing",
        "attach_status": "detached",
        "display_name": asked.get("name"),
        "display_description": asked.get("description"),
        "volume_type_id": type_row["id"],
        "host": place if not cluster else service["host"],
        "cluster_name": place if cluster else service["cluster_name"],
        "availability_zone": asked.get("availability_zone") or service["availability_zone"],
        "bootable": lists.boolean("bootable", asked.get("bootable", False)),
        "multiattach": type_row["extra_specs"].get("multiattach") == _MULTIATTACH,
        "shared_targets": True,
    }
    return volumes.create(conn, values, asked.get("metadata") or {}), type_row


def _not_managed(conn: Any, ref: Any) -> None:
    """A 400 for a name that belongs to a volume of this deployment."""
    name = ref.get("source-name") if isinstance(ref, dict) else None
    known = name.removeprefix(_MANAGED_NAME) if isinstance(name, str) and name.startswith(_MANAGED_NAME) else None
    if known and is_uuid(known) and volumes.get(conn, known) is not None:
        raise Fault(400, "Unable to manage existing volume. The volume is already managed")


def _type(conn: Any, req: Request, text: str | None) -> Row:
    if text:
        row = types.get_by_id_or_name(conn, text, lookup.scope(req))
        if row is None:
            raise faults.invalid("InvalidVolumeType", f"Cannot find requested '{text}' volume type")
        return row
    default = req.services.conf.default_volume_type
    row = types.default_for(conn, req.context.project_id, default)
    if row is None:
        raise Fault(500, f"The request cannot be fulfilled as the default volume type {default} cannot be found.")
    return row


@handles("POST /os-snapshot-manage", "POST /manageable_snapshots")
def manage_snapshot(req: Request) -> Row:
    """A snapshot in `creating` for one that lies on the backend of a volume: 202."""
    asked = req.body["snapshot"]
    try:
        volume, type_row, row = req.services.db.run(_record_snapshot, req, asked)
    except quota_rules.OverQuota as error:
        size = next((delta for name, delta in error.deltas.items() if "gigabytes" in name), 0)
        raise faults.over_quota(error, "snapshots", size) from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        move_rpc.manage_snapshot(req, volume, type_row, row, asked["ref"])
    except Exception:
        LOG.exception("Snapshot %s could not be handed to the scheduler", row["id"])
        req.services.db.run(transitions.apply, _SNAPSHOT_LOST, row["id"])
        raise
    return {"snapshot": _oldest(req, snapshot_views.SUMMARY, row)}


def _record_snapshot(conn: Any, req: Request, asked: Row) -> tuple[Row, Row | None, Row]:
    volume = lookup.volume(conn, req, asked["volume_id"], full=True)
    req.must("snapshot_extension:snapshot_manage")
    req.must("volume:create_snapshot", lookup.target(volume))
    if not volume["host"]:
        raise faults.invalid_volume("it lies on no backend")
    type_row = types.get(conn, volume["volume_type_id"])
    options, project = settings.quotas(req), req.context.project_id
    name = type_row["name"] if type_row else None
    deltas = quota_rules.create_snapshot(volume["size"], name, options.snapshot_sizes_count)
    quotas.take(conn, options, project, deltas, quotas.limits(conn, options, project, deltas, req.context.quota_class))
    values = {
        "volume_id": volume["id"],
        "user_id": req.context.user_id,
        "project_id": project,
        "status": "creating",
        "progress": "0%",
        "volume_size": volume["size"],
        "display_name": asked.get("name"),
        "display_description": asked.get("description"),
        "volume_type_id": volume["volume_type_id"],
        "encryption_key_id": volume["encryption_key_id"],
    }
    return volume, type_row, snapshots.create(conn, values, asked.get("metadata") or {})
