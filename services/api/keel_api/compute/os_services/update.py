"""``PUT /os-services/{id}``: enable, disable, force down; by words below 2.53, by uuid from there (nova 34.0.0)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from oslo_utils import strutils, uuidutils

from keel_api.compute.hosts import COMPUTE as BINARY
from keel_api.compute.hosts import all_services
from keel_api.compute.os_services import views
from keel_api.http import Fault, Request, handles
from keel_common.db.stores.nova import cell_mappings, migrations, services
from keel_contract.errors import BusError
from keel_contract.nova.interfaces import COMPUTE

LOG = logging.getLogger(__name__)

_RULE = "os_compute_api:os-services:update"


@handles("PUT /os-services/{id}")
def update(req: Request) -> dict:
    """Change a compute service."""
    return _by_uuid(req) if req.at_least(2, 53) else _by_word(req)


def _by_uuid(req: Request) -> dict:
    key, body = req.path["id"], req.body
    if not uuidutils.is_uuid_like(key):
        raise Fault(400, f"Invalid uuid {key}")
    req.must(_RULE, {})
    service = next((row for row in all_services(req) if row["uuid"] == key), None)
    if service is None:
        raise Fault(404, f"Service {key} could not be found.")
    if service["binary"] != BINARY:
        raise Fault(
            400,
            f"Updating a {service['binary']} service is not supported. Only nova-compute services can be updated.",
        )
    changes: dict[str, Any] = {}
    if "status" in body:
        changes["disabled"] = body["status"] == "disabled"
        changes["disabled_reason"] = body.get("disabled_reason")
    if "disabled_reason" in body and body.get("status") == "enabled":
        raise Fault(400, "Specifying 'disabled_reason' with status 'enabled' is invalid.")
    if "forced_down" in body:
        changes["forced_down"] = strutils.bool_from_string(body["forced_down"], strict=True)
    if not changes:
        raise Fault(400, "No updates were requested. Fields 'status' or 'forced_down' should be specified.")
    return {"service": views.SERVICE.one(req.version, (), _change(req, service, changes))}


_WORDS = ("enable", "disable", "disable-log-reason", "force-down")


def _by_word(req: Request) -> dict:
    req.must(_RULE, {})
    word, body = req.path["id"], req.body
    if word not in _WORDS or (word == "force-down" and not req.at_least(2, 11)):
        raise Fault(404, "Unknown action")
    answer: dict[str, Any] = {"host": body["host"], "binary": body["binary"]}
    changes = _wanted(word, body)
    if body["binary"] != BINARY:
        raise Fault(
            400, f"Updating a {body['binary']} service is not supported. Only nova-compute services can be updated."
        )
    if req.services.cells.api.read(cell_mappings.host, body["host"]) is None:
        raise Fault(404, f"Host '{body['host']}' is not mapped to any cell")
    service = next(
        (row for row in all_services(req) if row["host"] == body["host"] and row["binary"] == body["binary"]), None
    )
    if service is None:
        raise Fault(404, f"Could not find binary {body['binary']} on host {body['host']}.")
    _change(req, service, changes)
    if word == "force-down":
        return {"service": {**answer, "forced_down": changes["forced_down"]}}
    answer["status"] = "disabled" if changes["disabled"] else "enabled"
    if word == "disable-log-reason":
        answer["disabled_reason"] = changes["disabled_reason"]
    return {"service": answer}


def _wanted(word: str, body: Mapping[str, Any]) -> dict[str, Any]:
    if word == "enable":
        return {"disabled": False, "disabled_reason": None}
    if word == "disable":
        return {"disabled": True, "disabled_reason": None}
    if word == "disable-log-reason":
        if "disabled_reason" not in body:
            raise Fault(400, "Missing disabled reason field")
        return {"disabled": True, "disabled_reason": body["disabled_reason"]}
    if "forced_down" not in body:
        raise Fault(400, "Missing field forced_down")
    return {"forced_down": strutils.bool_from_string(body["forced_down"], strict=True)}


def _change(req: Request, service: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Save, then tell the host when it was switched on or off. The service as it is now."""
    db = service["cell"].db
    if changes.get("forced_down") is False and service["forced_down"]:
        evacuated = db.read(migrations.listing, {"source_compute": service["host"], "status": "done"})
        if any(move["migration_type"] == "evacuation" for move in evacuated):
            raise Fault(
                400,
                f"Unable to force up host '{service['host']}' as it was evacuated and its servers were not cleaned up: "
                "restart its compute service first.",
            )
    db.run(services.update, service["id"], changes)
    if "disabled" in changes and changes["disabled"] != bool(service["disabled"]) and service["up"]:
        _tell(req, service, enabled=not changes["disabled"])
    return next(row for row in all_services(req) if row["uuid"] == service["uuid"])


def _tell(req: Request, service: dict[str, Any], enabled: bool) -> None:
    """The host keeps its trait in Placement; when it does not answer, its own audit will (nova 34.0.0 flows)."""
    client = req.services.rpc(COMPUTE, service["cell"])
    try:
        client.send(req.context, "set_host_enabled", server=service["host"], enabled=enabled)
    except BusError as error:
        LOG.warning(
            "Host %s was not told that it is %s: %s", service["host"], "enabled" if enabled else "disabled", error
        )
