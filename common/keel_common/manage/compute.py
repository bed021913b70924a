"""The verbs of nova-manage: api_db and db (cell_v2 is in `cells`). Exit codes: nova 34.0.0 cli."""

import argparse
from typing import Any

from keel_common.db import Cells, current, sync
from keel_common.manage.cells import sync_cells


def _no_version(args: argparse.Namespace) -> bool:
    if getattr(args, "version", None) is not None:
        print("A version cannot be chosen: the tables of this release are made as a whole")
        return False
    return True


def api_db_sync(conf: Any, args: argparse.Namespace) -> int:
    if not _no_version(args):
        return 1
    sync(Cells(conf).api, "nova_api")
    return 0


def api_db_version(conf: Any, args: argparse.Namespace) -> int:
    print(current(Cells(conf).api))
    return 0


def db_sync(conf: Any, args: argparse.Namespace) -> int:
    if not _no_version(args):
        return 1
    return sync_cells(conf, args.local_cell)


def db_version(conf: Any, args: argparse.Namespace) -> int:
    print(current(Cells(conf).local))
    return 0
