"""From the query of a request to the filters and the page of a list, and back to links."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_api.volume import lookup, settings
from keel_common.domain.volume import lists as rules
from keel_common.domain.volume.lists import ListRefused, ListRules, Paging


def paging(req: Request, kind: ListRules) -> Paging:
    """Sorting and paging of the request, or a 400."""
    try:
        return rules.paging(kind, dict(req.query.items()), req.version, req.services.conf.osapi_max_limit)
    except ListRefused as refused:
        raise Fault(400, str(refused)) from None


def filters(req: Request, kind: ListRules) -> dict[str, Any]:
    """Filters of the request as columns and values, or a 400."""
    declared = settings.filters(req, kind.resource)
    try:
        return rules.filters(kind, dict(req.query.items()), req.version, req.context.is_admin, declared)
    except ListRefused as refused:
        raise Fault(400, str(refused)) from None


def page_numbers(req: Request, kind: ListRules) -> tuple[int, int]:
    """Limit and offset of a list that is cut after it was read, or a 400."""
    asked = {key: value for key, value in req.query.items() if key in ("limit", "offset")}
    try:
        page = rules.paging(kind, asked, req.version, req.services.conf.osapi_max_limit)
    except ListRefused as refused:
        raise Fault(400, str(refused)) from None
    return page.limit, page.offset


def wants_count(req: Request, kind: ListRules) -> bool:
    """Whether the total is asked for, or a 400 for a value that is no boolean."""
    try:
        return rules.with_count(kind, dict(req.query.items()), req.version)
    except ListRefused as refused:
        raise Fault(400, str(refused)) from None


def all_tenants(req: Request, strict: bool = False) -> bool:
    """Whether an administrator asks for the rows of every project; a member's wish is not heard."""
    value = req.query.get("all_tenants")
    if value is None or not req.context.is_admin:
        return False
    if not strict:
        return rules.lenient_boolean(value)
    return boolean("all_tenants", value)


def boolean(name: str, value: Any) -> bool:
    """A spelled boolean of a body or a query, or a 400."""
    try:
        return rules.strict_boolean(name, value)
    except ListRefused as refused:
        raise Fault(400, f"Invalid input received: {refused}") from None


def project(req: Request, strict: bool = False) -> str | None:
    """The project a list is limited to; None for every project."""
    return None if all_tenants(req, strict) else own_project(req)


def own_project(req: Request) -> str | None:
    """The project of the caller; None for an administrator without one, a 403 for anybody else without one."""
    return req.context.project_id or lookup.scope(req)


def answer(
    req: Request,
    key: str,
    rows: list[dict[str, Any]],
    page: Paging,
    collection: tuple[str, ...],
    total: int | None = None,
    links_key: str | None = None,
) -> dict[str, Any]:
    """The body of a list: rendered rows, a next link when the page may have a successor, the total when asked.

    A next link stands on every full page; with a total it is the total that is compared (as recorded).
    """
    body: dict[str, Any] = {key: rows}
    seen = len(rows) if total is None else total
    if rows and page.limit <= seen:
        body[links_key or f"{key}_links"] = req.links.next(rows[-1]["id"], *collection)
    if total is not None:
        body["count"] = total
    return body
