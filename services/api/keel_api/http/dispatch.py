"""The order in which a request is refused or served: one list in one file.

Before it, in the middleware: request id, body too large (413), no valid token (401). Then STEPS, the first refusal wins
(nova 34.0.0 http discovery "who_wins", cinder 29.0.0 http errors "order").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import orjson
from werkzeug.wrappers import Request as HttpRequest

from keel_api.http import version as versions
from keel_api.http.answers import Answers
from keel_api.http.dialect import Dialect
from keel_api.http.fault import Fault, Unrouted
from keel_api.http.links import Links, with_prefix
from keel_api.http.ops import Op
from keel_api.http.request import Query, Request, Response
from keel_api.http.routes import Endpoint, Routes
from keel_api.http.schemas import Invalid, Schemas

_WITH_BODY = ("POST", "PUT")


@dataclass
class Exchange:
    """A request on its way through the steps; later steps rely on what earlier ones filled in."""

    http: HttpRequest
    context: Any
    path: str  # below the endpoint
    prefix: str  # the endpoint: v2.1, v2, v3
    legacy: bool = False
    project: str | None = None
    endpoint: Endpoint | None = None
    values: tuple[str, ...] = ()
    version: versions.Version | None = None
    op: Op = None  # type: ignore[assignment]
    body: Any = None
    query: Query = field(default_factory=Query)
    params: list[tuple[str, str]] = field(default_factory=list)


class Dispatcher:
    """The compiled API of one suite."""

    def __init__(
        self,
        dialect: Dialect,
        ops: list[Op],
        schemas: Schemas,
        policies: Any,
        services: Any,
        link_prefix: str | None = None,
        answers: Answers | None = None,
    ):
        self.dialect, self.schemas, self.policies, self.services = dialect, schemas, policies, services
        self.link_prefix, self.answers = link_prefix, answers or Answers(dialect, "ignore")
        self.routes = Routes(ops)
        self._project = re.compile(rf"^/+({dialect.project})(/.*)$")

    def serve(self, exchange: Exchange) -> Response:
        """Run the steps. Raises Unrouted or Fault; ``exchange.version`` then says which version headers belong."""
        for step in STEPS:
            step(self, exchange)
        return self._handle(exchange)

    def _route(self, exchange: Exchange) -> None:
        """404, plain, without version headers."""
        match = self._project.match(exchange.path)
        path = exchange.path
        if match is not None:
            exchange.project, path = match.groups()
        found = self.routes.find(exchange.http.method, path)
        if found is None:
            raise Unrouted(exchange.path)
        exchange.endpoint, exchange.values = found

    def negotiate(self, exchange: Exchange) -> None:
        """400 for a malformed version, 406 for one outside the window."""
        dialect = self.dialect
        if exchange.legacy:
            exchange.version = None
            return
        headers = exchange.http.headers
        entry = headers.get("OpenStack-API-Version")
        older = headers.get(dialect.older_header) if dialect.older_header else None
        asked = versions.asked_version(entry, dialect.service, older)
        if asked is None and entry and dialect.strict_header:
            raise _malformed(entry)
        try:
            exchange.version = versions.negotiate(asked, dialect.default, dialect.low, dialect.high)
        except versions.BadVersion as bad:
            raise _malformed(str(bad)) from None
        except versions.UnsupportedVersion as unsupported:
            exchange.version = unsupported.asked
            raise Fault(
                406,
                f"Version {unsupported} is not supported by the API. Minimum is {versions.show(dialect.low)} and "
                f"maximum is {versions.show(dialect.high)}.",
            ) from None

    def _media_type(self, exchange: Exchange) -> None:
        """415, on any method."""
        if exchange.http.mimetype not in self.dialect.accepted_types:
            raise Fault(415, f"Unsupported Content-Type: {exchange.http.mimetype}")

    def _choose(self, exchange: Exchange) -> None:
        """The operation: on an action path the single key of the body picks it (400, 404)."""
        endpoint = exchange.endpoint
        assert endpoint is not None
        if endpoint.plain is not None:
            exchange.op = endpoint.plain
            return
        key = _action_key(exchange.http.get_data())
        op = endpoint.actions.get(key)
        if op is None:
            raise Fault(400, f"There is no such action: {key}")
        exchange.op = op

    def _decode(self, exchange: Exchange) -> None:
        """400 for a body that is no JSON; those of GET, and of DELETE without a schema, are never looked at."""
        if exchange.http.method in _WITH_BODY or exchange.op.request:
            raw = exchange.http.get_data()
            exchange.body = _json(raw) if raw else None

    def _own_project(self, exchange: Exchange) -> None:
        """400 when the project of the path is not the one of the token."""
        theirs = exchange.context.project_id
        if exchange.project is not None and exchange.project != theirs:
            raise Fault(
                400,
                f"Malformed request URL: URL's project_id '{exchange.project}' doesn't match Context's project_id "
                f"'{theirs}'",
            )

    def _offered(self, exchange: Exchange) -> None:
        """404 when the operation does not exist at the version."""
        if not exchange.op.offered(exchange.version or self.dialect.default):
            raise Fault(404)

    def _check_body(self, exchange: Exchange) -> None:
        """400 by the body schema of the version; then the operations that look at their version late (404)."""
        name = exchange.op.request.at(exchange.version or self.dialect.default, exchange.legacy)
        if name is not None:
            exchange.body = self._valid(name, exchange.body, exchange.legacy, query=False)
        if exchange.op.gate is not None and (exchange.version or self.dialect.default) < exchange.op.gate:
            raise Fault(404)

    def _check_query(self, exchange: Exchange) -> None:
        """400 by the query schema of the version."""
        try:
            raw = exchange.http.query_string.decode("latin-1")
            exchange.params = parse_qsl(raw, keep_blank_values=True, encoding="utf-8", errors="strict")
        except UnicodeDecodeError:
            raise Fault(400, "Query string is not UTF-8 encoded") from None
        values: dict[str, list[str]] = {}
        for key, value in exchange.params:
            values.setdefault(key, []).append(value)
        name = exchange.op.query.at(exchange.version or self.dialect.default, exchange.legacy)
        if name is not None:
            values = self.schemas.get(name).kept(self._valid(name, values, exchange.legacy, query=True))
        exchange.query = Query(values)

    def _valid(self, name: str, instance: Any, legacy: bool, query: bool) -> Any:
        schema = self.schemas.get(name)
        try:
            if legacy:
                return schema.check_relaxed(instance)
            schema.check(instance)
        except Invalid as invalid:
            raise Fault(400, invalid.text(query)) from None
        return instance

    def _handle(self, exchange: Exchange) -> Response:
        """Removed operations answer their code, declared ones without a handler 501, all else its handler."""
        op = exchange.op
        if op.removed is not None:
            raise Fault(op.removed)
        if op.handler is None:
            raise Fault(501, f"OpenKeel declares '{op.id}' but does not do it yet.")
        version = exchange.version or self.dialect.default
        result = op.handler(self._request(exchange, version))
        answer = result if isinstance(result, Response) else Response(result)
        if answer.status is None:
            answer.status = op.success.at(version) or 200
        self.answers.check(op, version, answer.body)
        return answer

    def _request(self, exchange: Exchange, version: versions.Version) -> Request:
        return Request(
            context=exchange.context,
            version=version,
            path=dict(zip(exchange.op.names, exchange.values, strict=True)),
            query=exchange.query,
            body=exchange.body,
            services=self.services,
            policies=self.policies,
            links=self.links(exchange),
            headers=exchange.http.headers,  # type: ignore[arg-type]
            action=exchange.op.action,
            legacy=exchange.legacy,
        )

    def links(self, exchange: Exchange) -> Links:
        """The link maker of a request. The project stands in links only when the caller put it into the URL."""
        project = exchange.context.project_id
        in_url = project and project in exchange.http.url
        return Links(self.root(exchange.http), exchange.prefix, project if in_url else None, exchange.params)

    def root(self, http: HttpRequest) -> str:
        """The service's own address without a version, the operator's link prefix applied."""
        host = http.host_url.rstrip("/")
        forwarded = http.headers.get("X-Forwarded-Host") if self.dialect.forwarded_host else None
        if forwarded:
            host = f"{http.scheme}://{forwarded.rpartition(',')[2].strip()}"
        return with_prefix(host + http.environ.get("SCRIPT_NAME", ""), self.link_prefix)


def _malformed(text: str) -> Fault:
    return Fault(400, f"API Version String {text} is of invalid format. Must be of format MajorNum.MinorNum.")


def _json(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise Fault(400, "Malformed request body") from None


def _action_key(raw: bytes) -> str:
    """The one key of an action body (nova 34.0.0 http discovery, measured bodies)."""
    decoded = _json(raw)
    if not isinstance(decoded, dict | list | str):
        raise Fault(404)
    if len(decoded) != 1:
        raise Fault(400, "The body of an action has exactly one key")
    if not isinstance(decoded, dict):
        raise Fault(404)
    return next(iter(decoded))


STEPS: tuple[Callable[[Dispatcher, Exchange], None], ...] = (
    Dispatcher._route,
    Dispatcher.negotiate,
    Dispatcher._media_type,
    Dispatcher._choose,
    Dispatcher._decode,
    Dispatcher._own_project,
    Dispatcher._offered,
    Dispatcher._check_body,
    Dispatcher._check_query,
)
