"""Metadata of snapshots (source: cinder 29.0.0 metadata operations)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, lookup
from keel_api.volume.answers import bare
from keel_common.db.stores.cinder import metadata

_READ = "volume:get_snapshot_metadata"
_WRITE = "volume:update_snapshot_metadata"


@handles("GET /snapshots/{snapshot_id}/metadata")
def index(req: Request) -> dict[str, Any]:
    """Every pair."""
    return {"metadata": req.services.db.read(_snapshot, req, _READ)["metadata"]}


@handles("GET /snapshots/{snapshot_id}/metadata/{id}")
def show(req: Request) -> dict[str, Any]:
    """One pair; 404 without it."""
    row = req.services.db.read(_snapshot, req, _READ)
    key = req.path["id"]
    if key not in row["metadata"]:
        raise faults.metadata_missing(row["id"], key, "Snapshot")
    return {"meta": {key: row["metadata"][key]}}


@handles("POST /snapshots/{snapshot_id}/metadata")
def create(req: Request) -> dict[str, Any]:
    """Add pairs, keep the others."""
    return {"metadata": req.services.db.run(_write, req, req.body["metadata"], False)}


@handles("PUT /snapshots/{snapshot_id}/metadata")
def update_all(req: Request) -> dict[str, Any]:
    """These pairs and no others."""
    return {"metadata": req.services.db.run(_write, req, req.body["metadata"], True)}


@handles("PUT /snapshots/{snapshot_id}/metadata/{id}")
def update(req: Request) -> dict[str, Any]:
    """One pair; the key of the body has to be the one of the path."""
    pair = req.body["meta"]
    if req.path["id"] not in pair:
        raise Fault(400, "Request body and URI mismatch")
    req.services.db.run(_write, req, pair, False)
    return {"meta": pair}


@handles("DELETE /snapshots/{snapshot_id}/metadata/{id}")
def delete(req: Request) -> Response:
    """Take one pair away; 404 without it."""

    def work(conn: Any) -> None:
        row = _snapshot(conn, req, _READ)
        req.must("volume:delete_snapshot_metadata", lookup.target(row))
        if not metadata.remove(conn, metadata.SNAPSHOT, row["id"], req.path["id"]):
            raise faults.metadata_missing(row["id"], req.path["id"], "Snapshot")

    req.services.db.run(work)
    return bare()


def _snapshot(conn: Any, req: Request, rule: str) -> dict[str, Any]:
    row = lookup.snapshot(conn, req, req.path["snapshot_id"])
    req.must(rule, lookup.target(row))
    return row


def _write(conn: Any, req: Request, pairs: dict[str, str], replace: bool) -> dict[str, str | None]:
    row = _snapshot(conn, req, _WRITE)
    return metadata.merge(conn, metadata.SNAPSHOT, row["id"], pairs, replace=replace)
