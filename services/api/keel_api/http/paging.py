"""Limit and marker of lists (nova 34.0.0 and cinder 29.0.0 http list_rules)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Query, Request

LARGEST = 2**63 - 1
"""The largest number a database compares with; nothing is ever larger, so a larger wish is cut to it."""


@dataclass(frozen=True)
class Page:
    """What part of a list is asked. ``limit`` is never above the operator's maximum."""

    limit: int
    marker: str | None = None
    offset: int = 0

    def full(self, rows: list[Any]) -> bool:
        """Whether a next link belongs to these rows: also on a last page that is just full."""
        return bool(rows) and len(rows) >= self.limit


def whole_number(query: Query, name: str, default: int) -> int:
    """A query value as a number of zero or more. Raises a 400."""
    text = query.get(name)
    if text is None or text == "":
        return default
    try:
        number = int(text)
    except ValueError:
        raise Fault(400, f"{name} param must be an integer") from None
    if number < 0:
        raise Fault(400, f"{name} param must be positive")
    return min(number, LARGEST)


def row_id(text: str) -> int | None:
    """The number of a record in a path; None for what is no number. One that no record can have becomes -1."""
    if not (text.isascii() and text.isdecimal()):
        return None
    return int(text) if len(text) < len(str(LARGEST)) else -1


def page(req: Request, maximum: int) -> Page:
    """The page a request asks for. ``limit`` 0 is an empty page; above the maximum it is cut."""
    return Page(
        limit=min(maximum, whole_number(req.query, "limit", maximum)),
        marker=req.query.get("marker"),
        offset=whole_number(req.query, "offset", 0),
    )


def with_next(
    req: Request,
    body: dict[str, Any],
    key: str,
    rows: list[Any],
    page: Page,
    marker: str,
    *path: str,
    by_name: bool = False,
) -> dict:
    """``body`` with ``<key>_links`` when the page is full. ``marker`` is the id of the last row's answer.

    ``path`` is the collection the link points to; ``by_name`` orders its query.
    """
    if page.full(rows):
        body[f"{key}_links"] = req.links.next(marker, *path, by_name=by_name)
    return body
