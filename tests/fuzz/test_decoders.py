"""Whatever comes over the bus or out of a database: nothing but declared errors may come of it."""

import contextlib
import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oslo_messaging._drivers import base
from oslo_messaging.rpc.dispatcher import ExpectedException

from keel_contract import errors, objects
from keel_contract.context import Context
from keel_contract.dispatch import Dispatcher, Endpoint
from keel_contract.nova.objects import InstanceInfoCache
from keel_contract.serializer import Serializer
from keel_contract.suites import SUITES, from_primitive
from keel_contract.tap.addresses import INTERFACES, address
from keel_contract.tap.command import Tap
from keel_contract.tap.masking import masked
from keel_contract.tap.mirror import Copy
from keel_contract.tap.wire import Undecodable, decode
from tests.fuzz import shapes

DECLARED = (errors.Unreadable, objects.IncompatibleVersion, objects.UnknownObject)
each_suite = pytest.mark.parametrize("suite", list(SUITES))


@each_suite
@given(st.data())
def test_objects(suite, data):
    try:
        found = from_primitive(suite, data.draw(shapes.primitives(suite)))
    except DECLARED:
        return
    assert isinstance(found, objects.VersionedObject)


@each_suite
@given(st.data())
def test_objects_in_arguments(suite, data):
    value = data.draw(st.lists(shapes.primitives(suite) | shapes.JSON, max_size=3))
    serializer = Serializer(suite, SUITES[suite].registry)
    try:
        serializer.deserialize_entity(Context(overwrite=False), {"a": value})
    except DECLARED:
        return


@each_suite
@given(st.data())
def test_contexts(suite, data):
    wire = data.draw(shapes.contexts(suite))
    try:
        context = Context.from_wire(suite, wire)
    except errors.Unreadable:
        return
    assert isinstance(context.to_wire(suite), dict)


@given(shapes.JSON)
def test_network_info(value):
    primitive = {
        "nova_object.name": "InstanceInfoCache",
        "nova_object.namespace": "nova",
        "nova_object.version": InstanceInfoCache.VERSION,
        "nova_object.data": {"network_info": json.dumps(value) if not isinstance(value, str) else value},
        "nova_object.changes": [],
    }
    try:
        found = from_primitive("nova", primitive)
    except errors.Unreadable:
        return
    assert found.to_primitive()


@each_suite
@given(st.data())
def test_blobs_of_a_database(suite, data):
    """A blob is the JSON text of an object; what was cut off or edited is refused before it is an object."""
    text = json.dumps(data.draw(shapes.broken(suite)))
    try:
        from_primitive(suite, json.loads(text))
    except DECLARED:
        return


class Anything:
    """Handlers that are reached with anything."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda context, **args: None


class Incoming(base.RpcIncomingMessage):
    def __init__(self, context, message, timeout):
        super().__init__(context, message)
        self.client_timeout = timeout

    def reply(self, reply=None, failure=None):
        """Nobody waits."""

    def requeue(self):
        """Nobody takes it again."""

    def heartbeat(self):
        """Nobody listens."""


@each_suite
@given(st.data())
def test_messages(suite, data):
    endpoints = [Endpoint(interface, Anything()) for interface in INTERFACES if interface.suite == suite]
    dispatcher = Dispatcher(suite, endpoints, Serializer(suite, SUITES[suite].registry))
    message = data.draw(shapes.messages(suite))
    with contextlib.suppress(ExpectedException):
        dispatcher.dispatch(Incoming(data.draw(shapes.contexts(suite)), message, data.draw(shapes.JSON)))
    assert not [thread for thread in threading.enumerate() if thread.name == "signs of life"]


BODIES = (
    st.binary(max_size=200)
    | shapes.JSON.map(lambda value: json.dumps(value).encode())
    | st.fixed_dictionaries(
        {
            "oslo.version": shapes.JSON,
            "oslo.message": shapes.JSON.map(json.dumps) | shapes.JSON | st.text(max_size=30),
        }
    ).map(lambda value: json.dumps(value).encode())
)
KEYS = st.sampled_from(["conductor", "compute.node-1", "cinder-volume.h@b.h", "notifications.info", "reply_1"])


@given(BODIES, KEYS | st.text(max_size=20))
def test_envelopes(body, key):
    try:
        decode(body, address("nova", key))
    except Undecodable:
        return


class Nowhere:
    def __getattr__(self, name):
        return lambda *args: None


@each_suite
@given(st.data())
def test_the_tap_survives_everything(suite, data):
    """Decoded, judged, counted and summarized, whatever it is."""
    inner = {
        **data.draw(shapes.messages(suite)),
        **{f"_context_{key}": value for key, value in data.draw(shapes.contexts(suite)).items()},
        **data.draw(
            st.dictionaries(st.sampled_from(["_msg_id", "_reply_q", "_unique_id", "result", "failure"]), shapes.JSON)
        ),
    }
    body = json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(inner)}).encode()
    tap = Tap(Nowhere())
    tap.take(Copy("nova" if suite == "nova" else "openstack", data.draw(KEYS), body))
    assert tap.tally.messages == 1
    assert json.dumps(tap.tally.as_json())
    assert json.dumps(masked(inner))
