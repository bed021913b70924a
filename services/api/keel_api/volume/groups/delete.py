"""Delete a group (source: cinder 29.0.0 group flow)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keel_api.http.request import Request
from keel_api.volume import faults, group_rpc, settings
from keel_api.volume.groups.lookup import load, not_frozen
from keel_common.db.stores.cinder import groups, quotas, transitions
from keel_common.domain.volume.states import TRANSITIONS, Transition

Row = dict[str, Any]
_MARK_VOLUME = Transition("group delete", "volumes", values={"status": "deleting"}, on_mismatch=None)


def delete(req: Request, with_volumes: bool, allowed: Callable[[Row], Row]) -> None:
    """Mark a group as deleting, its volumes too when they go along, and send it to its backend. `allowed` raises for
    groups that the calling API may not touch. One that never got a host is destroyed at once."""

    def work(conn: Any) -> Row | None:
        row = allowed(load(conn, req, "group:delete"))
        if not row["host"]:
            _destroy(conn, req, row)
            return None
        not_frozen(conn, row)
        _mark(conn, row, with_volumes)
        return {**row, "status": "deleting"}

    row = req.services.db.run(work)
    if row is not None:
        group_rpc.delete(req, row)


def _mark(conn: Any, row: Row, with_volumes: bool) -> None:
    if groups.snapshots_exist(conn, row["id"]):
        raise faults.invalid("InvalidGroup", "Group has existing snapshots.")
    members = groups.volumes(conn, row["id"])
    if members and not with_volumes:
        raise faults.invalid(
            "InvalidGroup",
            f"Group {row['id']} still contains volumes. The delete-volumes flag is required to delete it.",
        )
    transition = TRANSITIONS["group delete"]
    wanted = transition.without("status") if with_volumes else transition
    if not transitions.apply(conn, wanted, row["id"], where=groups.guards_of_delete(with_volumes)):
        raise faults.refused_transition(
            transition,
            f"Group {row['id']} must be available or error, without group snapshots, attached volumes and volumes "
            "that have snapshots, and no group may be made from it.",
        )
    for member in members:
        transitions.apply(conn, _MARK_VOLUME, member["id"])


def _destroy(conn: Any, req: Request, row: Row) -> None:
    """A group no backend knows: its quota comes back and its row goes."""
    quotas.give_back(conn, settings.quotas(req), row["project_id"], {"groups": -1})
    groups.destroy(conn, row["id"])
