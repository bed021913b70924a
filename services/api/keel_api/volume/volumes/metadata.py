"""Metadata of volumes (source: cinder 29.0.0 metadata operations; Etag and If-Match from 3.15)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.plain import BARE
from keel_api.http.request import Request, Response
from keel_api.volume import faults, lookup
from keel_api.volume.answers import bare
from keel_common.db.stores.cinder import metadata

_BUSY = ("maintenance", "uploading")


@handles("GET /volumes/{volume_id}/metadata")
def index(req: Request) -> Response:
    """Every pair the user set. With the Etag, from 3.15 on, goes the media type of a page (as measured)."""
    pairs = req.services.db.read(_read, req)
    headers = {"Etag": _etag(pairs), "Content-Type": BARE} if req.at_least(3, 15) else {}
    return Response({"metadata": pairs}, headers=headers)


@handles("GET /volumes/{volume_id}/metadata/{id}")
def show(req: Request) -> dict[str, Any]:
    """One pair; 404 without it."""
    pairs = req.services.db.read(_read, req)
    key = req.path["id"]
    if key not in pairs:
        raise faults.metadata_missing(req.path["volume_id"], key)
    return {"meta": {key: pairs[key]}}


@handles("POST /volumes/{volume_id}/metadata")
def create(req: Request) -> dict[str, Any]:
    """Add pairs, keep the others."""
    rules = ("volume:create_volume_metadata",)
    return {"metadata": req.services.db.run(_write, req, req.body["metadata"], False, rules)}


@handles("PUT /volumes/{volume_id}/metadata")
def update_all(req: Request) -> dict[str, Any]:
    """These pairs and no others."""
    rules = ("volume:get_volume_metadata", "volume:update_volume_metadata")
    return {"metadata": req.services.db.run(_write, req, req.body["metadata"], True, rules)}


@handles("PUT /volumes/{volume_id}/metadata/{id}")
def update(req: Request) -> dict[str, Any]:
    """One pair; the key of the body has to be the one of the path."""
    pair = req.body["meta"]
    if req.path["id"] not in pair:
        raise Fault(400, "Request body and URI mismatch")
    rules = ("volume:get_volume_metadata", "volume:update_volume_metadata")
    req.services.db.run(_write, req, pair, False, rules)
    return {"meta": pair}


@handles("DELETE /volumes/{volume_id}/metadata/{id}")
def delete(req: Request) -> Response:
    """Take one pair away; 404 without it."""

    def work(conn: Any) -> None:
        rules = ("volume:get_volume_metadata", "volume:delete_volume_metadata")
        row = _changeable(conn, req, rules)
        if not metadata.remove(conn, metadata.USER, row["id"], req.path["id"]):
            raise faults.metadata_missing(row["id"], req.path["id"])

    req.services.db.run(work)
    return bare()


def _read(conn: Any, req: Request) -> dict[str, str | None]:
    row = lookup.volume(conn, req, req.path["volume_id"])
    req.must("volume:get_volume_metadata", lookup.target(row))
    return metadata.read(conn, metadata.USER, [row["id"]])[row["id"]]


def _changeable(conn: Any, req: Request, rules: tuple[str, ...]) -> dict[str, Any]:
    row = lookup.volume(conn, req, req.path["volume_id"])
    for rule in rules:
        req.must(rule, lookup.target(row))
    if row["status"] in _BUSY:
        raise faults.invalid_volume(f"metadata of a volume in status {row['status']} cannot be changed")
    return row


def _write(
    conn: Any, req: Request, pairs: dict[str, str], replace: bool, rules: tuple[str, ...]
) -> dict[str, str | None]:
    row = _changeable(conn, req, rules)
    wanted = req.headers.get("If-Match")
    if wanted and req.at_least(3, 15) and "volume:update_volume_metadata" in rules:
        have = metadata.read(conn, metadata.USER, [row["id"]])[row["id"]]
        if wanted.strip('"') != _etag(have):
            raise Fault(412)
    return metadata.merge(conn, metadata.USER, row["id"], pairs, replace=replace)


def _etag(pairs: dict[str, str | None]) -> str:
    """md5 of the JSON body, keys in order."""
    text = json.dumps({"metadata": dict(sorted(pairs.items()))})
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
