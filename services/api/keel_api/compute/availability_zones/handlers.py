"""``os-availability-zone`` (nova 34.0.0): zones are what aggregates say; hosts of none are in the default zone."""

from __future__ import annotations

from typing import Any

from keel_api.compute.hosts import all_services
from keel_api.http import Request, handles
from keel_api.http.times import stamp

_RULE = "os_compute_api:os-availability-zone"


@handles("GET /os-availability-zone")
def index(req: Request) -> dict:
    """Names of the zones that computes are in."""
    req.must(f"{_RULE}:list", {})
    available, rest = _zones(all_services(req))
    shown = [_zone(name, True, None) for name in available if name != _internal(req)]
    shown += [_zone(name, False, None) for name in rest if name != _internal(req)]
    return {"availabilityZoneInfo": shown}


@handles("GET /os-availability-zone/detail")
def detail(req: Request) -> dict:
    """The zones with their hosts and services, the internal one included."""
    req.must(f"{_RULE}:detail", {})
    rows = all_services(req)
    available, rest = _zones(rows)
    shown = [_zone(name, True, _hosts(rows, name)) for name in available]
    shown += [_zone(name, False, None) for name in rest]
    return {"availabilityZoneInfo": shown}


def _internal(req: Request) -> str:
    return req.services.conf.internal_service_availability_zone


def _zones(rows: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Zones with an enabled service, and those that have disabled ones alone; in order of appearance."""
    available = dict.fromkeys(row["zone"] for row in rows if not row["disabled"])
    rest = dict.fromkeys(row["zone"] for row in rows if row["zone"] not in available)
    return list(available), list(rest)


def _zone(name: str, available: bool, hosts: dict[str, Any] | None) -> dict[str, Any]:
    return {"zoneName": name, "zoneState": {"available": available}, "hosts": hosts}


def _hosts(rows: list[dict[str, Any]], zone: str) -> dict[str, Any]:
    hosts: dict[str, Any] = {}
    for row in rows:
        if row["zone"] == zone and not row["disabled"]:
            hosts.setdefault(row["host"], {})[row["binary"]] = {
                "available": row["up"],
                "active": not row["disabled"],
                "updated_at": stamp(row["updated_at"]),
            }
    return hosts
