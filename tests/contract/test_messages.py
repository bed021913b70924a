"""Captured messages of real services: decoded, checked against the declaration, encoded again, they are the same."""

import pytest
from fakes.wireform import after_reading, plain

from keel_contract import goldens
from keel_contract.cinder import interfaces as cinder
from keel_contract.context import Context
from keel_contract.interface import incoming, outgoing
from keel_contract.nova import interfaces as nova
from keel_contract.serializer import Serializer
from keel_contract.suites import SUITES

NOVA = {
    ("conductor", None): nova.CONDUCTOR,
    ("conductor", "compute_task"): nova.COMPUTE_TASK,
    ("scheduler", None): nova.SCHEDULER,
    ("compute", None): nova.COMPUTE,
    ("compute-alt", None): nova.COMPUTE,
}
CINDER = {"cinder-scheduler": cinder.SCHEDULER, "cinder-volume": cinder.VOLUME, "cinder-backup": cinder.BACKUP}


def captured(suite):
    for name, messages in goldens.load(suite, "messages").items():
        for number, message in enumerate(messages):
            if "method" in message["message"]:
                yield pytest.param(suite, message, id=f"{suite}-{name}-{number}")


def interface_of(suite, message):
    key = message["routing_keys"][0] if suite == "nova" else message["routing_key"]
    topic = (key or message["exchange"].removesuffix("_fanout")).split(".")[0]
    if suite == "cinder":
        return CINDER[topic]
    namespace = message["message"].get("namespace")
    return nova.BASE if namespace == "baseapi" else NOVA[topic, namespace]


@pytest.mark.parametrize(("suite", "message"), [*captured("nova"), *captured("cinder")])
def test_captured_request_is_the_one_we_would_send(suite, message):
    wire = message["message"]
    interface = interface_of(suite, message)
    method = interface.method(wire["method"])
    serializer = Serializer(suite, SUITES[suite].registry if interface.objects else None)
    context = Context()
    received = incoming(method, {k: serializer.deserialize_entity(context, v) for k, v in wire["args"].items()})
    level = interface.level(method, None)
    sent = {k: serializer.serialize_entity(context, v) for k, v in outgoing(method, level, received).items()}
    assert plain(sent) == after_reading(wire["args"])
    assert level.version == wire["version"]
    assert interface.namespace == wire.get("namespace")
    assert message["exchange"] in (SUITES[suite].exchange, f"{interface.topics[0]}_fanout")


@pytest.mark.parametrize("name", goldens.load("nova", "messages"))
def test_captured_result_survives_a_round_trip(name):
    serializer = Serializer("nova", SUITES["nova"].registry)
    for message in goldens.load("nova", "messages")[name]:
        result = message["message"].get("result")
        again = serializer.serialize_entity(Context(), serializer.deserialize_entity(Context(), result))
        assert plain(again) == after_reading(result)
