"""What went wrong at a peer, by HTTP status."""


class ClientError(Exception):
    """A peer answered with an error, or did not answer.

    ``status`` is the HTTP status; 0 when there was no answer at all. ``service``
    is the peer's name, ``message`` its own text.
    """

    def __init__(self, status: int, message: str, service: str):
        super().__init__(f"{service}: {message} (HTTP {status})" if status else f"{service}: {message}")
        self.status = status
        self.message = message
        self.service = service


class BadRequest(ClientError):
    """The peer refused the request as wrong (400)."""


class Forbidden(ClientError):
    """The caller may not do this (401 or 403)."""


class NotFound(ClientError):
    """No such thing at the peer (404)."""


class Conflict(ClientError):
    """The state or generation at the peer is another one (409)."""


class OverQuota(ClientError):
    """The peer's quota is used up (413; Neutron answers 409 with type OverQuota)."""


class Unreachable(ClientError):
    """No connection, no endpoint, no token, or a time-out: nothing is known of the outcome."""


_BY_STATUS = {400: BadRequest, 401: Forbidden, 403: Forbidden, 404: NotFound, 409: Conflict, 413: OverQuota}


def from_status(status: int, message: str, service: str) -> ClientError:
    """The error class of an HTTP status, ready to raise."""
    return _BY_STATUS.get(status, ClientError)(status, message, service)
