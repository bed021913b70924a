"""``keel-contract check``: how much of everything recorded our declarations equal, and where they differ."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

from keel_contract.check import backports, methods, notifications, objects, remotable
from keel_contract.check.counts import Count

# What is counted -> how, and for which suite.
COUNTS: dict[str, tuple[Callable[[str], Count], str]] = {
    "nova_methods": (methods.count, "nova"),
    "nova_objects": (objects.count, "nova"),
    "nova_notification_objects": (notifications.count, "nova"),
    "cinder_methods": (methods.count, "cinder"),
    "cinder_objects": (objects.count, "cinder"),
    "nova_backports": (backports.count, "nova"),
    "cinder_backports": (backports.count, "cinder"),
    "remotable_methods": (remotable.count, "nova"),
}


def main(argv: list[str]) -> int:
    """0 when everything recorded is declared alike, else 1."""
    parser = argparse.ArgumentParser(
        prog="keel-contract check", description="Compare the declarations with everything recorded of real releases."
    )
    parser.add_argument("--json", action="store_true", help="the counts as JSON")
    asked = parser.parse_args(argv)
    found = counted()
    if asked.json:
        rows = {name: {"recorded": count.recorded, "matching": count.matching} for name, count in found.items()}
        print(json.dumps(rows, indent=2))
    else:
        print(table(found))
    return 0 if all(count.equal for count in found.values()) else 1


def counted() -> dict[str, Count]:
    """Every count."""
    return {name: count(suite) for name, (count, suite) in COUNTS.items()}


def table(found: dict[str, Count]) -> str:
    """The counts in columns, then what differs."""
    width = max(map(len, found))
    lines = [f"{'':{width}}  recorded  matching"]
    lines += [f"{name:{width}}  {count.recorded:8}  {count.matching:8}" for name, count in found.items()]
    branches = methods.branches("nova"), methods.branches("cinder")
    lines.append(f"messages of the methods over all pins: nova {branches[0]}, cinder {branches[1]}")
    for name, count in found.items():
        if not count.equal:
            lines += ["", f"{name}: {len(count.differences)} differences", *(f"  {line}" for line in count.differences)]
    return "\n".join(lines)
