"""make bench-api and make bench-volume: our API beside the real one; docs/performance.md has figures.

Needs a cloud of the services profile (`make up PROFILE=services`): Keystone, Glance, Neutron and the servers are its.
Databases of its own are made, filled and used by both sides. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from bench import databases
from bench.measure import Asked, Client, table
from bench.sides import Side
from keel_dev import environments
from keel_dev.client import connect
from keel_dev.settings import Settings

NEVER = "2036-01-01T00:00:00Z"


def compute_requests(server: str, facts: dict[str, str]) -> list[Asked]:
    """Those of nova-api."""
    wish = {"name": "bench", "imageRef": facts["image"], "flavorRef": "f1", "networks": [{"uuid": facts["network"]}]}
    return [
        Asked("GET /servers/detail, 10", "/servers/detail?limit=10", "2.104", 30),
        Asked("GET /servers/detail, 100", "/servers/detail?limit=100", "2.104", 10),
        Asked("GET /servers/detail, 1,000", "/servers/detail?limit=1000", "2.104", 4),
        Asked("GET /servers/detail, 1,000, 2.1", "/servers/detail?limit=1000", "2.1", 4),
        Asked("GET /servers, 1,000", "/servers?limit=1000", "2.104", 4),
        Asked("GET /servers/{id}", f"/servers/{server}", "2.104", 40),
        Asked(
            "GET /servers/detail?name=s1&status=ACTIVE", "/servers/detail?name=s1&status=ACTIVE&limit=100", "2.104", 10
        ),
        Asked("GET /servers/detail?changes-since, nothing", f"/servers/detail?changes-since={NEVER}", "2.104", 40),
        Asked("GET /flavors/detail", "/flavors/detail", "2.104", 40),
        Asked("GET /os-services", "/os-services", "2.104", 40, admin=True),
        Asked("POST /servers, accepted", "/servers", "2.104", 5, {"server": wish}),
    ]


def volume_requests(volume: str) -> list[Asked]:
    """Those of cinder-api."""
    wish = {"volume": {"size": 1, "name": "bench", "volume_type": "__DEFAULT__"}}
    return [
        Asked("GET /volumes/detail, 10", "/volumes/detail?limit=10", "3.71", 30),
        Asked("GET /volumes/detail, 1,000", "/volumes/detail?limit=1000", "3.71", 4),
        Asked("GET /volumes, 1,000", "/volumes?limit=1000", "3.71", 4),
        Asked("GET /volumes/{id}", f"/volumes/{volume}", "3.71", 40),
        Asked("GET /volumes/detail?status=available, 100", "/volumes/detail?status=available&limit=100", "3.71", 10),
        Asked("GET /types", "/types", "3.71", 40),
        Asked("GET /limits", "/limits", "3.71", 40),
        Asked("POST /volumes, accepted", "/volumes", "3.71", 8, wish),
    ]


def main() -> None:
    """Print the table; end both sides whatever happens."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("suite", choices=("compute", "volume"))
    parser.add_argument("--workers", type=int, default=1, help="worker processes of each side")
    parser.add_argument("--rows", type=int, default=1000, help="servers or volumes in the database")
    parser.add_argument("--paging", action="store_true", help="page through all rows with ours")
    wanted = parser.parse_args()
    settings = Settings.from_environment("services")
    environments.install(settings, "reference")
    member, admin = connect(settings, "openkeel"), connect(settings)
    sides = {kind: Side(settings, wanted.suite, kind, wanted.workers) for kind in ("real", "ours")}
    fill = databases.compute if wanted.suite == "compute" else databases.volume
    owner = member.current_project_id, member.current_user_id
    tokens = {False: member.auth_token, True: admin.auth_token}
    try:
        ids = fill(settings, sides["ours"], *owner, wanted.rows)
        for side in sides.values():
            side.start()
        if wanted.paging:
            lines = paging(sides["ours"], tokens[False], wanted.suite, wanted.rows)
        else:
            lines = table(sides, tokens, _requests(wanted.suite, ids[0], member))
        print("\n".join(lines))
    finally:
        for side in sides.values():
            side.stop()
        databases.drop(settings, wanted.suite)


def _requests(suite: str, known: str, member: Any) -> list[Asked]:
    if suite == "volume":
        return volume_requests(known)
    facts = {
        "image": next(member.image.images()).id,
        "network": next(member.network.networks(is_router_external=False)).id,
    }
    return compute_requests(known, facts)


def paging(side: Side, token: str, suite: str, rows: int) -> list[str]:
    """Milliseconds of the client for pages of 1,000 with a marker, the first and each tenth."""
    client, marker, lines = Client(side, token), "", ["page   ms"]
    key = "servers" if suite == "compute" else "volumes"
    version = "2.104" if suite == "compute" else "3.71"
    for number in range(1, rows // 1000 + 1):
        path = f"/{key}/detail?limit=1000" + (f"&marker={marker}" if marker else "")
        begun = time.perf_counter()
        marker = client.ask(Asked("page", path, version, 1))[key][-1]["id"]
        if number == 1 or number % 10 == 0:
            lines.append(f"{number:>4}{(time.perf_counter() - begun) * 1000:>7.0f}")
    return lines


if __name__ == "__main__":
    main()
