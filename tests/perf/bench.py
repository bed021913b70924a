"""make bench: what operations and processes cost on this machine; docs/performance.md explains each figure.

Counts are read from tests/perf/expected, which the tests hold; times and memory are measured now. Nothing here passes
or fails: figures of one machine are no promise.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable
from types import SimpleNamespace

from fakes.api import CELL1, OTHER, ComputeApi, Identity, Snapshot, VolumeApi
from fakes.peers import FakeNeutron

from keel_common.db.stores.cinder import types
from keel_common.runtime import memory
from perf import processes, rows
from perf.ledger import EXPECTED

NUMBER, ROUNDS = 1000, 9
KINDS = ("sql", "transaction", "rpc call", "rpc cast", "http", "kube")
MEMBER = Identity("list-user", OTHER, ("member", "reader"))


def counts() -> list[str]:
    """A line per operation: the sums of its expected file, by kind."""
    lines = [f"{'operation':<28}" + "".join(f"{kind:>13}" for kind in KINDS)]
    for path in sorted(EXPECTED.glob("*.txt")):
        sums = dict.fromkeys(KINDS, 0)
        for line in path.read_text().splitlines():
            number, _, what = line.strip().partition(" in all: ")
            for kind in KINDS:
                sums[kind] += int(number) if what.startswith(kind) else 0
        lines.append(f"{path.stem:<28}" + "".join(f"{sums[kind]:>13}" for kind in KINDS))
    return lines


def cpu(request: Callable[[], int]) -> tuple[float, float, int]:
    """Median and least CPU milliseconds of this process for a request, and the bytes of its answer; one to warm up."""
    size, spent = request(), []
    for _ in range(ROUNDS):
        begun = time.process_time()
        request()
        spent.append((time.process_time() - begun) * 1000)
    return statistics.median(spent), min(spent), size


def lists() -> list[str]:
    """CPU of lists of a thousand and of a server.

    In it: application, SQLAlchemy, SQLite in memory, JSON. Not in it: a web server, tokens, requests to peers.
    """
    lines = [f"{'request, ' + str(NUMBER) + ' rows':<44}{'median ms':>11}{'least ms':>11}{'bytes':>11}"]
    requests = _requests()
    memory.settle()  # as the processes do once they have started
    for name, request in requests:
        median, least, size = cpu(request)
        lines.append(f"{name:<44}{median:>11.1f}{least:>11.1f}{size:>11}")
    return lines


def _requests() -> list[tuple[str, Callable[[], int]]]:
    compute = ComputeApi(Snapshot.of({"api": "nova_api", "cell0": "nova_cell", "cell1": "nova_cell"}))
    compute.services.clients = SimpleNamespace(neutron=FakeNeutron())
    for number in range(10):
        rows.service(compute.cells.get(CELL1), f"away-{number}")
    rows.servers(compute.cells.api, compute.cells.get(CELL1), OTHER, MEMBER.user, NUMBER)
    volume = VolumeApi(Snapshot.of({"cinder": "cinder"}))
    kind = volume.db.read(types.get_by_name, "__DEFAULT__")["id"]
    rows.volumes(volume.db, OTHER, MEMBER.user, kind, NUMBER)
    server = compute.get("/servers?limit=1", who=MEMBER).ok.body["servers"][0]["id"]
    page, nothing = f"?limit={NUMBER}", "?changes-since=2036-01-01T00:00:00Z"
    asked = [(compute, f"/servers{page}", "2.1", NUMBER), (compute, f"/servers/detail{page}", "2.1", NUMBER)]
    asked += [(compute, f"/servers/detail{page}", "2.104", NUMBER), (compute, f"/servers/detail{nothing}", "2.104", 0)]
    asked += [(compute, f"/servers/{server}", "2.104", 1)]
    asked += [(volume, f"/volumes{page}", "3.71", NUMBER), (volume, f"/volumes/detail{page}", "3.71", NUMBER)]
    return [(f"GET {_named(path)} {version}", _request(api, path, version, n)) for api, path, version, n in asked]


def _named(path: str) -> str:
    """A path without values."""
    shown = path.replace(f"?limit={NUMBER}", "").partition("=")[0]
    return "/servers/{id}" if re.search("[0-9a-f]-[0-9a-f]", shown) else shown


def _request(api: ComputeApi | VolumeApi, path: str, version: str, number: int) -> Callable[[], int]:
    def send() -> int:
        # `raw`: the comparison with recorded schemas is a test's, and no part of the cost.
        whole = f"/{api.dialect.prefixes[0]}{path}"
        headers = {"OpenStack-API-Version": f"{api.dialect.service} {version}"}
        reply = api.call("GET", whole, who=MEMBER, headers=headers, raw=True).ok
        assert reply.raw.count(b'"self"') == number  # nothing is decoded here: that is the client's cost
        return len(reply.raw)

    return send


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--only", choices=["counts", "lists", "processes"], help="one part")
    only = parser.parse_args().only
    parts = {"counts": counts, "lists": lists, "processes": processes.table}
    for name, part in parts.items():
        if only in (None, name):
            print("\n".join([*part(), ""]), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
