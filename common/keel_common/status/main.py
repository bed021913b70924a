"""keel-status: the pins of a deployment, and the verbs, arguments and exit codes of nova-status and cinder-status.

keel-status [--suite nova|cinder] [--config-file FILE]... [--config-dir DIR] pins|upgrade check [--json]
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable
from typing import Any

from keel_common.config import load
from keel_common.db import Cells, Database, DatabaseError
from keel_common.manage.main import SUITES, UNEXPECTED
from keel_common.status import cinder_checks, cinder_pins, line, nova_checks, nova_pins, upgrade

_CHECKS = {"nova": nova_checks.CHECKS, "cinder": cinder_checks.CHECKS}


def pins(conf: Any, args: argparse.Namespace) -> int:
    """What each client may send and who keeps it from more. The exit code: line.FINE, IN_DANGER, UNKNOWN."""
    report = _report(args.suite, conf)
    if args.json:
        print(report.as_json())
    else:
        report.show()
    return report.code


def _report(suite: str, conf: Any) -> line.Report:
    if suite == "nova":
        cells = Cells(conf)
        try:
            return nova_pins.report(conf, cells)
        finally:
            cells.close()
    db = Database(conf.database.connection, conf.database)
    try:
        return cinder_pins.report(db)
    finally:
        db.close()


def upgrade_check(conf: Any, args: argparse.Namespace) -> int:
    """Whether this release can take over; the exit code is the worst result."""
    return upgrade.run(conf, _CHECKS[args.suite], args.json)


def main(argv: list[str] | None = None) -> int:
    """Run one command; its exit code, 2 for wrong arguments, 255 for what nobody expected."""
    args = _parser().parse_args(argv)
    files = [f"--config-file={name}" for name in args.config_file]
    folders = [f"--config-dir={name}" for name in args.config_dir]
    run: Callable[[Any, argparse.Namespace], int] = args.run
    try:
        return run(load(SUITES[args.suite], argv=files + folders), args)
    except DatabaseError as error:
        print(error, file=sys.stderr)
        return UNEXPECTED
    except Exception:
        traceback.print_exc()
        return UNEXPECTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="keel-status", description="What an operator asks around an upgrade.")
    _common(parser, first=True)
    verbs = parser.add_subparsers(dest="category", required=True)
    report = verbs.add_parser("pins", help="per topic: what is sent, who keeps it from more, what raising it needs")
    report.set_defaults(run=pins)
    checks = verbs.add_parser("upgrade", help="checks before an upgrade").add_subparsers(dest="verb", required=True)
    check = checks.add_parser("check", help="0: all well, 1: a warning, 2: a failure, 255: an error")
    check.set_defaults(run=upgrade_check)
    for one in (report, check):
        _common(one, first=False)
        one.add_argument("--json", action="store_true", help="for programs")
    return parser


def _common(parser: argparse.ArgumentParser, first: bool) -> None:
    """Options that may stand before and after the verb."""

    def default(value: Any) -> Any:
        return value if first else argparse.SUPPRESS

    parser.add_argument("--suite", choices=sorted(SUITES), default=default("nova"), help="whose services: nova")
    parser.add_argument("--config-file", action="append", default=default([]), metavar="FILE")
    parser.add_argument("--config-dir", action="append", default=default([]), metavar="DIR")


if __name__ == "__main__":
    sys.exit(main())
