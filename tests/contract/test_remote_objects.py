"""A compute and a conductor over the bus: actions on objects, class actions, what comes back."""

import datetime
import time

import oslo_messaging
import pytest
from oslo_config import cfg

from keel_contract import errors, goldens
from keel_contract.bus import Bus, Endpoint
from keel_contract.context import Context
from keel_contract.nova import interfaces, remote
from keel_contract.nova import objects as nova
from keel_contract.suites import from_primitive

UUID = "11111111-1111-4111-8111-111111111111"


class Conductor:
    """Saves what it is given and finds two migrations."""

    def __init__(self):
        self.seen = None

    def object_action(self, context, objinst, objmethod, args, kwargs):
        self.seen = (objmethod, remote.arguments(type(objinst), objmethod, args, kwargs), objinst.changes())
        if kwargs.get("expected_task_state") == ["spawning"]:
            raise errors.ExpectedFault("UnexpectedTaskStateError", "it is resizing", instance_uuid=objinst.uuid)
        before = remote.snapshot(objinst)
        objinst.updated_at = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
        objinst.info_cache = nova.InstanceInfoCache(instance_uuid=objinst.uuid, network_info=[{"id": "p"}])
        objinst.reset_changes()
        return [remote.updates(before, objinst), "saved"]

    def object_class_action_versions(self, context, objname, objmethod, object_versions, args, kwargs):
        self.seen = (objname, objmethod, object_versions, remote.class_arguments(objname, objmethod, args, kwargs))
        found = nova.MigrationList(objects=[nova.Migration(id=1), nova.Migration(id=2)])
        return remote.at_versions(found, object_versions)

    def object_backport_versions(self, context, objinst, object_versions):
        return remote.at_versions(objinst, object_versions)


@pytest.fixture(scope="module")
def bus():
    conf = cfg.ConfigOpts()
    conf([], project="keel", default_config_files=[])
    bus = Bus(conf, "nova", "fake:/")
    yield bus
    bus.close()


@pytest.fixture(scope="module")
def conductor(bus):
    conductor = Conductor()
    part = bus.server("conductor", "c", [Endpoint(interfaces.CONDUCTOR, conductor)])
    part.start()
    yield conductor
    part.stop(time.monotonic() + 5)


@pytest.fixture
def objects(bus, conductor):
    return remote.RemoteObjects(bus.client(interfaces.CONDUCTOR))


def test_action_sends_the_changes_and_takes_what_comes_back(objects, conductor):
    instance = nova.Instance(uuid=UUID, host="a")
    instance.reset_changes()
    instance.task_state = "spawning"
    assert objects.action(Context(), instance, "save", expected_task_state=[None]) == "saved"
    method, arguments, changes = conductor.seen
    assert (method, changes) == ("save", {"task_state": "spawning"})
    assert arguments == {"expected_vm_state": None, "expected_task_state": [None], "admin_state_reset": False}
    assert instance.updated_at.year == 2026
    assert instance.info_cache.network_info == [{"id": "p"}]
    assert instance.changes() == {}


def test_fault_of_an_action_arrives_by_its_class_name(objects):
    with pytest.raises(errors.RemoteFault) as caught:
        objects.action(Context(), nova.Instance(uuid=UUID), "save", expected_task_state=["spawning"])
    assert caught.value.class_name == "UnexpectedTaskStateError"


def test_class_action_tells_the_versions_within_and_gets_objects(objects, conductor):
    found = objects.class_action(Context(), "MigrationList", "get_in_progress_by_host_and_node", "h", "h")
    assert [migration.id for migration in found] == [1, 2]
    assert conductor.seen[2] == {"MigrationList": "1.5", "Migration": "1.8"}
    assert conductor.seen[3] == {"host": "h", "node": "h"}


@pytest.mark.parametrize(
    ("name", "method", "args"),
    [
        ("MigrationList", "get_everything", ()),
        ("MigrationList", "get_in_progress_by_host_and_node", ("h",)),
        ("Nothing", "get", ()),
    ],
)
def test_undeclared_class_actions_are_not_sent(objects, name, method, args):
    with pytest.raises(errors.BadArguments):
        objects.class_action(Context(), name, method, *args)


def test_undeclared_action_is_not_sent(objects):
    with pytest.raises(errors.BadArguments):
        objects.action(Context(), nova.Instance(), "explode")


def test_backport_request_is_answered_in_the_versions_told(bus, conductor):
    primitives = goldens.load("nova", "primitives")
    case = primitives["backports"]["to_31_request_spec_in_flight"]
    spec = from_primitive("nova", primitives["current"]["request_spec_in_flight"])
    answer = bus.client(interfaces.CONDUCTOR).send(
        Context(), "object_backport_versions", objinst=spec, object_versions=case["object_versions"]
    )
    assert answer.image.properties.VERSION == "1.39"


def test_conductor_refuses_an_object_it_cannot_read_itself(bus, conductor):
    with pytest.raises(errors.RemoteFault, match=r"IncompatibleObjectVersion: Version 1\.99 of Flavor"):
        bus.client(interfaces.CONDUCTOR).send(
            Context(), "object_backport_versions", objinst=flavor_from_the_future(), object_versions={"Flavor": "1.2"}
        )


def flavor_from_the_future():
    wire = nova.Flavor(name="m1").to_primitive() | {"nova_object.version": "1.99"}
    wire["nova_object.data"]["colour"] = "red"
    return wire


def test_object_too_new_here_is_read_in_the_form_a_newer_conductor_gives():
    class NewerConductor:
        target = oslo_messaging.Target(version="3.0")

        def object_backport_versions(self, context, objinst, object_versions):
            assert objinst["nova_object.version"] == "1.99"
            return nova.Flavor(name=objinst["nova_object.data"]["name"]).to_primitive(object_versions["Flavor"])

    class Compute:
        def get_diagnostics(self, context, instance):
            return {"read": f"{instance.name} {instance.VERSION}"}

    conf = cfg.ConfigOpts()
    conf([], project="keel", default_config_files=[])
    bus = Bus(conf, "nova", "fake:/")
    bus.exchange = "a newer cloud"
    target = oslo_messaging.Target(exchange=bus.exchange, topic="conductor", server="newer")
    newer = oslo_messaging.get_rpc_server(bus.transport, target, [NewerConductor()])
    newer.start()
    part = bus.server("compute", "h", [Endpoint(interfaces.COMPUTE, Compute())])
    part.start()
    read = bus.client(interfaces.COMPUTE).send(
        Context(), "get_diagnostics", server="h", instance=flavor_from_the_future(), timeout=10
    )
    assert read == {"read": "m1 1.2"}
    part.stop(time.monotonic() + 5)
    newer.stop()
    newer.wait()


def test_recorded_answer_of_a_conductor_is_taken_into_the_object():
    request, reply = goldens.load("nova", "messages")["call_object_action_service_save_heartbeat"]
    service = from_primitive("nova", request["message"]["args"]["objinst"])
    updates, result = reply["message"]["result"]
    remote.apply(service, updates)
    assert result is None
    assert service.last_seen_up.isoformat() == "2026-01-02T03:04:05+00:00"
    assert service.changes() == {}
