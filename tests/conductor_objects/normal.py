"""Answers of two conductors made comparable: times of today, new ids and the places of databases get one name each.
Standard library alone."""

import datetime
import json
import re
from typing import Any

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?")
_HASH = re.compile(r"[0-9a-f]{64}")
_UNORDERED = {"nova_object.changes", "obj_what_changed"}
_NO_ORDER = {"TagList": "tag", "MigrationList": "id"}
_NEAR = 3  # days


class Normal:
    """:param known: uuids that are part of the seed or of a call; others were made up by the conductor
    :param places: texts such as a folder -> name
    """

    def __init__(self, known: set[str], places: dict[str, str]) -> None:
        self._known = known
        self._places = places
        self._today = datetime.datetime.now(datetime.UTC).date()

    def value(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            if value.get("nova_object.name") in _NO_ORDER:
                value = _sorted(value)
            return {name: self.value(value[name], name) for name in sorted(value, key=str)}
        if isinstance(value, (list, tuple)):
            found = [self.value(one) for one in value]
            return sorted(found, key=str) if key in _UNORDERED else found
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int) and key == "expires" and abs(value - self._epoch()) < _NEAR * 86400:
            return "<now>"
        return value

    def _epoch(self) -> float:
        return datetime.datetime.now(datetime.UTC).timestamp()

    def _text(self, text: str) -> Any:
        for place, name in self._places.items():
            text = text.replace(place, name)
        if text[:1] in "{[":
            try:
                return {"<json>": self.value(json.loads(text))}
            except ValueError:
                pass
        text = _UUID.sub(lambda found: found[0] if found[0] in self._known else "<uuid>", text)
        text = _TIME.sub(self._time, text)
        return "<hash>" if _HASH.fullmatch(text) else text

    def _time(self, found: re.Match) -> str:
        day = datetime.date(int(found[1]), int(found[2]), int(found[3]))
        return "<now>" if abs((day - self._today).days) < _NEAR else found[0]


def _sorted(primitive: dict) -> dict:
    """A list object in the order of its key, where a real conductor leaves the order to the database."""
    key, data = _NO_ORDER[primitive["nova_object.name"]], primitive["nova_object.data"]
    found = sorted(data.get("objects", []), key=lambda one: one["nova_object.data"][key])
    return {**primitive, "nova_object.data": {**data, "objects": found}}


def uuids(value: Any) -> set[str]:
    """Every uuid in a nesting of values."""
    return set(_UUID.findall(json.dumps(value)))
