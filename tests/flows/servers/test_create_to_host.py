"""From POST /servers to the message on the host and back to DELETE: API and conductor on one in-process bus."""

import json
import threading
import time
import uuid

import pytest
from fakes.api import CELL1, ComputeApi, Identity, Snapshot
from fakes.peers import FakeAllocations, FakeCinder, FakeGlance, FakeNeutron

from keel_api.services import ComputeServices
from keel_common.db import add, count_statements, now, schema
from keel_conductor.endpoints.compute_task import TaskEndpoint
from keel_conductor.peers import Peers
from keel_contract.bus import Bus, Endpoint
from keel_contract.errors import ExpectedFault
from keel_contract.nova import interfaces, objects

HOST = "node-1"


class Scheduler:
    """Sends every server to the one host, or refuses with `refusal`."""

    refusal = None

    def select_destinations(self, context, spec_obj, instance_uuids, return_objects, return_alternates):
        if self.refusal:
            raise ExpectedFault("NoValidHost", self.refusal, reason="full")
        provider = str(uuid.uuid4())
        request = {"allocations": {provider: {"resources": {"VCPU": 1}}}, "mappings": {"": [provider]}}
        chosen = objects.Selection(
            compute_node_uuid=provider,
            service_host=HOST,
            nodename=HOST,
            cell_uuid=CELL1,
            limits=objects.SchedulerLimits(numa_topology=None, vcpu=None, disk_gb=None, memory_mb=None),
            allocation_request=json.dumps(request),
            allocation_request_version="1.36",
            availability_zone="nova",
        )
        return [[chosen] for _ in instance_uuids]


class Compute:
    """Notes what the host is told; `told` is set with each message."""

    def __init__(self):
        self.calls, self.told = [], threading.Event()

    def build_and_run_instance(self, context, **arguments):
        self._note("build", arguments)

    def terminate_instance(self, context, **arguments):
        self._note("terminate", arguments)

    def stop_instance(self, context, **arguments):
        self._note("stop", arguments)

    def _note(self, name, arguments):
        self.calls.append((name, arguments))
        self.told.set()

    def next(self):
        assert self.told.wait(10), "the host was told nothing"
        self.told.clear()
        return self.calls[-1]


@pytest.fixture
def world():
    api = ComputeApi(Snapshot.of({"api": "nova_api", "cell0": "nova_cell", "cell1": "nova_cell"}))
    api.conf.set_override("transport_url", "fake:/")
    bus = Bus(api.conf, "nova", "fake:/")
    clients = api.services.clients
    clients.glance, clients.neutron, clients.cinder = FakeGlance(), FakeNeutron(), FakeCinder()
    clients.placement = FakeAllocations()
    api.services = ComputeServices(api.conf, api.cells, clients, lambda url: bus)
    api.with_handlers({})
    api.scheduler, api.host = Scheduler(), Compute()
    peers = Peers(api.conf, api.cells, clients, bus)
    parts = [
        bus.server("conductor", "here", [Endpoint(interfaces.COMPUTE_TASK, TaskEndpoint(peers))]),
        bus.server("scheduler", "here", [Endpoint(interfaces.SCHEDULER, api.scheduler)]),
        bus.server("compute", HOST, [Endpoint(interfaces.COMPUTE, api.host)]),
    ]
    for part in parts:
        part.start()
    api.cells.api.run(_flavor)
    api.cell1.db.run(_service)
    api.cells.api.run(_map_host, api.cell1.id)
    api.image = clients.glance.add(os_type="linux")
    yield api
    for part in parts:
        part.stop(5)
    bus.close()
    api.close()


def _flavor(conn):
    row = {"name": "s", "flavorid": "s", "memory_mb": 512, "vcpus": 1, "root_gb": 1, "ephemeral_gb": 0, "swap": 0}
    row |= {"rxtx_factor": 1.0, "vcpu_weight": 0, "disabled": False, "is_public": True}
    add(conn, schema.nova_api.tables["flavors"], row)


def _service(conn):
    row = {"host": HOST, "binary": "nova-compute", "topic": "compute", "report_count": 1, "version": 74}
    row |= {"disabled": False, "forced_down": False, "last_seen_up": now(), "uuid": str(uuid.uuid4())}
    add(conn, schema.nova_cell.tables["services"], row)


def _map_host(conn, cell_id):
    add(conn, schema.nova_api.tables["host_mappings"], {"cell_id": cell_id, "host": HOST})


def create(api, **values):
    server = {"name": "web", "imageRef": api.image, "flavorRef": "s", "networks": "none", **values}
    reply = api.post("/servers", {"server": server}, version="2.90")
    assert reply.status == 202, reply.raw
    return reply.body["server"]["id"]


def show(api, server):
    return api.get(f"/servers/{server}", version="2.90", who=Identity.ADMIN).ok.body["server"]


def until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)


def claimed(api, server):
    """What a host does when it takes a server."""
    table = schema.nova_cell.tables["instances"]
    values = {"host": HOST, "node": HOST, "vm_state": "active", "task_state": None, "launched_at": now()}
    api.cell1.db.run(lambda conn: conn.execute(table.update().where(table.c.uuid == server).values(**values)))


def test_a_server_travels_to_its_host_and_away_again(world):
    with count_statements() as seen:
        server = create(world, metadata={"a": "b"}, tags=["t"])
        name, sent = world.host.next()
    assert name == "build" and sent["instance"].uuid == server
    assert len(seen) <= 60, len(seen)
    shown = show(world, server)
    assert (shown["status"], shown["metadata"], shown["tags"]) == ("BUILD", {"a": "b"}, ["t"])
    assert shown["flavor"]["original_name"] == "s" and shown["image"]["id"] == world.image

    claimed(world, server)
    assert show(world, server)["status"] == "ACTIVE"
    assert world.post(f"/servers/{server}/action", {"os-stop": None}).status == 202
    name, sent = world.host.next()
    assert name == "stop" and sent["instance"].metadata == {"a": "b"}
    assert world.delete(f"/servers/{server}").status == 204
    name, sent = world.host.next()
    assert name == "terminate" and [d.source_type for d in sent["bdms"].objects] == ["image"]


def test_a_server_without_a_valid_host_is_shown_with_its_fault_and_deleted(world):
    world.scheduler.refusal = "No valid host was found. full"
    server = create(world)
    until(lambda: show(world, server)["status"] == "ERROR")
    assert "No valid host" in show(world, server)["fault"]["message"]
    assert world.delete(f"/servers/{server}").status == 204
    assert world.get(f"/servers/{server}").status == 404


def test_a_server_deleted_before_it_is_scheduled_never_reaches_a_host(world):
    held = threading.Event()
    original = world.scheduler.select_destinations
    world.scheduler.select_destinations = lambda *args, **kwargs: (held.wait(10), original(*args, **kwargs))[1]
    server = create(world)
    assert world.delete(f"/servers/{server}").status == 204
    held.set()
    until(lambda: world.services.clients.placement.deleted == [server])
    assert world.host.calls == [] and world.get(f"/servers/{server}").status == 404
