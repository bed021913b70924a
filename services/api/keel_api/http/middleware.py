"""The layers in front of the operations: request ids, body size, authentication."""

from __future__ import annotations

import io
import re
import uuid
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication

from keystonemiddleware import auth_token

from keel_api.http.plain import plain

_GLOBAL_ID = re.compile(r"^req-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$")
_IDENTITY = re.compile(
    r"^HTTP_X_(SERVICE_)?(USER|PROJECT|DOMAIN|TENANT|ROLE|ROLES|SYSTEM|IDENTITY|IS_ADMIN|SERVICE_CATALOG)"
)


class RequestIds:
    """Gives every request an id and puts it into the answer, under both names (``skip`` says where not).

    A well-formed ``X-OpenStack-Request-Id`` of the client is kept as the global id.
    """

    def __init__(self, app: WSGIApplication, skip: Callable[[str], bool] = lambda path: False):
        self._app, self._skip = app, skip

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        request_id = environ["openstack.request_id"] = f"req-{uuid.uuid4()}"
        sent = environ.get("HTTP_X_OPENSTACK_REQUEST_ID", "")
        if _GLOBAL_ID.match(sent):
            environ["openstack.global_request_id"] = sent
        if self._skip(environ.get("PATH_INFO", "")):
            return self._app(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            ids = [("x-compute-request-id", request_id), ("x-openstack-request-id", request_id)]
            return start_response(status, [*headers, *ids], exc_info)

        return self._app(environ, start)


class SizeLimit:
    """413 for a body above the operator's limit ([oslo_middleware] max_request_body_size, bytes)."""

    def __init__(self, app: WSGIApplication, limit: int):
        self._app, self._limit = app, limit

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH") or ""
        too_much = length.isdigit() and int(length) > self._limit
        if not too_much and "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower():
            too_much = not self._buffer(environ)
        if too_much:
            answer = plain(413, environ.get("HTTP_ACCEPT"), "Request is too large.")
            return answer(environ, start_response)
        return self._app(environ, start_response)

    def _buffer(self, environ: dict[str, Any]) -> bool:
        """Read a body of unknown length, up to the limit; False when there is more."""
        body = environ["wsgi.input"].read(self._limit + 1)
        if len(body) > self._limit:
            return False
        environ["wsgi.input"], environ["CONTENT_LENGTH"] = io.BytesIO(body), str(len(body))
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        return True


class Guard:
    """Sends a request through authentication unless its path is open.

    Identity headers of the client never reach an open path: what nobody checked nobody shall believe.
    """

    def __init__(
        self, app: WSGIApplication, auth: Callable[[WSGIApplication], WSGIApplication], is_open: Callable[[str], bool]
    ):
        self._app, self._guarded, self._is_open = app, auth(app), is_open

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        if not self._is_open(environ.get("PATH_INFO", "")):
            return self._guarded(environ, start_response)
        for name in [name for name in environ if _IDENTITY.match(name)]:
            del environ[name]
        return self._app(environ, start_response)


def keystone(conf: Any) -> Callable[[WSGIApplication], WSGIApplication]:
    """Token checks by Keystone, as [keystone_authtoken] says."""
    return lambda app: auth_token.AuthProtocol(app, {"oslo_config_config": conf})
