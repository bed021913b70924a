"""Replication of groups (3.38; source: cinder 29.0.0 group flow)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, group_rpc, lists
from keel_api.volume.answers import bare
from keel_api.volume.groups.lookup import load
from keel_common.db.stores.cinder import group_types, groups, transitions, types
from keel_common.domain.volume.states import Transition
from keel_contract.errors import RemoteFault

Row = dict[str, Any]
_ACTION = "POST /groups/{id}/action #"
_TRUE = "<is> True"
_GROUP_SPECS = ("group_replication_enabled", "consistent_group_replication_enabled")


@dataclass(frozen=True)
class Step:
    """States a group and its volumes need, and the replication status they get (cinder 29.0.0 state table)."""

    verb: str
    group: Mapping[str, tuple[str, ...]]
    volume: Mapping[str, tuple[str, ...]]
    becomes: str


_ENABLE = Step(
    "enable",
    {"status": ("available",), "replication_status": ("disabled", "enabled")},
    {"status": ("available", "in-use"), "replication_status": ("disabled", "enabled")},
    "enabling",
)
_DISABLE = Step(
    "disable",
    {"status": ("available", "error"), "replication_status": ("enabled", "error")},
    {"replication_status": ("enabled", "error")},
    "disabling",
)
_FAILOVER = Step(
    "failover",
    {"status": ("available",), "replication_status": ("enabled", "failed-over")},
    {"status": ("available",), "replication_status": ("enabled", "failed-over")},
    "failing-over",
)


@handles(_ACTION + "enable_replication")
def enable(req: Request) -> Response:
    """Replicate the volumes of a group: 202."""
    group_rpc.replication(req, req.services.db.run(_begin, req, _ENABLE), "enable_replication")
    return bare()


@handles(_ACTION + "disable_replication")
def disable(req: Request) -> Response:
    """Replicate them no longer: 202."""
    group_rpc.replication(req, req.services.db.run(_begin, req, _DISABLE), "disable_replication")
    return bare()


@handles(_ACTION + "failover_replication")
def failover(req: Request) -> Response:
    """Go over to the copies: 202. Attached volumes are refused unless `allow_attached_volume`."""
    attached_too = lists.boolean("allow_attached_volume", req.args.get("allow_attached_volume", False))
    step = _FAILOVER
    if attached_too:
        step = Step(step.verb, step.group, {**step.volume, "status": ("available", "in-use")}, step.becomes)
    row = req.services.db.run(_begin, req, step)
    group_rpc.replication(
        req,
        row,
        "failover_replication",
        allow_attached_volume=attached_too,
        secondary_backend_id=req.args.get("secondary_backend_id"),
    )
    return bare()


@handles(_ACTION + "list_replication_targets")
def list_targets(req: Request) -> Row:
    """Where the group could go over to, as its backend says."""
    row = req.services.db.read(_replicated, req, "group:list_replication_targets")
    try:
        return group_rpc.replication(req, row, "list_replication_targets")
    except RemoteFault as error:
        raise faults.of_peer(error) from None


def _replicated(conn: Any, req: Request, rule: str) -> Row:
    """The group, whose type and types of volumes have to be those of replication; a 400 else."""
    row = load(conn, req, rule)
    group_type = group_types.get(conn, row["group_type_id"])
    specs = group_type["group_specs"] if group_type else {}
    if not any(specs.get(key) == _TRUE for key in _GROUP_SPECS):
        raise faults.invalid("InvalidGroupType", f"Group {row['id']} is not a replication group type.")
    for type_id in row["volume_type_ids"]:
        kind = types.get(conn, type_id)
        if kind is None or kind["extra_specs"].get("replication_enabled") != _TRUE:
            raise faults.invalid(
                "InvalidVolumeType", f"Volume type {type_id} does not have 'replication_enabled' set to '{_TRUE}'."
            )
    if not row["host"]:
        raise faults.invalid("InvalidGroup", "it lies on no backend")
    return row


def _begin(conn: Any, req: Request, step: Step) -> Row:
    row = _replicated(conn, req, f"group:{step.verb}_replication")
    values = {"replication_status": step.becomes}
    for member in groups.volumes(conn, row["id"]):
        if not transitions.apply(conn, Transition(step.verb, "volumes", step.volume, values=values), member["id"]):
            raise faults.invalid_volume(_refusal(f"Volume {member['id']}", member, step.volume, step.verb))
    if not transitions.apply(conn, Transition(step.verb, "groups", step.group, values=values), row["id"]):
        raise faults.invalid("InvalidGroup", _refusal(f"Group {row['id']}", row, step.group, step.verb))
    return {**row, **values}


def _refusal(what: str, row: Row, expected: Mapping[str, tuple[str, ...]], verb: str) -> str:
    """Which state stands in the way; a race lost reads as one of them, too."""
    wrong = [key for key, allowed in expected.items() if row[key] not in allowed] or list(expected)
    key = wrong[0]
    return f"{what} {key} must be {list(expected[key])}, but is {row[key]}. Cannot {verb} replication."
