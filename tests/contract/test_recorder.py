"""What a recording holds and that it is the same every time: clients driven at every pin, endpoints, objects, files."""

import functools
import json
import subprocess
import sys
from types import SimpleNamespace

import oslo_messaging
import pytest
from oslo_config import cfg
from oslo_messaging import NoOpSerializer
from oslo_versionedobjects import fields as f

from keel_contract import goldens
from keel_contract.bus import Bus
from keel_contract.fields import enum
from keel_contract.objects import Registry, VersionedObject, signatures
from keel_contract.recorder import main as recorder
from keel_contract.recorder import recording
from keel_contract.recorder.inside import fields, objects, servers, wire
from keel_contract.recorder.inside.sends import Client, Samples
from keel_contract.recorder.inside.signatures import arguments, innermost


class TooOld(Exception):
    pass


class Api:
    """A client as a real release may have one: older peers get another version, fewer arguments, or a refusal."""

    def __init__(self, rpc):
        self.rpc = rpc

    def start(self, context, server, fast, host=None, wait=True):
        args, version = {"server": server["id"], "fast": fast}, "1.2"
        if not self.rpc.can_send_version("1.2"):
            if fast:
                raise TooOld
            args, version = {"server": server["id"]}, "1.0"
        client = self.rpc.prepare(server=host or server["host"], version=version)
        (client.call if wait else client.cast)(context, "start_server", **args)

    def nothing(self, context):
        return self.rpc.can_send_version("1.1")

    def _private(self, context):
        raise AssertionError("a recording calls public methods alone")


@pytest.fixture
def recorded():
    conf = cfg.ConfigOpts()
    conf([], default_config_files=[])
    Bus(conf, "nova", "fake:/")  # registers what oslo.messaging reads
    transport = wire.transport(conf)
    target = oslo_messaging.Target(topic="servers", version="1.0")

    def make(cap):
        rpc = oslo_messaging.get_rpc_client(transport, target, version_cap=cap, serializer=NoOpSerializer())
        return Api(rpc), transport._driver.sent

    samples = Samples({"server": {"id": 7, "host": "<server.host>"}, "fast": True, "wait": True}, lambda value: value)
    return Client(Api, make, [None, "1.2", "1.1", "1.0"], {}, samples).record()


def branches(recorded, **when):
    return [branch for branch in recorded["start"]["branches"] if branch["when"] == when]


def test_method_is_driven_at_every_pin(recorded):
    sent = branches(recorded, fast=False, host="=host", wait="=wait")
    assert [(branch["caps"], branch["version"]) for branch in sent] == [([None, "1.2"], "1.2"), (["1.1", "1.0"], "1.0")]
    assert [sorted(branch["args"]) for branch in sent] == [["fast", "server"], ["server"]]
    assert {branch["method"] for branch in sent} == {"start_server"}


def test_refusal_is_recorded_by_its_class(recorded):
    sent = branches(recorded, fast="=fast", host="=host", wait="=wait")
    assert sent[1] == {
        "caps": ["1.1", "1.0"], "when": {"fast": "=fast", "host": "=host", "wait": "=wait"}, "raises": "TooOld",
    }  # fmt: skip


def test_every_combination_that_changes_the_message_is_recorded(recorded):
    cases = {json.dumps(branch["when"], sort_keys=True) for branch in recorded["start"]["branches"]}
    assert len(cases) == 8  # fast, wait and whether a host is given
    assert {branch["mode"] for branch in branches(recorded, fast=False, host=None, wait=False)} == {"cast"}


def test_destination_and_time_out_are_told_by_where_they_come_from(recorded):
    given, found = (
        branches(recorded, fast=False, host="=host", wait="=wait"),
        branches(recorded, fast=False, host=None, wait="=wait"),
    )
    assert given[0]["server"] == "=host"
    assert found[0]["server"] == "<server.host>"
    assert given[0]["timeout"] == "rpc_response_timeout"


def test_method_that_sends_nothing_is_no_send(recorded):
    assert set(recorded) == {"start"}
    assert recorded["start"]["params"] == ["server", "fast", "host=null", "wait=true"]


def test_sets_and_marks_of_changes_travel_in_one_order():
    value = {"hosts": {"b", "a"}, "nova_object.changes": ["z", "y"]}
    assert wire.plain(value) == {"hosts": ["a", "b"], "nova_object.changes": ["y", "z"]}


def test_value_that_cannot_be_sent_is_an_error():
    with pytest.raises(TypeError):
        wire.plain({"thing": object()})


def hidden(function):
    def outer(*args, **kwargs):
        return function(*args, **kwargs)

    return outer


class Endpoint:
    target = SimpleNamespace(version="1.4", namespace=None)

    def grow(self, context, size, unit="GiB", *, more=object):
        raise NotImplementedError

    @hidden
    def shrink(self, ctxt, size, **rest):
        raise NotImplementedError

    @functools.lru_cache  # noqa: B019  any decorator that tells what it wraps
    def cached(self, context):
        raise NotImplementedError

    def inner(self, context):
        raise NotImplementedError

    def without_context(self, size):
        raise NotImplementedError

    def _private(self, context):
        raise NotImplementedError


class Framework:
    def inner(self, context):
        raise NotImplementedError


def test_public_methods_with_a_context_are_answers():
    found = servers.endpoint(Endpoint, ["b", "a"])
    assert found["topics"] == ["a", "b"]
    assert found["methods"] == {
        "grow": ["size", 'unit="GiB"', "more=?"],
        "shrink": ["size", "**rest"],
        "inner": [],
    }


def test_methods_of_the_framework_count_only_where_a_client_sends_them():
    assert "inner" not in servers.endpoint(Endpoint, [], [Framework])["methods"]
    assert "inner" in servers.endpoint(Endpoint, [], [Framework], sent={"inner"})["methods"]


def test_inner_methods_stand_apart():
    found = servers.endpoint(Endpoint, [], inner=["inner"])
    assert found["inner"] == {"inner": []}
    assert "inner" not in found["methods"]


def test_function_is_found_below_a_decorator_that_hides_it():
    assert arguments(innermost(Endpoint.shrink, "shrink"), 2) == ["size", "**rest"]


def test_field_is_described_with_all_that_a_peer_meets():
    colour = enum("Colour", ("red", "blue"))(nullable=True, default="red")
    assert fields.describe(colour) == {
        "type": "Colour", "nullable": True, "default": "red", "values": ["red", "blue"],
    }  # fmt: skip
    assert fields.describe(f.ListOfObjectsField("Car")) == {
        "type": "List",
        "element": {"type": "Object", "object": "Car"},
    }
    assert fields.describe(f.StringField(read_only=True)) == {"type": "String", "read_only": True}


def test_object_is_recorded_with_its_remotable_methods():
    registry = Registry("test", "test_object")

    @registry.register
    class Car(VersionedObject):
        VERSION = "1.3"
        fields = {"name": f.StringField()}
        actions = signatures("park(place=None)")
        class_actions = signatures("get(context, name)")

    row = objects.record(registry.classes, registry.manifest)["Car"]
    assert (row["version"], row["manifest"]) == ("1.3", {"Car": "1.3"})
    assert row["fingerprint"].startswith("1.3-")
    assert row["remotable"] == {
        "get": {"kind": "class", "args": ["context", "name"]},
        "park": {"kind": "object", "args": ["place=null"]},
    }


RECORDING = {"release": "34.1.2", "versions": {"service": 74}, "objects": {"B": {"y": 1, "x": 2}, "A": {}}}


def test_files_are_named_after_the_major_release():
    assert set(recording.files("nova", RECORDING)) == {"nova-34-versions.json", "nova-34-objects.json"}


def test_files_do_not_depend_on_the_order_of_what_was_found():
    backwards = {"objects": {"A": {}, "B": {"x": 2, "y": 1}}, "versions": {"service": 74}, "release": "34.1.2"}
    assert recording.files("nova", RECORDING) == recording.files("nova", backwards)
    assert recording.files("nova", RECORDING)["nova-34-objects.json"] == b'{\n"A":{},\n"B":{"x":2,"y":1}\n}\n'


def test_difference_is_told_by_the_file(tmp_path):
    contents = recording.files("nova", RECORDING)
    recording.write(tmp_path, contents)
    assert recording.differing(tmp_path, contents) == []
    (tmp_path / "nova-34-versions.json").write_bytes(b"{}")
    (tmp_path / "nova-34-objects.json").unlink()
    assert sorted(recording.differing(tmp_path, contents)) == ["nova-34-objects.json", "nova-34-versions.json"]


def test_goldens_are_written_as_a_recording_is():
    for names in goldens.RELEASES.values():
        for name in names:
            parts = {part: goldens.release(name, part) for part in goldens.parts(name)}
            written = recording.files(name.partition("-")[0], {"release": parts["versions"]["release"], **parts})
            assert recording.differing(goldens.FOLDER, written) == []


def test_interpreter_without_a_release_records_nothing(capsys):
    assert recorder.main(["--python", sys.executable]) == 1
    assert "has neither Nova nor Cinder" in capsys.readouterr().err


def test_interpreter_that_is_not_there_is_told(tmp_path, capsys):
    assert recorder.main(["--python", str(tmp_path / "python")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_recording_that_fails_shows_what_it_said(capsys):
    assert recorder.main(["--python", sys.executable, "--suite", "nova"]) == 1
    assert "No module named 'nova'" in capsys.readouterr().err


def test_program_for_the_other_interpreter_needs_nothing_of_ours():
    done = subprocess.run([sys.executable, "-I", str(recording.INSIDE)], capture_output=True, text=True, check=False)
    assert "usage: inside nova|cinder" in done.stderr
