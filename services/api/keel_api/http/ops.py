"""The table of operations: rows of recorded data joined with handlers by id.

An id is ``"GET /servers/{id}"`` or, for a body action, ``"POST /servers/{id}/action #os-stop"``.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import resources
from types import ModuleType
from typing import Any

from keel_api.http.dialect import Dialect
from keel_api.http.version import Spans, Version, parse

Handler = Callable[..., Any]


def handles(*ids: str) -> Callable[[Handler], Handler]:
    """Mark a function ``(req: Request) -> Response | dict | None`` as the handler of declared operations.

    The function is found because it stands in a module below the package of its suite (``keel_api.compute`` or
    ``keel_api.volume``); an id the data does not declare, or one handled twice, is an error at start.
    """

    def mark(fn: Handler) -> Handler:
        fn.operations = (*getattr(fn, "operations", ()), *ids)  # type: ignore[attr-defined]
        return fn

    return mark


@dataclass
class Op:
    """One declared operation: everything known about it but its handler's code."""

    id: str
    method: str
    path: str
    action: str | None
    since: Version
    until: Version
    removed: int | None  # the code a removed operation answers
    gate: Version | None  # refused below this version, but only after the body was checked
    request: Spans  # schema names of the body
    query: Spans  # schema names of the query
    success: Spans  # status codes
    errors: Spans = field(default_factory=lambda: Spans([]))  # codes it is meant to refuse with
    policies: tuple[str, ...] = ()
    handler: Handler | None = None
    names: tuple[str, ...] = field(default=())  # path parameters, in order

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Op:
        return cls(
            id=row["id"],
            method=row["method"],
            path=row["path"],
            action=row.get("action"),
            since=parse(row["since"]),
            until=parse(row["until"]),
            removed=row.get("removed"),
            gate=parse(row["gate"]) if "gate" in row else None,
            request=Spans(row.get("request", [])),
            query=Spans(row.get("query", [])),
            success=Spans(row.get("success", [])),
            errors=Spans([[since, until, tuple(codes)] for since, until, codes in row.get("errors", [])]),
            policies=tuple(row.get("policies", ())),
            names=tuple(part[1:-1] for part in row["path"].split("/") if part.startswith("{")),
        )

    def offered(self, version: Version) -> bool:
        """Whether the operation exists at a version (else 404)."""
        return self.since <= version <= self.until


class StartupError(Exception):
    """The declared operations and the handlers do not fit together."""


def data(dialect: Dialect, name: str) -> Any:
    """A JSON data file of a suite's package."""
    return json.loads(resources.files(dialect.package).joinpath("data", name).read_bytes())


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """The modules below a package, imported, in the order of their names."""
    for info in sorted(pkgutil.walk_packages(package.__path__, package.__name__ + "."), key=lambda item: item.name):
        yield importlib.import_module(info.name)


def handlers_in(package: ModuleType) -> dict[str, Handler]:
    """Operation id -> handler, from the marked functions of every module below a package."""
    found: dict[str, Handler] = {}
    for module in modules(package):
        for fn in vars(module).values():
            if getattr(fn, "__module__", None) != module.__name__:
                continue  # imported from another module: counted there
            for op_id in getattr(fn, "operations", ()):
                if op_id in found:
                    raise StartupError(f"{op_id} is handled twice: {found[op_id]} and {fn}")
                found[op_id] = fn
    return found


def load(dialect: Dialect, extra: dict[str, Handler] | None = None) -> list[Op]:
    """Every operation of a suite with its handler. Raises StartupError for a handler of something undeclared."""
    ops = {row["id"]: Op.from_row(row) for row in data(dialect, "operations.json")["operations"]}
    found = {**handlers_in(importlib.import_module(dialect.package)), **(extra or {})}
    unknown = sorted(set(found) - set(ops))
    if unknown:
        raise StartupError(f"handlers of operations that {dialect.suite} does not declare: {', '.join(unknown)}")
    for op_id, handler in found.items():
        if ops[op_id].removed:
            raise StartupError(f"{op_id} is a removed operation and takes no handler")
        ops[op_id].handler = handler
    return list(ops.values())
