"""Quality of service specs and which volume types use them (source: cinder 29.0.0).

Associations are changed with GET, as recorded.
"""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, lists
from keel_api.volume.answers import bare
from keel_common.db.stores.cinder import qos, types
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume.lists import QOS_SPECS

Row = dict[str, Any]
_RULE = "volume_extension:qos_specs_manage:"
_CONSUMERS = ("back-end", "front-end", "both")
_LONGEST = 255


@handles("GET /qos-specs")
def index(req: Request) -> Row:
    """Every spec with its keys."""
    req.must(_RULE + "get_all")
    page, filters = lists.paging(req, QOS_SPECS), lists.filters(req, QOS_SPECS)
    try:
        rows = req.services.db.read(qos.find, filters, page)
    except MarkerGone as gone:
        raise _missing(gone.marker) from None
    return lists.answer(req, "qos_specs", rows, page, ("qos-specs",))


@handles("GET /qos-specs/{id}")
def show(req: Request) -> Row:
    """One spec; its links stand beside it (as recorded)."""
    req.must(_RULE + "get")
    return _shown(req, req.services.db.read(_spec, req))


@handles("POST /qos-specs")
def create(req: Request) -> Row:
    """A new spec. Keys of the body that are null are left out."""
    req.must(_RULE + "create")
    asked = dict(req.body["qos_specs"])
    name = (asked.pop("name") or "").strip()
    if not name:
        raise Fault(400, "An invalid 'name' value was provided.")
    specs = {key: _text(key, value) for key, value in asked.items() if value is not None}
    consumer = _consumer(specs.pop("consumer", _CONSUMERS[0]))

    def work(conn: Any) -> Row:
        if qos.name_taken(conn, name):
            raise Fault(409, f"QoS Specs {name} already exists.")
        return qos.create(conn, name, consumer, specs)

    return _shown(req, req.services.db.run(work))


@handles("PUT /qos-specs/{id}")
def update(req: Request) -> Row:
    """Write some keys; answers those that were sent."""
    req.must(_RULE + "update")
    pairs = req.body["qos_specs"]
    if "consumer" in pairs:
        _consumer(pairs["consumer"])

    def work(conn: Any) -> None:
        qos.merge(conn, _spec(conn, req)["id"], pairs)

    req.services.db.run(work)
    return {"qos_specs": pairs}


@handles("PUT /qos-specs/{id}/delete_keys")
def delete_keys(req: Request) -> Response:
    """Take keys away in their order, up to the first that is not there (404, as measured)."""
    req.must(_RULE + "delete")

    def work(conn: Any) -> str | None:
        specs_id = _spec(conn, req)["id"]
        return next((key for key in req.body["keys"] if not qos.remove_key(conn, specs_id, key)), None)

    missing = req.services.db.run(work)
    if missing is not None:
        raise Fault(404, f"QoS spec {req.path['id']} has no spec with key {missing}.")
    return bare()


@handles("DELETE /qos-specs/{id}")
def delete(req: Request) -> Response:
    """Delete a spec: 202. `force` takes it from the types that use it."""
    req.must(_RULE + "delete")
    force = lists.boolean("force", req.query.get("force", "false"))

    def work(conn: Any) -> None:
        specs_id = _spec(conn, req)["id"]
        if qos.types(conn, specs_id):
            if not force:
                raise Fault(400, "Qos specs still in use.")
            qos.disassociate(conn, specs_id)
        qos.delete(conn, specs_id)

    req.services.db.run(work)
    return bare()


@handles("GET /qos-specs/{id}/associations")
def associations(req: Request) -> Row:
    """The volume types that use a spec."""
    req.must(_RULE + "get_all")
    found = req.services.db.read(lambda conn: qos.types(conn, _spec(conn, req)["id"]))
    shown = [{"association_type": "volume_type", "name": row["name"], "id": row["id"]} for row in found]
    return {"qos_associations": shown}


@handles("GET /qos-specs/{id}/associate")
def associate(req: Request) -> Response:
    """Make a type (`vol_type_id`) use a spec: 202."""
    req.must(_RULE + "update")
    type_id = _type_id(req)

    def work(conn: Any) -> None:
        spec, row = _spec_and_type(conn, req, type_id)
        if row["qos_specs_id"] not in (None, spec["id"]):
            other = row["qos_specs_id"]
            raise Fault(
                400, f"Invalid volume type: Type {type_id} is already associated with another qos specs: {other}"
            )
        qos.associate(conn, spec["id"], type_id)

    req.services.db.run(work)
    return bare()


@handles("GET /qos-specs/{id}/disassociate")
def disassociate(req: Request) -> Response:
    """Make a type use the spec no longer: 202, even when it did not use it."""
    req.must(_RULE + "update")
    type_id = _type_id(req)

    def work(conn: Any) -> None:
        spec, _ = _spec_and_type(conn, req, type_id)
        qos.disassociate(conn, spec["id"], type_id)

    req.services.db.run(work)
    return bare()


@handles("GET /qos-specs/{id}/disassociate_all")
def disassociate_all(req: Request) -> Response:
    """Take a spec from every type: 202."""
    req.must(_RULE + "update")
    req.services.db.run(lambda conn: qos.disassociate(conn, _spec(conn, req)["id"]))
    return bare()


def _spec(conn: Any, req: Request) -> Row:
    row = qos.get(conn, req.path["id"])
    if row is None:
        raise _missing(req.path["id"])
    return row


def _spec_and_type(conn: Any, req: Request, type_id: str) -> tuple[Row, Row]:
    spec, row = _spec(conn, req), types.get(conn, type_id)
    if row is None:
        raise faults.not_found("Volume type", type_id)
    return spec, row


def _shown(req: Request, row: Row) -> Row:
    return {"qos_specs": row, "links": req.links.pair("qos-specs", row["id"])}


def _missing(specs_id: str) -> Fault:
    return Fault(404, f"No such QoS spec {specs_id}.")


def _type_id(req: Request) -> str:
    type_id = req.query.get("vol_type_id")
    if not type_id:
        raise Fault(400, "Volume Type id must not be None.")
    return type_id


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise faults.invalid_input(f'Value for key "{key}" is not a string')
    for what, text in (("Key", key), (f'Value for key "{key}"', value)):
        if len(text) > _LONGEST:
            raise faults.invalid_input(f"{what} has {len(text)} characters, more than {_LONGEST}.")
    if not key:
        raise faults.invalid_input("Key has 0 characters, it needs at least 1.")
    return value


def _consumer(value: Any) -> str:
    if value not in _CONSUMERS:
        raise Fault(400, f"Invalid qos specs: Valid consumer of QoS specs are: {', '.join(_CONSUMERS)}")
    return value
