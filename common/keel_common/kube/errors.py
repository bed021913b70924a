"""What the API server says no with, as typed errors.

Every error body of the API server is a `Status` object (reason, message, details, code); KubeVirt's relayed calls and
a dead aggregated API answer plain text instead. Both end here.
"""

from __future__ import annotations

import orjson


class KubeError(Exception):
    """The API server refused or failed. `code` is the HTTP status (0: no answer came), `reason` the Status reason."""

    def __init__(
        self, code: int, reason: str, message: str, details: dict | None = None, retry_after: float | None = None
    ):
        super().__init__(f"{code} {reason}: {message}" if reason else f"{code}: {message}")
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details or {}
        self.retry_after = retry_after


class NotFound(KubeError):
    """404: the object, its namespace or its resource type is absent."""


class Conflict(KubeError):
    """409 Conflict: stale resourceVersion, wrong uid precondition, or a VM whose state refuses the subresource."""


class AlreadyExists(KubeError):
    """409 AlreadyExists: an object of that name is there."""


class Invalid(KubeError):
    """422: schema or admission refused the object; details.causes says why."""


class Forbidden(KubeError):
    """403: RBAC or quota."""


class Gone(KubeError):
    """410: the resourceVersion or continue token is too old; list again."""


class TooManyRequests(KubeError):
    """429: throttled, or an eviction that is not allowed now."""


class Unreachable(KubeError):
    """No answer: connection refused, cut or timed out. Whether the request took effect is unknown."""


class Stopped(Exception):
    """The process is going down while something was waited for. No KubeError: nothing failed, somebody else goes on
    with it.
    """


class Expired(KubeError):
    """Our own deadline passed while waiting for the cluster to do something."""


_BY_REASON: dict[str, type[KubeError]] = {
    "NotFound": NotFound,
    "AlreadyExists": AlreadyExists,
    "Conflict": Conflict,
    "Invalid": Invalid,
    "Forbidden": Forbidden,
    "Expired": Gone,
    "Gone": Gone,
    "TooManyRequests": TooManyRequests,
}
_BY_CODE: dict[int, type[KubeError]] = {
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    422: Invalid,
    429: TooManyRequests,
}


def from_status(status: dict, code: int | None = None, retry_after: float | None = None) -> KubeError:
    """The error for a Status object (of a response body or of an ERROR watch event)."""
    code = code if code is not None else int(status.get("code") or 0)
    reason = status.get("reason") or ""
    details = status.get("details") or {}
    if retry_after is None and details.get("retryAfterSeconds"):
        retry_after = float(details["retryAfterSeconds"])
    error = _BY_REASON.get(reason) or _BY_CODE.get(code) or KubeError
    return error(code, reason, status.get("message") or "", details, retry_after)


def from_response(code: int, body: bytes, retry_after: str | None = None) -> KubeError:
    """The error for an HTTP answer of 400 and up; a body that is not a Status becomes the message."""
    seconds = float(retry_after) if retry_after and retry_after.replace(".", "", 1).isdigit() else None
    try:
        status = orjson.loads(body)
    except orjson.JSONDecodeError:
        status = None
    if isinstance(status, dict) and status.get("kind") == "Status":
        return from_status(status, code, seconds)
    return from_status({"message": body[:500].decode("utf-8", "replace").strip()}, code, seconds)
