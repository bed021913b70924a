"""Key pairs: list, show, create (import or generate), delete (nova 34.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.keypairs import keys, views
from keel_api.http import Fault, Request, Response, handles
from keel_api.http.paging import Page, page, with_next
from keel_common.db.stores.nova import keypairs, quotas
from keel_common.domain.compute_quota import exceeded

_RULE = "os_compute_api:os-keypairs"


@handles("GET /os-keypairs")
def index(req: Request) -> dict:
    """The key pairs of a user, by name; in pages from 2.35."""
    user = _user_of_query(req)
    req.must(f"{_RULE}:index", {"user_id": user})
    paged = req.at_least(2, 35)
    asked = page(req, req.services.conf.api.max_limit) if paged else Page(limit=0)
    if paged and asked.limit == 0:
        return {"keypairs": []}
    rows = req.services.cells.api.read(keypairs.page, user, asked.limit if paged else None, asked.marker)
    if rows is None:
        raise Fault(400, f"Marker {asked.marker} could not be found.")
    body = {"keypairs": [{"keypair": shown} for shown in views.INDEX.render(req.version, (), rows)]}
    if not paged:
        return body
    return with_next(req, body, "keypairs", rows, asked, rows[-1]["name"] if rows else "", "os-keypairs")


@handles("GET /os-keypairs/{id}")
def show(req: Request) -> dict:
    """One key pair."""
    user = _user_of_query(req)
    req.must(f"{_RULE}:show", {"user_id": user})
    row = req.services.cells.api.read(keypairs.find, user, req.path["id"])
    if row is None:
        raise _missing(user, req.path["id"])
    return {"keypair": views.SHOW.one(req.version, (), row)}


@handles("POST /os-keypairs")
def create(req: Request) -> Response:
    """Keep a public key; without one, below 2.92, make a pair and answer its private half once."""
    wanted = req.body["keypair"]
    user = wanted.get("user_id", req.context.user_id)
    req.must(f"{_RULE}:create", {"user_id": user})
    _check_quota(req, user)
    kind, name = wanted.get("type", "ssh"), wanted["name"].strip()
    try:
        key = keys.imported(kind, wanted["public_key"]) if "public_key" in wanted else keys.generated(kind, user)
        values = {"user_id": user, "name": name, "type": kind}
        row = req.services.cells.api.run(
            keypairs.create, {**values, "public_key": key.public, "fingerprint": key.fingerprint}
        )
    except keys.Invalid as invalid:
        raise Fault(400, f"Keypair data is invalid: {invalid}") from None
    except keypairs.Exists:
        raise Fault(409, f"Key pair '{name}' already exists.") from None
    shown: dict[str, Any] = views.CREATED.one(req.version, (), row)
    if key.private is not None:
        shown["private_key"] = key.private
    return Response({"keypair": shown})


@handles("DELETE /os-keypairs/{id}")
def remove(req: Request) -> None:
    """Delete a key pair; servers keep the key they were made with."""
    user = _user_of_query(req)
    req.must(f"{_RULE}:delete", {"user_id": user})
    if not req.services.cells.api.run(keypairs.remove, user, req.path["id"]):
        raise _missing(user, req.path["id"])


def _user_of_query(req: Request) -> str:
    """From 2.10 an administrator may name another user; a repeated name counts once, the first."""
    own = req.context.user_id
    return (req.query.first("user_id") or own) if req.at_least(2, 10) else own


def _missing(user: str, name: str) -> Fault:
    return Fault(404, f"Keypair {name} not found for user {user}")


def _check_quota(req: Request, user: str) -> None:
    base = quotas.configured(req.services.conf)

    def count(conn: Any) -> tuple[dict[str, int], int]:
        return quotas.of_user(conn, base, req.context.project_id, user), quotas.count_keys(conn, user)

    limits, used = req.services.cells.api.read(count)
    if exceeded(limits, {"key_pairs": used}, {"key_pairs": 1}):
        raise Fault(403, "Quota exceeded, too many key pairs.")
