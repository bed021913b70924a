"""Ports at a nova-compute at the edge: made or taken, plugged, shown in the info cache, given back."""

from __future__ import annotations

from typing import Any

from conformance.host_records import HostRecords
from keel_contract.nova import objects


class HostNetwork(HostRecords):
    """What concerns ports."""

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
            others = vifs(self._whole(context, instance))
            if port_id is None and network_id is None:
                network_id = next(iter(self._peers.neutron.networks))
            vif = self._plug(context, instance, network_id, port_id, tag)
            self._cache(context, instance, [*others, vif])
            return vif

    def detach_interface(self, context: Any, instance: Any, port_id: str) -> None:
        with self._event(context, instance, "detach_interface"):
            known = vifs(self._whole(context, instance))
            for vif in known:
                if vif["id"] == port_id:
                    self._release(context, vif)
            self._cache(context, instance, [vif for vif in known if vif["id"] != port_id])

    def _release(self, context: Any, vif: dict) -> None:
        row = self._remote.class_action(context, "VirtualInterface", "get_by_uuid", vif["id"])
        if row is not None:
            self._remote.action(context, row, "destroy")
        if vif.get("preserve_on_delete"):
            self._peers.neutron.update_port(vif["id"], {"device_id": "", "device_owner": ""}, context)
        else:
            self._peers.neutron.delete_port(vif["id"], context)

    def add_fixed_ip_to_instance(self, context: Any, network_id: str, instance: Any) -> None:
        """Every network has addresses enough."""

    def remove_fixed_ip_from_instance(self, context: Any, address: str, instance: Any) -> None:
        """Nothing has to be unplugged."""


def vifs(instance: Any) -> list[dict]:
    """The ports of a server as its info cache has them."""
    cache = instance.get("info_cache")
    return list(cache.network_info or ()) if cache is not None else []


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
