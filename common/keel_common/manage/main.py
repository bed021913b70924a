"""keel-manage: the verbs, arguments and exit codes of nova-manage and cinder-manage that are built so far.

keel-manage [--suite nova|cinder] [--config-file FILE]... [--config-dir DIR] CATEGORY VERB [arguments]

Other parts of OpenKeel add a category of verbs to both suites by an entry point in the group ``openkeel.manage``: its
name is that of the category, its value a dict as those in VERBS.
"""

import argparse
import sys
import traceback
from importlib.metadata import entry_points
from typing import Any

from keel_common.config import load
from keel_common.db import DatabaseError
from keel_common.manage import cells, compute, volume
from keel_common.manage.verb import Verb, flag, text

UNEXPECTED = 255
SUITES = {"nova": "compute", "cinder": "volume"}


_VERSION = text("version", nargs="?")
_DATABASE = text("--database_connection", dest="database_connection")
_TRANSPORT = text("--transport-url", dest="transport_url")
_CELL = text("--cell_uuid", dest="cell_uuid")

VERBS: dict[str, dict[tuple[str, str], Verb]] = {
    "nova": {
        ("api_db", "sync"): Verb(compute.api_db_sync, (_VERSION,)),
        ("api_db", "version"): Verb(compute.api_db_version),
        ("db", "sync"): Verb(compute.db_sync, (_VERSION, flag("--local_cell"))),
        ("db", "version"): Verb(compute.db_version),
        ("cell_v2", "map_cell0"): Verb(cells.map_cell0, (_DATABASE,)),
        ("cell_v2", "create_cell"): Verb(
            cells.create_cell, (text("--name"), _DATABASE, _TRANSPORT, flag("--verbose"), flag("--disabled"))
        ),
        ("cell_v2", "list_cells"): Verb(cells.list_cells, (flag("--verbose"),)),
        ("cell_v2", "list_hosts"): Verb(cells.list_hosts, (_CELL,)),
        ("cell_v2", "discover_hosts"): Verb(
            cells.discover_hosts, (_CELL, flag("--verbose"), flag("--strict"), flag("--by-service"))
        ),
        ("cell_v2", "simple_cell_setup"): Verb(cells.simple_cell_setup, (_TRANSPORT,)),
    },
    "cinder": {
        ("db", "sync"): Verb(volume.db_sync, (text("version", nargs="?", type=int),)),
        ("db", "version"): Verb(volume.db_version),
        ("service", "list"): Verb(volume.service_list),
        ("quota", "check"): Verb(volume.quota_check, (text("--project-id"),)),
        ("quota", "sync"): Verb(volume.quota_sync, (text("--project-id"),)),
    },
}


def _verbs(suite: str, argv: list[str]) -> dict[tuple[str, str], Verb]:
    """The verbs of a suite, and those that other parts add: imported for who names their category or asks for help."""
    found = dict(VERBS[suite])
    for point in entry_points(group="openkeel.manage"):
        if {point.name, "-h", "--help"}.intersection(argv):
            found |= point.load()
    return found


def _parser(suite: str, known: dict[tuple[str, str], Verb]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="keel-manage", description=f"Administration of {suite} (--suite changes it)")
    parser.add_argument("--suite", choices=sorted(SUITES), default="nova")
    parser.add_argument("--config-file", action="append", default=[])
    parser.add_argument("--config-dir", action="append", default=[])
    categories = parser.add_subparsers(dest="category", required=True)
    verbs: dict[str, Any] = {}
    for (category, name), verb in known.items():
        if category not in verbs:
            verbs[category] = categories.add_parser(category).add_subparsers(dest="verb", required=True)
        one = verbs[category].add_parser(name)
        one.add_argument("--suite", choices=sorted(SUITES), default=argparse.SUPPRESS)
        for flags, options in verb.arguments:
            one.add_argument(*flags, **options)
    return parser


def _suite(argv: list[str]) -> str:
    """The suite named anywhere on the command line; nova when none is."""
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("--suite", default="nova")
    name = first.parse_known_args(argv)[0].suite
    return name if name in SUITES else "nova"


def main(argv: list[str] | None = None) -> int:
    """Runs one command; its exit code as recorded, 2 for wrong arguments, 255 for what nobody expected."""
    argv = sys.argv[1:] if argv is None else argv
    suite = _suite(argv)
    known = _verbs(suite, argv)
    args = _parser(suite, known).parse_args(argv)
    files = [f"--config-file={name}" for name in args.config_file]
    folders = [f"--config-dir={name}" for name in args.config_dir]
    try:
        conf = load(SUITES[suite], argv=files + folders)
        return known[args.category, args.verb].run(conf, args)
    except DatabaseError as error:
        print(error, file=sys.stderr)
        return UNEXPECTED
    except Exception:
        traceback.print_exc()
        return UNEXPECTED


if __name__ == "__main__":
    sys.exit(main())
