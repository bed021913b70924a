"""Give a volume another type (source: cinder 29.0.0 retype flow)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, lookup, move_rpc, settings
from keel_common.db.stores.cinder import encryptions, quotas, snapshots, transitions, types, volumes
from keel_common.db.stores.cinder.rows import TABLES
from keel_common.domain.volume import encryption
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume.states import TRANSITIONS

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
_MULTIATTACH = "<is> True"
_NEEDS = (
    "it must be available or in-use, not be migrating or in a group, the new type must differ from its own, and for "
    "an in-use volume both types must have the same front-end qos specs"
)


@handles("POST /volumes/{id}/action #os-retype")
def retype(req: Request) -> Response:
    """Start to change the type: 202. `migration_policy` on-demand lets the volume move for it."""
    policy = req.args.get("migration_policy") or "never"
    try:
        row, old, new, taken, given = req.services.db.run(_begin, req, req.args["new_type"])
    except quota_rules.OverQuota as error:
        raise faults.over_quota(error, "volumes", next(iter(error.deltas.values()))) from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        move_rpc.retype(req, row, old, new, policy, taken, given)
    except Exception:
        LOG.exception("Retype of volume %s could not be handed to the scheduler", row["id"])
        req.services.db.run(_undo, row, [*taken, *given])
        raise
    req.services.db.run(volumes.change, row["id"], {"multiattach": _multiattach(new)})
    return Response()


def _begin(conn: Any, req: Request, text: str) -> tuple[Row, Row | None, Row, list[str], list[str]]:
    row = lookup.volume(conn, req, req.path["id"], full=True)
    req.must("volume:retype", lookup.target(row))
    new = types.get_by_id_or_name(conn, text, lookup.scope(req))
    if new is None:
        raise faults.not_found("Volume type", text)
    new["projects"] = [] if new["is_public"] else types.projects(conn, new["id"])
    old = types.get(conn, row["volume_type_id"])
    _check_multiattach(conn, req, row, new)
    transition = TRANSITIONS["retype"].from_seen(row)
    values = {"previous_status": row["status"]}
    guards = [TABLES["volumes"].c.volume_type_id != new["id"]]
    if not _qos_allows(conn, row, old, new) or not transitions.apply(conn, transition, row["id"], values, guards):
        raise faults.refused_transition(transition, _NEEDS)
    if not row["host"]:
        raise faults.invalid_volume("it lies on no backend")
    reason = encryption.refusal(encryptions.get(conn, new["id"]), new["extra_specs"])
    if reason:
        raise faults.invalid_input(reason)
    taken, given = _reserve(conn, req, row, old, new)
    return {**row, **values, "status": "retyping"}, old, new, taken, given


def _multiattach(type_row: Row) -> bool:
    return type_row["extra_specs"].get("multiattach") == _MULTIATTACH


def _check_multiattach(conn: Any, req: Request, row: Row, new: Row) -> None:
    wanted = _multiattach(new)
    if wanted == bool(row["multiattach"]):
        return
    if row["status"] != "available":
        raise faults.invalid_input(
            f"retypes that change multiattach need an available volume, this one is {row['status']}"
        )
    if wanted:
        req.must("volume:multiattach", lookup.target(row))
        if encryptions.get(conn, new["id"]) is not None:
            raise faults.invalid_input("multiattach volumes cannot be encrypted")


def _qos_allows(conn: Any, row: Row, old: Row | None, new: Row) -> bool:
    """Specs the hypervisor enforces cannot change under a server."""
    mine = old["qos_specs_id"] if old else None
    if row["status"] == "available" or (mine is not None and mine == new["qos_specs_id"]):
        return True
    specs = [types.qos_specs(conn, one) for one in (mine, new["qos_specs_id"]) if one]
    return all(found.get("consumer", "back-end") == "back-end" for found in specs)


def _reserve(conn: Any, req: Request, row: Row, old: Row | None, new: Row) -> tuple[list[str], list[str]]:
    """Promise the per-type resources of the new type, and announce those of the old one."""
    options, project = settings.quotas(req), row["project_id"]
    if not row["use_quota"]:
        return [], []
    amounts = {"volumes": 1, "gigabytes": row["size"]}
    for cut in snapshots.of_volume(conn, row["id"]):
        for name, delta in quota_rules.create_snapshot(cut["volume_size"], None, options.snapshot_sizes_count).items():
            amounts[name] = amounts.get(name, 0) + delta
    taken = {f"{name}_{new['name']}": amount for name, amount in amounts.items()}
    limits = quotas.limits(conn, options, project, taken)
    given = {f"{name}_{old['name']}": -amount for name, amount in amounts.items()} if old else {}
    return (
        quotas.reserve(conn, options, project, taken, limits),
        quotas.reserve(conn, options, project, given, {}) if given else [],
    )


def _undo(conn: Any, row: Row, reservations: list[str]) -> None:
    quotas.rollback(conn, reservations)
    transitions.apply(conn, TRANSITIONS["retype undone"], row["id"], {"status": row["previous_status"]})
