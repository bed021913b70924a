"""Encryption of volume types. It is kept and shown; volumes of such types cannot be made yet (no key manager)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import lookup
from keel_api.volume.answers import bare
from keel_api.volume.times import moment
from keel_common.db.stores.cinder import encryptions, types

_RULE = "volume_extension:volume_type_encryption:"
_KEYS = ("provider", "cipher", "key_size", "control_location")


@handles("GET /types/{type_id}/encryption")
def index(req: Request) -> dict[str, Any]:
    """The whole row, or {}."""
    req.must(_RULE + "get")
    row = req.services.db.read(_get, req)
    if row is None:
        return {}
    times = {key: moment(row[key]) for key in ("created_at", "updated_at", "deleted_at")}
    return {**row, **times}


@handles("GET /types/{type_id}/encryption/{id}")
def show(req: Request) -> dict[str, Any]:
    """One field as `{key: value}`; 404 without it."""
    req.must(_RULE + "get")
    row = req.services.db.read(_get, req) or {}
    key = req.path["id"]
    if key not in row:
        raise Fault(404)
    return {key: row[key]}


@handles("POST /types/{type_id}/encryption")
def create(req: Request) -> dict[str, Any]:
    """Encrypt a type that no volume uses; 400 when it is encrypted."""
    req.must(_RULE + "create")

    def work(conn: Any) -> dict[str, Any]:
        row = _unused(conn, req)
        if encryptions.get(conn, row["id"]) is not None:
            raise Fault(400, f"Volume type encryption for type {row['id']} already exists.")
        return encryptions.create(conn, row["id"], _values(req))

    made = req.services.db.run(work)
    shown = {key: made[key] for key in ("volume_type_id", "encryption_id")}
    return {"encryption": {**req.body["encryption"], **shown}}


@handles("PUT /types/{type_id}/encryption/{id}")
def update(req: Request) -> dict[str, Any]:
    """Change the encryption; the id of the path is not looked at (as recorded). Answers what was asked."""
    req.must(_RULE + "update")

    def work(conn: Any) -> None:
        row = _unused(conn, req)
        if not encryptions.change(conn, row["id"], _values(req)):
            raise _missing(row["id"])

    req.services.db.run(work)
    return {"encryption": {**req.body["encryption"], **_values(req)}}


@handles("DELETE /types/{type_id}/encryption/{id}")
def delete(req: Request) -> Response:
    """Make the type plain again: 202."""
    req.must(_RULE + "delete")

    def work(conn: Any) -> None:
        row = _unused(conn, req)
        if not encryptions.delete(conn, row["id"]):
            raise _missing(row["id"])

    req.services.db.run(work)
    return bare()


@handles("GET /volumes/{volume_id}/encryption")
def of_volume(req: Request) -> dict[str, Any]:
    """How a volume is encrypted; a plain one has the id of its key alone, null."""
    return req.services.db.read(_of_volume, req)


@handles("GET /volumes/{volume_id}/encryption/{id}")
def of_volume_item(req: Request) -> Response:
    """One of these values as plain text; 404 for another name."""
    values = req.services.db.read(_of_volume, req)
    if req.path["id"] not in values:
        raise Fault(404)
    value = values[req.path["id"]]
    return bare() if value is None else Response(str(value).encode(), headers={"Content-Type": "text/plain"})


def _get(conn: Any, req: Request) -> dict[str, Any] | None:
    return encryptions.get(conn, lookup.volume_type(conn, req, req.path["type_id"])["id"])


def _of_volume(conn: Any, req: Request) -> dict[str, Any]:
    row = lookup.volume(conn, req, req.path["volume_id"], None)
    req.must("volume_extension:volume_encryption_metadata", lookup.target(row))
    found = encryptions.get(conn, row["volume_type_id"])
    return {"encryption_key_id": row["encryption_key_id"], **({key: found[key] for key in _KEYS} if found else {})}


def _values(req: Request) -> dict[str, Any]:
    asked = {key: req.body["encryption"][key] for key in _KEYS if key in req.body["encryption"]}
    if asked.get("key_size") is not None:
        asked["key_size"] = int(asked["key_size"])
    return asked


def _unused(conn: Any, req: Request) -> dict[str, Any]:
    row = lookup.volume_type(conn, req, req.path["type_id"])
    if types.has_volumes(conn, row["id"]):
        raise Fault(400, "Cannot change the encryption of a volume type in use.")
    return row


def _missing(type_id: str) -> Fault:
    return Fault(404, f"Volume type encryption for type {type_id} does not exist.")
