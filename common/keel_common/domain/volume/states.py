"""The state machine of volumes and snapshots as data (source: cinder 29.0.0 state table).

A `Transition` says what a row must look like for an operation to go ahead, what it looks like afterwards, and which
answer a
caller gets when the row does not match. `stores.cinder.transitions` turns one into one guarded UPDATE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

VOLUME_STATUSES = (
    "creating",
    "available",
    "deleting",
    "error",
    "error_deleting",
    "error_managing",
    "managing",
    "attaching",
    "in-use",
    "detaching",
    "maintenance",
    "restoring-backup",
    "error_restoring",
    "reserved",
    "awaiting-transfer",
    "backing-up",
    "error_backing-up",
    "error_extending",
    "downloading",
    "uploading",
    "retyping",
    "extending",
)
SNAPSHOT_STATUSES = (
    "error",
    "available",
    "creating",
    "deleting",
    "deleted",
    "updating",
    "error_deleting",
    "unmanaging",
    "backing-up",
    "restoring",
)
BACKUP_STATUSES = ("error", "error_deleting", "creating", "available", "deleting", "deleted", "restoring")
GROUP_STATUSES = ("error", "available", "creating", "deleting", "deleted", "updating", "in-use", "error_deleting")
#: Also the states an operator may write on a group (as recorded).
GROUP_SNAPSHOT_STATUSES = ("error", "available", "creating", "deleting", "deleted", "updating", "error_deleting")
MIGRATION_STATUSES = ("migrating", "error", "success", "completing", "none", "starting")
ATTACH_STATUSES = ("attached", "attaching", "detached", "error_attaching", "error_detaching", "reserved", "deleted")

#: migration_status values under which a volume counts as not migrating.
SETTLED_MIGRATION = (None, "deleting", "error", "success")

#: Statuses which the volume view shows under another word.
SHOWN_STATUS = {"error_managing": "error", "error_managing_deleting": "deleting", "managing": "creating"}

#: Statuses whose owner is found in `workers` and cleaned up after a crash.
CLEANABLE = {"Volume": ("creating", "deleting", "uploading", "downloading"), "Snapshot": ("creating",)}

#: os-update_snapshot_status: current status -> statuses that may be written.
SNAPSHOT_STATUS_UPDATES = {
    "creating": ("creating", "available", "error"),
    "deleting": ("deleting", "error_deleting"),
}


@dataclass(frozen=True)
class Transition:
    """One guarded change of a row.

    expected: column -> values of which one must stand in the row (None matches NULL).
    forbidden: column -> value which must not stand in the row (NULL passes).
    values: column -> new value; what depends on the row or on the request is given by the caller.
    on_mismatch: (HTTP code, fault class) or None where a mismatch is silently accepted.
    """

    name: str
    table: str
    expected: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    forbidden: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    on_mismatch: tuple[int, str] | None = (400, "InvalidVolume")

    def without(self, *columns: str) -> Transition:
        """The same transition with fewer guards (a forced operation)."""
        kept = {column: values for column, values in self.expected.items() if column not in columns}
        return Transition(self.name, self.table, kept, self.forbidden, self.values, self.on_mismatch)

    def from_seen(self, row: Mapping[str, Any], column: str = "status") -> Transition:
        """The same transition for the value that was read alone, so that it may be kept as the previous one."""
        seen = tuple(value for value in self.expected[column] if value == row[column])
        expected = {**self.expected, column: seen}
        return Transition(self.name, self.table, expected, self.forbidden, self.values, self.on_mismatch)


def _volume(name: str, expected: Mapping[str, tuple], values: Mapping[str, Any], **more: Any) -> Transition:
    return Transition(name, "volumes", expected, values=values, **more)


def _snapshot(
    name: str, expected: Mapping[str, tuple], values: Mapping[str, Any], code: int | None = 400
) -> Transition:
    answer = (code, "InvalidSnapshot") if code else None
    return Transition(name, "snapshots", expected, values=values, on_mismatch=answer)


def _other(
    table: str, fault: str, name: str, expected: Mapping[str, tuple], values: Mapping[str, Any], code: int | None = 400
) -> Transition:
    return Transition(name, table, expected, values=values, on_mismatch=(code, fault) if code else None)


_UNGROUPED = {"cgsnapshot_id": (None,), "group_snapshot_id": (None,)}

_ROWS = (
    _volume(
        "delete",
        {
            "status": ("available", "error", "error_restoring", "error_extending", "error_managing"),
            "migration_status": SETTLED_MIGRATION,
            "consistencygroup_id": (None,),
            "group_id": (None,),
        },
        {"status": "deleting"},
        forbidden={"attach_status": "attached"},
    ),
    _snapshot("cascade snapshot", {**_UNGROUPED, "status": ("available", "error", "deleting")}, {"status": "deleting"}),
    _snapshot("delete snapshot", {**_UNGROUPED, "status": ("available", "error")}, {"status": "deleting"}),
    _volume("reserve", {"multiattach": (False,), "status": ("available",)}, {"status": "attaching"}),
    _volume(
        "reserve multiattach", {"multiattach": (True,), "status": ("available", "in-use")}, {"status": "attaching"}
    ),
    _volume("unreserve", {"status": ("attaching",)}, {}, on_mismatch=None),
    _volume(
        "begin detaching",
        {"status": ("in-use",), "attach_status": ("attached",), "migration_status": SETTLED_MIGRATION},
        {"status": "detaching"},
    ),
    _volume("roll detaching", {"status": ("detaching",)}, {"status": "in-use"}, on_mismatch=None),
    _volume(
        "attachment create",
        {"multiattach": (False,), "status": ("available", "downloading")},
        {"status": "reserved"},
    ),
    _volume(
        "attachment create multiattach",
        {"multiattach": (True,), "status": ("available", "in-use", "downloading")},
        {"status": "reserved"},
    ),
    _volume("extend", {"status": ("available",)}, {"status": "extending"}),
    _volume("extend attached", {"status": ("in-use",)}, {"status": "extending"}),
    _volume("extend rollback", {"status": ("extending",)}, {}, on_mismatch=None),
    _volume("revert", {"status": ("available",)}, {"status": "reverting"}, on_mismatch=(409, "InvalidVolume")),
    _snapshot("revert snapshot", {"status": ("available",)}, {"status": "restoring"}, 409),
    _volume("revert done", {"status": ("reverting",)}, {"status": "available"}, on_mismatch=None),
    _volume("revert failed", {"status": ("reverting",)}, {"status": "error"}, on_mismatch=None),
    _snapshot("revert snapshot done", {"status": ("restoring",)}, {"status": "available"}, None),
    _volume("export failed", {"status": ("in-use",)}, {"status": "error"}, on_mismatch=None),
    _volume("upload", {"status": ("available",)}, {"status": "uploading"}),
    _volume("upload forced", {"status": ("available", "in-use")}, {"status": "uploading"}),
    _volume("upload undone", {"status": ("uploading",)}, {"previous_status": None}, on_mismatch=None),
    _volume(
        "retype",
        {
            "status": ("available", "in-use"),
            "migration_status": SETTLED_MIGRATION,
            "consistencygroup_id": (None, ""),
            "group_id": (None, ""),
        },
        {"status": "retyping"},
    ),
    _volume("retype undone", {"status": ("retyping",)}, {"previous_status": None}, on_mismatch=None),
    _volume(
        "migrate",
        {
            "status": ("available", "in-use"),
            "migration_status": SETTLED_MIGRATION,
            "replication_status": (None, "disabled", "not-capable"),
            "consistencygroup_id": (None, ""),
            "group_id": (None, ""),
        },
        {"migration_status": "starting"},
    ),
    _volume("migrate undone", {"migration_status": ("starting",)}, {"migration_status": "error"}, on_mismatch=None),
    _volume("reimage", {"status": ("available", "error")}, {"status": "downloading"}),
    _volume("reimage reserved", {"status": ("available", "error", "reserved")}, {"status": "downloading"}),
    _volume("reimage undone", {"status": ("downloading",)}, {"previous_status": None}, on_mismatch=None),
    _volume("transfer create", {"status": ("available",)}, {"status": "awaiting-transfer"}),
    _volume("transfer delete", {"status": ("awaiting-transfer",)}, {"status": "available"}, on_mismatch=None),
    _volume("transfer accept", {"status": ("awaiting-transfer",)}, {"status": "available"}),
    _snapshot("transfer accept snapshot", {"status": ("available",)}, {}),
    _volume("backup", {"status": ("available",)}, {"status": "backing-up"}),
    _volume("backup forced", {"status": ("available", "in-use")}, {"status": "backing-up"}),
    _snapshot("backup snapshot", {"status": ("available",)}, {"status": "backing-up"}),
    _volume("backup undone", {"status": ("backing-up",)}, {}, on_mismatch=None),
    _snapshot("backup snapshot undone", {"status": ("backing-up",)}, {"status": "available"}, None),
    _other("backups", "InvalidBackup", "backup delete", {"status": ("available", "error")}, {"status": "deleting"}),
    _other("backups", "InvalidBackup", "backup restore", {"status": ("available",)}, {"status": "restoring"}),
    _volume("restore", {"status": ("available",)}, {"status": "restoring-backup"}),
    _other("groups", "InvalidGroup", "group delete", {"status": ("available", "error")}, {"status": "deleting"}),
    _other("groups", "InvalidGroup", "group update", {"status": ("available",)}, {"status": "updating"}),
    _other(
        "group_snapshots",
        "InvalidGroupSnapshot",
        "group snapshot delete",
        {"status": ("available", "error")},
        {"status": "deleting"},
    ),
)

_NOVA_ROWS = tuple(
    _snapshot(f"nova {old} -> {new}", {"status": (old,)}, {"status": new})
    for old, allowed in SNAPSHOT_STATUS_UPDATES.items()
    for new in allowed
)

TRANSITIONS: dict[str, Transition] = {row.name: row for row in (*_ROWS, *_NOVA_ROWS)}

#: States a source must have for a new volume (read checks, no change of the source).
SOURCE_STATES = {
    "snapshot": ("available",),
    "volume": ("available", "in-use"),
    "backup": ("available",),
    "group": ("available", "creating"),
}


def snapshot_refusal(volume: Mapping[str, Any], attached_too: bool) -> str | None:
    """Why no snapshot can be taken of this volume, or None.

    `attached_too`: the caller forces it or asks at 3.66 and above, where an in-use volume is accepted as well.
    """
    if not volume["host"]:
        return "volume has no host yet"
    if volume["status"] == "maintenance":
        return "snapshots are refused while the volume is in maintenance"
    if volume["migration_status"] not in SETTLED_MIGRATION:
        return "snapshots are refused while the volume is migrating"
    if "error" in volume["status"]:
        return f"volume is in status {volume['status']}"
    allowed = ("available", "in-use") if attached_too else ("available",)
    if volume["status"] not in allowed:
        return f"volume must be {' or '.join(allowed)} but is {volume['status']}"
    return None
