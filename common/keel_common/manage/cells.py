"""cell_v2: the cells of a Nova deployment and the hosts in them. Exit codes: nova 34.0.0 cli."""

import argparse
from typing import Any

from sqlalchemy.exc import DBAPIError, IntegrityError

from keel_common.db import CELL0, Cells, Database, DatabaseError, sync
from keel_common.db.stores.nova import cell_mappings as store
from keel_common.manage.tables import print_table


def map_cell0(conf: Any, args: argparse.Namespace) -> int:
    """Records cell0; its database is [database]connection with _cell0 behind the name unless told."""
    cells = Cells(conf)
    url = args.database_connection or cell0_url(conf.database.connection)
    if any(row["uuid"] == CELL0 for row in cells.api.read(store.cells)):
        print("cell0 is already mapped")
        return 0
    cells.api.run(store.add_cell, "cell0", "none:///", url, uuid=CELL0)
    return 0


def cell0_url(connection: str) -> str:
    """The URL of cell0's database: `_cell0` appended to the database name (before the ending of an SQLite file)."""
    head, question, query = connection.partition("?")
    is_file = head.startswith("sqlite") and "." in head.rpartition("/")[2]
    stem, dot, ending = head.rpartition(".") if is_file else (head, "", "")
    return f"{stem}_cell0{dot}{ending}{question}{query}"


def create_cell(conf: Any, args: argparse.Namespace) -> int:
    """Records a cell: 0 created, 1 no URL known, 2 URL or database in use by another cell."""
    cells = Cells(conf)
    transport = args.transport_url or conf.transport_url
    database = args.database_connection or conf.database.connection
    if not transport or not database:
        print("Give --transport-url and --database_connection, or set them in nova.conf")
        return 1
    for row in cells.api.read(store.cells):
        if database == row["database_connection"] or (transport == row["transport_url"] and transport != "none:///"):
            print(f"cell {row['uuid']} has this transport URL or database already")
            return 2
    uuid = cells.api.run(store.add_cell, args.name, transport, database, args.disabled)
    if args.verbose:
        print(uuid)
    return 0


def list_cells(conf: Any, args: argparse.Namespace) -> int:
    """Prints the cells; passwords are masked unless --verbose."""
    rows = Cells(conf).api.read(store.cells)
    shown = [
        [
            row["name"] or "",
            row["uuid"],
            row["transport_url"] if args.verbose else mask(row["transport_url"]),
            row["database_connection"] if args.verbose else mask(row["database_connection"]),
            str(bool(row["disabled"])),
        ]
        for row in sorted(rows, key=lambda row: row["name"] or "")
    ]
    print_table(["Name", "UUID", "Transport URL", "Database Connection", "Disabled"], shown)
    return 0


def mask(url: str) -> str:
    """A URL with its password replaced by four stars."""
    scheme, mark, rest = url.partition("://")
    credentials, at, place = rest.rpartition("@")
    if not at or ":" not in credentials:
        return url
    return f"{scheme}{mark}{credentials.split(':')[0]}:****@{place}"


def list_hosts(conf: Any, args: argparse.Namespace) -> int:
    """Prints the mapped hosts: 0 done, 1 no such cell."""
    api = Cells(conf).api
    cell_id = None
    if args.cell_uuid:
        cell_id = next((row["id"] for row in api.read(store.cells) if row["uuid"] == args.cell_uuid), None)
        if cell_id is None:
            print(f"Cell with uuid {args.cell_uuid} was not found.")
            return 1
    rows = api.read(store.hosts, cell_id)
    print_table(["Cell Name", "Cell UUID", "Hostname"], [[row["name"] or "", row["uuid"], row["host"]] for row in rows])
    return 0


def discover_hosts(conf: Any, args: argparse.Namespace) -> int:
    """Maps hosts of computes that reported themselves: 0 done, 1 --strict and none found, 2 another process does the
    same."""
    cells = Cells(conf)
    wanted = [cells.get(args.cell_uuid)] if args.cell_uuid else cells.working()
    found: list[str] = []
    try:
        for cell in wanted:
            found += discover(cells.api, cell.id, cell.db, args.by_service)
    except IntegrityError as error:
        print(f"Another process maps hosts at the same time, try again: {error.orig}")
        return 2
    for host in found if args.verbose else []:
        print(f"Mapped host {host}")
    return 1 if args.strict and not found else 0


def discover(api: Database, cell_id: int, cell: Database, by_service: bool = False) -> list[str]:
    """Maps the computes of one cell that are not mapped yet; returns the hosts that are new."""
    if by_service:
        return api.run(store.map_hosts, cell_id, cell.read(store.compute_service_hosts))
    nodes = cell.read(store.unmapped_nodes)
    new = api.run(store.map_hosts, cell_id, [node["host"] for node in nodes if node["host"]])
    if nodes:
        cell.run(store.mark_mapped, [node["id"] for node in nodes])
    return new


def simple_cell_setup(conf: Any, args: argparse.Namespace) -> int:
    """cell0 and one cell with all present hosts: 0 done, 1 no transport URL or no host yet (all the rest is done)."""
    transport = args.transport_url or conf.transport_url
    if not transport:
        print("Give --transport-url or set [DEFAULT]transport_url")
        return 1
    map_cell0(conf, argparse.Namespace(database_connection=None))
    cells = Cells(conf)
    sync(cells.cell0.db, "nova_cell")
    if not cells.working():
        cells.api.run(store.add_cell, None, transport, conf.database.connection)
        cells.refresh()
    cell = cells.working()[0]
    cells.api.run(store.map_hosts, cell.id, cell.db.read(store.all_node_hosts))
    if not cells.api.read(store.hosts, cell.id):
        print("No hosts found to map to cell, exiting.")
        return 1
    return 0


def sync_cells(conf: Any, local_only: bool) -> int:
    """cell0 first (unless `local_only`), then [database]connection: 0 done, 1 cell0 cannot be reached."""
    cells = Cells(conf)
    if not local_only:
        try:
            sync(cells.cell0.db, "nova_cell")
        except (DatabaseError, DBAPIError) as error:
            print(f"cell0 was not brought up to date (cell_v2 map_cell0 comes first): {error}")
            sync(cells.local, "nova_cell")
            return 1
    sync(cells.local, "nova_cell")
    return 0
