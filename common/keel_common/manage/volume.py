"""The verbs of cinder-manage: db and service. Exit codes: cinder 29.0.0 cli."""

import argparse
from typing import Any

from keel_common.db import Database, DatabaseError, current, sync
from keel_common.db.stores.cinder import quota_audit, services


def database(conf: Any) -> Database:
    """Cinder's database; raises DatabaseError when none is configured."""
    if not conf.database.connection:
        raise DatabaseError("[database]connection is not set")
    return Database(conf.database.connection, conf.database)


def db_sync(conf: Any, args: argparse.Namespace) -> int:
    """Makes the tables: 0 done, 1 a version was asked for or the tables are of another release."""
    if getattr(args, "version", None) is not None:
        print("A version cannot be chosen: the tables of this release are made as a whole")
        return 1
    try:
        sync(database(conf), "cinder")
    except DatabaseError as error:
        print(error)
        return 1
    return 0


def db_version(conf: Any, args: argparse.Namespace) -> int:
    print(current(database(conf)))
    return 0


def service_list(conf: Any, args: argparse.Namespace) -> int:
    """Prints the services in the columns of cinder-manage service list."""
    layout = "%-16s %-36s %-16s %-10s %-5s %-20s %-12s %-15s %-36s"
    heads = "Binary", "Host", "Zone", "Status", "State", "Updated At", "RPC Version", "Object Version", "Cluster"
    print(layout % heads)
    for row in database(conf).read(services.listing):
        state = ":-)" if services.is_up(row, conf.service_down_time) else "XXX"
        print(
            layout
            % (
                row["binary"],
                row["host"].partition(".")[0],
                row["availability_zone"],
                "disabled" if row["disabled"] else "enabled",
                state,
                row["updated_at"] or row["created_at"],
                row["rpc_current_version"],
                row["object_current_version"],
                row["cluster_name"] or "",
            )
        )
    return 0


def quota_check(conf: Any, args: argparse.Namespace) -> int:
    """Prints the quota counters that are wrong: 0 none is, 1 some are."""
    found = database(conf).run(quota_audit.differences, not conf.no_snapshot_gb_quota, args.project_id)
    _print_differences(found)
    return 1 if found else 0


def quota_sync(conf: Any, args: argparse.Namespace) -> int:
    """Sets the quota counters right and prints those that were wrong: 0."""
    _print_differences(database(conf).run(quota_audit.correct, not conf.no_snapshot_gb_quota, args.project_id))
    return 0


def _print_differences(found: list[quota_audit.Difference]) -> None:
    for one in found:
        print(f"{one.project_id}: {one.resource} {one.column} is {one.kept}, there are {one.real}")
    print(f"{len(found)} wrong counters")
