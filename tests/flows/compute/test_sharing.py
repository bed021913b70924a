"""Two replicas share the nodes; one that goes or dies is replaced."""

from __future__ import annotations

import time

import pytest

from keel_common.kube import LEASE, Kube
from keel_common.kube.lease import Membership
from keel_compute.hosts.deeds import Deeds, NotFree
from keel_compute.hosts.registry import Registry
from keel_dev.kubesim import KubeSim

NAMESPACE = "servers"


@pytest.fixture(scope="module")
def kube():
    with KubeSim(speed=50, seed=7, nodes=1, namespace=NAMESPACE) as sim:
        yield Kube(str(sim.kubeconfig))


def until(fact, patience=10.0):
    deadline = time.monotonic() + patience
    while not fact():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.02)


class Nodes:
    """A cache of nodes."""

    def __init__(self, count):
        self._items = [{"metadata": {"name": f"node-{number}"}} for number in range(count)]

    def wait_synced(self, timeout):
        return True

    def items(self):
        return self._items


class Host:
    """A host that only notes that it is up."""

    up: list[tuple[str, str]] = []

    def __init__(self, name, member):
        self.name, self.member = name, member

    def start(self):
        Host.up.append((self.name, self.member))

    def stop(self, deadline):
        Host.up.remove((self.name, self.member))

    def checks(self):
        return {}


class Replica:
    def __init__(self, kube, member, group):
        deeds = Deeds(kube, NAMESPACE, member)
        self.registry = Registry(Nodes(8), lambda name: Host(name, member), member, deeds)
        self.membership = Membership(kube, NAMESPACE, group, member, self.registry.share, seconds=0.9)
        self.registry.start()
        self.membership.start()

    def stop(self):
        self.registry.stop(time.monotonic() + 5)
        self.membership.stop(time.monotonic() + 5)

    def owned(self):
        return {host.name for host in self.registry.hosts()}


def test_nodes_are_shared_and_handed_over(kube):
    Host.up = []
    first = Replica(kube, "replica-1", "sharing")
    until(lambda: len(first.owned()) == 8)
    second = Replica(kube, "replica-2", "sharing")
    until(lambda: second.owned() and not first.owned() & second.owned() and len(Host.up) == 8)
    assert len(first.owned()) + len(second.owned()) == 8
    second.stop()
    until(lambda: len(first.owned()) == 8)
    first.stop()
    assert Host.up == []


def test_nodes_of_a_dead_replica_are_taken_over(kube):
    Host.up = []
    first = Replica(kube, "replica-3", "dying")
    until(lambda: len(first.owned()) == 8)
    first.membership._stopping.set()
    second = Replica(kube, "replica-4", "dying")
    until(lambda: len(second.owned()) == 8)
    holders = {
        each["spec"]["holderIdentity"] for each in kube.list(LEASE, NAMESPACE) if "node-" in each["metadata"]["name"]
    }
    assert holders == {"replica-4"}
    second.stop()
    first.registry.stop(time.monotonic() + 5)


def test_deed_of_a_living_replica_is_respected(kube):
    Deeds(kube, NAMESPACE, "a").take("node-x", ("a", "b"))
    other = Deeds(kube, NAMESPACE, "b")
    with pytest.raises(NotFree):
        other.take("node-x", ("a", "b"))
    other.take("node-x", ("b",))
    Deeds(kube, NAMESPACE, "a").give("node-x")
    assert kube.get(LEASE, "nova-host-node-x", NAMESPACE)["spec"]["holderIdentity"] == "b"
