"""What a save of a server costs a conductor: the real nova-conductor and ours, measured in turns in one run.

    python -m perf.bench_rpc [--python PYTHON] [--rounds 3] [--seconds 8] [--clients 4]

Both run with one worker, on the same RabbitMQ (a virtual host each) and the same MariaDB databases, and are asked by
the same client: object_action Instance.save of servers as a nova-compute holds them, each with a changed task state
and the expected one. Of each conductor the processor time of its whole process tree is counted, so what else the
machine does is left out. PYTHON is of an environment with nova 34.0.0 (default: the one of `keel-cloud`, `reference`).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conductor_objects.run import reference

from keel_common.config import load
from keel_contract.bus import Bus
from keel_contract.context import Context
from keel_contract.nova import interfaces
from keel_contract.nova.remote import RemoteObjects
from perf import bench_rpc_world as world

PARTS = ["metadata", "system_metadata", "info_cache", "flavor", "numa_topology", "pci_requests", "trusted_certs",
         "resources"]  # fmt: skip
STATES = (None, "powering-off")


class Clients:
    """Threads that save servers through one conductor until told to stop; each has a server of its own."""

    def __init__(self, url: str, count: int) -> None:
        conf = load("compute", argv=[], config_files=[])
        self._bus = Bus(conf, "nova", url)
        self._remote = RemoteObjects(self._bus.client(interfaces.CONDUCTOR))
        self._context = Context.admin("nova")
        self._servers = [self._load(world.server(number)) for number in range(count)]

    def _load(self, uuid: str) -> Any:
        return self._remote.class_action(self._context, "Instance", "get_by_uuid", uuid, expected_attrs=PARTS)

    def run(self, seconds: float) -> int:
        """How many saves were answered within the time."""
        end = time.monotonic() + seconds
        counts = [0] * len(self._servers)
        threads = [
            threading.Thread(target=self._save, args=(number, counts, end)) for number in range(len(self._servers))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(counts)

    def _save(self, number: int, counts: list[int], end: float) -> None:
        server = self._servers[number]
        while time.monotonic() < end:
            before = server.task_state
            server.task_state = STATES[1] if before == STATES[0] else STATES[0]
            self._remote.action(self._context, server, "save", expected_task_state=[before])
            counts[number] += 1

    def refresh(self) -> None:
        """Servers as they are in the database: the other conductor's clients changed them."""
        self._servers = [self._load(server.uuid) for server in self._servers]

    def close(self) -> None:
        self._bus.close()


@contextmanager
def conductors(place: Path, python: str) -> Iterator[dict[str, world.Conductor]]:
    with world.databases() as urls, world.virtual_hosts() as hosts:
        programs = {
            "nova": [str(Path(python).with_name("nova-conductor"))],
            "ours": [sys.executable, "-m", "keel_conductor.main"],
        }
        running = {}
        try:
            for name, program in programs.items():
                running[name] = world.Conductor(name, program, place, hosts[name], urls)
            yield running
        finally:
            for conductor in running.values():
                conductor.end()


def measured(running: dict[str, world.Conductor], rounds: int, seconds: float, clients: int) -> dict[str, list[Any]]:
    """(saves, seconds of processor time, seconds) of each round by conductor; the round that warms up is left out."""
    asking = {name: Clients(conductor.transport_url, clients) for name, conductor in running.items()}
    found: dict[str, list[Any]] = {name: [] for name in running}
    try:
        for number in range(rounds + 1):
            for name, conductor in running.items():
                asking[name].refresh()
                used, begun = conductor.cpu(), time.monotonic()
                saves = asking[name].run(seconds if number else seconds / 2)
                if number:
                    found[name].append((saves, conductor.cpu() - used, time.monotonic() - begun))
    finally:
        for one in asking.values():
            one.close()
    return found


def table(found: dict[str, list[Any]]) -> list[str]:
    """A line per conductor and the ratio."""
    lines = [f"{'conductor':<16}{'saves':>8}{'saves/s':>10}{'cpu ms/save':>13}{'saves per cpu second':>22}"]
    per_cpu = {}
    for name, rounds in found.items():
        saves, used, spent = (sum(column) for column in zip(*rounds, strict=True))
        per_cpu[name] = statistics.median(one[0] / one[1] for one in rounds)
        label = {"nova": "nova-conductor", "ours": "keel-conductor"}[name]
        lines.append(f"{label:<16}{saves:>8}{saves / spent:>10.1f}{used / saves * 1000:>13.2f}{per_cpu[name]:>22.1f}")
    return [*lines, f"ratio, saves per cpu second: {per_cpu['ours'] / per_cpu['nova']:.2f}"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="perf.bench_rpc", description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=reference(), help="python of an environment with nova 34.0.0")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--clients", type=int, default=4)
    given = parser.parse_args()
    if given.python is None:
        parser.error("--python or KEEL_REFERENCE has to name the python of an environment with nova 34.0.0")
    with tempfile.TemporaryDirectory() as place, conductors(Path(place), given.python) as running:
        print("\n".join(table(measured(running, given.rounds, given.seconds, given.clients))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
