"""The compute suite in this process: API, conductor, scheduler and databases are ours; the rest is at the edge."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

from fakes.api import CELL1, Snapshot, map_cells, memory_url

from conformance import peers
from conformance.driver import NovaCompute
from conformance.replay import Answer
from conformance.requests import Message
from conformance.scenario import environment
from conformance.waiting import WaitingBus
from conformance.wsgi import Overrides, call
from keel_api import app
from keel_api.services import ComputeServices
from keel_common.clients import Clients
from keel_common.config import load
from keel_common.db import CELL0, Cells, add, now, schema
from keel_conductor.endpoints.compute_task import TaskEndpoint
from keel_conductor.endpoints.objects import ObjectEndpoint
from keel_conductor.peers import Peers
from keel_contract.bus import Endpoint
from keel_contract.nova import interfaces
from keel_contract.nova.remote import RemoteObjects
from keel_scheduler.compute.choose import Chooser
from keel_scheduler.compute.endpoints import SchedulerEndpoint
from keel_scheduler.compute.world import World

HOST, NODE = "compute", "fake-mini"
CPU = {
    "arch": "x86_64",
    "model": "Nehalem",
    "vendor": "Intel",
    "features": ["pge", "clflush"],
    "topology": {"cores": 1, "threads": 1, "sockets": 4},
}
SETTINGS = {
    "host": NODE,
    "vif_plugging_timeout": 0,
    "shelved_offload_time": 0,
    "transport_url": "fake:/",
    "compute_link_prefix": ("api", "http://openstack.example.com"),
    "glance_link_prefix": ("api", "http://glance.openstack.example.com"),
}
_CELL, _API = schema.nova_cell.tables, schema.nova_api.tables
_TOPICS = {"nova-compute": "compute", "nova-conductor": "conductor", "nova-scheduler": "scheduler"}


class ComputeCloud:
    """A deployment as `environment.json` describes it; `reset` brings it back to its beginning."""

    patience = 0.0  # casts wait

    def __init__(self, config_files: list[str] | None = None) -> None:
        self._facts = environment()["nova"]
        self.conf = load("compute", [], config_files)
        urls = {name: memory_url() for name in ("api", "cell0", "cell1")}
        self._settings = Overrides(self.conf)
        self._settings.fix(SETTINGS | {"connection": ("api_database", urls["api"])})
        self._settings.fix({"connection": ("database", urls["cell1"])})
        self._bus = WaitingBus(self.conf, "nova", "fake:/")
        self.cells = Cells(self.conf)
        empty = Snapshot.of({"api": "nova_api", "cell0": "nova_cell", "cell1": "nova_cell"})
        empty.restore(self.cells.api, "api")
        self.cells.api.run(map_cells, urls)
        self._databases = {"api": self.cells.api, "cell0": self.cells.get(CELL0).db, "cell1": self.cells.get(CELL1).db}
        for name in ("cell0", "cell1"):
            empty.restore(self._databases[name], name)
        self._seed()
        self._beginning = Snapshot.taken(self._databases)
        self.clients = Clients(self.conf, "compute")
        self._parts: list[Any] = []
        self._hosts: list[Any] = []
        self._zones: list[str] = []
        self._app = self._build()

    # -- beginning

    def _seed(self) -> None:
        for flavor in self._facts["flavors"]:
            self.cells.api.run(_flavor, flavor)
        for binary, host in (("nova-conductor", "conductor"), ("nova-scheduler", "scheduler")):
            self.cells.get(CELL1).db.run(_service, host, binary)

    def _build(self) -> Any:
        self.services = ComputeServices(self.conf, self.cells, self.clients, lambda url: self._bus)
        conductor = Peers(self.conf, self.cells, self.clients, self._bus)
        self._remote = RemoteObjects(self._bus.client(interfaces.CONDUCTOR))
        self._fake_peers()
        chooser = Chooser(self.conf, World(self.conf, self.cells), _Late(self.clients, "placement"))
        ours = [
            Endpoint(interfaces.CONDUCTOR, ObjectEndpoint(self.conf, self.cells)),
            Endpoint(interfaces.COMPUTE_TASK, TaskEndpoint(conductor)),
        ]
        self._parts = [
            self._bus.server("conductor", "conductor", ours),
            self._bus.server("scheduler", "scheduler", [Endpoint(interfaces.SCHEDULER, SchedulerEndpoint(chooser))]),
        ]
        for part in self._parts:
            part.start()
        self._serve(HOST, NODE)
        return app.build(self.conf, "compute", self.services, auth=lambda guarded: guarded)

    def _fake_peers(self) -> None:
        self.clients.glance = peers.Glance(self._facts["glance_images"])
        self.clients.neutron = peers.Neutron(self._facts["neutron"])
        self.clients.cinder = peers.Cinder(self._facts["cinder_volumes"])
        self.clients.placement = peers.Placement()
        self.clients.keystone = peers.Keystone()
        self.clients.manila = peers.Manila()

    def _serve(self, host: str, node: str) -> list[Any]:
        target = NovaCompute(host, node, self._remote, self.clients, self.conf)
        made = [
            self._bus.server(topic, host, [Endpoint(interfaces.COMPUTE, target)]) for topic in interfaces.COMPUTE.topics
        ]
        for part in made:
            part.start()
        self._parts += made
        return made

    # -- a scenario

    def reset(self, scenario: dict[str, Any]) -> None:
        """An empty cloud with the hosts and the configuration of the scenario."""
        profile = scenario.get("profile") or {}
        for name, db in self._databases.items():
            self._beginning.restore(db, name)
        self._fake_peers()
        for part in self._hosts:
            part.stop(time.monotonic() + 5)
            self._parts.remove(part)
        extra = profile.get("computes", [])
        self._hosts = [part for host in extra for part in self._serve(host, host)]
        cell = self.cells.get(CELL1)
        cell.db.run(_heartbeats)
        for host, node in [(HOST, NODE), *((host, host) for host in extra)]:
            provider = cell.db.run(_compute, host, node, self._facts["hosts"][HOST])
            self.cells.api.run(add, _API["host_mappings"], {"host": host, "cell_id": cell.id})
            self.clients.placement.offer(provider, {"VCPU": 8, "MEMORY_MB": 8192 - 512, "DISK_GB": 1028})
        self._settings.set(scenario.get("config") or [])
        self._zones = profile.get("availability_zones") or []

    def send(self, request: Message) -> Answer:
        """One request, straight into the WSGI application.

        The zones of the recording exist for whoever asks for one, without an aggregate: while such a request runs, the
        zone of hosts without an aggregate has that name.
        """
        zone = next((each for each in self._zones if _names(request.body, each)), None)
        if zone is None:
            return call(self._app, request)
        self.conf.set_override("default_availability_zone", zone)
        try:
            return call(self._app, request)
        finally:
            self.conf.clear_override("default_availability_zone")

    def close(self) -> None:
        for part in self._parts:
            part.stop(time.monotonic() + 5)
        self._bus.close()
        self.cells.close()


class _Late:
    """The client of today: `reset` replaces the peers."""

    def __init__(self, clients: Any, name: str):
        self._clients, self._name = clients, name

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(self._clients, self._name), name)


def _names(body: bytes | None, zone: str) -> bool:
    return body is not None and json.dumps(zone)[1:-1].encode() in body and b"availability_zone" in body


def _flavor(conn: Any, flavor: dict[str, Any]) -> None:
    row = {"name": flavor["name"], "flavorid": flavor["id"], "memory_mb": flavor["ram"], "vcpus": flavor["vcpus"]}
    row |= {"root_gb": flavor["disk"], "ephemeral_gb": flavor["ephemeral"], "swap": flavor["swap"]}
    row |= {"rxtx_factor": flavor["rxtx_factor"], "vcpu_weight": None, "disabled": False, "is_public": True}
    key = add(conn, _API["flavors"], row)
    for name, value in flavor["extra_specs"].items():
        add(conn, _API["flavor_extra_specs"], {"flavor_id": key, "key": name, "value": value})


def _service(conn: Any, host: str, binary: str) -> int:
    row = {"host": host, "binary": binary, "topic": _TOPICS[binary], "report_count": 1, "version": 74}
    row |= {"disabled": False, "forced_down": False, "last_seen_up": now(), "uuid": str(uuid.uuid4())}
    return add(conn, _CELL["services"], row)


def _heartbeats(conn: Any) -> None:
    conn.execute(_CELL["services"].update().values(last_seen_up=now(), updated_at=now()))


def _compute(conn: Any, host: str, node: str, facts: dict[str, Any]) -> str:
    """Service and node of a host; the uuid of its resource provider."""
    _service(conn, host, "nova-compute")
    _heartbeats(conn)
    row = {
        "uuid": str(uuid.uuid4()),
        "host": host,
        "hypervisor_hostname": node,
        "hypervisor_type": facts["hypervisor_type"],
        "hypervisor_version": facts["hypervisor_version"],
        "host_ip": "192.168.0.1",
        "vcpus": facts["vcpus"],
        "memory_mb": facts["memory_mb"],
        "local_gb": facts["local_gb"],
        "vcpus_used": 0,
        "memory_mb_used": 512,
        "local_gb_used": 0,
        "free_ram_mb": facts["memory_mb"] - 512,
        "free_disk_gb": facts["local_gb"],
        "current_workload": 0,
        "running_vms": 0,
        "disk_available_least": 0,
        "cpu_info": json.dumps(CPU),
        "supported_instances": json.dumps([[arch, "fake", "hvm"] for arch in ("x86_64", "i686")]),
        "cpu_allocation_ratio": 4.0,
        "ram_allocation_ratio": 1.0,
        "disk_allocation_ratio": 1.0,
        "mapped": 1,
    }
    add(conn, _CELL["compute_nodes"], row)
    return row["uuid"]
