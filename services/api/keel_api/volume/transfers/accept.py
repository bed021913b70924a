"""Take an offered volume: quota of both projects, the backend, then the rows (source: cinder 29.0.0 transfer flow)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import faults, rpc, settings
from keel_api.volume.transfers import views
from keel_common.db.stores.cinder import quotas, snapshots, transfers, types, volumes
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume import transfers as secret
from keel_contract.errors import BusError, RemoteFault

LOG = logging.getLogger(__name__)
Row = dict[str, Any]


@handles("POST /volume-transfers/{id}/accept", "POST /os-volume-transfer/{id}/accept")
def accept(req: Request) -> Row:
    """Make an offered volume the caller's own: 202. Needs the key the offer was answered with."""
    req.must("volume:accept_transfer")
    if not req.context.project_id:
        raise Fault(403, "A token of a project is needed.")
    try:
        transfer, volume, reservations, given = req.services.db.run(_reserve, req, str(req.body["accept"]["auth_key"]))
    except quota_rules.OverQuota as error:
        raise _over_quota(error) from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        rpc.accept_transfer(req, volume, bool(transfer["no_snapshots"]))
        req.services.db.run(_finish, req, transfer, volume, reservations, given)
    except RemoteFault as error:
        req.services.db.run(quotas.rollback, reservations)
        raise faults.of_peer(error) from None
    except (BusError, Fault):
        req.services.db.run(quotas.rollback, reservations)
        raise
    return {"transfer": views.render(req, views.SUMMARY, transfer)}


def _reserve(conn: Any, req: Request, auth_key: str) -> tuple[Row, Row, list[str], dict[str, int]]:
    transfer = transfers.get(conn, req.path["id"])
    if transfer is None:
        raise faults.not_found("Transfer", req.path["id"])
    if not secret.fits(transfer["salt"], transfer["crypt_hash"], auth_key):
        raise Fault(400, f"Invalid auth key: Attempt to transfer {transfer['id']} with invalid auth key.")
    volume = volumes.get(conn, transfer["volume_id"])
    if volume is None:
        raise faults.not_found("Volume", transfer["volume_id"])
    _acceptable(volume)
    taken = _deltas(conn, req, transfer, volume)
    options, project = settings.quotas(req), req.context.project_id
    limits = quotas.limits(conn, options, project, taken, req.context.quota_class)
    return transfer, volume, quotas.reserve(conn, options, project, taken, limits), taken


def _acceptable(volume: Row) -> None:
    if volume["consistencygroup_id"] is not None:
        raise faults.invalid_volume("Volume must not be part of a consistency group.")
    if volume["status"] == "maintenance":
        raise faults.invalid_volume("a volume in maintenance cannot be transferred")
    if not volume["host"]:
        raise faults.invalid_volume("it lies on no backend")


def _deltas(conn: Any, req: Request, transfer: Row, volume: Row) -> dict[str, int]:
    """What the volume (and its snapshots, when they go along) takes of a quota."""
    type_row = types.get(conn, volume["volume_type_id"])
    name = type_row["name"] if type_row else None
    total = quota_rules.create_volume(volume["size"], name) if volume["use_quota"] else {}
    if transfer["no_snapshots"]:
        return total
    counts = settings.quotas(req).snapshot_sizes_count
    for row in snapshots.of_volume(conn, volume["id"]):
        if row["use_quota"]:
            for resource, delta in quota_rules.create_snapshot(row["volume_size"], name, counts).items():
                total[resource] = total.get(resource, 0) + delta
    return total


def _finish(conn: Any, req: Request, transfer: Row, volume: Row, reservations: list[str], given: dict) -> None:
    """The rows change hands and both quotas follow, in one transaction."""
    refused = transfers.accept(conn, transfer, req.context.user_id, req.context.project_id)
    if refused == "volume":
        raise faults.invalid_volume("its status is not awaiting-transfer")
    if refused == "snapshot":
        raise faults.invalid_snapshot("a snapshot of the volume is not available")
    if refused is not None:
        raise faults.not_found("Transfer", transfer["id"])
    quotas.commit(conn, reservations)
    quotas.give_back(conn, settings.quotas(req), volume["project_id"], {name: -delta for name, delta in given.items()})


def _over_quota(error: quota_rules.OverQuota) -> Fault:
    over = error.overs[0]
    resource = "snapshots" if over.startswith("snapshots") else "volumes"
    return faults.over_quota(error, resource, error.deltas[over])
