"""Enumerations of the objects. The names and the order of the values are part of the fingerprints."""

from __future__ import annotations

from keel_contract.fields import enum

BackupStatusField = enum(
    "BackupStatus", ("error", "error_deleting", "creating", "available", "deleting", "deleted", "restoring")
)
ConsistencyGroupStatusField = enum(
    "ConsistencyGroupStatus", ("error", "available", "creating", "deleting", "deleted", "updating", "error_deleting")
)
GroupStatusField = enum(
    "GroupStatus", ("error", "available", "creating", "deleting", "deleted", "updating", "in-use", "error_deleting")
)
QoSConsumerValuesField = enum("QoSConsumerValues", ("back-end", "front-end", "both"))
ReplicationStatusField = enum(
    "ReplicationStatus",
    (
        "error",
        "enabled",
        "disabled",
        "not-capable",
        "failover-error",
        "failing-over",
        "failed-over",
        "enabling",
        "disabling",
    ),
)
SnapshotStatusField = enum(
    "SnapshotStatus",
    (
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
    ),
)
VolumeAttachStatusField = enum(
    "VolumeAttachStatus",
    ("attached", "attaching", "detached", "error_attaching", "error_detaching", "reserved", "deleted"),
)
