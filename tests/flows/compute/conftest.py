"""compute-kubevirt on an in-process bus, with a conductor, peers and a simulated cluster around it."""

from __future__ import annotations

import time
import uuid
from typing import Any

import pytest
from fakes.compute_peers import FakeClients
from fakes.conductor import FakeConductor, FakeScheduler

from keel_common import config
from keel_common.kube import DATAVOLUME, NAD, PVC, SECRET, VM, VMI, Kube
from keel_common.runtime import Process
from keel_compute import main
from keel_contract.bus import Bus, Endpoint
from keel_contract.context import Context
from keel_contract.nova import interfaces, objects
from keel_dev.kubesim import KubeSim

PROJECT = "0" * 31 + "1"
PATIENCE = 30
NAMESPACE = "servers"


class World:
    """What the tests do: records as the conductor makes them, messages as API and conductor send them."""

    def __init__(self, conf: Any, sim: KubeSim, peers: FakeClients) -> None:
        self.conf, self.sim, self.peers = conf, sim, peers
        self.kube = Kube(str(sim.kubeconfig))
        self.bus = Bus(conf, "nova")
        self.conductor, self.scheduler = FakeConductor(), FakeScheduler()
        ends = [Endpoint(interfaces.CONDUCTOR, self.conductor), Endpoint(interfaces.COMPUTE_TASK, self.conductor)]
        self._servers = [
            self.bus.server("conductor", "conductor-1", [*ends, Endpoint(interfaces.BASE, self.conductor)]),
            self.bus.server("scheduler", "scheduler-1", [Endpoint(interfaces.SCHEDULER, self.scheduler)]),
        ]
        self.compute = self.bus.client(interfaces.COMPUTE)
        self.process: Process | None = None

    def start(self) -> None:
        for server in self._servers:
            server.start()
        self.start_compute()

    def start_compute(self) -> None:
        self.process = Process(main.parts(self.conf, clients=self.peers))
        self.process.start()
        self.until(lambda: len(self.conductor.computes) == 2 and self.ready(), "both hosts are up")

    def ready(self) -> bool:
        try:
            for check in self.process.checks().values():
                check()
        except Exception:
            return False
        return True

    def stop_compute(self) -> None:
        if self.process:
            self.process.stop(time.monotonic() + 20)
            self.process = None

    def stop(self) -> None:
        self.stop_compute()
        for server in self._servers:
            server.stop(time.monotonic() + 5)
        self.peers.glance.close()

    def until(self, fact: Any, what: str, patience: float = PATIENCE) -> Any:
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if found := fact():
                return found
            time.sleep(0.02)
        return pytest.fail(f"did not happen within {patience} s: {what}")

    # -- records

    def context(self) -> Context:
        return Context(
            user_id="u", project_id=PROJECT, roles=["member"], auth_token=self.peers.glance.secret, overwrite=False
        )

    def instance(self, **values: Any) -> Any:
        server = str(uuid.uuid4())
        flavor = objects.Flavor(
            id=1, name="m1", flavorid="1", vcpus=1, memory_mb=512, root_gb=1, ephemeral_gb=0, swap=0, extra_specs={}
        )
        base: dict[str, Any] = dict.fromkeys(
            (
                "host",
                "node",
                "compute_id",
                "launched_on",
                "launched_at",
                "terminated_at",
                "root_device_name",
                "user_data",
            )
        )
        base |= {
            "uuid": server,
            "project_id": PROJECT,
            "user_id": "u",
            "vm_state": "building",
            "task_state": "scheduling",
            "power_state": 0,
            "flavor": flavor,
            "image_ref": self.peers.glance.id,
            "hostname": "web",
            "config_drive": "",
            "key_data": None,
            "availability_zone": "nova",
            "os_type": None,
            "deleted": False,
            "system_metadata": {"image_disk_format": "raw", "image_min_disk": "1"},
            "info_cache": objects.InstanceInfoCache(instance_uuid=server, network_info=[]),
        }
        return self.conductor.add(objects.Instance(**{**base, **values}))

    def row(self, server: str) -> Any:
        with self.conductor.lock:
            return self.conductor.instances[server].obj_clone()

    def reach(self, server: str, vm_state: str, task_state: str | None = None) -> Any:
        def there() -> Any:
            row = self.row(server)
            if row.vm_state == "error" and vm_state != "error":
                pytest.fail(f"server went to error: {[fault.message for fault in self.conductor.faults]}")
            return row if (row.vm_state, row.task_state) == (vm_state, task_state) else None

        return self.until(there, f"server in {vm_state}/{task_state}, now {self.row(server).vm_state}")

    def image_mapping(self, server: str) -> Any:
        return self.conductor.add_mapping(
            instance_uuid=server,
            source_type="image",
            destination_type="local",
            image_id=self.peers.glance.id,
            boot_index=0,
            device_type="disk",
            delete_on_termination=True,
        )

    def volume(self, size: int = 1, access_mode: str = "ReadWriteOnce") -> str:
        """A volume with its claim in the cluster."""
        volume = self.peers.cinder.add(size=size)
        self.claim(volume, size, access_mode)
        return volume

    def claim(self, volume: str, size: int, access_mode: str = "ReadWriteOnce") -> None:
        """The claim of a volume, as volume-csi makes it."""
        spec = {
            "accessModes": [access_mode],
            "volumeMode": "Block",
            "resources": {"requests": {"storage": f"{size}Gi"}},
        }
        self.kube.create(PVC, PVC.body(f"volume-{volume}", NAMESPACE, spec=spec))

    def volume_mapping(self, server: str, volume: str, boot_index: int | None = None, **values: Any) -> Any:
        """A mapping of a volume that the conductor has reserved."""
        attachment = self.peers.cinder.create_attachment(None, volume, server)["id"]
        return self.conductor.add_mapping(
            instance_uuid=server,
            source_type="volume",
            destination_type="volume",
            volume_id=volume,
            attachment_id=attachment,
            boot_index=boot_index,
            **values,
        )

    # -- messages

    def build(self, instance: Any, host: str = "node-1", networks: Any = "one", **more: Any) -> None:
        mappings = [each for each in self.conductor.mappings.values() if each.instance_uuid == instance.uuid]
        wanted = None
        if networks == "one":
            ask = objects.NetworkRequest(
                network_id=self.peers.neutron.network["id"], port_id=None, address=None, tag=None
            )
            wanted = objects.NetworkRequestList(objects=[ask])
        elif networks == "none":
            wanted = objects.NetworkRequestList(objects=[objects.NetworkRequest(network_id="none")])
        elif networks is not None:
            wanted = objects.NetworkRequestList(objects=[objects.NetworkRequest(**each) for each in networks])
        self.peers.placement.allocations[instance.uuid] = self.conductor.computes[host].uuid
        self.compute.send(
            self.context(),
            "build_and_run_instance",
            server=host,
            instance=instance.obj_clone(),
            image=self.peers.glance.image,
            request_spec=None,
            filter_properties=more.pop("filter_properties", {"retry": {"num_attempts": 1, "hosts": [[host, host]]}}),
            accel_uuids=[],
            requested_networks=wanted,
            security_groups=["default"],
            block_device_mapping=objects.BlockDeviceMappingList(objects=[each.obj_clone() for each in mappings]),
            node=host,
            limits={},
            host_list=more.pop("host_list", []),
            **more,
        )

    def boot(self, host: str = "node-1", **values: Any) -> str:
        instance = self.instance(**values)
        self.image_mapping(instance.uuid)
        self.build(instance, host)
        self.reach(instance.uuid, "active")
        return instance.uuid

    def outcome(self, method: str, server: str, **args: Any) -> str | None:
        """Send an action and wait for the end of its event; answers what the event says went wrong."""
        before = len(self.conductor.events)
        self.ask(method, server, **args)

        def ended() -> Any:
            new = [each for each in self.conductor.events[before:] if each[:2] == [server, f"compute_{method}"]]
            return new[-1] if new and new[-1][2] else None

        return self.until(ended, f"event of {method}")[3]

    def ask(self, method: str, server: str, **args: Any) -> Any:
        """An action on a server, with its record as the API would send it."""
        return self.compute.send(self.context(), method, instance=self.row(server), **args)

    def task(self, server: str, task_state: str | None) -> None:
        """The task state as the API sets it before it sends."""
        with self.conductor.lock:
            self.conductor.instances[server].task_state = task_state
            self.conductor.instances[server].obj_reset_changes()

    def delete(self, server: str) -> None:
        self.task(server, "deleting")
        mappings = [each.obj_clone() for each in self.conductor.mappings.values() if each.instance_uuid == server]
        self.ask("terminate_instance", server, bdms=objects.BlockDeviceMappingList(objects=mappings))
        self.until(lambda: self.row(server).deleted, "server is deleted")

    # -- the cluster

    def sim_says(self, path: str, body: dict) -> None:
        """Tell the simulated cluster something through its control endpoint."""
        self.kube.connection.request("POST", f"/sim/v1/{path}", idempotent=False, body=body)

    def machine(self, server: str) -> dict | None:
        return self.kube.find(VM, f"nova-{server}", NAMESPACE)

    def guest(self, server: str) -> dict | None:
        return self.kube.find(VMI, f"nova-{server}", NAMESPACE)

    def left(self, server: str) -> list[str]:
        """What of the server is still somewhere."""
        found = [
            f"{kind.kind} {each['metadata']['name']}"
            for kind in (VM, VMI, DATAVOLUME, SECRET, NAD)
            for each in self.kube.list(kind, NAMESPACE, {"openstack.org/server-id": server})
        ]
        found += [
            f"claim {each['metadata']['name']}"
            for each in self.kube.list(PVC, NAMESPACE)
            if server in each["metadata"]["name"]
        ]
        found += [f"port {each['id']}" for each in self.peers.neutron.ports.values() if each["device_id"] == server]
        found += [
            f"attachment {each['id']}" for each in self.peers.cinder.attachments.values() if each["instance"] == server
        ]
        found += [f"interface {port}" for port, row in self.conductor.interfaces.items() if row.instance_uuid == server]
        found += ["allocation"] if server in self.peers.placement.allocations else []
        return found

    def nothing_left(self, server: str) -> None:
        self.until(lambda: not self.left(server), f"nothing is left of the server: {self.left(server)}")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compute")
    with KubeSim(speed=50, seed=7, nodes=2, namespace=NAMESPACE) as sim:
        path = folder / "nova.conf"
        path.write_text(f"""
[DEFAULT]
host = replica-1
transport_url = fake:/
report_interval = 1
update_resources_interval = 1
vif_plugging_timeout = 4
shutdown_timeout = 2
[kubevirt]
kubeconfig = {sim.kubeconfig}
namespace = {NAMESPACE}
share_nodes = false
import_timeout = 10
start_timeout = 10
attach_timeout = 2
delete_timeout = 10
stop_margin = 5
lost_build_age = 30
sweep_interval = 1
workers = 8
""")
        conf = config.load("compute", [], [str(path)])
        found = World(conf, sim, FakeClients())
        try:
            found.start()
            yield found
        finally:
            found.stop()
