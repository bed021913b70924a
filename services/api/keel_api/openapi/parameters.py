"""The parameters of operations: of the path, of the query, the version header."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from keel_api.http.dialect import Dialect
from keel_api.http.version import Version, show


def in_path(name: str) -> dict[str, Any]:
    """A part of the path."""
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}


def version_header(dialect: Dialect, version: Version) -> dict[str, Any]:
    """The header that asks for the version of the document."""
    return {
        "name": "OpenStack-API-Version",
        "in": "header",
        "required": version != dialect.default,
        "description": "Service and microversion.",
        "schema": {"const": f"{dialect.service} {show(version)}"},
    }


def of_query(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parameters of a recorded query schema: there each key has the list of all its values."""
    return [_parameter(name, sub) for name, sub in schema.get("properties", {}).items()]


def _parameter(name: str, schema: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "in": "query", "schema": schema}
    if isinstance(schema, dict) and schema.get("type") == "array":
        found |= {"style": "form", "explode": True}
    return found


def plain_queries(names: Iterable[str]) -> list[dict[str, Any]]:
    """Keys of which nothing but their name is recorded (cinder 29.0.0 list rules)."""
    return [{"name": name, "in": "query", "schema": {"type": "string"}} for name in names]
