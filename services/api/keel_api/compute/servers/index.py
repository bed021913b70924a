"""GET /servers and GET /servers/detail."""

from __future__ import annotations

from typing import Any

from keel_api.compute.servers import list_query, listing, scope, views
from keel_api.compute.servers.fields import Scope
from keel_api.compute.servers.list_query import Wanted
from keel_api.compute.servers.listing import Found
from keel_api.http.ops import handles
from keel_api.http.paging import Page, page, with_next
from keel_api.http.request import Request
from keel_api.http.view import View
from keel_common.db import Cell
from keel_common.db.stores.nova import servers_boot, servers_found
from keel_common.domain.server.filters import Condition

_SUBSTRING = "ip-substring-filtering"
_LONGEST_ADDRESS = 45
"""Characters of the longest address there is; the network service is not asked for longer ones."""


@handles("GET /servers")
def index(req: Request) -> dict[str, Any]:
    req.must("os_compute_api:servers:index")
    return _answer(req, views.NAMES, "os_compute_api:servers:index:get_all_tenants", "servers")


@handles("GET /servers/detail")
def detail(req: Request) -> dict[str, Any]:
    req.must("os_compute_api:servers:detail")
    return _answer(req, views.DETAIL, "os_compute_api:servers:detail:get_all_tenants", "servers", "detail")


def _answer(req: Request, view: View, all_tenants_rule: str, *path: str) -> dict[str, Any]:
    wanted = list_query.read(req, all_tenants_rule)
    asked = page(req, req.services.conf.api.max_limit)
    allowed = scope.allowed_fields(req, view)
    found = _rows(req, wanted, asked, view.columns(req.version, allowed))
    rows = found.rows
    around = scope.scope_of(req)
    if view is views.DETAIL:
        scope.add_specs(req, around, [row["uuid"] for row in rows])
        scope.add_security_groups(req, around, rows)
    body = {"servers": view.render(req.version, allowed, rows, around)}
    if found.down and wanted.plain and not _pages(req):
        body["servers"] += _out_of_reach(req, wanted, found.down, asked.limit - len(rows), view, around)
    marker = rows[-1]["uuid"] if rows else ""
    return with_next(req, body, "servers", rows, asked, marker, *path)


def _pages(req: Request) -> bool:
    """Whether the request pages or sorts."""
    return any(key in req.query for key in ("limit", "marker", "sort_key", "sort_dir"))


def _out_of_reach(
    req: Request, wanted: Wanted, down: list[Cell], room: int, view: View, around: Scope
) -> list[dict[str, Any]]:
    """Partial records of the servers whose cell does not answer, from 2.69 on (nova 34.0.0 microversion 2.69)."""
    if not req.at_least(2, 69) or room <= 0:
        return []
    ids = [cell.id for cell in down]
    rows = req.services.cells.api.read(servers_found.out_of_reach, ids, wanted.project_id, room)
    partial = views.DOWN_DETAIL if view is views.DETAIL else views.DOWN_NAMES
    return partial.render(req.version, (), rows, around)


def _rows(req: Request, wanted: Wanted, asked: Page, columns: frozenset[str]) -> Found:
    if wanted.nothing:
        return Found([], [])
    if wanted.flavor is not None:
        flavor_id = _flavor_key(req, wanted.flavor)
        if flavor_id is None:
            return Found([], [])
        chosen = wanted.selection.plus(Condition("eq", "instance_type_id", flavor_id))
        wanted = Wanted(chosen, wanted.order, wanted.project_id)
    address = list_query.address_condition(wanted.selection)
    if address is None:
        return listing.read_page(req, wanted, asked.limit, asked.marker, columns)
    return _by_address(req, wanted, asked, columns, address)


def _flavor_key(req: Request, flavorid: str) -> int | None:
    """The database id behind a flavor id; None when there is no such flavor."""
    return req.services.cells.api.read(servers_boot.flavor_key, flavorid)


def _by_address(req: Request, wanted: Wanted, asked: Page, columns: frozenset[str], address: Condition) -> Found:
    """Servers with a matching address: through the network service where it can search, else by the cached addresses.

    Without the search every server of the selection is looked at, page by page.
    """
    neutron = req.services.clients.neutron
    if _SUBSTRING in neutron.extensions():
        if len(address.value) > _LONGEST_ADDRESS:
            return Found([], [])
        ports = neutron.list_ports(
            req.context,
            fixed_ips=f"ip_address_substr={address.value}",
            fields=["device_id"],
            tenant_id=wanted.project_id,
        )
        uuids = tuple(sorted({port["device_id"] for port in ports if port["device_id"]}))
        if not uuids:
            return Found([], [])
        narrowed = wanted.selection.without("address").plus(Condition("in", "uuid", uuids))
        return listing.read_page(
            req, Wanted(narrowed, wanted.order, wanted.project_id), asked.limit, asked.marker, columns
        )
    found: list[dict[str, Any]] = []
    marker, size = asked.marker, req.services.conf.api.max_limit
    while len(found) < asked.limit:
        rows = listing.read_page(req, wanted, size, marker, columns | {"network_info"}).rows
        found += listing.only(wanted.selection, rows)
        if len(rows) < size:
            break
        marker = rows[-1]["uuid"]
    return Found(found[: asked.limit], [])
