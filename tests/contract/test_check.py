"""The check: everything recorded is declared alike, and whatever is not is found and told."""

import copy
import json

import pytest

from keel_contract import goldens
from keel_contract.check import answers, main, methods, objects, remotable
from keel_contract.check.counts import Count
from keel_contract.check.sends import Sends
from keel_contract.interface import Arg, Interface, Level, Method, takes
from keel_contract.nova import interfaces as nova
from keel_contract.nova import notifications
from keel_contract.suites import SUITES

KEYS = [
    "nova_methods",
    "nova_objects",
    "nova_notification_objects",
    "cinder_methods",
    "cinder_objects",
    "nova_backports",
    "cinder_backports",
    "remotable_methods",
]


def test_everything_recorded_is_declared_alike(capsys):
    code = main.main(["--json"])
    counts = json.loads(capsys.readouterr().out)
    assert list(counts) == KEYS
    assert all(row["recorded"] == row["matching"] > 0 for row in counts.values()), counts
    assert code == 0
    assert (counts["nova_methods"]["recorded"], counts["cinder_methods"]["recorded"]) == (99, 79)
    assert (counts["nova_objects"]["recorded"], counts["cinder_objects"]["recorded"]) == (109, 37)
    assert (counts["nova_notification_objects"]["recorded"], counts["remotable_methods"]["recorded"]) == (65, 248)


def test_difference_is_told_and_ends_with_1(monkeypatch, capsys):
    found = Count.of({"compute.start": [], "compute.stop": ["at 6.0: version 6.0, here 5.0"]})
    monkeypatch.setattr(main, "COUNTS", {"nova_methods": (lambda suite: found, "nova")})
    assert main.main([]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[1].split() == ["nova_methods", "2", "1"]
    assert shown[-1] == "  compute.stop: at 6.0: version 6.0, here 5.0"


def test_thing_declared_and_never_recorded_is_a_difference():
    count = Count.of({"a": []}).also(["b: declared, never recorded"])
    assert (count.recorded, count.matching, count.equal) == (1, 1, False)


def test_recorded_branches_are_all_there():
    assert methods.branches("nova") >= 235
    sending = sum(len(Sends("nova").methods(name)) for name in methods.INTERFACES["nova"])
    assert sending == 94


def compute(**changes):
    """The declared compute interface with one method declared otherwise."""
    declared = {**nova.COMPUTE.methods, **changes}
    return Interface(name="compute", suite="nova", version="6.5", topics=nova.COMPUTE.topics, methods=declared)


WRONG = {
    "version": Method("start_instance", ("cast",), takes("instance"), (Level("6.0", "6.1"),), to="instance.host"),
    "topic": Method(
        "start_instance", ("cast",), takes("instance"), (Level("6.0", "6.0", "other"),), to="instance.host"
    ),
    "mode": Method("start_instance", ("call",), takes("instance"), (Level("6.0", "6.0"),), to="instance.host"),
    "server": Method("start_instance", ("cast",), takes("instance"), (Level("6.0", "6.0"),)),
    "argument": Method(
        "start_instance", ("cast",), takes("instance", fast=False), (Level("6.0", "6.0"),), to="instance.host"
    ),
    "fanout": Method(
        "start_instance", ("cast",), takes("instance"), (Level("6.0", "6.0"),), to="instance.host", fanout=True
    ),
    "refused": Method("start_instance", ("cast",), takes("instance"), (Level("6.1", "6.0"),), to="instance.host"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrongly_declared_send_is_found(what):
    sends = Sends("nova")
    groups = sends.methods("compute")["start_instance"]
    lines = list(sends.differences(compute(start_instance=WRONG[what]), "start_instance", groups))
    assert any(what in line for line in lines)


def test_long_time_out_that_is_not_declared_is_found():
    sends = Sends("nova")
    method = nova.COMPUTE.methods["set_host_enabled"]
    short = Method(method.name, method.modes, method.args, method.levels, to=method.to)
    lines = list(sends.differences(compute(set_host_enabled=short), method.name, sends.methods("compute")[method.name]))
    assert any("timeout long_rpc_timeout" in line for line in lines)
    assert any("monitor rpc_response_timeout" in line for line in lines)


def test_refusal_of_the_real_client_that_we_send_is_found():
    sends = Sends("nova")
    allow = nova.COMPUTE.methods["allow_share"]
    eager = Method(allow.name, allow.modes, allow.args, (*allow.levels, Level("5.0", "5.0")), to=allow.to)
    lines = list(sends.differences(compute(allow_share=eager), allow.name, sends.methods("compute")[allow.name]))
    assert any("refused (UnsupportedRPCVersion), here sent" in line for line in lines)


@pytest.mark.parametrize(
    ("declared", "recorded", "told"),
    [
        (takes("a"), ["a", "b"], "does not take b"),
        (takes("a", "b"), ["a"], "needs b"),
        (takes("a", b=None), ["a"], "takes b here alone"),
        (takes(a=None), ["a"], "requires a, here not"),
        (takes("a"), ["a=null"], "does not require a"),
        (takes(a=1), ["a=2"], "a is 2 when left out, here 1"),
        (takes("a"), ["a", "**rest"], "takes any argument: True, here False"),
    ],
)
def test_wrongly_declared_answer_is_found(declared, recorded, told):
    method = Method("do", ("cast",), declared, (Level("1.0", "1.0"),))
    assert any(told in line for line in answers.differences(method, recorded, None))


def test_argument_of_the_major_before_that_we_do_not_take_is_found():
    method = Method("do", ("cast",), takes("a"), (Level("1.0", "1.0"),))
    assert any("from the major before" in line for line in answers.differences(method, ["a"], ["a", "b"]))
    taken = Method("do", ("cast",), takes("a", Arg("b", None, until="1.0")), (Level("1.0", "1.0"),))
    assert list(answers.differences(taken, ["a"], ["a", "b=null"])) == []


def test_target_that_differs_is_found():
    rows = goldens.load("nova", "methods")["interfaces"]["compute"]
    other = Interface(name="compute", suite="nova", version="6.4", topics=("compute",), methods={}, older=())
    assert [line.partition(" ")[0] for line in answers.target(other, rows)] == ["version", "topics", "older"]


def test_object_that_differs_is_found():
    recorded = copy.deepcopy(goldens.load("nova", "objects"))
    recorded["Flavor"]["version"] = "1.3"
    recorded["Tag"]["fields"]["tag"] = {"type": "Integer"}
    recorded["Later"] = recorded.pop("Selection")
    count = objects.compared(recorded, SUITES["nova"].registry)
    assert (count.recorded, count.matching) == (109, 106)
    told = "\n".join(count.differences)
    for line in (
        "Flavor: version 1.3, here 1.2",
        "Tag: field tag",
        "Later: not declared",
        "Selection: declared, never",
    ):
        assert line in told


def test_sources_of_notification_values_are_compared():
    recorded = copy.deepcopy(goldens.load("nova", "notifications"))
    recorded["KeypairPayload"]["sources"]["name"] = ["keypair", "label"]
    count = objects.compared(recorded, notifications.REGISTRY)
    assert (count.recorded, count.matching) == (65, 64)


def test_remotable_method_that_differs_is_found(monkeypatch):
    recorded = copy.deepcopy(goldens.load("nova", "objects"))
    recorded["Instance"]["remotable"]["save"]["args"] = ["soon=true"]
    monkeypatch.setattr(goldens, "load", lambda suite, part: recorded)
    count = remotable.count("nova")
    assert (count.recorded, count.matching) == (248, 247)
    assert count.differences[0].startswith("Instance.save: ")
