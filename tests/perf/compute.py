"""A whole compute suite in one process: API, conductor, scheduler, compute, each with connections of its own."""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Any

from fakes.api import CELL1, PROJECT, Api, Identity

from keel_api.services import ComputeServices
from keel_common import config
from keel_common.db import CELL0, Cells, Database, add, schema
from keel_common.kube import PVC, Kube
from keel_common.runtime import Process
from keel_compute import main as compute_main
from keel_conductor.endpoints.compute_task import TaskEndpoint
from keel_conductor.endpoints.objects import ObjectEndpoint
from keel_conductor.peers import Peers
from keel_contract.bus import Bus, Endpoint
from keel_contract.nova import interfaces
from keel_contract.nova.baseapi import BaseEndpoint
from keel_dev.kubesim import KubeSim
from keel_scheduler.compute.choose import Chooser
from keel_scheduler.compute.endpoints import SchedulerEndpoint
from keel_scheduler.compute.main import discover_all
from keel_scheduler.compute.world import World
from perf import databases
from perf.ledger import Ledger
from perf.peers import Clients

NAMESPACE = "servers"
#: What the tests ask, what processes do by the clock, and the claim of a root disk: whether it is still there
#: to be deleted after its DataVolume is up to the cluster's collector.
NOT_COUNTED = (r"^\w+ test ", r"InstanceList\.get_by_host", r"^kube DELETE v1/persistentvolumeclaims/nova-\*-root$")
_CONF = """
[DEFAULT]
host = {who}
transport_url = fake:/
control_exchange = {exchange}
report_interval = 3600
service_down_time = 7200
update_resources_interval = -1
sync_power_state_interval = -1
shutdown_timeout = 2
[api_database]
connection = {api}
[database]
connection = {cell1}
[kubevirt]
kubeconfig = {kubeconfig}
namespace = {namespace}
share_nodes = false
workers = 8
"""


class ComputeCloud(Api):
    """One cell, two hosts (simulated nodes), one flavor, one image, one network."""

    suite = "compute"

    def __init__(self, folder: Path, sim: KubeSim) -> None:
        self._folder, self.sim, self._exchange = folder, sim, f"nova-{uuid.uuid4().hex}"
        databases.create(folder, api="nova_api", cell0="nova_cell", cell1="nova_cell")
        self.clients = Clients()
        self.kube = Kube(str(sim.kubeconfig))
        conf = self._configuration("api")
        self.cells = Cells(conf)
        self.cells.api.run(self._map_cells)
        bus = Bus(conf, "nova")
        super().__init__(conf, ComputeServices(conf, self.cells, self.clients, lambda url: bus))
        self.db = Database(databases.url(folder, "cell1", "test"))
        self.process = Process([*self._conductor(), *self._scheduler(), *self._compute()])

    def start(self) -> None:
        self.process.start()
        end = time.monotonic() + 30
        while len(self.rows("compute_nodes")) < 2:
            assert time.monotonic() < end, "hosts did not come up"
            time.sleep(0.05)
        discover_all(self.cells)
        self.cells.api.run(_flavor)

    def stop(self) -> None:
        self.process.stop(time.monotonic() + 20)
        self.clients.close()
        self.cells.close()
        self.db.close()

    def rows(self, table: str, **equal: Any) -> list[dict[str, Any]]:
        """Rows of the cell."""
        found = schema.nova_cell.tables[table]
        query = found.select().where(*(found.c[name] == value for name, value in equal.items()))
        return [dict(row) for row in self.db.read(lambda conn: conn.execute(query).mappings().all())]

    # -- operations

    def create(self, **values: Any) -> str:
        network = self.clients.neutron.fake.network["id"]
        server = {"name": "web", "imageRef": self.clients.glance.fake.id, "flavorRef": "s"}
        server |= {"networks": [{"uuid": network}], "metadata": {"a": "b"}, **values}
        reply = self.post("/servers", {"server": server}, version="2.90", who=self.user)
        return reply.ok.body["server"]["id"]

    @property
    def user(self) -> Identity:
        """A member whose token opens the image."""
        secret = self.clients.glance.fake.secret
        return Identity("member-user", PROJECT, ("member", "reader"), {"HTTP_X_AUTH_TOKEN": secret})

    def ended(self, server: str, action: str) -> bool:
        """Whether the newest action of this name has a finished event on the host."""
        actions = sorted(self.rows("instance_actions", instance_uuid=server, action=action), key=lambda a: a["id"])
        events = self.rows("instance_actions_events", action_id=actions[-1]["id"]) if actions else []
        assert all(each["result"] in (None, "Success") for each in events), events
        hosts = [each for each in events if each["event"].startswith("compute_")]
        return bool(hosts) and all(each["finish_time"] for each in events)

    def boot(self, ledger: Ledger, **values: Any) -> str:
        server = self.create(**values)
        ledger.settle(lambda: self.ended(server, "create"))
        (row,) = self.rows("instances", uuid=server)
        assert row["vm_state"] == "active", row["vm_state"]
        return server

    def volume(self) -> str:
        """An available volume with its claim, as a block storage service leaves them."""
        volume = self.clients.cinder.fake.add(size=1)
        spec = {"accessModes": ["ReadWriteOnce"], "volumeMode": "Block", "resources": {"requests": {"storage": "1Gi"}}}
        self.kube.create(PVC, PVC.body(f"volume-{volume}", NAMESPACE, spec=spec))
        return volume

    # -- services

    def _configuration(self, who: str) -> Any:
        values = {name: databases.url(self._folder, name, who) for name in ("api", "cell1")}
        values |= {"kubeconfig": str(self.sim.kubeconfig), "namespace": NAMESPACE, "exchange": self._exchange}
        path = self._folder / f"{who}.conf"
        path.write_text(_CONF.format(who=who, **values))
        return config.load("compute", [], [str(path)])

    def _map_cells(self, conn: Any) -> None:
        for uuid_, name, bus in ((CELL0, "cell0", "none:///"), (CELL1, "cell1", "fake:/")):
            place = f"sqlite:///file:{self._folder}/{name}.sqlite?{{query}}"
            row = {"uuid": uuid_, "name": name, "transport_url": bus, "database_connection": place, "disabled": False}
            add(conn, schema.nova_api.tables["cell_mappings"], row)

    def _conductor(self) -> list[Any]:
        conf = self._configuration("conductor")
        bus = Bus(conf, "nova")
        peers = Peers(conf, Cells(conf), self.clients, bus)
        ends = [
            Endpoint(interfaces.CONDUCTOR, ObjectEndpoint(conf, peers.cells)),
            Endpoint(interfaces.BASE, BaseEndpoint("conductor")),
            Endpoint(interfaces.COMPUTE_TASK, TaskEndpoint(peers)),
        ]
        return [bus.server("conductor", conf.host, ends)]

    def _scheduler(self) -> list[Any]:
        conf = self._configuration("scheduler")
        bus = Bus(conf, "nova")
        chooser = Chooser(conf, World(conf, Cells(conf)), self.clients.placement)
        return [bus.server("scheduler", conf.host, [Endpoint(interfaces.SCHEDULER, SchedulerEndpoint(chooser))])]

    def _compute(self) -> list[Any]:
        return compute_main.parts(self._configuration("compute"), clients=self.clients)


def _flavor(conn: Any) -> None:
    row = {"name": "s", "flavorid": "s", "memory_mb": 512, "vcpus": 1, "root_gb": 1, "ephemeral_gb": 0, "swap": 0}
    row |= {"rxtx_factor": 1.0, "vcpu_weight": 0, "disabled": False, "is_public": True}
    add(conn, schema.nova_api.tables["flavors"], row)
