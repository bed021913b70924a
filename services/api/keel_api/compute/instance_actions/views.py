"""How actions and their events look (nova 34.0.0 response schemas)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.servers.fields import host_id_of
from keel_api.http import Field, View
from keel_api.http.times import stamp

EVENTS = "os_compute_api:os-instance-actions:events"
DETAILS = "os_compute_api:os-instance-actions:events:details"


def _moment(name: str) -> Any:
    return lambda row, _: stamp(row[name])


def _host_id(row: Any, project_id: str) -> str:
    return host_id_of(project_id, row["host"]) if row["host"] else ""


ACTION = View(
    "instance action",
    [
        Field("action", "action"),
        Field("instance_uuid", "instance_uuid"),
        Field("request_id", "request_id"),
        Field("user_id", "user_id"),
        Field("project_id", "project_id"),
        Field("start_time", _moment("start_time")),
        Field("message", "message"),
        Field("updated_at", _moment("updated_at"), since="2.58"),
    ],
)
# Rendered with the project of the action as scope.
EVENT = View(
    "instance action event",
    [
        Field("event", "event"),
        Field("start_time", _moment("start_time")),
        Field("finish_time", _moment("finish_time")),
        Field("result", "result"),
        Field("traceback", "traceback", policy=EVENTS),
        Field("hostId", _host_id, since="2.62"),
        Field("host", "host", since="2.62", policy=EVENTS),
        Field("details", "details", since="2.84", policy=DETAILS),
    ],
)
