"""All services of one suite in one process, on one bus that never leaves it.

Usage: python -m keel_dev.embedded compute|volume --config-file FILE
"""

import importlib
import sys
from typing import Any

from keel_common import config
from keel_common.runtime import Part, run, setup_logging

#: suite -> (module, arguments after the configuration) of each service's parts, in the order in which they start.
SERVICES: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "compute": (
        ("keel_conductor.main", ()),
        ("keel_scheduler.compute.main", ()),
        ("keel_compute.main", ()),
        ("keel_api.main", ("compute",)),
    ),
    "volume": (
        ("keel_volume.main", ()),
        ("keel_volume.backup.main", ()),
        ("keel_scheduler.volume.main", ()),
        ("keel_api.main", ("volume",)),
    ),
}


def parts(conf: Any, suite: str) -> list[Part]:
    """The parts of all services of a suite."""
    found: list[Part] = []
    for module, arguments in SERVICES[suite]:
        found += importlib.import_module(module).parts(conf, *arguments)
    return found


def main(argv: list[str] | None = None) -> int:
    """Run until a signal; the exit code is that of keel_common.runtime.run."""
    arguments = sys.argv[1:] if argv is None else argv
    if not arguments or arguments[0] not in SERVICES:
        raise SystemExit(f"usage: python -m keel_dev.embedded {'|'.join(SERVICES)} --config-file FILE")
    suite = arguments[0]
    conf = config.load(suite, arguments[1:])
    setup_logging(conf, f"keel-{suite}")
    return run(conf, parts(conf, suite), f"keel-{suite}")


if __name__ == "__main__":
    sys.exit(main())
