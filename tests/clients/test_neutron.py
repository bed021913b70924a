"""Neutron's calls: its notifier of port events, and the aggregates of routed networks' segments.

What Neutron relies on: events at 2.1, the extension in the list, an answer with a code for each event. What it would
tolerate and no Nova of today answers is 404 for the whole request when no server is known: that is 207, too.
"""

import pytest
from novaclient import client as novaclient
from novaclient import exceptions

MISSING = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def nova(cloud):
    found = [each for each in novaclient.discover_extensions("2.1") if each.name == "server_external_events"]
    return cloud.nova("2.1", "neutron", extensions=found)


@pytest.fixture
def server(cloud):
    return cloud.server()


@pytest.fixture
def port(cloud, server):
    return cloud.nova("2.1").servers.interface_list(server.id)[0].port_id


def _event(server, name, **more):
    return {"server_uuid": getattr(server, "id", server), "name": name, **more}


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("network-vif-plugged", "completed"),
        ("network-vif-plugged", "failed"),
        ("network-vif-unplugged", "completed"),
        ("network-vif-deleted", None),
        ("network-changed", None),
    ],
)
def test_events_of_ports_arrive(nova, server, port, name, status):
    event = _event(server, name, tag=port, **({"status": status} if status else {}))
    (answered,) = nova.server_external_events.create([event])
    assert (answered["code"], answered["status"], answered["tag"]) == (200, "completed", port)


def test_a_network_may_change_without_a_tag(nova, server):
    (answered,) = nova.server_external_events.create([_event(server, "network-changed")])
    assert answered["code"] == 200


def test_each_of_many_events_has_its_own_code(nova, server, port):
    events = [_event(server, "network-vif-plugged", tag=port), _event(MISSING, "network-changed")]
    answered = nova.server_external_events.create(events)
    assert [(each["server_uuid"], each["code"]) for each in answered] == [(server.id, 200), (MISSING, 404)]


def test_events_of_unknown_servers_alone_fail_one_by_one(nova):
    (answered,) = nova.server_external_events.create([_event(MISSING, "network-changed")])
    assert (answered["code"], answered["status"]) == (404, "failed")


def test_nobody_but_a_service_or_an_administrator_sends_events(cloud, server):
    with pytest.raises(exceptions.Forbidden):
        cloud.nova("2.1").server_external_events.create([_event(server, "network-changed")])


def test_a_segment_has_an_aggregate_of_its_hosts(cloud):
    nova = cloud.nova("2.1", "neutron")
    made = nova.aggregates.create("Neutron segment id 5c5ec2c0", None)
    assert cloud.nova("2.41", "neutron").aggregates.get(made.id).uuid
    nova.aggregates.add_host(made.id, "compute")
    with pytest.raises(exceptions.BadRequest):
        nova.aggregates.delete(made.id)
    nova.aggregates.remove_host(made.id, "compute")
    nova.aggregates.delete(made.id)
    assert nova.aggregates.list() == []


def test_a_host_that_nobody_knows_joins_no_aggregate(cloud):
    nova = cloud.nova("2.1", "neutron")
    made = nova.aggregates.create("segment", None)
    with pytest.raises(exceptions.NotFound):
        nova.aggregates.add_host(made.id, "nowhere")
