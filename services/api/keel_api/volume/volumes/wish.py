"""What the body of POST /volumes asks for, in one shape for every microversion."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_api.volume import faults, lists

_UUID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_HINTS = "OS-SCH-HNT:scheduler_hints"


@dataclass(frozen=True)
class Wish:
    """A volume as asked for. `type`: id or name. `image`: what imageRef names. `hints`: scheduler hints or None."""

    size: int | None = None
    name: str | None = None
    description: str | None = None
    type: str | None = None
    zone: str | None = None
    snapshot_id: str | None = None
    volume_id: str | None = None
    backup_id: str | None = None
    group_id: str | None = None
    image: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, Any] | None = None


def read_wish(req: Request) -> Wish:
    """The wish of a validated body. Raises 400 for what contradicts itself."""
    asked = req.body["volume"]
    if not req.context.project_id:
        raise Fault(403, "A token of a project is needed.")
    if asked.get("multiattach") is not None and lists.boolean("multiattach", asked["multiattach"]):
        raise Fault(400, "The multiattach parameter is gone: use a volume type with multiattach enabled.")
    wish = Wish(
        size=int(asked["size"]) if asked.get("size") is not None else None,
        name=_words(asked, "name", "display_name"),
        description=_words(asked, "description", "display_description"),
        type=_type(asked.get("volume_type")),
        zone=asked.get("availability_zone"),
        snapshot_id=asked.get("snapshot_id"),
        volume_id=asked.get("source_volid"),
        backup_id=asked.get("backup_id") if req.at_least(3, 47) else None,
        group_id=(asked.get("group_id") if req.at_least(3, 13) else None) or asked.get("consistencygroup_id"),
        image=asked.get("image_id") or asked.get("imageRef") or None,
        metadata=asked.get("metadata") or {},
        hints=_hints(req.body.get(_HINTS)),
    )
    sources = (wish.snapshot_id, wish.volume_id, wish.image, wish.backup_id)
    if sum(value is not None for value in sources) > 1:
        raise faults.invalid_input("a volume has one source at most: a snapshot, a volume, an image or a backup")
    return wish


def is_uuid(text: Any) -> bool:
    """Whether a text reads as a UUID, dashes or not."""
    return isinstance(text, str) and _UUID.fullmatch(text) is not None


def _words(asked: Mapping[str, Any], key: str, older: str) -> str | None:
    value = asked[key] if key in asked else asked.get(older)
    return value.strip() if isinstance(value, str) else value


def _type(asked: Any) -> str | None:
    """The older clients send the whole type."""
    if isinstance(asked, Mapping):
        return asked.get("id") or asked.get("name")
    return asked or None


def _hints(asked: Any) -> Mapping[str, Any] | None:
    """Scheduler hints, checked here because their schema lies outside the one of the body (as recorded)."""
    if not asked:
        return None
    for key in ("same_host", "different_host"):
        value = asked.get(key)
        many = value if isinstance(value, list) else [value]
        if key in asked and (not all(is_uuid(one) for one in many) or len(set(many)) != len(many)):
            raise Fault(400, f"Invalid input for field/attribute {key}. Value: {value}. It takes server or volume ids.")
    local = asked.get("local_to_instance")
    if local is not None and not is_uuid(local):
        raise Fault(400, f"Invalid input for field/attribute local_to_instance. Value: {local}. It takes a server id.")
    if "query" in asked and not isinstance(asked["query"], str | dict):
        raise Fault(400, f"Invalid input for field/attribute query. Value: {asked['query']}.")
    return asked
