"""The messages the volume API sends to processes as such (source: cinder 29.0.0 rpc_client)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.http.request import Request
from keel_contract.cinder import objects
from keel_contract.cinder.interfaces import BACKUP, SCHEDULER, VOLUME

Row = Mapping[str, Any]
_INTERFACES = {"cinder-volume": VOLUME, "cinder-scheduler": SCHEDULER, "cinder-backup": BACKUP}
_CLEANUP = (
    "service_id",
    "cluster_name",
    "host",
    "binary",
    "is_up",
    "disabled",
    "resource_id",
    "resource_type",
    "until",
)


def work_cleanup(req: Request, asked: Row) -> tuple[list[Any], list[Any]]:
    """Call: tell services to clean up; Service objects of those told and of those that are down."""
    request = objects.CleanupRequest(**{name: asked.get(name) for name in _CLEANUP})
    found = req.services.rpc(SCHEDULER).send(req.context, "work_cleanup", cleanup_request=request)
    return found[0], found[1]


def freeze(req: Request, queue: str) -> None:
    """Call: the backend takes no more changes."""
    req.services.rpc(VOLUME).send(req.context, "freeze_host", server=queue)


def thaw(req: Request, queue: str) -> bool:
    """Call: the backend takes changes again."""
    return req.services.rpc(VOLUME).send(req.context, "thaw_host", server=queue)


def failover(req: Request, queue: str, backend_id: str | None) -> None:
    """Cast: go over to a replica."""
    req.services.rpc(VOLUME).send(req.context, "failover", server=queue, secondary_backend_id=backend_id)


def get_log_levels(req: Request, service: Row, prefix: str | None) -> list[Any]:
    """Call: LogLevel objects of a process."""
    request = objects.LogLevel(prefix=prefix)
    found = _client(req, service).send(req.context, "get_log_levels", server=_server(service), log_request=request)
    return list(found.objects)


def set_log_levels(req: Request, service: Row, prefix: str | None, level: str) -> None:
    """Cast: change the log levels of a process."""
    request = objects.LogLevel(prefix=prefix, level=level)
    _client(req, service).send(req.context, "set_log_levels", server=_server(service), log_request=request)


def _client(req: Request, service: Row) -> Any:
    return req.services.rpc(_INTERFACES[service["binary"]])


def _server(service: Row) -> str:
    return service["host"]
