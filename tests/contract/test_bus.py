"""Clients and servers on the in-process transport: calls, casts, fan-out, faults, older peers, reachability."""

import threading
import time
import uuid

import pytest
from oslo_config import cfg

from keel_contract import errors
from keel_contract.bus import Bus, Endpoint
from keel_contract.cinder import interfaces as cinder
from keel_contract.cinder import objects as cinder_objects
from keel_contract.context import Context
from keel_contract.nova import interfaces as nova
from keel_contract.nova import objects as nova_objects

INSTANCE = "11111111-1111-4111-8111-111111111111"


class Recorder:
    """Endpoint methods that note what they were called with."""

    def __init__(self):
        self.calls = []
        self.finished = False
        self.arrived = threading.Semaphore(0)

    def _note(self, name, context, args):
        self.calls.append((name, context, args))
        self.arrived.release()

    def wait(self, count=1):
        for _ in range(count):
            assert self.arrived.acquire(timeout=5), "no message arrived"
        return self.calls[-1]


class Compute(Recorder):
    reachable_attribute = "no"

    def get_host_uptime(self, context):
        return f"up for {context.user_id}"

    def start_instance(self, context, **args):
        self._note("start_instance", context, args)

    def build_and_run_instance(self, context, **args):
        self._note("build_and_run_instance", context, args)

    def external_instance_event(self, context, **args):
        self._note("external_instance_event", context, args)

    def resize_instance(self, context, **args):
        self._note("resize_instance", context, args)

    def get_diagnostics(self, context, instance):
        raise ValueError("wrong size")

    def get_vnc_console(self, context, console_type, instance):
        raise errors.ExpectedFault("ConsoleTypeInvalid", "no such console", console_type=console_type)

    def get_instance_diagnostics(self, context, instance):
        return nova_objects.Diagnostics(state="running", num_cpus=instance.vcpus)

    def secret(self, context):
        raise AssertionError("an undeclared method was reached")


@pytest.fixture(scope="module")
def conf():
    conf = cfg.ConfigOpts()
    conf([], project="keel", default_config_files=[])
    return conf


@pytest.fixture(scope="module")
def bus(conf):
    bus = Bus(conf, "nova", "fake:/")
    yield bus
    bus.close()


def a_host():
    return f"host-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def host(compute):
    return compute.host


@pytest.fixture
def serve(bus):
    parts = []

    def start(topic, host, *endpoints, on=None):
        part = (on or bus).server(topic, host, endpoints)
        part.start()
        parts.append(part)
        return part

    yield start
    stop(parts)


def stop(parts):
    """Stopping a server takes up to a second (the pool of oslo.messaging looks up that often): all at once."""
    stopping = [threading.Thread(target=part.stop, args=(time.monotonic() + 5,)) for part in parts]
    for thread in stopping:
        thread.start()
    for thread in stopping:
        thread.join()


@pytest.fixture(scope="module")
def shared(bus):
    compute = Compute()
    compute.host = a_host()
    part = bus.server("compute", compute.host, [Endpoint(nova.COMPUTE, compute)])
    part.start()
    yield compute
    part.stop(time.monotonic() + 5)


@pytest.fixture
def compute(shared):
    shared.calls.clear()
    return shared


@pytest.fixture
def context():
    return Context("user-1", "project-1", ["member"])


def test_call_brings_the_result_and_the_context(bus, compute, host, context):
    assert bus.client(nova.COMPUTE).send(context, "get_host_uptime", server=host) == "up for user-1"


def test_cast_goes_to_the_host_of_the_instance(bus, compute, host, context):
    sent = bus.client(nova.COMPUTE).send(
        context, "start_instance", instance=nova_objects.Instance(host=host, uuid=INSTANCE)
    )
    assert sent is None
    _, received, args = compute.wait()
    assert received.request_id == context.request_id
    assert args["instance"].uuid == INSTANCE
    assert args["instance"].changes() == {"host": host, "uuid": INSTANCE}


def test_objects_travel_inside_lists_and_dicts_and_in_results(bus, compute, host, context):
    client = bus.client(nova.COMPUTE)
    flavor = nova_objects.Flavor(name="m1")
    spec = nova_objects.RequestSpec(flavor=flavor)
    client.send(
        context,
        "build_and_run_instance",
        server=host,
        instance=nova_objects.Instance(host=host),
        image={"id": "i"},
        request_spec=spec,
        filter_properties={"instance_type": flavor},
        host_list=[nova_objects.Selection(service_host="b")],
    )
    _, _, args = compute.wait()
    assert args["request_spec"].flavor.name == args["filter_properties"]["instance_type"].name == "m1"
    assert args["host_list"][0].service_host == "b"
    assert args["accel_uuids"] is None
    found = client.send(context, "get_instance_diagnostics", server=host, instance=nova_objects.Instance(vcpus=3))
    assert found.num_cpus == 3


def test_expected_fault_arrives_by_its_class_name(bus, compute, host, context):
    with pytest.raises(errors.RemoteFault) as caught:
        bus.client(nova.COMPUTE).send(context, "get_vnc_console", server=host, console_type="x", instance={})
    assert (caught.value.class_name, caught.value.message) == ("ConsoleTypeInvalid", "no such console")
    assert "ExpectedFault" in caught.value.traceback


def test_unexpected_exception_of_a_peer_arrives_by_its_class_name(bus, compute, host, context):
    with pytest.raises(errors.RemoteFault) as caught:
        bus.client(nova.COMPUTE).send(context, "get_diagnostics", server=host, instance={})
    assert (caught.value.class_name, caught.value.message) == ("ValueError", "wrong size")


def test_undeclared_methods_cannot_be_sent(bus, context):
    with pytest.raises(errors.UndeclaredMethod):
        bus.client(nova.COMPUTE).send(context, "secret")


@pytest.mark.parametrize("method", ["secret", "_note", "__init__", "reachable_attribute", "wait"])
def test_undeclared_methods_are_not_reachable_for_a_foreign_client(bus, compute, host, context, method):
    foreign = bus.client(nova.COMPUTE)._rpc.prepare(server=host, version="6.0", timeout=5)
    with pytest.raises(Exception, match="does not support RPC method"):
        foreign.call(context, method)


def test_declared_method_without_an_answer_here_is_a_fault(bus, compute, host, context):
    with pytest.raises(errors.RemoteFault) as caught:
        bus.client(nova.COMPUTE).send(context, "set_host_enabled", server=host, enabled=True, timeout=5)
    assert caught.value.class_name == "UndeclaredMethod"


def test_server_takes_older_minors_and_the_older_major(bus, compute, host, context):
    bus.client(nova.COMPUTE, "5.13").send(
        context,
        "resize_instance",
        server=host,
        instance={"uuid": INSTANCE},
        image={},
        migration={},
        flavor={"name": "m2"},
        request_spec=None,
    )
    _, _, args = compute.wait()
    assert args["flavor"] == {"name": "m2"}
    assert "instance_type" not in args


def test_server_refuses_versions_it_does_not_know(bus, compute, host, context):
    foreign = bus.client(nova.COMPUTE)._rpc.prepare(server=host, version="6.6", timeout=5)
    with pytest.raises(Exception, match="does not support RPC version"):
        foreign.call(context, "get_host_uptime")


def test_pin_moves_a_method_back_to_the_first_topic(bus, serve, context):
    host = a_host()
    first, second = Compute(), Compute()
    serve("compute", host, Endpoint(nova.COMPUTE, first))
    serve("compute-alt", host, Endpoint(nova.COMPUTE, second))
    event = {"instances": [nova_objects.Instance(host=host)], "events": []}
    bus.client(nova.COMPUTE).send(context, "external_instance_event", **event)
    second.wait()
    bus.client(nova.COMPUTE, "6.4").send(context, "external_instance_event", **event)
    first.wait()
    assert (len(first.calls), len(second.calls)) == (1, 1)


def test_fanout_reaches_every_server(bus, serve, context):
    class Scheduler(Recorder):
        def sync_instance_info(self, context, **args):
            self._note("sync_instance_info", context, args)

    schedulers = [Scheduler(), Scheduler()]
    for number, scheduler in enumerate(schedulers):
        serve("scheduler", f"s{number}-{uuid.uuid4().hex}", Endpoint(nova.SCHEDULER, scheduler))
    bus.client(nova.SCHEDULER).send(context, "sync_instance_info", host_name="h", instance_uuids=[INSTANCE])
    for scheduler in schedulers:
        assert scheduler.wait()[2] == {"host_name": "h", "instance_uuids": [INSTANCE]}


def test_namespaces_share_a_topic(bus, serve, context):
    host = a_host()

    class Base:
        def ping(self, context, arg):
            return {"service": "conductor", "arg": arg}

    class Conductor:
        def object_action(self, context, objinst, objmethod, args, kwargs):
            return [{}, objmethod]

    topic = "conductor"
    serve(topic, host, Endpoint(nova.CONDUCTOR, Conductor()), Endpoint(nova.BASE, Base()))
    pong = bus.client(nova.BASE).send(context, "ping", topic=topic, server=host, arg="1.21 GigaWatts", timeout=5)
    assert pong == {"service": "conductor", "arg": "1.21 GigaWatts"}
    assert bus.client(nova.CONDUCTOR).send(
        context, "object_action", server=host, objinst=None, objmethod="save", args=[], kwargs={}
    ) == [{}, "save"]


def test_method_with_two_modes_is_sent_as_asked(bus, serve, context):
    host = a_host()

    class Task(Recorder):
        def attach_volume(self, context, **args):
            self._note("attach_volume", context, args)
            return "attached"

    task = Task()
    serve("conductor", host, Endpoint(nova.COMPUTE_TASK, task))
    args = {"instance": {}, "volume": {}, "device": None, "disk_bus": None, "device_type": None}
    client = bus.client(nova.COMPUTE_TASK)
    assert client.send(context, "attach_volume", server=host, **args) == "attached"
    assert client.send(context, "attach_volume", server=host, how="cast", **args) is None
    assert len(task.calls) >= 1
    with pytest.raises(errors.BadArguments):
        client.send(context, "build_instances", how="call")


def test_volume_service_is_reached_on_the_topic_of_its_backend(conf, serve, context):
    class Volume(Recorder):
        def create_volume(self, context, **args):
            self._note("create_volume", context, args)

        def delete_volume(self, context, **args):
            self._note("delete_volume", context, args)

    bus = Bus(conf, "cinder", "fake:/")
    new, old = Volume(), Volume()
    serve("cinder-volume.node@ceph", "node", Endpoint(cinder.VOLUME, new), on=bus)
    serve("cinder-volume", "node@ceph", Endpoint(cinder.VOLUME, old), on=bus)
    volume = cinder_objects.Volume(host="node@ceph#pool", cluster_name=None, size=1)
    bus.client(cinder.VOLUME).send(context, "create_volume", volume=volume)
    assert new.wait()[2]["volume"].size == 1
    bus.client(cinder.VOLUME, "3.5").send(context, "delete_volume", volume=volume, cascade=True)
    assert old.wait()[2]["cascade"] is True
    bus.close()


def test_call_without_an_answer_times_out(bus, context):
    with pytest.raises(errors.RpcTimeout):
        bus.client(nova.COMPUTE).send(context, "get_host_uptime", server=a_host(), timeout=0.1)


def test_stop_finishes_what_was_taken(bus, context):
    host = a_host()

    class Slow(Recorder):
        def start_instance(self, context, instance):
            self._note("start_instance", context, {})
            time.sleep(0.3)
            self.finished = True

    slow = Slow()
    part = bus.server("compute", host, [Endpoint(nova.COMPUTE, slow)])
    part.start()
    bus.client(nova.COMPUTE).send(context, "start_instance", server=host, instance={})
    slow.wait()
    part.stop(time.monotonic() + 5)
    assert slow.finished


def test_readiness_follows_the_server(bus):
    part = bus.server("compute", a_host(), [Endpoint(nova.COMPUTE, Compute())])
    (check,) = part.checks().values()
    with pytest.raises(errors.NotReady):
        check()
    part.start()
    check()
    part.stop(time.monotonic() + 5)
    with pytest.raises(errors.NotReady):
        check()


def test_exchange_is_the_one_of_the_suite_unless_told(conf):
    assert Bus(conf, "nova", "fake:/").exchange == "nova"
    other = cfg.ConfigOpts()
    other([], project="keel", default_config_files=[])
    assert Bus(other, "cinder", "fake:/").exchange == "openstack"


def test_in_process_messages_are_json_as_at_a_broker(bus, compute, host, context):
    client = bus.client(nova.COMPUTE)
    with pytest.raises(errors.NotSent):
        client.send(context, "start_instance", server=host, instance={"odd": object()})
    client.send(context, "start_instance", server=host, instance={"pair": (1, 2)})
    assert compute.wait()[2] == {"instance": {"pair": [1, 2]}}


def test_messages_wait_for_a_server_that_starts_later(bus, serve, context):
    host, late = a_host(), Compute()
    bus.client(nova.COMPUTE).send(context, "start_instance", server=host, instance={})
    serve("compute", host, Endpoint(nova.COMPUTE, late))
    assert late.wait()[0] == "start_instance"
