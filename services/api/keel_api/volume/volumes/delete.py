"""Deletion of a volume (source: cinder 29.0.0 delete flow)."""

from __future__ import annotations

from typing import Any

from keel_api.http.request import Request
from keel_api.volume import faults, lookup, rpc, settings
from keel_common.db.stores.cinder import quotas, services, snapshots, transitions, types, volumes, workers
from keel_common.db.stores.cinder.rows import now
from keel_common.domain.volume import hosts
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume.states import TRANSITIONS, Transition

Row = dict[str, Any]


def delete(
    req: Request, volume_id: str, rule: str, *, force: bool = False, cascade: bool = False, unmanage: bool = False
) -> None:
    """Mark a volume as deleting and send it to its backend. `rule`: what policy has to allow beside volume:get;
    `unmanage`: the backend forgets it and keeps its content.

    A volume that never got a host is destroyed at once. Raises 404, 403, 400 (state), all before anything changed; a
    cascade that meets a busy snapshot leaves the volume in error_deleting and answers 400.
    """
    outcome = req.services.db.run(_mark, req, volume_id, rule, force, cascade, unmanage)
    if outcome is None:
        return
    row, type_row, busy = outcome
    if busy:
        raise faults.invalid_volume("one of its snapshots changed its state and cannot be deleted")
    rpc.delete_volume(req, row, type_row, cascade, unmanage)


def _mark(
    conn: Any, req: Request, volume_id: str, rule: str, force: bool, cascade: bool, unmanage: bool
) -> tuple[Row, Row | None, bool] | None:
    row = lookup.volume(conn, req, volume_id, full=True)
    req.must(rule, lookup.target(row))
    if rule != "volume:delete":
        req.must("volume:delete", lookup.target(row))
    type_row = types.get(conn, row["volume_type_id"])
    if not row["host"]:
        # The scheduler or another request may be faster: what stands under the lock counts.
        held = volumes.lock(conn, volume_id)
        if held is None:
            raise faults.not_found("Volume", volume_id)
        row.update(held)
    if not row["host"]:
        _destroy(conn, req, row, type_row)
        return None
    if unmanage and row["encryption_key_id"] is not None:
        raise faults.invalid_volume("unmanaging encrypted volumes is not supported")
    if not unmanage and services.is_frozen(conn, hosts.backend_of(row["host"])):
        raise faults.invalid_input(f"backend {hosts.backend_of(row['host'])} is frozen")
    values: Row = {"terminated_at": now()}
    if row["status"] == "error_managing":
        values["status"] = "error_managing_deleting"
    if unmanage:
        values["status"] = "unmanaging"
    guards = snapshots.guards_of_delete(cascade, force, lookup.scope(req) if cascade else None)
    if not transitions.apply(conn, _transition(force), volume_id, values, guards):
        raise faults.invalid_volume(
            "its status must be available or error or error_restoring or error_extending or error_managing, and it "
            "must not be migrating, attached, in a group, or have snapshots"
        )
    row.update({"status": "deleting", **values})
    if cascade and not _mark_snapshots(conn, volume_id, force):
        volumes.change(conn, volume_id, {"status": "error_deleting"})
        return row, type_row, True
    workers.create(conn, "Volume", volume_id, row["status"])
    return row, type_row, False


def _transition(force: bool) -> Transition:
    transition = TRANSITIONS["delete"]
    return transition.without("status") if force else transition


def _mark_snapshots(conn: Any, volume_id: str, force: bool) -> bool:
    transition = TRANSITIONS["cascade snapshot"]
    if force:
        transition = transition.without("status")
    return all(transitions.apply(conn, transition, row["id"]) for row in snapshots.of_volume(conn, volume_id))


def _destroy(conn: Any, req: Request, row: Row, type_row: Row | None) -> None:
    """A volume no backend knows: give its quota back and take its row away."""
    if row["use_quota"] and row["status"] != "error_managing":
        name = type_row["name"] if type_row else None
        deltas = quota_rules.delete_volume(row["size"], name)
        quotas.give_back(conn, settings.quotas(req), row["project_id"], deltas)
    workers.remove(conn, "Volume", row["id"])
    volumes.destroy(conn, row["id"])
