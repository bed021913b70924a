"""All services of one suite in one process, on one bus that never leaves it.

Usage: python -m keel_dev.embedded compute|volume --config-file FILE
"""

import importlib
import sys
from collections.abc import Callable

from keel_common import config
from keel_common.runtime import run

#: suite -> modules and functions that give the parts of each service, in the order in which they start.
SERVICES = {
    "compute": (
        ("keel_conductor.main", "parts"),
        ("keel_scheduler.compute.main", "parts"),
        ("keel_compute.main", "parts"),
        ("keel_api.main", "compute_parts"),
    ),
    "volume": (
        ("keel_scheduler.volume.main", "parts"),
        ("keel_volume.main", "parts"),
        ("keel_api.main", "volume_parts"),
    ),
}


def parts_of(suite: str) -> list[Callable]:
    """The functions that give the parts of the suite's services."""
    return [getattr(importlib.import_module(module), name) for module, name in SERVICES[suite]]


def main(argv: list[str] | None = None) -> int:
    """Run until a signal; the exit code is that of keel_common.runtime.run."""
    arguments = sys.argv[1:] if argv is None else argv
    if not arguments or arguments[0] not in SERVICES:
        raise SystemExit(f"usage: python -m keel_dev.embedded {'|'.join(SERVICES)} --config-file FILE")
    suite = arguments[0]
    conf = config.load(suite, arguments[1:])
    parts = [part for parts in parts_of(suite) for part in parts(conf)]
    return run(conf, parts, f"keel-{suite}")


if __name__ == "__main__":
    sys.exit(main())
