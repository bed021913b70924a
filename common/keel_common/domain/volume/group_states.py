"""Transitions of groups and group snapshots that the volume service makes (source: cinder 29.0.0 flows 13)."""

from __future__ import annotations

from keel_common.domain.volume.states import Transition

#: Statuses the volume service owns: each of them ends.
OWNED_GROUP = ("creating", "updating", "deleting")
OWNED_GROUP_SNAPSHOT = ("creating", "deleting")

_ROWS = (
    Transition("group created", "groups", {"status": ("creating",)}, values={"status": "available"}),
    Transition("group failed", "groups", {"status": OWNED_GROUP}, values={"status": "error"}),
    Transition("group updated", "groups", {"status": ("updating",)}, values={"status": "available"}),
    Transition("group deleted", "groups", {"status": ("deleting",)}),
    Transition("group replication failed", "groups", values={"status": "error", "replication_status": "error"}),
    Transition("cut created", "group_snapshots", {"status": ("creating",)}, values={"status": "available"}),
    Transition("cut failed", "group_snapshots", {"status": OWNED_GROUP_SNAPSHOT}, values={"status": "error"}),
    Transition("cut deleted", "group_snapshots", {"status": ("deleting",)}),
)

GROUP_TRANSITIONS: dict[str, Transition] = {row.name: row for row in _ROWS}
