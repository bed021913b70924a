"""The declared RPC methods equal the recorded ones: names, arguments, versions, topics, modes, for every pin."""

import pytest

from keel_contract import errors, goldens
from keel_contract.check import answers
from keel_contract.check.methods import INTERFACES
from keel_contract.check.sends import Sends
from keel_contract.cinder import interfaces as cinder
from keel_contract.context import Context
from keel_contract.interface import REQUIRED, Arg, Level, Method, convert, incoming, outgoing, takes, told
from keel_contract.nova import interfaces as nova
from keel_contract.nova import legacy
from keel_contract.nova.objects import (
    ComputeNode,
    Flavor,
    ImageMeta,
    ImageMetaProps,
    Instance,
    InstanceGroup,
    RequestSpec,
)

EVERY = [
    pytest.param(suite, name, id=f"{suite}-{name}") for suite, interfaces in INTERFACES.items() for name in interfaces
]


def recorded(suite, name):
    return goldens.load(suite, "methods")["interfaces"][name]


def every(side):
    for suite, interfaces in INTERFACES.items():
        for name in interfaces:
            rows = recorded(suite, name)
            methods = Sends(suite).methods(name) if side == "sends" else rows["answers"]["methods"]
            for method in methods:
                yield pytest.param(suite, name, method, id=f"{suite}-{name}.{method}")


@pytest.mark.parametrize(("suite", "name"), EVERY)
def test_server_side_declares_exactly_the_recorded_methods(suite, name):
    rows = recorded(suite, name)
    assert list(answers.target(INTERFACES[suite][name], rows)) == []
    assert set(INTERFACES[suite][name].methods) == set(rows["answers"]["methods"])


@pytest.mark.parametrize(("suite", "name", "method"), every("answers"))
def test_server_side_takes_exactly_the_recorded_arguments(suite, name, method):
    rows = recorded(suite, name)
    older = rows.get("older", {}).get("methods", {}).get(method)
    declared = INTERFACES[suite][name].methods[method]
    assert list(answers.differences(declared, rows["answers"]["methods"][method], older)) == []


@pytest.mark.parametrize(("suite", "name", "method"), every("sends"))
def test_client_side_sends_what_a_real_client_sends_at_every_pin(suite, name, method):
    sends = Sends(suite)
    assert list(sends.differences(INTERFACES[suite][name], method, sends.methods(name)[method])) == []


def test_undeclared_argument_is_refused():
    method = nova.COMPUTE.method("start_instance")
    with pytest.raises(errors.BadArguments):
        outgoing(method, method.levels[0], {"instance": 1, "colour": "red"})
    with pytest.raises(errors.BadArguments):
        incoming(method, {"instance": 1, "colour": "red"})


def test_missing_argument_is_refused():
    method = nova.COMPUTE.method("detach_volume")
    with pytest.raises(errors.BadArguments):
        outgoing(method, method.levels[0], {"instance": 1})
    with pytest.raises(errors.BadArguments):
        incoming(method, {"instance": 1})


def test_argument_a_caller_may_leave_out_is_still_required_of_a_message():
    method = Method("do", ("cast",), takes("instance", told("tag")), (Level("1.0", "1.0"),))
    assert outgoing(method, method.levels[0], {"instance": 1}) == {"instance": 1, "tag": None}
    with pytest.raises(errors.BadArguments):
        incoming(method, {"instance": 1})


def test_argument_required_of_this_major_alone_is_filled_for_the_major_before():
    method = nova.COMPUTE.method("finish_revert_resize")
    given = {"instance": 1, "migration": 2}
    assert incoming(method, given, older=True)["request_spec"] is None
    with pytest.raises(errors.BadArguments):
        incoming(method, given)


def test_argument_of_the_major_before_is_required_of_it_and_of_no_use():
    method = nova.COMPUTE.method("check_instance_shared_storage")
    assert incoming(method, {"data": 1}) == {"data": 1}
    assert incoming(method, {"data": 1, "instance": 2}, older=True) == {"data": 1}
    with pytest.raises(errors.BadArguments):
        incoming(method, {"data": 1}, older=True)


def test_level_with_an_end_is_not_used_for_peers_beyond_it():
    interface = nova.COMPUTE_TASK
    method = interface.method("build_instances")
    assert interface.level(method, "1.6").version == "1.5"
    with pytest.raises(errors.PeerTooOld):
        interface.level(method, "1.7")


def test_argument_is_converted_below_the_level_that_knows_it():
    args = (Arg("size", since="1.1", below=convert(str)), Arg("unit", REQUIRED, until="1.1", made=lambda _given: "GiB"))
    method = Method("grow", ("cast",), args, (Level("1.1", "1.1"), Level("1.0", "1.0")))
    assert outgoing(method, method.levels[0], {"size": 3}) == {"size": 3}
    assert outgoing(method, method.levels[1], {"size": 3}) == {"size": "3", "unit": "GiB"}


def test_destination_of_an_old_volume_service_loses_the_cluster():
    method = cinder.VOLUME.method("retype")
    wire = outgoing(
        method,
        cinder.VOLUME.level(method, "3.4"),
        {"volume": 1, "new_type_id": "t", "host": {"host": "h", "cluster_name": "c", "capabilities": {}}},
    )
    assert wire["host"] == {"host": "h", "capabilities": {}}


def test_request_spec_of_an_old_scheduler_comes_back_as_it_was():
    spec = RequestSpec(
        num_instances=2,
        instance_uuid="aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa",
        project_id="p",
        flavor=Flavor(root_gb=1, ephemeral_gb=0, memory_mb=512, vcpus=1),
        image=ImageMeta(name="image", properties=ImageMetaProps(hw_disk_bus="virtio")),
        ignore_hosts=["bad"],
        retry=None,
        instance_group=InstanceGroup(
            uuid="bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb", policy="affinity", hosts=["h"], members=[]
        ),
        scheduler_hints={"one": ["1"], "two": ["1", "2"]},
    )
    old = nova.SCHEDULER.level(nova.SCHEDULER.method("select_destinations"), "4.0")
    wire = outgoing(nova.SCHEDULER.method("select_destinations"), old, {"spec_obj": spec})
    assert set(wire) == {"request_spec", "filter_properties"}
    read = incoming(nova.SCHEDULER.method("select_destinations"), wire)["spec_obj"]
    for name in ("num_instances", "instance_uuid", "project_id", "ignore_hosts", "retry", "scheduler_hints"):
        assert getattr(read, name) == getattr(spec, name), name
    assert read.flavor.memory_mb == 512
    assert read.image.properties.hw_disk_bus == "virtio"
    assert (read.instance_group.policy, read.instance_group.hosts) == ("affinity", ["h"])


def test_retries_travel_as_pairs_of_host_and_node():
    wire = {
        "request_spec": {"instance_properties": {}},
        "filter_properties": {"retry": {"num_attempts": 2, "hosts": [["h", "n"]]}},
    }
    retry = legacy.request_spec(wire).retry
    assert retry.num_attempts == 2
    assert [(node.host, node.hypervisor_hostname) for node in retry.hosts.objects] == [("h", "n")]
    assert isinstance(retry.hosts.objects[0], ComputeNode)


def test_message_without_any_form_of_the_spec_is_refused():
    with pytest.raises(errors.BadArguments):
        incoming(nova.SCHEDULER.method("select_destinations"), {"instance_uuids": []})


def refusal(cap, **more):
    sends = Sends("nova")
    client = sends._bus.client(nova.COMPUTE, cap)
    with pytest.raises(errors.PeerTooOld) as refused:
        client.send(Context.admin("nova"), "allow_share", instance=Instance(host="host7"), share_mapping=None, **more)
    return str(refused.value)


def test_refused_send_tells_host_pin_and_release():
    text = refusal("6.3")
    assert "Not sent to host7: compute.allow_share needs 6.4" in text
    assert "The pin: 6.3" in text
    assert "compute 6.4 comes with Epoxy" in text


def test_refused_send_tells_the_host_the_caller_named():
    assert refusal("6.3", server="other").startswith("Not sent to other: ")
