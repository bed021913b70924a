"""The WSGI application of one suite: Flask as the shell, the compiled table of operations inside."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any
from wsgiref.types import WSGIApplication

import orjson
from flask import Flask, request
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.wrappers import Response as HttpResponse

from keel_api import health, options
from keel_api.http import version as versions
from keel_api.http.answers import Answers, mode
from keel_api.http.dialect import DIALECTS, Dialect
from keel_api.http.dispatch import Dispatcher, Exchange
from keel_api.http.documents import Documents
from keel_api.http.fault import Fault, Unrouted
from keel_api.http.middleware import Guard, RequestIds, SizeLimit, keystone
from keel_api.http.ops import Handler, StartupError, data, load
from keel_api.http.plain import plain
from keel_api.http.request import Response
from keel_api.http.schemas import Schemas
from keel_common.clients.errors import Unreachable
from keel_common.context import from_environ
from keel_common.policy import Policies
from keel_contract.errors import PeerTooOld

LOG = logging.getLogger(__name__)

_HEALTH = frozenset({"/healthcheck", "/livez", "/readyz"})
# A request that the pin refuses: Cinder's own code (cinder 29.0.0 pinning); Nova's is 500 though the request is fair.
_TOO_OLD = {"compute": 409, "volume": 400}
_UPGRADE = "A service that this request needs is of an older release. The operator has to upgrade it."
_METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"]
Auth = Callable[[WSGIApplication], WSGIApplication]


def build(
    conf: Any,
    suite: str,
    services: Any,
    auth: Auth | None = None,
    extra: Mapping[str, Handler] | None = None,
    checks: Callable[[], Mapping[str, Callable[[], None]]] = dict,
) -> Flask:
    """The application of ``suite`` ("compute" or "volume").

    ``services`` is handed to every handler as ``req.services``. ``auth`` wraps the guarded part; None means what the
    configuration says, and that must be keystone. ``extra`` adds handlers (tests), ``checks`` the readiness checks.
    Raises StartupError when operations, handlers and configuration do not fit together.
    """
    options.register(conf, suite)
    dialect = DIALECTS[suite]
    group, option = dialect.link_prefix_option
    prefix = getattr(conf[group] if group else conf, option)
    api = Api(conf, dialect, services, prefix, dict(extra or {}))
    app = Flask("keel_api", static_folder=None)
    app.url_map.merge_slashes = False
    app.register_blueprint(health.blueprint(checks))
    for rule in ("/", "/<path:path>"):
        app.add_url_rule(rule, "serve", api.serve, methods=_METHODS, provide_automatic_options=False)
    app.register_error_handler(HTTPException, api.not_served)
    guard = Guard(app.wsgi_app, auth or _configured_auth(conf, dialect), api.is_open)
    limited = SizeLimit(guard, conf.oslo_middleware.max_request_body_size)
    app.wsgi_app = RequestIds(limited, api.without_id)  # type: ignore[method-assign]
    if conf.oslo_middleware.enable_proxy_headers_parsing:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_prefix=1)  # type: ignore[method-assign]
    return app


def _configured_auth(conf: Any, dialect: Dialect) -> Auth:
    strategy = conf.auth_strategy if dialect.suite == "volume" else "keystone"  # nova has no such option any more
    if strategy != "keystone":
        raise StartupError(f"auth_strategy {strategy} is refused: it lets anyone in. Only keystone is served.")
    return keystone(conf)


class Api:
    """One suite behind its endpoints; turns results, faults and errors into HTTP answers."""

    def __init__(self, conf: Any, dialect: Dialect, services: Any, prefix: str | None, extra: dict[str, Handler]):
        self.dialect = dialect
        self.policies = Policies(conf, dialect.suite)
        ops = load(dialect, extra)
        schemas = Schemas(data(dialect, "schemas.json"), dialect)
        _check(ops, schemas, self.policies)
        looked = Answers(dialect, mode(conf, dialect))
        self.dispatcher = Dispatcher(dialect, ops, schemas, self.policies, services, prefix, looked)
        self.documents = Documents(dialect)

    def is_open(self, path: str) -> bool:
        """Whether a path is answered without a token: health, version documents, what lies outside the endpoints."""
        first = path.lstrip("/").partition("/")[0]
        return path in _HEALTH or path in self.dialect.open_paths or first not in self.dialect.prefixes

    def without_id(self, path: str) -> bool:
        """Paths whose answers carry no request id (nova: all outside the endpoints)."""
        first = path.lstrip("/").partition("/")[0]
        return path in _HEALTH or (self.dialect.suite == "compute" and first not in self.dialect.prefixes)

    def serve(self, path: str = "") -> HttpResponse:
        """The Flask view of everything but health."""
        http = request
        full = http.path
        prefix, _, rest = full.lstrip("/").partition("/")
        rest = full[full.index(prefix) + len(prefix) :] if prefix else ""
        exchange = Exchange(http, None, rest, prefix, legacy=prefix == self.dialect.legacy)
        try:
            answer = self._answer(exchange, full)
        except Unrouted:
            return plain(404, http.headers.get("Accept"))
        except Fault as fault:
            return self._fault(exchange, fault)
        except Unreachable as away:
            LOG.warning("%s %s could not be served: %s", http.method, http.path, away)
            return self._fault(exchange, Fault(503, f"The service {away.service} is unavailable at this time."))
        except PeerTooOld as refused:
            LOG.error("%s %s could not be passed on: %s", http.method, http.path, refused)
            return self._fault(exchange, Fault(_TOO_OLD[self.dialect.suite], _UPGRADE))
        except Exception as error:  # noqa: BLE001 - the last line of defence: log it and answer 500
            LOG.exception("Uncaught error in %s %s", http.method, http.path)
            return self._fault(exchange, self._unexpected(error))
        return self._finish(exchange, answer)

    def not_served(self, error: HTTPException) -> HttpResponse:
        """Methods and paths that even the shell does not know are the same plain 404."""
        return plain(404, request.headers.get("Accept"))

    def _answer(self, exchange: Exchange, full: str) -> Response | HttpResponse:
        http = exchange.http
        if self.is_open(full):
            return self._document(exchange, full)
        context = exchange.context = from_environ(http.environ)
        if context.user_id is None:
            return plain(401, http.headers.get("Accept"))
        context.is_admin = self.policies.is_admin(context)
        if exchange.path == "" and self.dialect.suite == "volume":
            return HttpResponse(status=302, headers={"Location": "/v3/"})
        return self.dispatcher.serve(exchange)

    def _document(self, exchange: Exchange, full: str) -> Response | HttpResponse:
        """The documents served before authentication, by any method."""
        root = self.dispatcher.root(exchange.http)
        if self.dialect.suite == "volume":
            if full != "/":
                raise Unrouted(full)
            self.dispatcher.negotiate(exchange)
            return Response(self.documents.cinder(root), 300)
        if full in self.dialect.open_paths:
            self.dispatcher.negotiate(exchange)
            return Response(self.documents.nova_version(root, exchange.prefix), 200)
        if full == "/":
            return Response(self.documents.nova_root(root), 200)
        return Response(self.documents.nova_choices(root, full), 300)

    def _unexpected(self, error: Exception) -> Fault:
        cls = type(error)
        text = self.dialect.unexpected
        return Fault(500, text and text.format(cls=f"{cls.__module__}.{cls.__qualname__}"))

    def _fault(self, exchange: Exchange, fault: Fault) -> HttpResponse:
        body = fault.body(self.dialect.fault_names)
        headers = {"Content-Type": self.dialect.fault_type, **fault.headers}
        return self._finish(exchange, Response(orjson.dumps(body), fault.code, headers))

    def _finish(self, exchange: Exchange, answer: Response | HttpResponse) -> HttpResponse:
        if isinstance(answer, HttpResponse):
            return answer
        body = answer.body
        if body is not None and not isinstance(body, bytes):
            body = orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS)
        response = HttpResponse(body or b"", status=answer.status, content_type="application/json")
        for name, value in answer.headers.items():
            response.headers[name] = value
        if exchange.version is not None:
            for name, template in self.dialect.version_headers:
                response.headers[name] = template.format(version=versions.show(exchange.version))
                response.headers.add("Vary", name)
        return response


def _check(ops: list[Any], schemas: Schemas, policies: Policies) -> None:
    """Whatever the operations name must exist."""
    rules = set(policies.names())
    for op in ops:
        missing = [name for name in [*op.request.values(), *op.query.values()] if name not in schemas]
        missing += [rule for rule in op.policies if rule not in rules]
        if missing:
            raise StartupError(f"{op.id} names what does not exist: {', '.join(missing)}")
