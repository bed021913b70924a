"""What the operations of a document share: schemas by name, refusals by code, the security scheme."""

from __future__ import annotations

from typing import Any

from keel_api.http.dialect import Dialect
from keel_api.http.ops import data
from keel_api.http.schemas import sound

_FAULT = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": {
        "type": "object",
        "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
        "required": ["code", "message"],
    },
}
_TOKEN = {"type": "apiKey", "in": "header", "name": "X-Auth-Token", "description": "A token of Keystone."}
# Refused before an operation is reached, and not as a fault.
_PLAIN = (401, 413)


class Components:
    """Collects what is named, each once."""

    def __init__(self, dialect: Dialect):
        self._dialect = dialect
        self._raw = data(dialect, "schemas.json")
        self._schemas: dict[str, Any] = {"fault": _FAULT}
        self._responses: dict[str, Any] = {}

    def sound(self, name: str) -> dict[str, Any]:
        """A recorded request or query schema without what this dialect of JSON Schema does not know."""
        return _current(sound(self._raw[name]))

    def request(self, name: str) -> dict[str, Any]:
        """A reference to a recorded request schema."""
        return self.named(name, self.sound(name))

    def answer(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """A reference to a recorded response schema; one that says nothing stands by itself."""
        return self.named(name, _current(sound(schema))) if schema else {}

    def named(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """A reference to a schema under a name."""
        self._schemas[name] = schema
        return {"$ref": f"#/components/schemas/{name}"}

    def refusal(self, code: int, words: str) -> str:
        """The name of the refusal with a code."""
        made: dict[str, Any] = {"description": words}
        if code not in _PLAIN:
            made["content"] = {"application/json": {"schema": {"$ref": "#/components/schemas/fault"}}}
        self._responses[f"refused-{code}"] = made
        return f"refused-{code}"

    def shown(self) -> dict[str, Any]:
        """The components of the document."""
        return {
            "schemas": dict(sorted(self._schemas.items())),
            "responses": dict(sorted(self._responses.items())),
            "securitySchemes": {"token": _TOKEN},
        }


def _current(schema: Any) -> Any:
    """`additionalItems` beside `prefixItems` means nothing in 2020-12."""
    if isinstance(schema, list):
        return [_current(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _current(value) for key, value in schema.items() if key != "additionalItems"}
