"""User messages: numbers on the wire and in the database, words for people (numbers: cinder 29.0.0)."""

from __future__ import annotations

ACTIONS = {
    "SCHEDULE_ALLOCATE_VOLUME": ("001", "schedule allocate volume"),
    "ATTACH_VOLUME": ("002", "attach volume"),
    "COPY_VOLUME_TO_IMAGE": ("003", "copy volume to image"),
    "UPDATE_ATTACHMENT": ("004", "update attachment"),
    "COPY_IMAGE_TO_VOLUME": ("005", "copy image to volume"),
    "UNMANAGE_VOLUME": ("006", "unmanage volume"),
    "EXTEND_VOLUME": ("007", "extend volume"),
    "CREATE_VOLUME_FROM_BACKEND": ("008", "create volume from backend storage"),
    "SNAPSHOT_CREATE": ("009", "create snapshot"),
    "SNAPSHOT_DELETE": ("010", "delete snapshot"),
    "SNAPSHOT_UPDATE": ("011", "update snapshot"),
    "SNAPSHOT_METADATA_UPDATE": ("012", "update snapshot metadata"),
    "BACKUP_CREATE": ("013", "create backup"),
    "BACKUP_DELETE": ("014", "delete backup"),
    "BACKUP_RESTORE": ("015", "restore backup"),
    "REIMAGE_VOLUME": ("016", "reimage volume"),
}
DETAILS = {
    "UNKNOWN_ERROR": ("001", "An unknown error occurred."),
    "DRIVER_NOT_INITIALIZED": ("002", "The storage backend is not ready."),
    "NO_BACKEND_AVAILABLE": ("003", "No backend is able to take the request."),
    "FAILED_TO_UPLOAD_VOLUME": ("004", "The volume could not be uploaded to an image."),
    "VOLUME_ATTACH_MODE_INVALID": ("005", "The attach mode does not fit a read-only volume."),
    "QUOTA_EXCEED": ("006", "Not enough quota for the operation."),
    "NOT_ENOUGH_SPACE_FOR_IMAGE": ("007", "The image does not fit into the space of the converting host."),
    "UNMANAGE_ENC_NOT_SUPPORTED": ("008", "Unmanaging an encrypted volume is not supported."),
    "NOTIFY_COMPUTE_SERVICE_FAILED": ("009", "The compute service could not be told about the new size."),
    "DRIVER_FAILED_EXTEND": ("010", "The backend failed to extend the volume."),
    "SIGNATURE_VERIFICATION_FAILED": ("011", "The signature of the image is not valid."),
    "DRIVER_FAILED_CREATE": ("012", "The backend failed to create the volume."),
    "SNAPSHOT_CREATE_ERROR": ("013", "The backend failed to create the snapshot."),
    "SNAPSHOT_UPDATE_METADATA_FAILED": ("014", "The snapshot's image metadata could not be written."),
    "SNAPSHOT_IS_BUSY": ("015", "The snapshot is in use."),
    "SNAPSHOT_DELETE_ERROR": ("016", "The backend failed to delete the snapshot."),
    "BACKUP_INVALID_STATE": ("017", "The backup is in a state that forbids the operation."),
    "BACKUP_SERVICE_DOWN": ("018", "The backup service is not running."),
    "BACKUP_CREATE_DEVICE_ERROR": ("019", "No device to back up from could be had."),
    "BACKUP_CREATE_DRIVER_ERROR": ("020", "The backup driver failed to write the backup."),
    "ATTACH_ERROR": ("021", "The volume could not be attached to the backup host."),
    "DETACH_ERROR": ("022", "The volume could not be detached from the backup host."),
    "BACKUP_CREATE_CLEANUP_ERROR": ("023", "Temporary volumes or snapshots could not be removed."),
    "BACKUP_SCHEDULE_ERROR": ("024", "No backup service is able to take the request."),
    "BACKUP_DELETE_DRIVER_ERROR": ("025", "The backup driver failed to delete the backup."),
    "BACKUP_RESTORE_ERROR": ("026", "The backup driver failed to restore the backup."),
    "VOLUME_INVALID_STATE": ("027", "The volume is in a state that forbids the operation."),
    "REIMAGE_VOLUME_FAILED": ("028", "The compute service could not take the new image."),
    "IMAGE_FORMAT_UNACCEPTABLE": ("029", "The format of the image is not accepted."),
    "INCREMENTAL_BACKUP_FORCES_FULL_BACKUP": ("030", "An incremental backup was asked, a full one was made."),
}
RESOURCES = {"volume": "VOLUME", "snapshot": "VOLUME_SNAPSHOT", "backup": "VOLUME_BACKUP"}

_ACTION_TEXT = dict(ACTIONS.values())
_DETAIL_TEXT = dict(DETAILS.values())

#: Names of exceptions that have a detail of their own.
_DETAIL_OF_EXCEPTION = {
    "DriverNotInitialized": "002",
    "NoValidBackend": "003",
    "InvalidVolumeAttachMode": "005",
    "ImageLimitExceeded": "006",
    "BackupLimitExceeded": "006",
    "SnapshotLimitExceeded": "006",
    "ImageTooBig": "007",
    "SnapshotIsBusy": "015",
}


def detail_id(detail: str | None = None, exception_name: str | None = None) -> str:
    """Number of a detail by its name, else by the exception it stands for, else that of an unknown error."""
    if detail:
        return DETAILS[detail][0]
    return _DETAIL_OF_EXCEPTION.get(exception_name or "", "001")


def event_id(resource_type: str, action_number: str, detail_number: str) -> str:
    """`VOLUME_<resource type>_<action>_<detail>`."""
    return f"VOLUME_{resource_type}_{action_number}_{detail_number}"


def user_message(action_number: str | None, detail_number: str | None) -> str:
    """`action:detail` in words, without a blank between them."""
    action = _ACTION_TEXT.get(action_number or "", "unknown action")
    return f"{action}:{_DETAIL_TEXT.get(detail_number or '', _DETAIL_TEXT['001'])}"
