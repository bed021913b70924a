"""Whether a message is what the contract says, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from oslo_versionedobjects import fields as oslo_fields

from keel_contract import errors, objects, versions
from keel_contract.context import Context
from keel_contract.interface import Interface, incoming
from keel_contract.suites import SUITES
from keel_contract.tap.addresses import interface_of
from keel_contract.tap.text import printable, word
from keel_contract.tap.wire import ENVELOPE_VERSION, Message, Primitive, objects_in

# oslo.messaging answers it by itself where [DEFAULT]rpc_ping_enabled says so.
PING = "oslo_rpc_server_ping"
_CONTEXT_KEYS = {suite: frozenset(Context(overwrite=False).to_wire(suite)) for suite in SUITES}


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is not as declared. ``kind`` is a word to count by: envelope, topic, method, mode, version,
    arguments, context, object, field."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


def judge(message: Message) -> list[Violation]:
    """Everything about ``message`` that the contract does not allow; [] when it is in order."""
    found = [*_envelope(message)]
    if message.method == PING and message.namespace is None:
        return found
    suite = message.to.suite
    interface = interface_of(message.to.topic, message.namespace)
    if suite is None or interface is None:
        where = f"{printable(message.to.routing_key)}, namespace {word(message.namespace)}"
        return [*found, Violation("topic", f"nobody answers {where}")]
    found += _method(message, interface)
    found += _context(message, suite)
    for primitive in objects_in(message.args, suite):
        found += judge_object(primitive, suite)
    return found


def _envelope(message: Message) -> list[Violation]:
    if message.envelope is None:
        return [Violation("envelope", "there is none")]
    if message.envelope != ENVELOPE_VERSION:
        return [Violation("envelope", f"version {word(message.envelope)}, not {ENVELOPE_VERSION}")]
    return []


def _method(message: Message, interface: Interface) -> list[Violation]:
    found = []
    older = False
    try:
        older = not versions.understands(interface.version, message.version)
        accepted = (interface.version, *interface.older)
        if not any(versions.understands(own, message.version) for own in accepted):
            found.append(
                Violation("version", f"{word(message.version)} of {interface.name}; known: {', '.join(accepted)}")
            )
    except (ValueError, AttributeError, TypeError):
        found.append(Violation("version", f"{word(message.version)} is none"))
    declared = interface.methods.get(message.method) if isinstance(message.method, str) else None
    declared = declared or next(
        (one for one in interface.methods.values() if any(message.method == level.method for level in one.levels)), None
    )
    if declared is None:
        return [*found, Violation("method", f"{interface.name} has no {word(message.method)}")]
    mode = "cast" if message.mode == "fanout" else message.mode
    if mode not in {*declared.modes, *(level.mode for level in declared.levels)}:
        found.append(Violation("mode", f"{declared.name} is no {mode}"))
    if (message.mode == "fanout") != declared.fanout and declared.fanout:
        found.append(Violation("mode", f"{declared.name} goes to every server, this one to {message.to}"))
    try:
        incoming(declared, message.args, older)
    except errors.BadArguments as problem:
        found.append(Violation("arguments", printable(str(problem))))
    except (TypeError, ValueError, AttributeError):
        found.append(Violation("arguments", f"a {type(message.args).__name__} is no set of arguments"))
    return found


def _context(message: Message, suite: str) -> list[Violation]:
    found = []
    unknown = message.context.keys() - _CONTEXT_KEYS[suite]
    if unknown:
        found.append(Violation("context", f"unknown {', '.join(sorted(word(key) for key in unknown))}"))
    try:
        Context.from_wire(suite, message.context)
    except errors.Unreadable as problem:
        found.append(Violation("context", str(problem)))
    return found


def judge_object(primitive: Primitive, suite: str) -> list[Violation]:
    """What is wrong with one object; those inside it are judged for themselves."""
    registry = SUITES[suite].registry
    where = f"{printable(primitive.path)}: {word(primitive.name)} {word(primitive.version)}"
    cls = registry.classes.get(primitive.name) if isinstance(primitive.name, str) else None
    if cls is None:
        return [Violation("object", f"{where} is not known")]
    try:
        if not versions.understands(cls.VERSION, primitive.version):
            return [Violation("object", f"{where} is newer than {cls.VERSION}")]
    except (ValueError, AttributeError, TypeError):
        return [Violation("object", f"{where} has no version")]
    found = []
    if primitive.namespace != suite:
        found.append(Violation("object", f"{where} is of namespace {word(primitive.namespace)}"))
    if not isinstance(primitive.data, dict):
        return [*found, Violation("object", f"{where} has no data")]
    changes = primitive.changes if isinstance(primitive.changes, list) else []
    unknown = {word(name) for name in [*primitive.data, *changes]} - cls.fields.keys()
    if unknown:
        found.append(Violation("field", f"{where} has no {', '.join(sorted(unknown))}"))
    for name in primitive.data.keys() & cls.fields.keys():
        found += _field(cls, primitive, name, where)
    return found


def _field(cls: type[objects.VersionedObject], primitive: Primitive, name: str, where: str) -> list[Violation]:
    declared = cls.fields[name]
    since = getattr(getattr(declared, "rules", None), "since", None)
    if since is not None and versions.older(primitive.version, since):
        return [Violation("field", f"{where}.{name} came with {since}")]
    value = primitive.data[name]
    if isinstance(declared, oslo_fields.ObjectField | oslo_fields.ListOfObjectsField):
        return [] if _holds_objects(declared, value) else [Violation("field", f"{where}.{name} holds no object")]
    try:
        instance = cls()
        declared.coerce(instance, name, declared.from_primitive(instance, name, value))
    except Exception as problem:  # a field type may raise anything for a value that is none of its own
        return [Violation("field", f"{where}.{name} is no valid value ({type(problem).__name__})")]
    return []


def _holds_objects(declared: oslo_fields.Field, value: Any) -> bool:
    """Whether the shape is right; the objects in it are judged for themselves."""
    if value is None:
        return declared.nullable
    if isinstance(declared, oslo_fields.ListOfObjectsField):
        return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
    return isinstance(value, dict)
