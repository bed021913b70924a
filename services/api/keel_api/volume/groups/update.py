"""Change a group: its words, and the volumes in it (source: cinder 29.0.0 group flow)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, group_rpc
from keel_api.volume.answers import bare
from keel_api.volume.groups.lookup import load, no_consistency_group
from keel_common.db.stores.cinder import groups, transitions, volumes
from keel_common.domain.volume.states import TRANSITIONS

Row = dict[str, Any]
_ADDABLE = ("available", "in-use")
_REMOVABLE = ("available", "in-use", "error", "error_deleting")


@handles("PUT /groups/{id}")
def update(req: Request) -> Response:
    """Change name and description at once, volumes through the backend: 202."""
    change(req, req.body["group"], no_consistency_group)
    return bare()


def change(req: Request, asked: Row, allowed: Callable[[Row], Row]) -> None:
    """Change a group as a body asks. `allowed` raises for groups that the calling API may not touch."""
    add, remove = _ids(asked.get("add_volumes")), _ids(asked.get("remove_volumes"))

    def work(conn: Any) -> tuple[Row, list[str], list[str]]:
        row = allowed(load(conn, req, "group:update"))
        values = {key: asked[key] for key in ("name", "description") if _new(asked, row, key)}
        joining, leaving = _joining(conn, row, add, remove), _leaving(conn, row, remove)
        if not values and not joining and not leaving:
            raise faults.invalid(
                "InvalidGroup",
                f"Cannot update group {row['id']} because no valid name, description, add_volumes, or remove_volumes "
                "were provided.",
            )
        return _write(conn, row, values, bool(joining or leaving)), joining, leaving

    row, joining, leaving = req.services.db.run(work)
    if joining or leaving:
        group_rpc.update(req, row, joining, leaving)


def _write(conn: Any, row: Row, values: Row, members_change: bool) -> Row:
    """With other volumes the group is `updating` until its backend has done it; else it is available at once."""
    if not members_change:
        groups.change(conn, row["id"], {**values, "status": "available"})
        return {**row, **values, "status": "available"}
    transition = TRANSITIONS["group update"]
    if not transitions.apply(conn, transition, row["id"], values):
        raise faults.refused_transition(
            transition, f"Group {row['id']} status must be available, but current status is: {row['status']}."
        )
    return {**row, **values, "status": "updating"}


def _new(asked: Row, row: Row, key: str) -> bool:
    return asked.get(key) is not None and asked[key] != row[key]


def _ids(text: str | None) -> list[str]:
    """Ids of a list with commas, each once."""
    return list(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))


def _joining(conn: Any, row: Row, add: list[str], remove: list[str]) -> list[str]:
    both = [one for one in add if one in remove]
    if both:
        raise faults.invalid_volume(f"UUIDs {both} are in both add and remove volume list.")
    found = []
    for volume_id in add:
        volume = volumes.get(conn, volume_id)
        if volume is not None and volume["group_id"] == row["id"]:
            continue
        reason = _unfit(volume, row)
        if reason:
            raise faults.invalid_volume(f"Cannot add volume {volume_id} to group {row['id']} because {reason}.")
        found.append(volume_id)
    return found


def _unfit(volume: Row | None, row: Row) -> str | None:
    """Why a volume cannot join a group, or None."""
    if volume is None or volume["project_id"] != row["project_id"]:
        return "volume cannot be found"
    if volume["group_id"] is not None:
        return "it is already in another group"
    if volume["volume_type_id"] not in row["volume_type_ids"]:
        return f"volume type {volume['volume_type_id']} is not supported by the group"
    if volume["status"] not in _ADDABLE:
        return f"volume is in an invalid state: {volume['status']}"
    if volume["host"] != row["host"] or (volume["cluster_name"] or None) != (row["cluster_name"] or None):
        return "it lies on another backend than the group"
    return None


def _leaving(conn: Any, row: Row, remove: list[str]) -> list[str]:
    members = {one["id"]: one for one in groups.volumes(conn, row["id"])} if remove else {}
    for volume_id in remove:
        if volume_id not in members:
            raise faults.invalid_volume(
                f"Cannot remove volume {volume_id} from group {row['id']} because it is not in the group."
            )
        if members[volume_id]["status"] not in _REMOVABLE:
            raise faults.invalid_volume(
                f"Cannot remove volume {volume_id} from group {row['id']} because volume is in an invalid state: "
                f"{members[volume_id]['status']}."
            )
    return remove
