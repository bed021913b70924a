"""Kubernetes nodes as Nova hosts: what they report, when they count as down."""

import time

from keel_common.kube import NODE
from keel_contract.nova.interfaces import BASE


def test_node_is_reported_as_a_host(world):
    row, service = world.conductor.computes["node-1"], world.conductor.services["node-1"]
    assert (row.hypervisor_hostname, row.hypervisor_type, row.service_id) == ("node-1", "KubeVirt", service.id)
    assert row.vcpus > 0
    assert row.memory_mb > 0
    assert (service.binary, service.topic, service.version) == ("nova-compute", "compute", 74)
    inventory = world.peers.placement.inventory[row.uuid]
    assert inventory["VCPU"]["total"] == row.vcpus
    assert inventory["MEMORY_MB"]["reserved"] == 512
    assert {"COMPUTE_NODE", "OWNER_NOVA", "COMPUTE_NET_ATTACH_INTERFACE"} <= world.peers.placement.traits[row.uuid]


def test_heartbeats_go_up(world):
    first = world.conductor.services["node-1"].report_count
    world.until(lambda: world.conductor.services["node-1"].report_count > first + 1, "heartbeats come")


def test_host_of_a_lost_node_stops_beating(world):
    node = world.kube.get(NODE, "node-2")
    ready = next(each for each in node["status"]["conditions"] if each["type"] == "Ready")
    world.sim.cluster.knobs.paused.add("nodes")
    try:
        ready["status"] = "Unknown"
        world.kube.replace(NODE, node, "status")
        time.sleep(1.5)
        before = world.conductor.services["node-2"].report_count
        time.sleep(2.5)
        assert world.conductor.services["node-2"].report_count == before
    finally:
        node = world.kube.get(NODE, "node-2")
        next(each for each in node["status"]["conditions"] if each["type"] == "Ready")["status"] = "True"
        world.kube.replace(NODE, node, "status")
        world.sim.cluster.knobs.paused.discard("nodes")
    world.until(lambda: world.conductor.services["node-2"].report_count > before, "it beats again")


def test_disabled_host_is_no_candidate(world):
    uuid = world.conductor.computes["node-2"].uuid
    assert world.compute.send(world.context(), "set_host_enabled", server="node-2", enabled=False) == "disabled"
    assert "COMPUTE_STATUS_DISABLED" in world.peers.placement.traits[uuid]
    assert world.compute.send(world.context(), "set_host_enabled", server="node-2", enabled=True) == "enabled"
    assert "COMPUTE_STATUS_DISABLED" not in world.peers.placement.traits[uuid]


def test_host_answers_a_ping(world):
    client = world.bus.client(BASE)
    answer = client.send(world.context(), "ping", topic="compute", server="node-1", arg="hello")
    assert answer == {"service": "compute", "arg": "hello"}
