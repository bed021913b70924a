"""Load a backup and choose the backup service that works on it (source: cinder 29.0.0 backup flow)."""

from __future__ import annotations

import random
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_api.volume import faults, lookup
from keel_common.db.stores.cinder import backups, services

Row = dict[str, Any]
_BINARY = "cinder-backup"


def load(conn: Any, req: Request, rule: str | None, backup_id: str | None = None) -> Row:
    """The backup of the request that the caller may see, with its metadata, else 404. `rule`: checked on it as well."""
    backup_id = req.path["id"] if backup_id is None else backup_id
    row = backups.show(conn, backup_id, lookup.scope(req))
    if row is None:
        raise faults.not_found("Backup", backup_id)
    for wanted in filter(None, ("backup:get", rule)):
        req.must(wanted, lookup.target(row))
    return row


def live_hosts(conn: Any, req: Request, zone: str | None = None) -> list[str]:
    """Hosts of backup services that are up and enabled (in a zone), in no order."""
    seconds = req.services.conf.service_down_time
    rows = services.listing(conn, _BINARY)
    found = [row for row in rows if not row["disabled"] and services.is_up(row, seconds)]
    hosts = [row["host"] for row in found if zone is None or row["availability_zone"] == zone]
    random.shuffle(hosts)
    return hosts


def host_for(conn: Any, req: Request, row: Row, zone: str | None = None) -> str:
    """A live service for work on a backup: the one it has when that lives, else another. 404 when there is none.

    A backup on a file system of its host can be read there alone, so its host is never left without need.
    """
    hosts = live_hosts(conn, req, zone)
    if row["host"] in hosts:
        return row["host"]
    if not hosts:
        raise Fault(404, f"Service {_BINARY} could not be found.")
    return hosts[0]
