"""Neutron ports as interfaces and networks of a VirtualMachine, and the NetworkAttachmentDefinition of each.

The ovs CNI plugin writes external_ids:iface-id from args.cni.ovnPort of the network configuration, so one definition
per port binds the tap to the Neutron port without a change to KubeVirt (mapping of ports).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keel_common.kube import NAD, names
from keel_compute.kubevirt.errors import Unsupported

VNIC_TYPES = ("normal", "direct")


@dataclass(frozen=True)
class Nic:
    """One network card. `mtu` of the network in bytes, None when Neutron tells none."""

    port: str
    mac: str
    bridge: str = "br-int"
    mtu: int | None = None
    model: str = "virtio"
    vnic_type: str = "normal"
    up: bool = True

    @property
    def name(self) -> str:
        """Name of the interface and network entries."""
        return names.nic(self.port)

    def interface(self) -> dict:
        """The entry of domain.devices.interfaces."""
        if self.vnic_type not in VNIC_TYPES:
            raise Unsupported(f"port {self.port} has vnic_type {self.vnic_type}")
        body: dict[str, Any] = {"name": self.name, "macAddress": self.mac}
        if self.vnic_type == "direct":
            body["sriov"] = {}
        else:
            body.update(model=self.model, bridge={})
            if not self.up:
                body["state"] = "down"
        return body

    def network(self) -> dict:
        """The entry of spec.networks."""
        return {"name": self.name, "multus": {"networkName": names.nad(self.port)}}

    def attachment(self, namespace: str, labels: Mapping[str, str]) -> dict:
        """The NetworkAttachmentDefinition."""
        config: dict[str, Any] = {
            "cniVersion": "0.4.0",
            "type": "ovs",
            "bridge": self.bridge,
            "args": {"cni": {"ovnPort": self.port}},
        }
        if self.mtu:
            config["mtu"] = self.mtu
        body = NAD.body(names.nad(self.port), namespace, spec={"config": json.dumps(config, sort_keys=True)})
        body["metadata"]["labels"] = dict(labels)
        return body


def nic_of(vif: Mapping[str, Any], model: str) -> Nic:
    """The card of one entry of the network info cache (a VIF of Nova's network model).

    Raises Unsupported when Neutron did not bind the port to this node.
    """
    if vif["type"] in ("binding_failed", "unbound", None):
        raise Unsupported(f"port {vif['id']} is not bound ({vif['type']})")
    details = vif.get("details") or {}
    if details.get("ovs_hybrid_plug"):
        raise Unsupported(f"port {vif['id']} needs the hybrid plug of iptables security groups")
    network = vif["network"]
    return Nic(
        port=vif["id"],
        mac=vif["address"],
        bridge=details.get("bridge_name") or network.get("bridge") or "br-int",
        mtu=(network.get("meta") or {}).get("mtu"),
        model=model,
        vnic_type=vif.get("vnic_type") or "normal",
    )
