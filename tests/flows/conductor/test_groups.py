"""Servers of a group: the scheduler is told who the members are and where they run."""

import uuid

import pytest

from keel_common.db import add, schema
from keel_contract.errors import RemoteFault
from keel_contract.nova import objects


@pytest.fixture
def group(cloud):
    """A group with a rule of anti-affinity whose one member runs on node-2."""
    tables = schema.nova_api.tables
    values = {"uuid": str(uuid.uuid4()), "name": "apart", "project_id": "p", "user_id": "u"}
    key = cloud.cells.api.run(add, tables["instance_groups"], values)
    policy = {"group_id": key, "policy": "anti-affinity", "rules": '{"max_server_per_host": 2}'}
    cloud.cells.api.run(add, tables["instance_group_policy"], policy)
    member = cloud.instance(host="node-2")
    cloud.remote.action(cloud.context(is_admin=True), member, "create")
    cloud.cells.api.run(add, tables["instance_group_member"], {"group_id": key, "instance_uuid": member.uuid})
    return values["uuid"], member.uuid


def test_the_scheduler_learns_members_and_hosts(cloud, group):
    uuid_of_group, member = group
    requests, specs, devices = cloud.asked()
    specs[0].instance_group = objects.InstanceGroup(uuid=uuid_of_group, policy="anti-affinity")
    cloud.build(requests, specs, devices)
    told = cloud.scheduler.calls[0][0].instance_group
    assert (told.members, told.hosts) == ([member], ["node-2"])


def test_a_compute_finds_the_group_of_a_server_and_its_hosts(cloud, group):
    uuid_of_group, member = group
    context = cloud.context(is_admin=True)
    found = cloud.remote.class_action(context, "InstanceGroup", "get_by_instance_uuid", member)
    assert (found.uuid, found.policy, found.policies) == (uuid_of_group, "anti-affinity", ["anti-affinity"])
    assert found._rules == {"max_server_per_host": "2"}
    assert cloud.remote.action(context, found, "get_hosts") == ["node-2"]
    assert cloud.remote.action(context, found, "get_hosts", exclude=[member]) == []


def test_an_unmapped_host_is_not_found(cloud):
    with pytest.raises(RemoteFault) as caught:
        cloud.remote.class_action(cloud.context(), "HostMapping", "get_by_host", "nowhere")
    assert caught.value.class_name == "HostMappingNotFound"
