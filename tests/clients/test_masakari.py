"""Masakari's calls: novaclient at microversion 2.53, as administrator of its own project (seed: clients of Nova).

A host monitor finds a host down, so its service is disabled with a reason, and each of its servers, found in all
projects by host, is locked, evacuated or restarted, its state reset before and looked at after.
"""

import pytest
from novaclient import exceptions

VERSION = "2.53"
SOURCE, SPARE = "compute", "host2"


@pytest.fixture
def nova(cloud):
    return cloud.nova(VERSION, "masakari")


@pytest.fixture
def server(cloud):
    return cloud.server(availability_zone="nova:compute", who="admin")


def _service(nova, host=SOURCE):
    (found,) = nova.services.list(host=host, binary="nova-compute")
    return found


def test_services_have_uuids_and_say_whether_they_are_up(nova):
    found = _service(nova)
    assert (len(found.id), found.state, found.status, found.forced_down) == (36, "up", "enabled", False)


def test_a_service_is_disabled_with_a_reason_and_enabled_again(nova):
    service = _service(nova)
    nova.services.disable_log_reason(service.id, "Host is down, says Masakari")
    found = _service(nova)
    assert (found.status, found.disabled_reason) == ("disabled", "Host is down, says Masakari")
    nova.services.enable(service.id)
    assert _service(nova).status == "enabled"


def test_servers_of_all_projects_are_found_by_host(cloud, nova, server):
    mine = {"all_tenants": True}
    assert [found.id for found in nova.servers.list(search_opts={"host": SOURCE, **mine})] == [server.id]
    assert nova.servers.list(search_opts={"host": SPARE, **mine}) == []
    assert getattr(nova.servers.get(server.id), "OS-EXT-SRV-ATTR:hypervisor_hostname") == "fake-mini"


@pytest.mark.parametrize("target", [None, SPARE])
def test_a_server_of_a_dead_host_is_evacuated(nova, server, target):
    nova.services.force_down(_service(nova).id, True)
    assert _service(nova).state == "down"
    nova.servers.lock(server.id)
    nova.servers.evacuate(server.id, target)
    found = nova.servers.get(server.id)
    assert (found.status, getattr(found, "OS-EXT-SRV-ATTR:host")) == ("ACTIVE", SPARE)
    nova.servers.unlock(server.id)
    assert nova.servers.get(server.id).locked is False


def test_a_server_of_a_living_host_is_not_evacuated(nova, server):
    with pytest.raises(exceptions.BadRequest):
        nova.servers.evacuate(server.id)


def test_a_failed_server_is_reset_stopped_and_started(nova, server):
    nova.servers.reset_state(server.id, "error")
    assert nova.servers.get(server.id).status == "ERROR"
    nova.servers.stop(server.id)
    found = nova.servers.get(server.id)
    assert (getattr(found, "OS-EXT-STS:vm_state"), getattr(found, "OS-EXT-STS:power_state")) == ("stopped", 4)
    nova.servers.start(server.id)
    assert nova.servers.get(server.id).status == "ACTIVE"


def test_a_stopped_server_that_is_stopped_again_is_a_conflict(nova, server):
    nova.servers.stop(server.id)
    with pytest.raises(exceptions.Conflict):
        nova.servers.stop(server.id)


def test_a_reserved_host_joins_the_aggregate(nova):
    aggregate = nova.aggregates.create("failover", None)
    assert [found.name for found in nova.aggregates.list()] == ["failover"]
    nova.aggregates.add_host(aggregate.id, SPARE)
    assert nova.aggregates.get(aggregate.id).hosts == [SPARE]
    with pytest.raises(exceptions.Conflict):
        nova.aggregates.add_host(aggregate.id, SPARE)


def test_a_server_that_is_gone_is_not_found(nova):
    with pytest.raises(exceptions.NotFound):
        nova.servers.get("11111111-1111-4111-8111-111111111111")
