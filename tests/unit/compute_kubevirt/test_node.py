"""What a Kubernetes node offers to Nova, and how a guest's phase reads as a power state."""

from types import SimpleNamespace

import os_traits
import pytest

from keel_compute.hosts import node as facts
from keel_compute.kubevirt import state
from keel_compute.network_model import vifs

NODE = {
    "metadata": {
        "name": "node-1",
        "uid": "0b7b1f5e-6a0e-4a43-9f0e-8f3a4f6b2c1d",
        "labels": {
            "kubernetes.io/hostname": "n1",
            "cpu-feature.node.kubevirt.io/avx2": "true",
            "kubernetes.io/arch": "amd64",
        },
    },
    "spec": {},
    "status": {
        "allocatable": {"cpu": "7900m", "memory": "16259Mi", "ephemeral-storage": "100Gi"},
        "conditions": [{"type": "Ready", "status": "True"}],
        "addresses": [{"type": "InternalIP", "address": "192.0.2.7"}],
    },
}


class Conf(SimpleNamespace):
    def __getitem__(self, name):
        return getattr(self, name)


def conf(**changes):
    values = {
        "reserved_host_cpus": 0,
        "reserved_host_memory_mb": 512,
        "reserved_host_disk_mb": 1500,
        "cpu_allocation_ratio": None,
        "ram_allocation_ratio": None,
        "disk_allocation_ratio": None,
        "initial_cpu_allocation_ratio": 4.0,
        "initial_ram_allocation_ratio": 1.0,
        "initial_disk_allocation_ratio": 1.0,
        "kubevirt": SimpleNamespace(disk_gb=0),
    }
    return Conf(**{**values, **changes})


@pytest.mark.parametrize(
    ("text", "value"), [("500m", 0.5), ("2", 2), ("1Ki", 1024), ("16Gi", 16 * 2**30), ("1e3", 1000), ("3M", 3_000_000)]
)
def test_quantity(text, value):
    assert float(facts.quantity(text)) == value


def test_quantity_that_is_none_is_refused():
    with pytest.raises(ValueError, match="quantity"):
        facts.quantity("a lot")


def test_inventories_of_a_node():
    found = facts.inventories(NODE, conf(), {})
    assert {name: (each["total"], each["reserved"], each["allocation_ratio"]) for name, each in found.items()} == {
        "VCPU": (7, 0, 4.0),
        "MEMORY_MB": (16259, 512, 1.0),
        "DISK_GB": (100, 2, 1.0),
    }


def test_ratio_that_an_operator_set_at_placement_stays():
    found = facts.inventories(NODE, conf(), {"VCPU": {"allocation_ratio": 16.0}})
    assert found["VCPU"]["allocation_ratio"] == 16.0
    assert (
        facts.inventories(NODE, conf(cpu_allocation_ratio=2.0), {"VCPU": {"allocation_ratio": 16.0}})["VCPU"][
            "allocation_ratio"
        ]
        == 2.0
    )


def test_same_node_has_the_same_compute_uuid():
    assert facts.compute_uuid(NODE, "a") == facts.compute_uuid(NODE, "a")
    assert facts.compute_uuid(NODE, "a") != facts.compute_uuid(NODE, "b")


def test_features_become_standard_traits_only():
    assert facts.cpu_traits(NODE, frozenset({"HW_CPU_X86_AVX2"})) == {"HW_CPU_X86_AVX2"}
    assert facts.cpu_traits(NODE, frozenset()) == set()


def test_cordoned_node_takes_no_guests():
    assert facts.schedulable(NODE)
    assert not facts.schedulable({**NODE, "spec": {"unschedulable": True}})


def vmi(phase, paused=False, going=False):
    conditions = [{"type": "Paused", "status": "True"}] if paused else []
    metadata = {"deletionTimestamp": "now"} if going else {}
    return {"metadata": metadata, "status": {"phase": phase, "conditions": conditions}}


@pytest.mark.parametrize(
    ("body", "power"),
    [
        (None, 4),
        (vmi("Scheduling"), 0),
        (vmi("Running"), 1),
        (vmi("Running", paused=True), 3),
        (vmi("Running", going=True), None),
        (vmi("Succeeded"), 4),
        (vmi("Failed"), 6),
        (vmi("Unknown"), None),
    ],
)
def test_power_state(body, power):
    assert state.power_state(body) == power


def test_network_model_of_a_port():
    port = {
        "id": "cccccccc-cccc-4ccc-8ccc-cccccccccccc",
        "mac_address": "fa:16:3e:00:00:05",
        "network_id": "n",
        "status": "ACTIVE",
        "binding:vif_type": "ovs",
        "binding:vnic_type": "normal",
        "binding:vif_details": {"bridge_name": "br-int", "port_filter": True},
        "fixed_ips": [{"subnet_id": "s", "ip_address": "10.0.0.5"}],
    }
    network = {"id": "n", "name": "private", "tenant_id": "p", "mtu": 1450, "provider:network_type": "vxlan"}
    subnet = {
        "id": "s",
        "cidr": "10.0.0.0/24",
        "gateway_ip": "10.0.0.1",
        "ip_version": 4,
        "dns_nameservers": ["9.9.9.9"],
    }
    floating = {"port_id": port["id"], "fixed_ip_address": "10.0.0.5", "floating_ip_address": "203.0.113.7"}
    (vif,) = vifs([port], [network], [subnet], [floating])
    assert (vif["devname"], vif["type"], vif["active"], vif["preserve_on_delete"]) == (
        "tapcccccccc-cc",
        "ovs",
        True,
        False,
    )
    assert vif["network"]["meta"] == {
        "injected": False,
        "tenant_id": "p",
        "mtu": 1450,
        "physical_network": None,
        "tunneled": True,
    }
    (found,) = vif["network"]["subnets"]
    assert found["ips"][0]["address"] == "10.0.0.5"
    assert found["ips"][0]["floating_ips"][0]["address"] == "203.0.113.7"
    assert found["gateway"] == {"address": "10.0.0.1", "type": "gateway", "version": 4, "meta": {}}


def test_port_the_user_made_is_kept():
    port = {"id": "a", "mac_address": "m", "network_id": "n", "binding:vif_type": "ovs"}
    assert vifs([port], [], [], (), ["a"])[0]["preserve_on_delete"] is True


def test_traits_that_are_reported_are_standard_ones():
    assert {*facts.CAPABILITIES, *facts.ALWAYS, facts.DISABLED} <= set(os_traits.get_traits())
