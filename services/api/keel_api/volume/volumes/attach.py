"""The older way to attach: one action per step (source: cinder 29.0.0 attach flow)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, lookup, rpc
from keel_api.volume.attachments import safety
from keel_common.db.stores.cinder import attachments, metadata, transitions, types
from keel_common.domain.volume.states import SETTLED_MIGRATION, TRANSITIONS
from keel_contract.errors import RemoteFault

_ACTION = "POST /volumes/{id}/action #"
_RULE = "volume_extension:volume_actions:"
#: Faults of the volume service that an os-attach or os-detach hands on; all others are a 500.
#: (VolumeNotFound: the volume was deleted meanwhile.)
_HANDED_ON = ("InvalidVolume", "InvalidUUID", "InvalidVolumeAttachMode", "VolumeNotFound")


@handles(_ACTION + "os-reserve")
def reserve(req: Request) -> Response:
    """Keep the volume for one attachment: available -> attaching. 202."""

    def work(conn: Any) -> None:
        row = _volume(conn, req, "reserve")
        transition = TRANSITIONS["reserve multiattach" if row["multiattach"] else "reserve"]
        if not transitions.apply(conn, transition, row["id"]):
            raise faults.refused_transition(
                transition, f"to be reserved it must be available but it is {row['status']}"
            )

    req.services.db.run(work)
    return Response()


@handles(_ACTION + "os-unreserve")
def unreserve(req: Request) -> Response:
    """Let a reserved volume go. 202, whatever its state is."""

    def work(conn: Any) -> None:
        _unreserve(conn, _volume(conn, req, "unreserve"))

    req.services.db.run(work)
    return Response()


@handles(_ACTION + "os-begin_detaching")
def begin_detaching(req: Request) -> Response:
    """in-use -> detaching. 202; a migrating volume passes as it is."""

    def work(conn: Any) -> None:
        row = _volume(conn, req, "begin_detaching")
        transition = TRANSITIONS["begin detaching"]
        if transitions.apply(conn, transition, row["id"]):
            return
        if row["migration_status"] in SETTLED_MIGRATION:
            raise faults.refused_transition(
                transition, f"to be detached it must be in-use and attached but it is {row['status']}"
            )

    req.services.db.run(work)
    return Response()


@handles(_ACTION + "os-roll_detaching")
def roll_detaching(req: Request) -> Response:
    """detaching -> in-use. 202, whatever its state is."""

    def work(conn: Any) -> None:
        row = _volume(conn, req, "roll_detaching")
        transitions.apply(conn, TRANSITIONS["roll detaching"], row["id"])

    req.services.db.run(work)
    return Response()


@handles(_ACTION + "os-attach")
def attach(req: Request) -> Response:
    """Record an attachment at a server or a host. 202; the volume service writes it."""

    def work(conn: Any) -> tuple[dict, dict | None]:
        row = _usable(conn, req, "attach")
        readonly = row["admin_metadata"].get("readonly")
        if readonly is None:
            row["admin_metadata"] = metadata.merge(conn, metadata.ADMIN, row["id"], {"readonly": "False"})
        elif readonly == "True" and req.args.get("mode", "rw") != "ro":
            raise Fault(400, f"Invalid attaching mode '{req.args.get('mode', 'rw')}' for volume {row['id']}.")
        return row, types.get(conn, row["volume_type_id"])

    row, type_row = req.services.db.run(work)
    try:
        rpc.attach_volume(req, row, type_row, req.args)
    except RemoteFault as error:
        raise _of_peer(error) from None
    return Response()


@handles(_ACTION + "os-detach")
def detach(req: Request) -> Response:
    """Take an attachment (the only one when none is named) away. 202."""
    row, type_row = req.services.db.read(_for_backend, req, "detach")
    attachment_id = (req.args or {}).get("attachment_id")
    safety.check(req, row, row["attachments"], attachment_id, named_only=True)
    try:
        rpc.detach_volume(req, row, type_row, attachment_id)
    except RemoteFault as error:
        raise _of_peer(error) from None
    return Response()


@handles(_ACTION + "os-initialize_connection")
def initialize_connection(req: Request) -> dict[str, Any]:
    """Export the volume for a connector; answers how to reach it."""
    row, type_row = req.services.db.read(_for_backend, req, "initialize_connection")
    try:
        info = rpc.initialize_connection(req, row, type_row, req.args["connector"])
    except RemoteFault as error:
        if error.class_name == "InvalidInput":
            raise faults.of_peer(error) from None
        raise Fault(500, "Unable to fetch connection information from backend.") from None
    return {"connection_info": info}


@handles(_ACTION + "os-terminate_connection")
def terminate_connection(req: Request) -> Response:
    """End the export for a connector. 202; a volume still reserved is let go."""
    row, _ = req.services.db.read(_for_backend, req, "terminate_connection", False)
    req.must(_RULE + "unreserve", lookup.target(row))
    safety.check(req, row, row["attachments"], None)
    try:
        rpc.terminate_connection(req, row, req.args["connector"])
    except RemoteFault:
        raise Fault(500, "Unable to terminate volume connection from backend.") from None
    req.services.db.run(_unreserve, row)
    return Response()


@handles(_ACTION + "os-force_detach")
def force_detach(req: Request) -> Response:
    """Terminate and detach whatever the state is (administrators). 202."""
    row, type_row = req.services.db.read(_for_backend, req, "terminate_connection", False)
    for rule in ("volume_admin_actions:force_detach", "volume_actions:unreserve", "volume_actions:detach"):
        req.must(f"volume_extension:{rule}", lookup.target(row))
    asked = req.args or {}
    try:
        if asked.get("connector"):
            rpc.terminate_connection(req, row, asked["connector"], force=True)
            req.services.db.run(_unreserve, row)
        rpc.detach_volume(req, row, type_row, asked.get("attachment_id"))
    except RemoteFault as error:
        raise _of_peer(error) from None
    return Response()


def _volume(conn: Any, req: Request, action: str) -> dict[str, Any]:
    row = lookup.volume(conn, req, req.path["id"], full=True)
    req.must(_RULE + action, lookup.target(row))
    return row


def _usable(conn: Any, req: Request, action: str, settled: bool = True) -> dict[str, Any]:
    """A volume a backend can be asked about; `settled`: not in maintenance."""
    row = _volume(conn, req, action)
    if settled and row["status"] == "maintenance":
        raise faults.invalid_volume("a volume in maintenance cannot be attached or detached")
    if not row["host"]:
        raise faults.invalid_volume("it lies on no backend yet")
    return row


def _for_backend(conn: Any, req: Request, action: str, settled: bool = True) -> tuple[dict, dict | None]:
    row = _usable(conn, req, action, settled)
    return row, types.get(conn, row["volume_type_id"])


def _unreserve(conn: Any, row: dict[str, Any]) -> None:
    status = "in-use" if attachments.of_volume(conn, row["id"]) else "available"
    transitions.apply(conn, TRANSITIONS["unreserve"], row["id"], {"status": status})


def _of_peer(error: RemoteFault) -> Fault:
    return faults.of_peer(error) if error.class_name in _HANDED_ON else Fault(500)
