"""A conductor on the in-process bus with real databases (SQLite), and peers that write down what they are told."""

import itertools
import json
import os
import threading
import time
import uuid
from types import SimpleNamespace

import pytest
from fakes.compute_peers import FakeCinder, FakeNeutron

from keel_common.config import load
from keel_common.db import CELL0, Cells, Database, add, schema, sync
from keel_common.db.stores.nova import cell_mappings
from keel_conductor.endpoints.compute_task import TaskEndpoint
from keel_conductor.endpoints.objects import ObjectEndpoint
from keel_conductor.peers import Peers
from keel_contract.bus import Bus, Endpoint
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault
from keel_contract.nova import interfaces, objects
from keel_contract.nova.baseapi import BaseEndpoint
from keel_contract.nova.remote import RemoteObjects

PROJECT = "0123456789abcdef0123456789abcdef"
USER = "fedcba9876543210fedcba9876543210"


class FakePlacement:
    """`held`: consumer -> provider; `full`: providers that refuse a claim."""

    def __init__(self):
        self.held, self.full = {}, set()

    def claim(self, consumer, request, project, user):
        (provider,) = request["allocations"]
        if provider in self.full:
            return False
        self.held[consumer] = provider
        return True

    def delete_allocations(self, consumer):
        return self.held.pop(consumer, None) is not None


class FakeScheduler:
    """Answers with `hosts` in order (each server gets them rotated), or refuses with `refusal`."""

    def __init__(self, cell, placement):
        self.cell, self.placement = cell, placement
        self.hosts, self.refusal, self.calls = ["node-1", "node-2"], None, []
        self.meanwhile = lambda: None
        self.providers = {}

    def select_destinations(self, context, spec_obj, instance_uuids, return_objects, return_alternates):
        self.calls.append((spec_obj, instance_uuids, return_objects, return_alternates))
        if self.refusal:
            raise ExpectedFault("NoValidHost", self.refusal, reason="full")
        self.meanwhile()
        return [self._choose(number, server) for number, server in enumerate(instance_uuids)]

    def _choose(self, number, server):
        shift = number % len(self.hosts)
        chosen = [self.selection(host) for host in (self.hosts[shift:] + self.hosts[:shift])]
        self.placement.held[server] = chosen[0].compute_node_uuid
        return chosen

    def selection(self, host):
        provider = self.providers.setdefault(host, str(uuid.uuid4()))
        request = {"allocations": {provider: {"resources": {"VCPU": 1}}}, "mappings": {"": [provider]}}
        return objects.Selection(
            compute_node_uuid=provider,
            service_host=host,
            nodename=host,
            cell_uuid=self.cell,
            limits=objects.SchedulerLimits(numa_topology=None, vcpu=None, disk_gb=None, memory_mb=None),
            allocation_request=json.dumps(request),
            allocation_request_version="1.36",
            availability_zone="zone-1",
        )


class FakeCompute:
    """Keeps the messages it gets (those nothing is done with in `told`); names devices as a compute does, through the
    conductor. `refusals` are raised one by one when it is asked to take a running server."""

    def __init__(self, remote):
        self.remote, self.built, self.attached, self.refuse = remote, [], [], None
        self.told, self.refusals = [], []

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda context, **args: self.told.append((name, args))

    def check_can_live_migrate_destination(self, context, **args):
        if self.refusals:
            raise self.refusals.pop()
        return objects.LibvirtLiveMigrateData(block_migration=False)

    def build_and_run_instance(self, context, **args):
        self.built.append((context, args))

    def reserve_block_device_name(self, context, instance, device, volume_id, disk_bus, device_type, tag, multiattach):
        bdm = objects.BlockDeviceMapping(
            instance_uuid=instance.uuid,
            volume_id=volume_id,
            source_type="volume",
            destination_type="volume",
            device_name=device or "/dev/vdb",
            tag=tag,
        )
        self.remote.action(context, bdm, "create")
        return bdm

    def attach_volume(self, context, instance, bdm):
        if self.refuse:
            raise self.refuse
        self.attached.append((context, instance, bdm))


class Cloud:
    """One cell, one conductor, computes node-1 and node-2. `urls`: databases by name (api, cell0, cell1)."""

    def __init__(self, tmp_path, urls=None):
        urls = urls or {name: f"sqlite:///{tmp_path}/{name}.db" for name in ("api", "cell0", "cell1")}
        path = tmp_path / "nova.conf"
        path.write_text(
            "[DEFAULT]\nhost = conductor-1\ntransport_url = fake:/\n"
            f"[api_database]\nconnection = {urls['api']}\n"
            f"[database]\nconnection = {urls['cell1']}\n"
        )
        self.conf = load("compute", config_files=[str(path)])
        self.conf.set_override("control_exchange", f"nova-{uuid.uuid4().hex}")
        self.cells = Cells(self.conf)
        sync(self.cells.api, "nova_api")
        self.cells.api.run(cell_mappings.add_cell, "cell0", "none:///", urls["cell0"], uuid=CELL0)
        self.cell_uuid = self.cells.api.run(cell_mappings.add_cell, "cell1", "fake:/", self.conf.database.connection)
        self.cell, self.cell0 = self.cells.get(self.cell_uuid), self.cells.cell0
        sync(self.cell.db, "nova_cell")
        sync(self.cell0.db, "nova_cell")
        self.bus = Bus(self.conf, "nova")
        self.placement, self.neutron, self.cinder = FakePlacement(), FakeNeutron(), FakeCinder()
        clients = SimpleNamespace(placement=self.placement, neutron=self.neutron, cinder=self.cinder)
        self.peers = Peers(self.conf, self.cells, clients, self.bus)
        self.remote = RemoteObjects(self.bus.client(interfaces.CONDUCTOR))
        self.task = self.bus.client(interfaces.COMPUTE_TASK)
        self.scheduler = FakeScheduler(self.cell_uuid, self.placement)
        self.compute = FakeCompute(self.remote)
        conductor = [
            Endpoint(interfaces.CONDUCTOR, ObjectEndpoint(self.conf, self.cells)),
            Endpoint(interfaces.BASE, BaseEndpoint("conductor")),
            Endpoint(interfaces.COMPUTE_TASK, TaskEndpoint(self.peers)),
        ]
        self.parts = [
            self.bus.server("conductor", "conductor-1", conductor),
            self.bus.server("scheduler", "scheduler-1", [Endpoint(interfaces.SCHEDULER, self.scheduler)]),
            *(
                self.bus.server("compute", host, [Endpoint(interfaces.COMPUTE, self.compute)])
                for host in ("node-1", "node-2")
            ),
        ]
        self._names = itertools.count(1)

    def start(self):
        for part in self.parts:
            part.start()

    def context(self, **more):
        who = {"user_id": USER, "project_id": PROJECT, "roles": ["member"]}
        return Context(**{**who, "request_id": f"req-{uuid.uuid4()}", "overwrite": False, **more})

    # -- what an API leaves behind before it calls the conductor

    def flavor(self, **more):
        values = {
            "id": 1,
            "flavorid": "1",
            "name": "small",
            "vcpus": 1,
            "memory_mb": 512,
            "root_gb": 1,
            "ephemeral_gb": 2,
            "swap": 3,
            "rxtx_factor": 1.0,
            "vcpu_weight": 0,
            "disabled": False,
            "is_public": True,
            "description": "for tests",
            "extra_specs": {},
            "deleted": False,
        }
        made = objects.Flavor(**{**values, **more})
        made.reset_changes()
        return made

    def instance(self, **more):
        number = next(self._names)
        flavor = more.pop("flavor", self.flavor())
        values = {
            "uuid": str(uuid.uuid4()),
            "project_id": PROJECT,
            "user_id": USER,
            "display_name": f"vm{number}",
            "hostname": f"vm{number}",
            "image_ref": str(uuid.uuid5(uuid.NAMESPACE_DNS, "image")),
            "kernel_id": "",
            "ramdisk_id": "",
            "flavor": flavor,
            "instance_type_id": flavor.id,
            "vcpus": flavor.vcpus,
            "memory_mb": flavor.memory_mb,
            "root_gb": flavor.root_gb,
            "ephemeral_gb": flavor.ephemeral_gb,
            "vm_state": "building",
            "task_state": "scheduling",
            "power_state": 0,
            "progress": 0,
            "launch_index": 0,
            "locked": False,
            "hidden": False,
            "metadata": {"k": "v"},
            "system_metadata": {"image_min_ram": "0", "owner_user_name": "demo"},
            "reservation_id": "r-1",
        }
        return objects.Instance(**{**values, **more})

    def asked(self, count=1, **more):
        """Build requests, specs and block devices of `count` servers, stored as an API stores them."""
        requests, specs, devices = [], [], []
        for _ in range(count):
            instance = self.instance(**more)
            bdms = self.devices(instance.uuid)
            self.store(instance, bdms)
            requests.append(
                objects.BuildRequest(
                    instance=instance, instance_uuid=instance.uuid, project_id=PROJECT, block_device_mappings=bdms
                )
            )
            specs.append(self.spec(instance))
            devices.append(bdms)
        return requests, specs, devices

    def devices(self, server):
        image = objects.BlockDeviceMapping(
            uuid=str(uuid.uuid4()), instance_uuid=server, source_type="image", destination_type="local",
            device_type="disk", boot_index=0, delete_on_termination=True, image_id=str(uuid.uuid4()),
        )  # fmt: skip
        swap = objects.BlockDeviceMapping(
            uuid=str(uuid.uuid4()), instance_uuid=server, source_type="blank", destination_type="local",
            guest_format="swap", boot_index=-1,
        )  # fmt: skip
        return objects.BlockDeviceMappingList(objects=[image, swap])

    def spec(self, instance):
        return objects.RequestSpec(
            instance_uuid=instance.uuid, project_id=PROJECT, user_id=USER, flavor=instance.flavor, num_instances=1,
            security_groups=objects.SecurityGroupList(objects=[objects.SecurityGroup(name="default")]),
        )  # fmt: skip

    def store(self, instance, bdms):
        tables = schema.nova_api.tables
        row = {"instance_uuid": instance.uuid, "project_id": PROJECT}
        build = row | {
            "instance": json.dumps(instance.to_primitive()),
            "block_device_mappings": json.dumps(bdms.to_primitive()),
            "tags": None,
        }
        self.cells.api.run(add, tables["build_requests"], build)
        self.cells.api.run(add, tables["request_specs"], {"instance_uuid": instance.uuid, "spec": "{}"})
        mapping = {**row, "user_id": USER, "cell_id": None, "queued_for_delete": False}
        self.cells.api.run(add, tables["instance_mappings"], mapping)

    def build(self, requests, specs, devices, context=None, tags=(), **more):
        """Does what the cast does, in this thread."""
        args = {
            "build_requests": requests,
            "request_specs": specs,
            "image": {"id": "image"},
            "admin_password": "secret",
            "injected_files": [],
            "requested_networks": None,
            "block_device_mapping": devices[0],
            "tags": objects.TagList(objects=[objects.Tag(resource_id="x", tag=tag) for tag in tags]),
        }
        endpoint = TaskEndpoint(self.peers)
        endpoint.schedule_and_build_instances(context or self.context(), **args | more)

    # -- looking

    def rows(self, table, where=None, **equal):
        db = where or (self.cell.db if table in schema.nova_cell.tables and table not in API_ONLY else self.cells.api)
        found = (schema.nova_api if db is self.cells.api else schema.nova_cell).tables[table]
        query = found.select().where(*(found.c[name] == value for name, value in equal.items()))
        return [dict(row) for row in db.read(lambda conn: conn.execute(query).mappings().all())]

    def row(self, table, where=None, **equal):
        (found,) = self.rows(table, where, **equal)
        return found

    def until(self, check, seconds=5.0):
        end = time.monotonic() + seconds
        while not check():
            assert time.monotonic() < end, "did not happen in time"
            time.sleep(0.01)


API_ONLY = {"build_requests", "request_specs", "instance_mappings"}


@pytest.fixture(scope="session")
def ended():
    """Clouds of tests that are over. An idle bus server takes a second to stop, so all are stopped together."""
    clouds = []
    yield clouds
    deadline = time.monotonic() + 10
    parts = [part for cloud in clouds for part in cloud.parts]
    ends = [threading.Thread(target=part.stop, args=(deadline,)) for part in parts]
    for end in ends:
        end.start()
    for end in ends:
        end.join()


@pytest.fixture
def urls():
    """Databases of a test on the server that KEEL_TEST_MYSQL names; None, which is SQLite, when it names none."""
    server = os.environ.get("KEEL_TEST_MYSQL")
    if not server:
        yield None
        return
    stem = f"keel_flows_{uuid.uuid4().hex[:8]}"
    names = {name: f"{stem}_{name}" for name in ("api", "cell0", "cell1")}
    db = Database(server)
    for name in names.values():
        db.run(lambda conn, name=name: conn.exec_driver_sql(f"CREATE DATABASE {name} CHARACTER SET utf8mb3"))
    yield {name: server.rstrip("/") + f"/{full}" for name, full in names.items()}
    for name in names.values():
        db.run(lambda conn, name=name: conn.exec_driver_sql(f"DROP DATABASE {name}"))
    db.close()


@pytest.fixture
def cloud(tmp_path, ended, urls):
    found = Cloud(tmp_path, urls)
    found.start()
    yield found
    ended.append(found)
    found.cells.close()
