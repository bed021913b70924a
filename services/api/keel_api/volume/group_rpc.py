"""The messages the volume API sends about groups and group snapshots (source: cinder 29.0.0 rpc_client)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keel_api.http.request import Request
from keel_common.domain.volume import hosts
from keel_common.wire import group as wire
from keel_contract.cinder.interfaces import SCHEDULER, VOLUME

Row = Mapping[str, Any]


def create(req: Request, row: Row, group_type: Row, type_rows: Sequence[Row], qos: Mapping[str, Row | None]) -> None:
    """Cast: find a backend for a new group."""
    req.services.rpc(SCHEDULER).send(
        req.context,
        "create_group",
        group=wire.group(row),
        group_spec=wire.group_spec(row, group_type),
        request_spec_list=[wire.member_spec(row, one, qos[one["id"]]) for one in type_rows],
        group_filter_properties={},
        filter_properties_list=[{} for _ in type_rows],
    )


def has_room(req: Request, backend: str, spec: Any) -> bool:
    """Call: whether a backend has room for what the spec asks."""
    return bool(
        req.services.rpc(SCHEDULER).send(
            req.context, "validate_host_capacity", backend=backend, request_spec=spec, filter_properties=None
        )
    )


def create_from_source(req: Request, row: Row, group_snapshot: Row | None, source: Row | None) -> None:
    """Cast: fill a group whose volumes were written from a group snapshot or another group."""
    _volume(
        req,
        row,
        "create_group_from_src",
        group=wire.group(row),
        group_snapshot=wire.group_snapshot(group_snapshot) if group_snapshot else None,
        source_group=wire.group(source) if source else None,
    )


def update(req: Request, row: Row, add: Sequence[str], remove: Sequence[str]) -> None:
    """Cast: put volumes into a group and take others out."""
    _volume(req, row, "update_group", group=wire.group(row), add_volumes=",".join(add), remove_volumes=",".join(remove))


def delete(req: Request, row: Row) -> None:
    """Cast: delete a group and its volumes."""
    _volume(req, row, "delete_group", group=wire.group(row))


def create_snapshot(req: Request, group: Row, row: Row) -> None:
    """Cast: take a snapshot of every volume of a group."""
    _volume(req, group, "create_group_snapshot", group_snapshot=wire.group_snapshot(row))


def delete_snapshot(req: Request, group: Row, row: Row) -> None:
    """Cast: delete the snapshots of a group snapshot."""
    _volume(req, group, "delete_group_snapshot", group_snapshot=wire.group_snapshot(row))


def replication(req: Request, row: Row, method: str, /, **args: Any) -> Any:
    """Cast (list_replication_targets: call): replication of a group."""
    return _volume(req, row, method, group=wire.group(row), **args)


def _volume(req: Request, row: Row, method: str, /, **args: Any) -> Any:
    return req.services.rpc(VOLUME).send(req.context, method, server=hosts.destination(row), **args)
