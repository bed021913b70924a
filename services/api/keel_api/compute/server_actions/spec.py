"""The request spec of a server that is to be placed again: read, pointed at a destination, changed where it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.http.request import Request
from keel_common.db.stores.nova import placed, request_specs
from keel_common.wire import move
from keel_contract.nova import objects
from keel_contract.nova.stored import stored_form


def of(req: Request, server: Mapping[str, Any]) -> Any:
    """The stored RequestSpec of a server; one made of its row when none was ever stored."""
    row = req.services.cells.api.read(placed.spec, server["uuid"])
    return move.stored_spec(row) if row is not None else move.made_spec(server)


def keep(req: Request, server: Mapping[str, Any], **fields: Any) -> None:
    """Store fields of the spec; objects as their primitives."""
    values = {name: stored_form(value) if hasattr(value, "to_primitive") else value for name, value in fields.items()}
    req.services.cells.api.run(request_specs.patch, server["uuid"], values)


def destination(host: str, node: str | None) -> objects.Destination:
    """One host with one of its nodes, which the scheduler has to take or to refuse."""
    return objects.Destination(host=host, node=node)
