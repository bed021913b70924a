"""A nova-compute at the edge of the test: it speaks the bus as a real one does, and its hypervisor always succeeds.

It is no part of the product: what is tested are the API, the conductor and the scheduler in front of it.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from conformance.orders import HostOrders
from keel_contract.errors import ExpectedFault
from keel_contract.nova import objects
from keel_contract.nova.remote import RemoteObjects

CONSOLE = "FAKE CONSOLE OUTPUT\nANOTHER\nLAST LINE"
RUNNING, PAUSED, OFF, SUSPENDED = 1, 3, 4, 7


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def _to(power: int, vm_state: str, **more: Any) -> dict[str, Any]:
    return {"power_state": power, "vm_state": vm_state, "task_state": None, **more}


class NovaCompute(HostOrders):
    """One host with one node. `peers`: the clients of the services it talks to."""

    def __init__(self, host: str, node: str, remote: RemoteObjects, peers: Any):
        self.host, self.node, self._remote, self._peers = host, node, remote, peers

    # -- records

    def _save(self, context: Any, instance: Any, **values: Any) -> None:
        for name, value in values.items():
            setattr(instance, name, value)
        self._remote.action(context, instance, "save")

    @contextmanager
    def _event(self, context: Any, instance: Any, method: str) -> Iterator[None]:
        """The event of an action, begun and ended; errors are faults of the server."""
        server, event = instance.uuid, f"compute_{method}"
        self._remote.class_action(
            context, "InstanceActionEvent", "event_start", server, event, want_result=False, host=self.host
        )
        error: BaseException | None = None
        try:
            yield
        except Exception as raised:
            error = raised
            raise
        finally:
            self._remote.class_action(
                context,
                "InstanceActionEvent",
                "event_finish_with_failure",
                server,
                event,
                exc_val=str(error) if error else None,
                exc_tb="a traceback" if error else None,
                want_result=False,
            )

    def _whole(self, context: Any, instance: Any) -> Any:
        parts = ["info_cache", "metadata", "system_metadata", "flavor"]
        return self._remote.class_action(context, "Instance", "get_by_uuid", instance.uuid, expected_attrs=parts)

    def _moved(self, context: Any, instance: Any, method: str, **values: Any) -> None:
        """An action whose whole effect is another state of the record."""
        with self._event(context, instance, method):
            self._save(context, instance, **values)

    # -- birth and death

    def build_and_run_instance(self, context: Any, instance: Any, **request: Any) -> None:
        with self._event(context, instance, "_do_build_and_run_instance".lstrip("_")):
            self._save(context, instance, host=self.host, node=self.node, launched_on=self.host, compute_id=1)
            self._allocate(context, instance, request.get("requested_networks"))
            names = _device_names("/dev/sda")
            for mapping in _ordered(request["block_device_mapping"]):
                self._boot_volume(context, instance, mapping)
                mapping.device_name = mapping.get("device_name") or next(names)
                self._remote.action(context, mapping, "save")
            more = {} if instance.get("root_device_name") else {"root_device_name": "/dev/sda"}
            self._save(context, instance, **_to(RUNNING, "active", launched_at=now(), **more))

    def _boot_volume(self, context: Any, instance: Any, mapping: Any) -> None:
        if mapping.destination_type != "volume":
            return
        if not mapping.get("volume_id"):
            mapping.volume_id = self._peers.cinder.create_volume(context, {"size": mapping.volume_size})["id"]
        if not mapping.get("attachment_id"):
            made = self._peers.cinder.create_attachment(context, mapping.volume_id, instance.uuid)
            mapping.attachment_id = made["id"]
        self._connect(context, mapping)

    def _connect(self, context: Any, mapping: Any) -> None:
        self._peers.cinder.update_attachment(context, mapping.attachment_id, {"host": self.host}, mapping.device_name)
        self._peers.cinder.complete_attachment(context, mapping.attachment_id)
        mapping.connection_info = '{"driver_volume_type": "fake", "data": {}}'

    def terminate_instance(self, context: Any, instance: Any, bdms: Any) -> None:
        with self._event(context, instance, "terminate_instance"):
            whole = self._whole(context, instance)
            for vif in _vifs(whole):
                self._release(context, vif)
            for mapping in bdms.objects if bdms else ():
                if mapping.get("attachment_id"):
                    self._peers.cinder.delete_attachment(context, mapping.attachment_id)
                if mapping.get("volume_id") and mapping.get("delete_on_termination"):
                    self._peers.cinder.delete_volume(context, mapping.volume_id)
                self._remote.action(context, mapping, "destroy")
            self._save(context, whole, vm_state="deleted", task_state=None, power_state=0, terminated_at=now())
            self._remote.action(context, whole, "destroy")
            self._peers.placement.delete_allocations(instance.uuid)

    def soft_delete_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "soft_delete_instance", **_to(OFF, "soft-delete"))

    def restore_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "restore_instance", **_to(RUNNING, "active", deleted_at=None))

    # -- power

    def start_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "start_instance", **_to(RUNNING, "active"))

    def stop_instance(self, context: Any, instance: Any, clean_shutdown: bool) -> None:
        self._moved(context, instance, "stop_instance", **_to(OFF, "stopped"))

    def reboot_instance(self, context: Any, instance: Any, block_device_info: Any, reboot_type: str) -> None:
        self._moved(context, instance, "reboot_instance", **_to(RUNNING, "active"))

    def pause_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "pause_instance", **_to(PAUSED, "paused"))

    def unpause_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "unpause_instance", **_to(RUNNING, "active"))

    def suspend_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "suspend_instance", **_to(SUSPENDED, "suspended"))

    def resume_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "resume_instance", **_to(RUNNING, "active"))

    def rescue_instance(self, context: Any, instance: Any, **_: Any) -> None:
        self._moved(context, instance, "rescue_instance", **_to(RUNNING, "rescued", launched_at=now()))

    def unrescue_instance(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "unrescue_instance", **_to(RUNNING, "active"))

    def set_admin_password(self, context: Any, instance: Any, new_pass: str) -> None:
        self._moved(context, instance, "set_admin_password", task_state=None)

    def inject_network_info(self, context: Any, instance: Any) -> None:
        """Nothing to inject into."""

    def trigger_crash_dump(self, context: Any, instance: Any) -> None:
        self._moved(context, instance, "trigger_crash_dump")

    # -- images

    def snapshot_instance(self, context: Any, instance: Any, image_id: str) -> None:
        with self._event(context, instance, "snapshot_instance"):
            self._upload(context, image_id)
            self._save(context, instance, task_state=None)

    def backup_instance(self, context: Any, instance: Any, image_id: str, backup_type: str, rotation: int) -> None:
        with self._event(context, instance, "backup_instance"):
            self._upload(context, image_id)
            self._save(context, instance, task_state=None)

    def _upload(self, context: Any, image_id: str) -> None:
        self._peers.glance.images[image_id]["status"] = "active"

    def rebuild_instance(self, context: Any, instance: Any, **request: Any) -> None:
        with self._event(context, instance, "rebuild_instance"):
            self._save(context, instance, **_to(RUNNING, "active", launched_at=now()))

    def shelve_instance(self, context: Any, instance: Any, image_id: str | None, **_: Any) -> None:
        with self._event(context, instance, "shelve_instance"):
            whole = self._whole(context, instance)
            if image_id:
                self._upload(context, image_id)
            marks = {"shelved_at": now().isoformat(), "shelved_image_id": image_id, "shelved_host": self.host}
            whole.system_metadata = {**whole.system_metadata, **{k: v for k, v in marks.items() if v}}
            self._save(context, whole, **_to(OFF, "shelved"))

    def shelve_offload_instance(self, context: Any, instance: Any, **_: Any) -> None:
        with self._event(context, instance, "shelve_offload_instance"):
            self._peers.placement.delete_allocations(instance.uuid)
            self._save(context, instance, **_to(OFF, "shelved_offloaded", host=None, node=None, compute_id=None))

    def unshelve_instance(self, context: Any, instance: Any, **_: Any) -> None:
        with self._event(context, instance, "unshelve_instance"):
            whole = self._whole(context, instance)
            whole.system_metadata = {k: v for k, v in whole.system_metadata.items() if not k.startswith("shelved_")}
            where = {"host": self.host, "node": self.node, "compute_id": 1}
            self._save(context, whole, **_to(RUNNING, "active", launched_at=now(), **where))

    # -- what it tells

    def get_console_output(self, context: Any, instance: Any, tail_length: Any) -> str:
        lines = CONSOLE.split("\n")
        return "\n".join(lines[-int(tail_length) :] if tail_length else lines)

    def get_host_uptime(self, context: Any) -> str:
        return " 08:32:11 up 93 days, 18:25, 12 users,  load average: 0.20, 0.12, 0.14"

    def external_instance_event(self, context: Any, instances: Any, events: Any) -> None:
        """Nothing waits for events here."""

    # -- volumes

    def reserve_block_device_name(
        self,
        context: Any,
        instance: Any,
        device: str | None,
        volume_id: str,
        disk_bus: str | None,
        device_type: str | None,
        tag: str | None,
        multiattach: bool,
    ) -> Any:
        found = self._remote.class_action(context, "BlockDeviceMappingList", "get_by_instance_uuid", instance.uuid)
        if any(each.volume_id == volume_id for each in found.objects):
            raise ExpectedFault("InvalidVolume", f"Invalid volume: {volume_id} is already attached", reason="attached")
        used = {each.device_name for each in found.objects}
        name = next(each for each in _device_names("/dev/sda") if each not in used)
        mapping = objects.BlockDeviceMapping(
            source_type="volume",
            destination_type="volume",
            instance_uuid=instance.uuid,
            boot_index=None,
            volume_id=volume_id,
            device_name=device or name,
            guest_format=None,
            disk_bus=disk_bus,
            device_type=device_type,
            tag=tag,
        )
        self._remote.action(context, mapping, "create")
        return mapping

    def attach_volume(self, context: Any, instance: Any, bdm: Any) -> None:
        with self._event(context, instance, "attach_volume"):
            self._connect(context, bdm)
            self._remote.action(context, bdm, "save")

    def detach_volume(self, context: Any, volume_id: str, instance: Any, attachment_id: str | None) -> None:
        with self._event(context, instance, "detach_volume"):
            found = self._remote.class_action(
                context, "BlockDeviceMapping", "get_by_volume_and_instance", volume_id, instance.uuid
            )
            self._peers.cinder.delete_attachment(context, found.get("attachment_id") or attachment_id)
            self._remote.action(context, found, "destroy")

    # -- network

    def _allocate(self, context: Any, instance: Any, requested: Any) -> None:
        asked = list(requested.objects) if requested is not None else []
        if [each.get("network_id") for each in asked] == ["none"]:
            self._cache(context, instance, [])
            return
        if not asked or asked[0].get("network_id") == "auto":
            asked = [objects.NetworkRequest(network_id=next(iter(self._peers.neutron.networks)))]
        vifs = [
            self._plug(context, instance, each.get("network_id"), each.get("port_id"), each.get("tag"))
            for each in asked
        ]
        self._cache(context, instance, vifs)

    def _plug(self, context: Any, instance: Any, network: str | None, port: str | None, tag: str | None) -> dict:
        neutron = self._peers.neutron
        mine = {"device_id": instance.uuid, "device_owner": "compute:nova", "binding:host_id": self.host}
        if port is None:
            made = neutron.create_port({"network_id": network, **mine}, context)
        else:
            made = neutron.update_port(port, mine, context)
        row = objects.VirtualInterface(
            uuid=made["id"], instance_uuid=instance.uuid, address=f"{made['mac_address']}/{made['id']}", tag=tag
        )
        self._remote.action(context, row, "create")
        return _vif(made, neutron, kept=port is not None)

    def _cache(self, context: Any, instance: Any, vifs: list[dict]) -> None:
        cache = objects.InstanceInfoCache(instance_uuid=instance.uuid, network_info=vifs)
        self._remote.action(context, cache, "save", update_cells=False)

    def attach_interface(
        self,
        context: Any,
        instance: Any,
        network_id: str | None,
        port_id: str | None,
        requested_ip: str | None,
        tag: str | None = None,
    ) -> dict:
        with self._event(context, instance, "attach_interface"):
            others = _vifs(self._whole(context, instance))
            if port_id is None and network_id is None:
                network_id = next(iter(self._peers.neutron.networks))
            vif = self._plug(context, instance, network_id, port_id, tag)
            self._cache(context, instance, [*others, vif])
            return vif

    def detach_interface(self, context: Any, instance: Any, port_id: str) -> None:
        with self._event(context, instance, "detach_interface"):
            vifs = _vifs(self._whole(context, instance))
            for vif in vifs:
                if vif["id"] == port_id:
                    self._release(context, vif)
            self._cache(context, instance, [vif for vif in vifs if vif["id"] != port_id])

    def _release(self, context: Any, vif: dict) -> None:
        row = self._remote.class_action(context, "VirtualInterface", "get_by_uuid", vif["id"])
        if row is not None:
            self._remote.action(context, row, "destroy")
        if vif.get("preserve_on_delete"):
            self._peers.neutron.update_port(vif["id"], {"device_id": "", "device_owner": ""}, context)
        else:
            self._peers.neutron.delete_port(vif["id"], context)


def _vifs(instance: Any) -> list[dict]:
    cache = instance.get("info_cache")
    return list(cache.network_info or ()) if cache is not None else []


def _ordered(mappings: Any) -> list[Any]:
    """Boot devices first."""
    found = list(mappings.objects) if mappings else []
    return sorted(found, key=lambda each: (each.get("boot_index") is None, each.get("boot_index") or 0))


def _device_names(first: str) -> Iterator[str]:
    return (first[:-1] + chr(ord(first[-1]) + number) for number in itertools.count())


def _vif(port: dict, neutron: Any, kept: bool) -> dict:
    """A port in the form of the info cache."""
    network = neutron.networks[port["network_id"]]
    subnets = [
        {
            "cidr": subnet["cidr"],
            "version": subnet["ip_version"],
            "gateway": _address(subnet["gateway_ip"], "gateway", subnet["ip_version"]),
            "dns": [],
            "routes": [],
            "meta": {},
            "ips": [
                {**_address(ip["ip_address"], "fixed", subnet["ip_version"]), "floating_ips": []}
                for ip in port["fixed_ips"]
                if ip["subnet_id"] == subnet["id"]
            ],
        }
        for subnet in neutron.subnets.values()
        if any(ip["subnet_id"] == subnet["id"] for ip in port["fixed_ips"])
    ]
    meta = {"injected": False, "tenant_id": network["tenant_id"], "mtu": network["mtu"], "tunneled": True}
    return {
        "id": port["id"],
        "address": port["mac_address"],
        "type": port["binding:vif_type"],
        "active": True,
        "vnic_type": "normal",
        "profile": {},
        "details": {},
        "meta": {},
        "devname": f"tap{port['id']}"[:14],
        "preserve_on_delete": kept,
        "delegate_create": True,
        "ovs_interfaceid": port["id"],
        "qbh_params": None,
        "qbg_params": None,
        "network": {
            "id": network["id"],
            "label": network["name"],
            "bridge": "br-int",
            "subnets": subnets,
            "meta": {**meta, "physical_network": None},
        },
    }


def _address(value: str, kind: str, version: int) -> dict:
    return {"address": value, "type": kind, "version": version, "meta": {}}
