"""Formats of the block storage schemas (cinder 29.0.0 http formats). They see values of every JSON type."""

from __future__ import annotations

import re
from typing import Any

from keel_api.http.formats import Check, Refused, _base64, _moment, _uuid

_SNAPSHOT = "error available creating deleting deleted updating error_deleting"
_VOLUME = (
    "creating available deleting error error_deleting error_managing managing attaching in-use detaching maintenance "
    "restoring-backup error_restoring reserved awaiting-transfer backing-up error_backing-up error_extending "
    "downloading uploading retyping extending"
)
_QUOTA = re.compile(r"^(volumes|snapshots|gigabytes)(_.+)?$|^(backups|backup_gigabytes|groups|per_volume_gigabytes)$")
_MAX_INT = 2**31 - 1


def _text(label: str, low: int, high: int, falsy: bool, strip: bool = True) -> Check:
    """A string of low..high characters (counted without outer spaces); ``falsy`` lets null and "" pass."""

    def check(value: Any) -> bool:
        if not value and falsy:
            return True
        if not isinstance(value, str):
            raise Refused(f"{label} must be a string.")
        length = len(value.strip() if strip else value)
        if length < low:
            raise Refused(f"Invalid input received: {label} has {length} characters, less than {low}.")
        if length > high:
            raise Refused(f"Invalid input received: {label} has {length} characters, more than {high}.")
        return True

    return check


def _one_of(label: str, words: str, falsy: bool = False) -> Check:
    allowed = frozenset(words.split())

    def check(value: Any) -> bool:
        if (not value and falsy) or (isinstance(value, str) and value.lower() in allowed):
            return True
        raise Refused(f"Invalid parameter value: '{value}' is not an acceptable {label}.")

    return check


def _int_like(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError):
        return None
    return number if str(number) == str(value) else None


def _key_size(value: Any) -> bool:
    if value is None or _int_like(value) is not None:
        return True
    raise Refused("Invalid input received: key_size must be an integer.")


def _progress(value: Any) -> bool:
    if not value:
        return True
    number = _int_like(value[:-1]) if isinstance(value, str) and value.endswith("%") else None
    if number is not None and 0 <= number <= 100:
        return True
    raise Refused("Invalid input received: progress must be an integer percentage, 0% to 100%.")


def _quota_set(value: Any) -> bool:
    for key, limit in value.items() if isinstance(value, dict) else ():
        if key in ("tenant_id", "id"):
            continue
        if not _QUOTA.match(key):
            raise Refused(f"Invalid input received: Bad key(s) in quota set: {key}")
        number = _int_like(limit)
        if number is None or not -1 <= number <= _MAX_INT:
            raise Refused(f"Quota limit of {key} must be an integer from -1 to {_MAX_INT}.")
    return True


def _quota_class_set(value: Any) -> bool:
    bad = [key for key in value if not _QUOTA.match(key)] if isinstance(value, dict) else []
    if bad:
        raise Refused(f"Invalid input received: Bad key(s) in quota class set: {', '.join(bad)}")
    return True


def _reset_body(value: Any) -> bool:
    keys = ("status", "attach_status", "migration_status")
    if isinstance(value, dict) and not any(value.get(key) for key in keys):
        raise Refused("Must specify 'status', 'attach_status' or 'migration_status' for update.")
    return True


def _az(value: Any) -> bool:
    return value is None or _text("availability_zone", 1, 255, falsy=False)(value)


CINDER: dict[str, Check] = {
    "availability_zone": _az,
    "backup_status": _one_of("backup status", "available error"),
    "base64": lambda value: isinstance(value, str) and _base64(value),
    "date-time": lambda value: not isinstance(value, str) or _moment(value),
    "description_non_mandatory_remove_white_spaces": _text("description", 0, 255, falsy=True),
    "disabled_reason": _text("disabled_reason", 1, 255, falsy=True),
    "group_snapshot_status": _one_of("group snapshot status", _SNAPSHOT),
    "group_status": _one_of("group status", _SNAPSHOT),
    "group_type": _text("group_type", 1, 255, falsy=False),
    "key_size": _key_size,
    "level": _one_of("log level", "critical error warning info debug"),
    "mysql_text": lambda value: not isinstance(value, str) or len(value.encode()) <= 65535,
    "name": _text("name", 1, 2**31, falsy=False),
    "name_non_mandatory_remove_white_spaces": _text("name", 0, 255, falsy=True),
    "name_skip_leading_trailing_spaces": _text("name", 1, 255, falsy=False),
    "progress": _progress,
    "quota_class_set": _quota_class_set,
    "quota_set": _quota_set,
    "snapshot_status": _one_of("snapshot status", _SNAPSHOT + " unmanaging backing-up restoring"),
    "uuid": _uuid,
    "validate_volume_reset_body": _reset_body,
    "volume_attach_status": _one_of("attach status", "attached detached", falsy=True),
    "volume_migration_status": _one_of(
        "migration status", "migrating error success completing none starting", falsy=True
    ),
    "volume_status": _one_of("status", _VOLUME, falsy=True),
}
