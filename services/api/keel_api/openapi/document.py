"""The OpenAPI 3.1 document of a suite at a microversion (openapi 3.1.0; JSON Schema 2020-12)."""

from __future__ import annotations

import re
from typing import Any

from keel_api.http.dialect import DIALECTS, Dialect
from keel_api.http.ops import Op, data
from keel_api.http.responses import Responses, responses_of
from keel_api.http.version import Version, negotiate, show
from keel_api.openapi import parameters
from keel_api.openapi.components import Components

_PROJECT = "{project_id}"
# What every operation can be refused with before it is reached: docs/request-path.md.
_ALWAYS = (400, 401, 403, 404, 406, 413, 415)
_WORDS = {
    200: "Done.",
    201: "Made.",
    202: "Accepted; what was asked for goes on.",
    204: "Done; nothing is said.",
    207: "Each event has a code of its own.",
    300: "The versions that are served.",
    400: "The request is malformed, or asks for what cannot be.",
    401: "The token is missing or not valid.",
    403: "Policy or a quota refuses.",
    404: "There is no such thing, or no such operation at this version.",
    406: "The version is not served.",
    409: "Its state does not allow it.",
    410: "The operation was removed.",
    413: "The body, or what is asked for, is too large.",
    415: "The media type is not served.",
    501: "Not supported here.",
    503: "A service that is needed does not answer.",
}


def document(suite: str, microversion: str | None = None) -> dict[str, Any]:
    """The document of "compute" or "volume"; ``microversion`` None or "latest" is the newest.

    Raises BadVersion and UnsupportedVersion as the API refuses a version.
    """
    dialect = DIALECTS[suite]
    version = negotiate(microversion or "latest", dialect.default, dialect.low, dialect.high)
    maker = _Maker(dialect, version)
    paths = maker.paths()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"OpenKeel {suite} API",
            "version": show(version),
            "description": f"The {suite} API at microversion {show(version)}.",
        },
        "servers": _servers(dialect),
        "security": [{"token": []}],
        "paths": paths,
        "components": maker.components.shown(),
    }


def _servers(dialect: Dialect) -> list[dict[str, Any]]:
    prefix = dialect.prefixes[0]
    project = {"default": "0", "description": "The project of the token."}
    return [
        {"url": f"/{prefix}"},
        {"url": f"/{prefix}/{_PROJECT}", "variables": {"project_id": project}},
    ]


class _Maker:
    """Makes the paths of one document and collects the components they name."""

    def __init__(self, dialect: Dialect, version: Version):
        self.dialect, self.version = dialect, version
        self.components = Components(dialect)
        self._responses: Responses = responses_of(dialect)
        self._queries = data(dialect, "queries.json") if dialect.suite == "volume" else {}

    def paths(self) -> dict[str, Any]:
        """Path -> method -> operation, for all that exist at the version."""
        found: dict[str, dict[str, list[Op]]] = {}
        for row in data(self.dialect, "operations.json")["operations"]:
            op = Op.from_row(row)
            if op.offered(self.version):
                found.setdefault(op.path, {}).setdefault(op.method.lower(), []).append(op)
        return {path: self._path(path, methods) for path, methods in found.items()}

    def _path(self, path: str, methods: dict[str, list[Op]]) -> dict[str, Any]:
        names = re.findall(r"{(\w+)}", path)
        shared = [*map(parameters.in_path, names), parameters.version_header(self.dialect, self.version)]
        return {"parameters": shared, **{method: self._operation(ops) for method, ops in methods.items()}}

    def _operation(self, ops: list[Op]) -> dict[str, Any]:
        """One method of a path; on an action path several operations, told apart by the one key of the body."""
        first = ops[0]
        made: dict[str, Any] = {
            "operationId": _identifier(first.method, first.path),
            "tags": [first.path.split("/")[1] or "versions"],
            "responses": self._answers(ops),
        }
        query = self._query(first)
        if query:
            made["parameters"] = query
        body = self._body(ops)
        if body is not None:
            made["requestBody"] = body
        if all(op.removed is not None for op in ops):
            made["deprecated"] = True
        rules = sorted({rule for op in ops for rule in op.policies})
        if rules:
            made["x-openstack-policies"] = rules
        return made

    def _query(self, op: Op) -> list[dict[str, Any]]:
        if op.id in self._queries:
            return parameters.plain_queries(self._queries[op.id])
        name = op.query.at(self.version)
        return [] if name is None else parameters.of_query(self.components.sound(name))

    def _body(self, ops: list[Op]) -> dict[str, Any] | None:
        if ops[0].method not in ("POST", "PUT") and not any(op.request for op in ops):
            return None
        schemas = [self._request(op) for op in ops]
        schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        required = any(op.action is not None or op.request.at(self.version) is not None for op in ops)
        return {"required": required, "content": {"application/json": {"schema": schema}}}

    def _request(self, op: Op) -> dict[str, Any]:
        name = op.request.at(self.version)
        if name is not None and self.components.sound(name):
            return self.components.request(name)
        if op.action is None:
            return {}
        keyed = {"type": "object", "properties": {op.action: {}}, "required": [op.action], "maxProperties": 1}
        return self.components.named(f"action.{op.action}", keyed)

    def _answers(self, ops: list[Op]) -> dict[str, Any]:
        """Every code, with the schema of what comes with it."""
        good: dict[int, list[dict[str, Any]]] = {}
        bad: set[int] = set(_ALWAYS)
        for op in ops:
            if op.removed is not None:
                bad.add(op.removed)
                continue
            code = op.success.at(self.version) or 200
            good.setdefault(code, []).append(self._answer(op))
            bad.update(op.errors.at(self.version) or ())
            if op.id == "POST /os-server-external-events":
                good.setdefault(207, []).append(self._answer(op))
        made: dict[str, Any] = {str(code): _content(code, schemas) for code, schemas in sorted(good.items())}
        for code in sorted(bad - set(good)):
            made[str(code)] = {"$ref": f"#/components/responses/{self.components.refusal(code, _WORDS[code])}"}
        return made

    def _answer(self, op: Op) -> dict[str, Any]:
        name = self._responses.name(op.id, self.version)
        if name is not None:
            return self.components.answer(name, self._responses.schemas[name])
        return {} if self.dialect.suite == "compute" else {"type": "object"}


def _content(code: int, schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """An answer with success. One that says nothing has no content."""
    found: list[dict[str, Any]] = []
    for schema in schemas:
        if schema not in found:
            found.append(schema)
    if code in (202, 204, 201) and found in ([{}], [{"type": "object"}]):
        return {"description": _WORDS[code]}
    schema = found[0] if len(found) == 1 else {"anyOf": found}
    return {"description": _WORDS[code], "content": {"application/json": {"schema": schema}}}


def _identifier(method: str, path: str) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-")
    return f"{method.lower()}-{words or 'root'}"
