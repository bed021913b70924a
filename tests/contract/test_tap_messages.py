"""The tap on recorded and on made messages: decoded, judged, attributed, counted. No broker is needed."""

import copy
import json

import pytest

from keel_contract import goldens
from keel_contract.nova import objects
from keel_contract.tap.addresses import address, fanout_exchanges, interface_of
from keel_contract.tap.command import Tap
from keel_contract.tap.judge import judge, judge_object
from keel_contract.tap.mirror import Copy
from keel_contract.tap.raising import Bounds, verdict
from keel_contract.tap.senders import Report, Senders
from keel_contract.tap.summary import as_json, verdicts
from keel_contract.tap.wire import Message, Notification, Reply, Undecodable, decode, objects_in


def body(**message):
    return json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(message)}).encode()


def service(host="node-1", version=74, binary="nova-compute"):
    return objects.Service(host=host, binary=binary, topic="compute", version=version, report_count=3).to_primitive()


def beat(host="node-1", version=74, queue="reply_a"):
    """What a nova-compute sends every ten seconds."""
    args = {"objinst": service(host, version), "objmethod": "save", "args": [], "kwargs": {}}
    return body(method="object_action", version="3.0", args=args, _msg_id="1", _reply_q=queue)


def seen(data, exchange="nova", key="conductor"):
    return decode(data, address(exchange, key))


class Shown:
    """A view that keeps what it is shown."""

    def __init__(self):
        self.messages, self.replies, self.broken, self.events = [], [], [], []

    def message(self, message, sender, violations):
        self.messages.append((message, str(sender), [str(one) for one in violations]))

    def reply(self, reply, method):
        self.replies.append((reply.failure, method))

    def notification(self, event):
        self.events.append(event.event)

    def undecodable(self, to, why):
        self.broken.append((str(to), why))


@pytest.fixture
def view():
    return Shown()


@pytest.fixture
def tap(view):
    return Tap(view)


@pytest.mark.parametrize(
    ("exchange", "key", "topic", "server", "shown"),
    [
        ("nova", "conductor", "conductor", None, "conductor"),
        ("nova", "compute.node-1.example.org", "compute", "node-1.example.org", "compute node-1.example.org"),
        ("nova", "compute-alt.node-1", "compute-alt", "node-1", "compute-alt node-1"),
        ("scheduler_fanout", "", "scheduler", None, "scheduler *"),
        ("openstack", "cinder-volume.h@ceph", "cinder-volume", "h@ceph", "cinder-volume h@ceph"),
        ("openstack", "cinder-volume.h.x@ceph.h.x", "cinder-volume", "h.x@ceph", "cinder-volume h.x@ceph"),
        ("cinder-volume.h@ceph_fanout", "", "cinder-volume", "h@ceph", "cinder-volume *"),
        ("nova", "somewhere", None, None, "somewhere"),
    ],
)
def test_where_a_message_went(exchange, key, topic, server, shown):
    found = address(exchange, key)
    assert (found.topic, found.server, str(found)) == (topic, server, shown)


def test_fanout_exchanges_of_backends_are_learned_from_keys():
    found = fanout_exchanges({"cinder-volume.h@ceph", "cinder-volume.h@ceph.h", "compute.node-1"})
    assert "cinder-volume.h@ceph_fanout" in found
    assert {"conductor_fanout", "compute-alt_fanout", "cinder-scheduler_fanout"} <= found
    assert "compute.node-1_fanout" not in found


def test_a_heartbeat_tells_who_and_which_version(tap, view):
    tap.take(Copy("nova", "conductor", beat()))
    ((message, sender, violations),) = view.messages
    assert (message.mode, sender, violations) == ("call", "nova-compute node-1", [])
    assert list(tap.senders.reports.values()) == [Report("nova-compute", "node-1", 74)]


def test_a_process_stays_known_by_its_reply_queue():
    senders = Senders()
    question = {"objname": "Instance", "objmethod": "get_by_uuid", "object_versions": {}, "args": [], "kwargs": {}}
    ask = seen(
        body(method="object_class_action_versions", version="3.0", args=question, _msg_id="2", _reply_q="reply_a")
    )
    assert str(senders.of(ask)) == "nova-compute #1"
    assert str(senders.of(seen(beat()))) == "nova-compute node-1"
    assert str(senders.of(ask)) == "nova-compute node-1"
    assert str(senders.of(seen(beat("node-2")))) == "nova-compute node-2"
    assert str(senders.of(ask)) == "nova-compute node-1 +1"


def test_fanouts_and_casts_have_a_sender_too():
    senders = Senders()
    note = {"host_name": "node-1", "instance_uuids": []}
    fanout = seen(body(method="sync_instance_info", version="4.2", args=note), "scheduler_fanout", "")
    assert (fanout.mode, str(senders.of(fanout))) == ("fanout", "nova-compute node-1")
    cast = seen(body(method="start_instance", version="6.0", args={"instance": None}), key="compute.node-1")
    assert (cast.mode, str(senders.of(cast))) == ("cast", "nova-api")


def kinds(data, exchange="nova", key="conductor"):
    return [violation.kind for violation in judge(seen(data, exchange, key))]


def test_the_ping_of_the_transport_is_no_violation():
    ping = body(method="oslo_rpc_server_ping", version="1.0", args={}, _msg_id="1", _reply_q="reply_b")
    assert kinds(ping, key="compute.node-1") == []
    assert str(Senders().of(seen(ping, key="compute.node-1"))) == "? #1"


def flavor(**changes):
    made = objects.Flavor(name="m1", vcpus=1).to_primitive()
    return {**made, **{f"nova_object.{name}": value for name, value in changes.items()}}


def uptime(**changes):
    return body(**{"method": "get_host_uptime", "version": "6.0", "args": {}, "_msg_id": "1", **changes})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"method": "no_such"}, ["method"]),
        ({"method": ["x"]}, ["method"]),
        ({"version": "6.99"}, ["version"]),
        ({"version": "5.0"}, []),
        ({"version": None}, ["version"]),
        ({"namespace": "elsewhere"}, ["topic"]),
        ({"args": {"extra": 1}}, ["arguments"]),
        ({"args": [1]}, ["arguments"]),
        ({"_msg_id": None}, ["mode"]),
        ({"_context_nosuch": 1}, ["context"]),
        ({"_context_timestamp": "yesterday"}, ["context"]),
        ({"_context_user_id": "u", "_context_roles": ["member"]}, []),
    ],
)
def test_what_is_wrong_with_a_message(changes, expected):
    assert kinds(uptime(**changes), key="compute.node-1") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (flavor(), []),
        (flavor(name="NoSuch"), ["object"]),
        (flavor(version="1.999"), ["object"]),
        (flavor(version=None), ["object"]),
        (flavor(namespace="elsewhere"), ["object"]),
        (flavor(data=None), ["object"]),
        (flavor(data={"nosuch": 1}), ["field"]),
        (flavor(data={"vcpus": "many"}), ["field"]),
        (flavor(data={"vcpus": None}), ["field"]),
        (flavor(data={"description": "x"}, version="1.1"), ["field"]),
        (flavor(changes=["nosuch"]), ["field"]),
        ([{"a": flavor(version="9.0")}], ["object"]),
    ],
)
def test_what_is_wrong_with_an_object(value, expected):
    data = body(method="ping", version="1.0", namespace="baseapi", args={"arg": value}, _msg_id="1")
    assert kinds(data) == expected


def test_an_envelope_of_another_version_is_a_violation():
    inner = json.dumps({"method": "get_host_uptime", "version": "6.0", "args": {}, "_msg_id": "1"})
    other = json.dumps({"oslo.version": "1.0", "oslo.message": inner}).encode()
    assert kinds(other, key="compute") == ["envelope"]
    assert kinds(inner.encode(), key="compute") == ["envelope"]


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"7", b"[1]", b"{", b"[" * 100_000, b'{"oslo.version": "2.0", "oslo.message": 7}'],
)
def test_what_is_no_message_says_why(tap, view, data):
    with pytest.raises(Undecodable):
        seen(data)
    tap.take(Copy("nova", "conductor", data))
    assert len(view.broken) == 1
    assert tap.tally.kinds["undecodable"] == 1


def test_replies_are_matched_and_their_failures_counted(tap, view):
    tap.take(Copy("nova", "conductor", beat()))
    failure = json.dumps({"class": "ServiceNotFound", "module": "nova.exception"})
    tap.take(Copy("", "reply_a", body(result=None, failure=failure, ending=True, _msg_id="1")))
    assert view.replies == [("ServiceNotFound", "object_action")]
    assert tap.tally.failures == {("object_action", "ServiceNotFound"): 1}
    assert isinstance(seen(body(result=1, failure=None, _msg_id="1"), "", "reply_a"), Reply)


def test_notifications_are_counted_and_not_judged(tap, view):
    event = body(event_type="instance.create.end", publisher_id="nova-compute:node-1", payload={})
    assert isinstance(seen(event, key="versioned_notifications.info"), Notification)
    tap.take(Copy("nova", "versioned_notifications.info", event))
    assert view.events == ["instance.create.end"]
    assert tap.tally.violations.total() == 0


def spoke(*messages):
    """Bounds after messages to the computes: (method, version, topic)."""
    bounds = Bounds()
    for method, version, topic in messages:
        message = seen(body(method=method, version=version, args={}), key=f"{topic}.node-1")
        assert isinstance(message, Message)
        bounds.narrow(interface_of(topic, None), message)
    return bounds


def test_the_versions_of_messages_bound_the_pin():
    assert (spoke(("start_instance", "6.0", "compute")).low, spoke(("start_instance", "6.0", "compute")).high) == (
        "6.0",
        None,
    )
    older = spoke(("external_instance_event", "6.0", "compute"))
    assert (older.high, older.proof) == ("6.5", "external_instance_event")
    assert spoke(("external_instance_event", "6.0", "compute-alt")).low == "6.5"
    assert spoke(("no_such", "6.0", "compute")) == Bounds()


@pytest.mark.parametrize(
    ("versions", "method_topic", "state", "word"),
    [
        ([74, 74], "compute-alt", "newest", "every one of 2 computes"),
        ([74, 74], "compute", "raise", "[upgrade_levels]compute"),
        ([74, 68], "compute", "held", "host-1 with service version 68 (Epoxy) speaks 6.4"),
        ([], "compute", "unknown", "no nova-compute has told"),
    ],
)
def test_when_the_pin_of_the_computes_can_be_raised(versions, method_topic, state, word):
    bounds = spoke(("external_instance_event", "6.0", method_topic))
    reports = [Report("nova-compute", f"host-{number}", version) for number, version in enumerate(versions)]
    found = verdict(interface_of("compute", None), {"nova-api": bounds}, reports)
    assert found.state == state
    assert word in found.text


def test_the_summary_is_json_and_has_a_verdict_for_each_interface(tap):
    tap.take(Copy("nova", "conductor", beat()))
    tap.take(Copy("nova", "compute.node-1", body(method="external_instance_event", version="6.0", args={})))
    found = json.loads(json.dumps(as_json(tap.tally, tap.senders.reports.values())))["summary"]
    assert found["messages"] == 2
    assert [pin["interface"] for pin in found["pins"]] == ["nova compute", "nova conductor"]
    assert found["services"] == [{"binary": "nova-compute", "host": "node-1", "version": 74}]
    assert [one.state for one in verdicts(tap.tally, tap.senders.reports.values())] == ["raise", "newest"]


@pytest.mark.parametrize("suite", ["nova", "cinder"])
def test_recorded_objects_of_real_services_are_in_order(suite):
    """Objects that real services wrote have no violation in them."""
    wrong = [
        str(violation)
        for primitive in objects_in(copy.deepcopy(goldens.load(suite, "primitives")), suite)
        for violation in judge_object(primitive, suite)
    ]
    assert wrong == []
