"""Transitions that the volume service makes when the storage has answered (source: cinder 29.0.0 flows).

They are guarded like those of the API: a row that something else took over meanwhile is left alone.
"""

from __future__ import annotations

from keel_common.domain.volume.states import Transition

#: Statuses of volumes and snapshots that the volume service owns: each has a deadline and ends.
OWNED_VOLUME = ("creating", "downloading", "extending", "deleting", "reverting", "uploading")
OWNED_SNAPSHOT = ("creating", "deleting")

_ROWS = (
    Transition("created", "volumes", {"status": ("creating", "downloading")}, values={"status": "available"}),
    Transition("create failed", "volumes", {"status": ("creating", "downloading")}, values={"status": "error"}),
    Transition(
        "create rescheduled",
        "volumes",
        {"status": ("creating",)},
        values={"host": None, "cluster_name": None, "scheduled_at": None},
    ),
    Transition("delete failed", "volumes", {"status": ("deleting",)}, values={"status": "error_deleting"}),
    Transition("deleted", "volumes", {"status": ("deleting",)}, values={"status": "deleted"}),
    Transition("uploaded", "volumes", {"status": ("uploading",)}),
    Transition("reimaged", "volumes", {"status": ("downloading",)}, values={"bootable": True}),
    Transition("reimage failed", "volumes", {"status": ("downloading",)}, values={"status": "error"}),
    Transition("extended", "volumes", {"status": ("extending",)}),
    Transition("extend failed", "volumes", {"status": ("extending",)}, values={"status": "error_extending"}),
    Transition(
        "snapshot created", "snapshots", {"status": ("creating",)}, values={"status": "available", "progress": "100%"}
    ),
    Transition("snapshot failed", "snapshots", {"status": ("creating",)}, values={"status": "error"}),
    Transition("snapshot deleted", "snapshots", {"status": ("deleting",)}, values={"status": "deleted"}),
    Transition("snapshot delete failed", "snapshots", {"status": ("deleting",)}, values={"status": "error_deleting"}),
)

BACKEND_TRANSITIONS: dict[str, Transition] = {row.name: row for row in _ROWS}
