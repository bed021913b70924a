"""User messages (3.3; filters, order and pages from 3.5). Source: cinder 29.0.0."""

from __future__ import annotations

from typing import Any

from keel_api.http.ops import handles
from keel_api.http.paging import Page, whole_number, with_next
from keel_api.http.request import Request, Response
from keel_api.http.view import ABSENT, Field, View
from keel_api.volume import faults, lists, lookup
from keel_api.volume.answers import bare
from keel_api.volume.times import moment
from keel_common.db.stores.cinder import messages
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume.lists import MESSAGES
from keel_common.domain.volume.messages import user_message

VIEW = View(
    "message",
    (
        Field("id", "id"),
        Field("event_id", "event_id"),
        Field(
            "user_message",
            lambda row, req: user_message(row["action_id"], row["detail_id"]),
            columns=("action_id", "detail_id"),
        ),
        Field("message_level", "message_level"),
        Field("created_at", lambda row, req: moment(row["created_at"]), columns=("created_at",)),
        Field("guaranteed_until", lambda row, req: moment(row["expires_at"]), columns=("expires_at",)),
        Field("request_id", "request_id"),
        Field("links", lambda row, req: req.links.pair("messages", row["id"])),
        Field("resource_type", lambda row, req: row["resource_type"] or ABSENT, optional=True),
        Field("resource_uuid", lambda row, req: row["resource_uuid"] or ABSENT, optional=True),
    ),
)


@handles("GET /messages")
def index(req: Request) -> dict[str, Any]:
    """Messages of every project: the list is not limited to the caller's (as recorded).

    Below 3.5 all of them are shown, with a next link when the limit is reached (as measured).
    """
    req.must("message:get_all")
    if not req.at_least(3, 5):
        rows = req.services.db.read(messages.find, {}, None)
        every = Page(whole_number(req.query, "limit", req.services.conf.osapi_max_limit))
        body = {"messages": VIEW.render(req.version, (), rows, req)}
        return with_next(req, body, "messages", rows, every, rows[-1]["id"] if rows else "", "messages")
    page, filters = lists.paging(req, MESSAGES), lists.filters(req, MESSAGES)
    try:
        rows = req.services.db.read(messages.find, filters, page)
    except MarkerGone as gone:
        raise faults.not_found("Message", gone.marker) from None
    return lists.answer(req, "messages", VIEW.render(req.version, (), rows, req), page, ("messages",))


@handles("GET /messages/{id}")
def show(req: Request) -> dict[str, Any]:
    """One message of the caller's project."""
    row = req.services.db.read(_message, req)
    req.must("message:get", lookup.target(row))
    return {"message": VIEW.one(req.version, (), row, req)}


@handles("DELETE /messages/{id}")
def delete(req: Request) -> Response:
    """Forget a message: 204."""

    def work(conn: Any) -> None:
        row = _message(conn, req)
        req.must("message:delete", lookup.target(row))
        messages.delete(conn, row["id"])

    req.services.db.run(work)
    return bare()


def _message(conn: Any, req: Request) -> dict[str, Any]:
    row = messages.get(conn, req.path["id"], lookup.scope(req))
    if row is None:
        raise faults.not_found("Message", req.path["id"])
    return row
