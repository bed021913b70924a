"""Attachments: reserve, connect, complete, disconnect (3.27; complete 3.44; mode 3.54). Source: cinder 29.0.0."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import View
from keel_api.volume import faults, lists, lookup, rpc
from keel_api.volume.attachments import safety, views
from keel_common.db.stores.cinder import attachments, metadata, transitions, types, volumes
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume import attachments as rules
from keel_common.domain.volume.lists import ATTACHMENTS
from keel_common.domain.volume.states import TRANSITIONS
from keel_contract.errors import BusError, RemoteFault

Row = dict[str, Any]


@handles("GET /attachments")
def index(req: Request) -> dict[str, Any]:
    """Id, state, server and volume of each."""
    return _list(req, views.SUMMARY)


@handles("GET /attachments/detail")
def detail(req: Request) -> dict[str, Any]:
    """Every field of each."""
    return _list(req, views.DETAIL)


@handles("GET /attachments/{id}")
def show(req: Request) -> dict[str, Any]:
    """One attachment; connection_info tells the format of the content when it is known."""

    def work(conn: Any) -> Row:
        row = _attachment(conn, req)
        admin = metadata.read(conn, metadata.ADMIN, [row["volume_id"]])[row["volume_id"]]
        if admin.get("format"):
            row["connection_info"] = {**(row["connection_info"] or {}), "format": admin["format"]}
        return row

    return _shown(req, req.services.db.read(work))


@handles("POST /attachments")
def create(req: Request) -> dict[str, Any]:
    """Reserve a volume for a server; with a connector connect it as well. Answers the attachment as reserved."""
    asked = req.body["attachment"]
    mode = asked.get("mode") if req.at_least(3, 54) else None
    volume, type_row, row = req.services.db.run(_reserve, req, asked["volume_uuid"], asked.get("instance_uuid"), mode)
    if asked.get("connector"):
        try:
            row["connection_info"] = _connect(req, volume, type_row, row, asked["connector"])
        except RemoteFault as error:
            if error.class_name in ("InvalidVolume", "NotAuthorized"):
                raise faults.of_peer(error) from None
            raise Fault(500, f"Unable to create attachment for volume ({error.message}).") from None
        except BusError as error:
            raise Fault(500, f"Unable to create attachment for volume ({error}).") from None
    return _shown(req, row)


@handles("PUT /attachments/{id}")
def update(req: Request) -> dict[str, Any]:
    """Connect a reserved attachment. May be repeated; answers the state from before the call (as recorded)."""
    connector = req.body["attachment"]["connector"]
    row = req.services.db.read(_attachment, req)
    req.must("volume:attachment_update", lookup.target(row))
    if "host" not in connector:
        # cinder 29.0.0 answers 500 here; the fault is the request's.
        raise Fault(400, "Unable to update the attachment: the connector names no host.")
    volume, type_row = req.services.db.read(_updatable, req, row)
    try:
        info = _connect(req, volume, type_row, row, connector)
    except RemoteFault as error:
        fault = faults.of_peer(error)
        if fault.code in (400, 403, 404, 409) or error.class_name.startswith("Invalid"):
            raise fault from None
        raise Fault(500, f"Unable to update the attachment ({error.message}).") from None
    except BusError as error:
        raise Fault(500, f"Unable to update the attachment ({error}).") from None
    return _shown(req, {**row, "connection_info": info})


@handles("POST /attachments/{id}/action #os-complete")
def complete(req: Request) -> Response:
    """The server uses the volume now: attached, in-use. 204."""

    def work(conn: Any) -> None:
        row = _attachment(conn, req)
        req.must("volume:attachment_complete", lookup.target(row))
        attachments.mark_attached(conn, row["volume_id"], row["id"])

    req.services.db.run(work)
    return Response()


@handles("DELETE /attachments/{id}")
def delete(req: Request) -> dict[str, Any]:
    """Disconnect and forget an attachment; answers the others of the volume."""
    row, volume, type_row = req.services.db.read(_with_volume, req)
    req.must("volume:attachment_delete", lookup.target(row))
    safety.check(req, volume, volume["attachments"], row["id"])
    if row["attach_status"] != "reserved" and volume["host"]:
        try:
            rpc.attachment_delete(req, volume, type_row, row["id"])
        except RemoteFault as error:
            raise faults.of_peer(error) from None
    left = req.services.db.run(_forget, row)
    return {"attachments": views.SUMMARY.render(req.version, (), left, req)}


def _list(req: Request, view: View) -> dict[str, Any]:
    page, filters = lists.paging(req, ATTACHMENTS), lists.filters(req, ATTACHMENTS)
    everything = req.context.is_admin and "all_tenants" in req.query
    project = None if everything else req.context.project_id or lookup.scope(req)
    try:
        rows = req.services.db.read(attachments.find, filters, page, project)
    except MarkerGone as gone:
        raise _missing(gone.marker) from None
    return {"attachments": view.render(req.version, (), rows, req)}


def _shown(req: Request, row: Row) -> dict[str, Any]:
    return {"attachment": views.DETAIL.one(req.version, (), row, req)}


def _missing(attachment_id: str) -> Fault:
    return Fault(404, f"Volume attachment could not be found with filter: attachment_id = {attachment_id}.")


def _attachment(conn: Any, req: Request) -> Row:
    row = attachments.get(conn, req.path["id"], lookup.scope(req))
    if row is None:
        raise _missing(req.path["id"])
    return row


def _with_volume(conn: Any, req: Request) -> tuple[Row, Row, Row | None]:
    row = _attachment(conn, req)
    volume = volumes.show(conn, row["volume_id"])
    if volume is None:
        raise faults.not_found("Volume", row["volume_id"])
    return row, volume, types.get(conn, volume["volume_type_id"])


def _reserve(
    conn: Any, req: Request, volume_id: str, instance: str | None, mode: str | None
) -> tuple[Row, Row | None, Row]:
    """Reserve the volume and write the attachment, or refuse."""
    volume = lookup.volume(conn, req, volume_id, full=True)
    req.must("volume:attachment_create", lookup.target(volume))
    if "error" in volume["status"]:
        raise faults.invalid_volume(f"no attachment for a volume in status {volume['status']}")
    if volume["multiattach"] and volume["status"] == "in-use" and volume["bootable"]:
        req.must("volume:multiattach_bootable_volume", lookup.target(volume))
    transition = TRANSITIONS["attachment create multiattach" if volume["multiattach"] else "attachment create"]
    if transitions.apply(conn, transition, volume_id):
        volume["status"] = "reserved"
    elif not _again(volume, instance):
        wanted = " or ".join(transition.expected["status"])
        raise faults.refused_transition(transition, f"to be attached it must be {wanted} but it is {volume['status']}")
    values: Row = {
        "attach_status": "reserved",
        "instance_uuid": instance,
        "attach_mode": rules.mode_of_new_attachment(mode, volume["admin_metadata"].get("readonly")),
        "connection_info": {},
    }
    row = attachments.create(conn, volume_id, values)
    volume["attachments"] = [*volume["attachments"], row]
    return volume, types.get(conn, volume["volume_type_id"]), row


def _again(volume: Row, instance: str | None) -> bool:
    """Whether the same server asks again while it holds the volume (a move to another host does)."""
    if instance is None or volume["status"] not in ("in-use", "reserved"):
        return False
    return any(row["instance_uuid"] == instance for row in volume["attachments"])


def _updatable(conn: Any, req: Request, row: Row) -> tuple[Row, Row | None]:
    """Volume and type of an attachment that may be connected, or 409."""
    volume = volumes.show(conn, row["volume_id"])
    if volume is None:
        raise faults.not_found("Volume", row["volume_id"])
    if "error" in volume["status"]:
        raise Fault(409, f"Resource conflict: volume {volume['id']} is in status {volume['status']}")
    others = volume["attachments"]
    if not volume["multiattach"] and len(others) > 1 and any(one["connection_info"] for one in others):
        raise Fault(409, f"Resource conflict: volume {volume['id']} is connected by another attachment")
    if not volume["host"]:
        raise faults.invalid_volume("it lies on no backend yet")
    return volume, types.get(conn, volume["volume_type_id"])


def _connect(req: Request, volume: Row, type_row: Row | None, row: Row, connector: dict[str, Any]) -> dict[str, Any]:
    """Have the backend export the volume and keep what it answers."""
    info = rpc.attachment_update(req, volume, type_row, connector, row["id"])
    req.services.db.run(attachments.change, row["id"], {"connection_info": info})
    return info


def _forget(conn: Any, row: Row) -> list[Row]:
    volume = volumes.lock(conn, row["volume_id"])
    if volume is None:
        return []
    return attachments.finish_detach(conn, volume, row["id"])
