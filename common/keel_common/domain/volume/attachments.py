"""How attachments decide the state of their volume (source: cinder 29.0.0 attachment state table)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

#: attach_status of the winning attachment -> status of the volume; other words stand for themselves.
_VOLUME_STATUS = {"attached": "in-use", "detached": "available"}


#: Statuses whose owner still works on the volume: what happens to attachments meanwhile leaves them alone, and the
#: owner looks at the attachments when it is done. (cinder 29.0.0 knows `uploading` here alone: a detach during an
#: extension or a deletion brings the volume back to life.)
BUSY = ("uploading", "extending", "deleting", "error_deleting", "creating", "reverting", "retyping")


def attach_status_of(remaining: Iterable[str]) -> str:
    """attach_status of a volume with these attachments: the first word in alphabetical order that is no error."""
    words = sorted(word for word in remaining if not word.startswith("error_"))
    return words[0] if words else "detached"


def volume_state_after_detach(volume: Mapping[str, Any], remaining: Iterable[str]) -> dict[str, Any]:
    """Columns to write in the volume once an attachment is gone.

    The status is left alone while something else owns it: a migration, or an upload. Something still attached always
    shows. With nothing left the volume is `detached`.
    """
    left = list(remaining)
    attach_status = attach_status_of(left)
    settled = volume["migration_status"] in ("success", "error")
    idle = not volume["migration_status"] and volume["status"] != "uploading"
    values: dict[str, Any] = {"attach_status": attach_status}
    owned = volume["status"] in BUSY and volume["status"] != "uploading"
    if (left or idle or settled) and not owned:
        values["status"] = _VOLUME_STATUS.get(attach_status, attach_status)
    return values


def needs_service_token(attachment: Mapping[str, Any] | None) -> bool:
    """Whether Nova has to be asked before this attachment may go (CVE-2023-2088): it belongs to a server and is
    connected."""
    return bool(
        attachment and attachment["instance_uuid"] and attachment["connection_info"] not in (None, "", "{}", {})
    )


def mode_of_new_attachment(asked: str | None, readonly: str | None) -> str:
    """attach_mode of a new row: any readonly mark on the volume, the text 'False' included, makes it 'ro'."""
    if readonly:
        return "ro"
    return asked or "null"
