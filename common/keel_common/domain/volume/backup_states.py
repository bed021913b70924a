"""Transitions of backups, and of what they hold, that the backup service makes (source: cinder 29.0.0 flows 8)."""

from __future__ import annotations

from keel_common.domain.volume.states import Transition

#: Statuses the backup service owns: each of them ends.
OWNED_BACKUP = ("creating", "restoring", "deleting")
#: Statuses of a volume that a backup is being written into.
FILLED = ("restoring-backup", "creating")


def _backup(name: str, *expected: str, becomes: str | None = None) -> Transition:
    return Transition(name, "backups", {"status": expected}, values={"status": becomes} if becomes else {})


_ROWS = (
    _backup("backup placed", "creating"),
    _backup("backup begun", "creating"),
    _backup("backup made", "creating", becomes="available"),
    _backup("backup failed", "creating", becomes="error"),
    _backup("backup restored", "restoring", becomes="available"),
    _backup("backup imported", "creating", becomes="available"),
    _backup("backup deleted", "deleting", becomes="deleted"),
    _backup("backup delete failed", "deleting", becomes="error"),
    Transition("source released", "volumes", {"status": ("backing-up",)}),
    Transition("source snapshot released", "snapshots", {"status": ("backing-up",)}, values={"status": "available"}),
    Transition("filled", "volumes", {"status": FILLED}, values={"status": "available"}),
    Transition("fill failed", "volumes", {"status": FILLED}, values={"status": "error_restoring"}),
    Transition("fill cancelled", "volumes", {"status": FILLED}, values={"status": "error"}),
    Transition("fill begun", "backups", {"status": ("available",)}, values={"status": "restoring"}),
)

BACKUP_TRANSITIONS: dict[str, Transition] = {row.name: row for row in _ROWS}
