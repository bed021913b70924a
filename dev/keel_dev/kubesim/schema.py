"""What a CustomResourceDefinition's schema does to an object: prune, default, validate.

One walk prunes unknown fields, drops nulls and fills defaults. Validation asks a compiled validator for a
yes or no first; only after a no is the explaining one run and worded as the API server words it. CEL rules
are evaluated by cel-python for the parts of the object that are there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import celpy
import jsonschema_rs
from celpy.adapter import json_to_cel

from .errors import cause
from .kinds import Kind
from .store import clone

Schema = dict[str, Any]
Cause = dict[str, str]

# The parts of metadata a client may send; the server's own fields are handled elsewhere.
METADATA_FIELDS = frozenset(
    "name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp"
    " deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields".split()
)
_KEEP = ("type", "properties", "items", "additionalProperties", "required", "enum", "pattern", "minimum", "maximum",
         "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "multipleOf",
         "uniqueItems", "allOf", "anyOf", "oneOf", "not")  # fmt: skip


class CustomSchema:
    """The compiled schema of one custom type."""

    def __init__(self, kind: Kind):
        assert kind.schema is not None
        self._kind = kind
        self._schema = kind.schema
        self._validator = jsonschema_rs.validator_for(_plain(kind.schema))
        self._rules = list(_rules(kind.schema, ()))
        self._programs: dict[str, celpy.Runner] = {}

    def clean(self, obj: dict[str, Any]) -> list[str]:
        """Prune, drop nulls and fill defaults in place; returns the paths of unknown fields."""
        unknown: list[str] = []
        metadata = obj.get("metadata")
        _walk(obj, self._schema, "", unknown, root=True)
        if isinstance(metadata, dict):
            for name in [name for name in metadata if name not in METADATA_FIELDS]:
                del metadata[name]
                unknown.append(f"metadata.{name}")
            obj["metadata"] = metadata
        return unknown

    def check(self, obj: dict[str, Any], old: dict[str, Any] | None) -> list[Cause]:
        """What is wrong with an object, in the API server's words; empty when nothing is."""
        causes: list[Cause] = []
        if not self._validator.is_valid(obj):
            causes = sorted(
                (_worded(error) for error in self._validator.iter_errors(obj)), key=lambda item: item["field"]
            )
        if causes and self._rules:
            text = (
                "Invalid value: null: some validation rules were not checked because the object was invalid; "
                "correct the existing errors to complete validation"
            )
            return [*causes, cause("Invalid", "<nil>", text)]
        return causes + list(_duplicates(obj, self._schema, "")) + list(self._broken_rules(obj, old))

    def _broken_rules(self, obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Cause]:
        for path, rule in self._rules:
            for field, value, former in _instances(obj, old, path, ""):
                transition = "oldSelf" in rule["rule"]
                if transition and former is None:
                    continue
                if not self._holds(rule["rule"], value, former):
                    shown = f"Invalid value: {_shown(value)}: {rule['message']}"
                    yield cause("Invalid", field, shown)

    def _holds(self, rule: str, value: Any, former: Any) -> bool:
        program = self._programs.get(rule)
        if program is None:
            environment = celpy.Environment()
            program = self._programs[rule] = environment.program(environment.compile(rule))
        return bool(program.evaluate({"self": _cel(value), "oldSelf": _cel(former)}))


def _cel(value: Any) -> Any:
    if isinstance(value, dict):  # CEL escapes a field named like a reserved word
        value = {("__namespace__" if key == "namespace" else key): item for key, item in value.items()}
    return json_to_cel(value)


def _shown(value: Any) -> str:
    """A rule on an object shows the word "object", on a scalar the value."""
    if isinstance(value, dict):
        return '"object"'
    return json.dumps(value)


def _walk(node: dict[str, Any], schema: Schema, path: str, unknown: list[str], root: bool = False) -> None:
    properties = schema.get("properties", {})
    extra = schema.get("additionalProperties")
    open_ended = schema.get("x-kubernetes-preserve-unknown-fields") or schema.get("type") is None or extra is True
    embedded = schema.get("x-kubernetes-embedded-resource")
    for name in list(node):
        sub = properties.get(name, extra if isinstance(extra, dict) else None)
        if root and name in ("apiVersion", "kind", "metadata"):
            continue
        if sub is None:
            if open_ended or (embedded and name in ("apiVersion", "kind", "metadata")):
                continue
            unknown.append(f"{path}.{name}" if path else name)
            del node[name]
            continue
        value = node[name]
        if value is None and not sub.get("nullable"):
            del node[name]
        else:
            _descend(value, sub, f"{path}.{name}" if path else name, unknown)
    for name, sub in properties.items():
        if "default" in sub and name not in node:
            node[name] = clone(sub["default"])
            _descend(node[name], sub, f"{path}.{name}" if path else name, unknown)


def _descend(value: Any, schema: Schema, path: str, unknown: list[str]) -> None:
    if isinstance(value, dict):
        _walk(value, schema, path, unknown)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            _descend(item, schema["items"], f"{path}[{index}]", unknown)


def _plain(schema: Schema) -> Schema:
    """The structural schema as JSON schema: int-or-string and nullable spelled out."""
    plain: Schema = {}
    for name in _KEEP:
        if name not in schema:
            continue
        value = schema[name]
        if name == "properties":
            plain[name] = {key: _plain(sub) for key, sub in value.items()}
        elif name in ("items", "additionalProperties", "not") and isinstance(value, dict):
            plain[name] = _plain(value)
        elif name in ("allOf", "anyOf", "oneOf"):
            plain[name] = [_plain(sub) for sub in value]
        else:
            plain[name] = value
    if schema.get("x-kubernetes-int-or-string"):
        plain.pop("anyOf", None)
        plain["type"] = ["integer", "string"]
    for bound in ("Minimum", "Maximum"):
        if schema.get(f"exclusive{bound}") is True:
            plain[f"exclusive{bound}"] = plain.pop(bound.lower())
    if schema.get("nullable") and isinstance(plain.get("type"), str):
        plain["type"] = [plain["type"], "null"]
    return plain


def _rules(schema: Schema, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
    for rule in schema.get("x-kubernetes-validations", ()):
        yield path, rule
    for name, sub in schema.get("properties", {}).items():
        yield from _rules(sub, (*path, name))
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from _rules(schema[name], (*path, "*"))


def _instances(value: Any, old: Any, path: tuple[str, ...], field: str) -> Iterator[tuple[str, Any, Any]]:
    """Every value a rule at a schema path applies to, with its former value where there was one."""
    if value is None:
        return
    if not path:
        yield field, value, old
        return
    step, rest = path[0], path[1:]
    if step != "*":
        if isinstance(value, dict):
            former = old.get(step) if isinstance(old, dict) else None
            yield from _instances(value.get(step), former, rest, f"{field}.{step}" if field else step)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _instances(item, None, rest, f"{field}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _instances(item, old.get(key) if isinstance(old, dict) else None, rest, f"{field}[{key}]")


def _duplicates(value: Any, schema: Schema, field: str) -> Iterator[Cause]:
    """Members of a list of kind map or set that occur twice."""
    if isinstance(value, list):
        keys = schema.get("x-kubernetes-list-map-keys")
        seen: list[Any] = []
        for index, item in enumerate(value):
            identity = {key: item.get(key) for key in keys} if keys and isinstance(item, dict) else item
            if keys or schema.get("x-kubernetes-list-type") == "set":
                if identity in seen:
                    yield cause("Duplicate", f"{field}[{index}]", f"Duplicate value: {json.dumps(identity)}")
                seen.append(identity)
            yield from _duplicates(item, schema.get("items", {}), f"{field}[{index}]")
    elif isinstance(value, dict):
        properties, extra = schema.get("properties", {}), schema.get("additionalProperties")
        for name, item in value.items():
            sub = properties.get(name, extra)
            if isinstance(sub, dict) and isinstance(item, dict | list):
                yield from _duplicates(item, sub, f"{field}.{name}" if field else name)


_TYPE_WORDS: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    dict: "object",
    list: "array",
}


def _worded(error: jsonschema_rs.ValidationError) -> Cause:
    field = ""
    for step in error.instance_path:
        field += f"[{step}]" if isinstance(step, int) else (f".{step}" if field else str(step))
    return _WORDS.get(error.kind.name, _other)(error, field)


def _required(error: Any, field: str) -> Cause:
    missing = error.kind.property
    return cause("Required", f"{field}.{missing}" if field else missing, "Required value")


def _type(error: Any, field: str) -> Cause:
    given = _TYPE_WORDS.get(type(error.instance), "null")
    wanted = " or ".join(error.kind.types)
    return cause("TypeInvalid", field, f'Invalid value: "{given}": {field} in body must be of type {wanted}: "{given}"')


def _enum(error: Any, field: str) -> Cause:
    allowed = ", ".join(sorted(json.dumps(option) for option in error.kind.options))
    return cause("NotSupported", field, f"Unsupported value: {json.dumps(error.instance)}: supported values: {allowed}")


def _too_long(error: Any, field: str) -> Cause:
    return cause("TooLong", field, f"Too long: may not be more than {error.kind.limit} bytes")


def _other(error: Any, field: str) -> Cause:
    return cause("Invalid", field, f"Invalid value: {json.dumps(error.instance)}: {field} in body {error.message}")


_WORDS: dict[str, Callable[[Any, str], Cause]] = {
    "required": _required, "type": _type, "enum": _enum, "maxLength": _too_long,
}  # fmt: skip
