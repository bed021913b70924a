"""Volumes of a server that is shelved and off its host: the API keeps record itself (nova 34.0.0 flows 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from keel_api.compute.attachments.volume import leaving
from keel_api.compute.server_actions import begin
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell
from keel_common.db.stores.nova import actions, bdms
from keel_common.domain.server.block_devices import truth


def check(found: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """400 for what only a host can do: device tags, volumes of several servers."""
    if found.get("multiattach"):
        raise Fault(400, "Attaching multiattach volumes is not supported for shelved-offloaded instances.")
    if asked.get("tag"):
        raise Fault(400, "Attaching volumes with device tags is not supported for shelved-offloaded instances.")


def attach(
    req: Request, server: Mapping[str, Any], cell: Cell, found: Mapping[str, Any], asked: Mapping[str, Any]
) -> str | None:
    """Reserve the volume and write it down for the day the server comes back; the device name asked for."""
    cinder = req.services.clients.cinder
    with _event(req, server, cell, "attach_volume"):
        try:
            attachment = cinder.create_attachment(req.context, found["id"], server["uuid"])
        except (errors.BadRequest, errors.Conflict) as refused:
            raise Fault(400, f"Invalid volume: {refused.message}") from None
        row = {
            "instance_uuid": server["uuid"],
            "source_type": "volume",
            "destination_type": "volume",
            "volume_id": found["id"],
            "volume_size": found["size"],
            "device_name": asked.get("device"),
            "attachment_id": attachment["id"],
            "delete_on_termination": truth(asked.get("delete_on_termination") or False),
        }
        try:
            cell.db.run(bdms.create, row)
        except Exception:
            cinder.delete_attachment(req.context, attachment["id"])
            raise
    return asked.get("device")


def detach(req: Request, server: Mapping[str, Any], cell: Cell, row: Mapping[str, Any]) -> None:
    """Give the volume back and forget it."""
    with leaving(req, row["volume_id"]), _event(req, server, cell, "detach_volume"):
        if row["attachment_id"]:
            req.services.clients.cinder.delete_attachment(req.context, row["attachment_id"])
        cell.db.run(bdms.destroy, row["id"])


@contextmanager
def _event(req: Request, server: Mapping[str, Any], cell: Cell, action: str) -> Iterator[None]:
    """The action with the one event of the API."""
    uuid, request_id, event = server["uuid"], req.context.request_id, f"api_{action}"
    begin.record(req, server, cell, action)
    cell.db.run(actions.start_event, uuid, request_id, event, req.services.conf.host)
    try:
        yield
    except Exception as error:
        cell.db.run(actions.finish_event, uuid, request_id, event, str(error))
        raise
    cell.db.run(actions.finish_event, uuid, request_id, event)
