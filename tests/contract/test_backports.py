"""Objects for older peers equal what real releases make of them: the corpora, and what reading objects does."""

import copy
import functools
from pathlib import Path

import pytest

from keel_contract import errors, goldens, objects
from keel_contract.check import backports as check
from keel_contract.context import Context
from keel_contract.nova import objects as nova
from keel_contract.recorder import backports
from keel_contract.recorder.delta import diff, patch
from keel_contract.recorder.recording import NotRecorded
from keel_contract.serializer import Serializer
from keel_contract.suites import SUITES

SUITE_NAMES = ("nova", "cinder")


@functools.cache
def newest(suite):
    return list(backports.stored(suite))[-1]


# test_check.py compares all of them; here those whose rules are the most particular
PARTICULAR = ("ComputeNode", "BuildRequest", "PciDevice", "Service", "Migration", "InstanceGroup", "InstanceNUMACell")


@pytest.mark.parametrize("name", PARTICULAR)
def test_a_backport_is_the_recorded_one(name):
    results = check.compared("nova", newest("nova"), name)
    assert [lines for lines in results.values() if lines] == []
    assert len(results) > 100


@pytest.mark.parametrize("suite", SUITE_NAMES)
def test_each_release_is_recorded_with_every_object(suite):
    recorded = list(backports.stored(suite))
    assert [corpus["release"].split(".")[0] for corpus in recorded] == [
        name.partition("-")[2] for name in goldens.RELEASES[suite]
    ]
    for corpus in recorded:
        assert {*corpus["objects"], *corpus["same"]} == set(SUITES[suite].registry.classes)


@pytest.mark.parametrize("suite", SUITE_NAMES)
def test_every_earlier_version_is_asked_for(suite):
    corpus = newest(suite)
    for name, rows in corpus["objects"].items():
        major, minor = corpus["versions"][name].split(".")
        asked = {version for version, _ in rows["targets"]}
        assert asked >= {f"{major}.{number}" for number in range(int(minor) + 1)}, name
        assert rows["cases"][0]["case"] == "full", name


def test_each_release_is_asked_for_as_a_peer():
    corpus = newest("nova")
    for release in ({"ImageMetaProps": "1.39"}, {"ImageMetaProps": "1.42"}):
        assert ["1.8", release] in corpus["objects"]["ImageMeta"]["targets"]


def test_another_result_than_the_recorded_one_is_told():
    corpus = copy.deepcopy(newest("cinder"))
    rows = corpus["objects"]["LogLevel"]
    corpus["outcomes"].append({"raises": "builtins.ZeroDivisionError"})
    rows["cases"][0]["results"][0] = len(corpus["outcomes"]) - 1
    differing = {name: lines for name, lines in check.compared("cinder", corpus, "LogLevel").items() if lines}
    assert list(differing) == ["29.0.0 LogLevel full to 1.0 alone"]
    assert "ZeroDivisionError" in differing["29.0.0 LogLevel full to 1.0 alone"][0]


def test_an_interpreter_without_the_release_is_told(tmp_path):
    with pytest.raises(NotRecorded):
        backports.files(str(tmp_path / "python"), "nova")
    python = Path(tmp_path / "false")
    python.write_text("#!/bin/sh\necho no nova here >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(NotRecorded, match="no nova here"):
        backports.files(str(python), "nova")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": 1, "b": [1]}, {"a": True, "c": {}}),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}, {"b": 3}]}),
        ({"a": [{"b": 1}]}, {"a": []}),
        ([1, 2], [2, 1]),
        ({}, None),
        ({"a": None}, {"a": None}),
    ],
)
def test_a_difference_gives_the_document_back(before, after):
    found = patch(before, diff(before, after))
    assert (found, repr(found)) == (after, repr(after))
    assert (diff(before, after) is None) == (before == after)


def test_a_refused_value_reaches_a_peer_as_the_exception_of_nova():
    with pytest.raises(objects.BackportRefused) as refused:
        nova.ImageMetaProps(hw_vif_model="igb").to_primitive("1.38")
    wire = errors.wire_exception("nova", refused.value)
    assert (type(wire).__module__, type(wire).__name__) == ("nova.exception", "ObjectActionError")
    assert wire.kwargs["action"] == "obj_make_compatible"


class Conductor:
    """Remembers what it is asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, context, primitive, manifest):
        self.asked.append((primitive["nova_object.name"], primitive["nova_object.version"], manifest["Flavor"]))
        return "answered"


def flavor(version):
    return nova.Flavor(name="m1").to_primitive() | {"nova_object.version": version}


def instance(version):
    wire = nova.Instance(host="a", flavor=nova.Flavor(name="m1")).to_primitive()
    wire["nova_object.data"]["flavor"]["nova_object.version"] = version
    return wire


# What the serializer of nova 34.0.0 does: the version the object has, or whom it asks.
READ = {
    "older": (flavor("1.0"), "1.0", []),
    "without a minor": (flavor("1"), "1", []),
    "older with a third part": (flavor("1.1.5"), "1.1.5", []),
    "own with a third part": (flavor("1.2.1"), "1.2", []),
    "within, older": (instance("1.1"), "2.8", []),
    "newer": (flavor("1.99"), None, [("Flavor", "1.99", "1.2")]),
    "newer with a third part": (flavor("1.99.3"), None, [("Flavor", "1.99", "1.2")]),
    "next major": (flavor("2.0"), None, [("Flavor", "2.0", "1.2")]),
    "major before": (flavor("0.9"), None, [("Flavor", "0.9", "1.2")]),
    "within, newer": (instance("1.99"), None, [("Instance", "2.8", "1.2")]),
    "within, own with a third part": (instance("1.2.1"), None, [("Instance", "2.8", "1.2")]),
}


@pytest.mark.parametrize("case", READ)
def test_a_conductor_is_asked_where_a_real_service_asks(case):
    wire, version, asked = READ[case]
    conductor = Conductor()
    found = Serializer("nova", nova.REGISTRY, backport=conductor).deserialize_entity(Context(), wire)
    assert conductor.asked == asked
    assert (found if version is None else found.VERSION) == (version or "answered")


def test_without_a_conductor_a_newer_object_is_an_error():
    with pytest.raises(objects.IncompatibleVersion):
        Serializer("nova", nova.REGISTRY).deserialize_entity(Context(), flavor("1.99"))


@pytest.mark.parametrize("version", ["abc", 1, None])
def test_what_is_no_version_is_an_error(version):
    with pytest.raises(errors.Unreadable):
        Serializer("nova", nova.REGISTRY, backport=Conductor()).deserialize_entity(Context(), flavor(version))


def test_a_service_that_was_not_told_a_version_has_ours():
    service = SUITES["nova"].registry.from_primitive(nova.Service(host="a").to_primitive())
    assert service.version == 74
    assert service.changes() == {"host": "a"}
