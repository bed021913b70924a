"""How what a peer refuses becomes the answer of an operation that only passes the question on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from keel_api.http.fault import Fault
from keel_api.http.paging import LARGEST, whole_number
from keel_api.http.request import Request
from keel_common.clients.errors import ClientError

Row = TypeVar("Row")


@contextmanager
def refusing(codes: Mapping[int, int], message: str | None = None) -> Iterator[None]:
    """Answer the statuses of a peer named in ``codes`` with the code given there; all others pass through.

    ``message`` replaces the peer's own words.
    """
    try:
        yield
    except ClientError as error:
        if error.status not in codes:
            raise
        raise Fault(codes[error.status], message or error.message) from None


def cut(req: Request, rows: list[Row]) -> list[Row]:
    """The part that ``limit`` and ``offset`` ask for; limit 0 is none given (nova 34.0.0 list_rules)."""
    most: int = req.services.conf.api.max_limit
    limit = min(whole_number(req.query, "limit", 0) or most, most)
    offset = min(whole_number(req.query, "offset", 0), LARGEST)
    return rows[offset : offset + limit]


def own_project(req: Request) -> dict[str, Any]:
    """The policy target of what belongs to nobody yet: the caller's project."""
    return {"project_id": req.context.project_id}
