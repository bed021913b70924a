"""Move a volume to another backend, and what servers report of moves and extensions (source: cinder 29.0.0)."""

from __future__ import annotations

import json
import logging
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, lists, lookup, move_rpc
from keel_api.volume.places import one_place
from keel_common.db.stores.cinder import metadata, services, snapshots, transitions, types
from keel_common.db.stores.cinder.rows import TABLES, other_than
from keel_common.domain.volume import hosts
from keel_common.domain.volume.states import TRANSITIONS
from keel_contract.errors import RemoteFault

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
_ACTION = "POST /volumes/{id}/action #"
_RULE = "volume_extension:volume_admin_actions:"
_NEW_SIZE, _RESERVATIONS = "extend_new_size", "extend_reservations"


@handles(_ACTION + "os-migrate_volume")
def migrate(req: Request) -> Response:
    """Start to move a volume without snapshots to a host (or, from 3.16 on, a cluster): 202."""
    cluster, place = one_place(req.args, req.at_least(3, 16))
    force_copy = lists.boolean("force_host_copy", req.args.get("force_host_copy", False))
    lock = lists.boolean("lock_volume", req.args.get("lock_volume", False))
    row, type_row = req.services.db.run(_begin_move, req, place, cluster, lock)
    try:
        move_rpc.migrate(req, row, type_row, place, force_copy)
    except Exception:
        LOG.exception("Migration of volume %s could not be handed to the scheduler", row["id"])
        req.services.db.run(_undo_move, row)
        raise
    return Response()


def _begin_move(conn: Any, req: Request, place: str, cluster: bool, lock: bool) -> tuple[Row, Row | None]:
    row = lookup.volume(conn, req, req.path["id"], full=True)
    req.must(_RULE + "migrate_volume", lookup.target(row))
    _check_place(conn, req, place, cluster)
    transition = TRANSITIONS["migrate"].from_seen(row)
    values = {"previous_status": row["status"], "migration_status": "starting"}
    if lock and row["status"] == "available":
        values["status"] = "maintenance"
    column = TABLES["volumes"].c["cluster_name" if cluster else "host"]
    guards = [other_than(column, place), *snapshots.guards_of_delete(False, False, None)]
    if not row["host"] or not transitions.apply(conn, transition, row["id"], values, guards):
        raise faults.refused_transition(
            transition,
            f"Volume {row['id']} status must be available or in-use, must not be migrating, have snapshots, be "
            "replicated, be part of a group and destination host/cluster must be different than the current one",
        )
    return {**row, **values}, types.get(conn, row["volume_type_id"])


def _check_place(conn: Any, req: Request, place: str, cluster: bool) -> None:
    """A 400 unless a volume service that is up and enabled serves the place."""
    rows = services.listing(conn, "cinder-volume")
    key = "cluster_name" if cluster else "host"
    seconds = req.services.conf.service_down_time
    name = hosts.backend_of(place)
    if not any(row[key] == name and not row["disabled"] and services.is_up(row, seconds) for row in rows):
        raise Fault(400, f"Invalid host: No available service named '{place}'")


def _undo_move(conn: Any, row: Row) -> None:
    transitions.apply(conn, TRANSITIONS["migrate undone"], row["id"], {"status": row["previous_status"]})


@handles(_ACTION + "os-migrate_volume_completion")
def migrate_completion(req: Request) -> Row:
    """What Nova tells when its server uses the new volume: the id that stays."""
    error = lists.boolean("error", req.args.get("error") or False)

    def work(conn: Any) -> tuple[Row, Row | None, Row, Row | None]:
        row = lookup.volume(conn, req, req.path["id"], full=True)
        req.must(_RULE + "migrate_volume_completion", lookup.target(row))
        new = lookup.volume(conn, req, req.args["new_volume"], full=True)
        return row, types.get(conn, row["volume_type_id"]), new, types.get(conn, new["volume_type_id"])

    row, type_row, new, new_type = req.services.db.read(work)
    if not row["migration_status"] and not new["migration_status"]:
        # Nobody migrates: a swap Nova began by itself, whose attachments it moves by itself, too.
        return {"save_volume_id": new["id"]}
    if not row["migration_status"]:
        raise faults.invalid_volume("Source volume not mid-migration.")
    if new["migration_status"] != f"target:{row['id']}":
        raise faults.invalid_volume("Destination volume not mid-migration.")
    try:
        kept = move_rpc.migrate_completion(req, row, type_row, new, new_type, error)
    except RemoteFault as fault:
        raise faults.of_peer(fault) from None
    return {"save_volume_id": kept}


@handles(_ACTION + "os-extend_volume_completion")
def extend_completion(req: Request) -> Response:
    """What Nova tells when it has finished (or failed) its part of an extension: 202."""
    error = lists.boolean("error", req.args.get("error") or False)

    def work(conn: Any) -> tuple[Row, Row | None, int, list[str]]:
        row = lookup.volume(conn, req, req.path["id"], full=True)
        req.must(_RULE + "extend_volume_completion", lookup.target(row))
        if row["status"] != "extending":
            raise faults.invalid_volume("Volume is not being extended.")
        size, held = _extension(row["admin_metadata"])
        for key in (_NEW_SIZE, _RESERVATIONS):
            metadata.remove(conn, metadata.ADMIN, row["id"], key)
        row["admin_metadata"] = metadata.read(conn, metadata.ADMIN, [row["id"]])[row["id"]]
        return row, types.get(conn, row["volume_type_id"]), size, held

    row, type_row, size, held = req.services.db.run(work)
    move_rpc.extend_completion(req, row, type_row, size, held, error)
    return Response()


def _extension(pairs: dict[str, str]) -> tuple[int, list[str]]:
    """Size and reservations the backend left with the volume, or a 400."""
    try:
        size, held = int(pairs[_NEW_SIZE]), json.loads(pairs[_RESERVATIONS])
    except (KeyError, ValueError, TypeError):
        held, size = None, 0
    if not isinstance(held, list) or not all(isinstance(one, str) for one in held):
        raise faults.invalid_volume("Required volume admin metadata is malformed or missing.")
    return size, held
