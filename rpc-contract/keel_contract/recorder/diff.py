"""``keel-contract diff A B``: what changed between two recorded releases, as tables."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from keel_contract import goldens

Row = tuple[str, str, str, str]  # of what, what, before, after
_NONE = "-"
_HEAD = ("", "", "before", "after")
_WIDEST = 60  # characters of a value


def main(argv: list[str]) -> int:
    """0 when both releases are recorded, equal or not; 1 otherwise."""
    parser = argparse.ArgumentParser(prog="keel-contract diff", description="What changed between recorded releases.")
    parser.add_argument("before", metavar="A", help="such as nova-33, or the path of a recording: DIR/nova-30")
    parser.add_argument("after", metavar="B", help="such as nova-34")
    asked = parser.parse_args(argv)
    try:
        print("\n".join(report(asked.before, asked.after)))
    except LookupError as missing:
        known = ", ".join(name for names in goldens.RELEASES.values() for name in names)
        print(f"{missing.args[0]}; recorded: {known}", file=sys.stderr)
        return 1
    return 0


def report(before: str, after: str) -> Iterator[str]:
    """The lines of all tables.

    :raises LookupError: one of the releases is not recorded
    """
    tables: dict[str, list[Row]] = {
        "RPC: endpoints": list(endpoints(_methods(before), _methods(after))),
        "RPC: arguments of methods": list(answers(_methods(before), _methods(after))),
        "RPC: messages of clients": list(sends(_methods(before), _methods(after))),
        "Objects": list(objects(goldens.release(before, "objects"), goldens.release(after, "objects"))),
        "Versions": list(values(goldens.release(before, "versions"), goldens.release(after, "versions"))),
    }
    if "notifications" in goldens.parts(before) and "notifications" in goldens.parts(after):
        notices = [goldens.release(name, "notifications") for name in (before, after)]
        tables["Notifications"] = list(objects(*notices))
    yield f"{before} -> {after}"
    for title, rows in tables.items():
        yield ""
        yield title if rows else f"{title}: nothing changed"
        yield from table(rows)


def _methods(release: str) -> Mapping[str, Any]:
    return goldens.release(release, "methods")["interfaces"]


def endpoints(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Row]:
    """Versions, namespaces and topics of what answers."""
    for name in _names(before, after):
        old, new = before.get(name, {}).get("answers", {}), after.get(name, {}).get("answers", {})
        for key in ("version", "namespace", "topics"):
            yield from _row(name, key, old.get(key), new.get(key))


def answers(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Row]:
    """Methods that came, went, or take other arguments."""
    for name in _names(before, after):
        old, new = (side.get(name, {}).get("answers", {}).get("methods", {}) for side in (before, after))
        for method in _names(old, new):
            yield from _row(f"{name}.{method}", "", _signature(old.get(method)), _signature(new.get(method)))


def sends(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Row]:
    """Ways to send a method that came or went: version, topic and arguments, whatever the pins they are for."""
    for name in _names(before, after):
        old, new = (side.get(name, {}).get("sends", {}) for side in (before, after))
        for method in _names(old, new):
            gone, come = _ways(old.get(method)), _ways(new.get(method))
            for way in sorted(gone.keys() - come.keys()):
                yield f"{name}.{method}", "no longer sent", way, _NONE
            for way in sorted(come.keys() - gone.keys()):
                yield f"{name}.{method}", f"to peers of {come[way]}", _NONE, way


def _ways(sent: Mapping[str, Any] | None) -> dict[str, str]:
    """How a method is sent -> the newest pin for which it is."""
    found: dict[str, str] = {}
    for branch in (sent or {}).get("branches", ()):
        if "method" in branch:
            arguments = ", ".join(sorted(branch["args"]))
            newest = branch["caps"][0] or "the newest version"
            found.setdefault(f"{branch['mode']} {branch['version']} on {branch['topic']} ({arguments})", newest)
    return found


def objects(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Row]:
    """Objects whose version, fields or remotable methods changed."""
    for name in _names(before, after):
        old, new = before.get(name, {}), after.get(name, {})
        yield from _row(name, "version", old.get("version"), new.get("version"))
        for part in ("fields", "remotable"):
            for key in _names(old.get(part, {}), new.get(part, {})):
                yield from _changed(name, key, old.get(part, {}).get(key), new.get(part, {}).get(key))
        if old.get("version") == new.get("version") and old.get("fingerprint") != new.get("fingerprint"):
            yield name, "fingerprint alone", str(old.get("fingerprint")), str(new.get("fingerprint"))


def _changed(name: str, key: str, old: Any, new: Any) -> Iterator[Row]:
    """A field; of an enumeration that grew or shrank only the values that differ."""
    if old and new and "values" in old and "values" in new:
        gone = [value for value in old["values"] if value not in new["values"]]
        come = [value for value in new["values"] if value not in old["values"]]
        old = {**old, "values": gone}
        new = {**new, "values": come}
        if not gone and not come and old == new:
            return
    yield from _row(name, key, old, new)


def values(before: Mapping[str, Any], after: Mapping[str, Any], path: str = "") -> Iterator[Row]:
    """Whatever differs between two nested tables."""
    for key in _names(before, after):
        old, new = before.get(key), after.get(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from values(old, new, f"{path}{key}.")
        elif isinstance(old, list) and isinstance(new, list) and old == new[: len(old)]:
            yield from _row(f"{path}{key}", "added", None, new[len(old) :] or None)
        else:
            yield from _row(f"{path}{key}", "", old, new)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Rows in columns under a head; nothing for no rows."""
    if not rows:
        return
    cut = [
        tuple(cell if len(cell) <= _WIDEST else f"{cell[: _WIDEST - 3]}..." for cell in row[:3]) + row[3:]
        for row in rows
    ]
    widths = [max(len(row[column]) for row in (_HEAD, *cut)) for column in range(3)]
    for row in (_HEAD, *cut):
        cells = [f"{cell:{width}}" for cell, width in zip(row[:3], widths, strict=True)]
        yield "  ".join(["", *cells, row[3]]).rstrip()


def _row(name: str, what: str, old: Any, new: Any) -> Iterator[Row]:
    if old != new:
        yield name, what, _text(old), _text(new)


def _signature(arguments: list[str] | None) -> str | None:
    return None if arguments is None else f"({', '.join(arguments)})"


def _text(value: Any) -> str:
    if value is None:
        return _NONE
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _names(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return sorted(before.keys() | after.keys())
