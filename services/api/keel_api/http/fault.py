"""Faults: what an operation raises to refuse a request, and the body it becomes.

The body is ``{"<fault name>": {"code": N, "message": "..."}}``; the name follows from the status (nova 34.0.0 and
cinder 29.0.0 http errors).
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

# Stock sentences of the statuses, as clients of both suites have always seen them (the WSGI toolkit's own words).
STOCK = {
    400: "The server could not comply with the request since it is either malformed or otherwise incorrect.",
    401: (
        "This server could not verify that you are authorized to access the document you requested. Either you "
        "supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply "
        "the credentials required."
    ),
    403: "Access was denied to this resource.",
    404: "The resource could not be found.",
    405: "The method is not allowed for this resource.",
    409: "There was a conflict when trying to complete your request.",
    410: "This resource is no longer available. No forwarding address is given.",
    412: "A precondition for this request failed.",
    413: "The body of your request was too large for this server.",
    415: "The request media type is not supported by this server.",
    500: "The server has either erred or is incapable of performing the requested operation.",
    501: "The server does not support this operation.",
    503: "The server is currently unavailable. Please try again at a later time.",
}


class Fault(Exception):
    """Refuse the request with a status and a message for the client.

    ``message`` None stands for the stock sentence of the status. ``headers`` are added to the answer; ``fields`` are
    added to the body beside code and message.
    """

    def __init__(self, code: int, message: str | None = None, headers: dict[str, str] | None = None, **fields: Any):
        self.code = code
        self.message = STOCK.get(code, HTTPStatus(code).phrase) if message is None else message
        self.headers = dict(headers or {})
        self.fields = fields
        super().__init__(f"{code}: {self.message}")

    def body(self, names: dict[int, str], default: str = "computeFault") -> dict[str, Any]:
        """The JSON body, with the fault names of one suite."""
        return {names.get(self.code, default): {"code": self.code, "message": self.message, **self.fields}}


class Unrouted(Exception):
    """No such path or method: a plain 404 outside the fault format, without version headers."""
