"""The declared objects equal the recorded ones: fingerprints, versions within, wire forms, backports."""

import pytest
from fakes.wireform import after_reading, plain
from oslo_versionedobjects.fixture import ObjectVersionChecker

from keel_contract import goldens, objects, pins
from keel_contract.cinder import objects as cinder
from keel_contract.nova import objects as nova
from keel_contract.suites import SUITES, from_primitive

SUITE_NAMES = ("nova", "cinder")


@pytest.mark.parametrize("suite", SUITE_NAMES)
def test_every_recorded_object_is_declared_and_no_other(suite):
    assert set(SUITES[suite].registry.classes) == set(goldens.load(suite, "objects"))


@pytest.mark.parametrize("suite", SUITE_NAMES)
def test_fingerprints_equal_those_of_the_real_release(suite):
    classes = {name: [cls] for name, cls in SUITES[suite].registry.classes.items()}
    recorded = {name: row["fingerprint"] for name, row in goldens.load(suite, "objects").items()}
    assert ObjectVersionChecker(classes).get_hashes() == recorded


def test_versions_within_equal_the_recorded_manifests():
    for name, row in goldens.load("nova", "objects").items():
        assert nova.REGISTRY.manifest(name) == row["manifest"], name


@pytest.mark.parametrize(
    ("suite", "name"), [(suite, name) for suite in SUITE_NAMES for name in goldens.load(suite, "primitives")["current"]]
)
def test_recorded_wire_form_survives_a_round_trip(suite, name):
    recorded = goldens.load(suite, "primitives")["current"][name]
    assert plain(from_primitive(suite, recorded).to_primitive()) == after_reading(recorded)


@pytest.mark.parametrize("name", goldens.load("nova", "primitives")["backports"])
def test_backport_for_an_older_nova_is_the_recorded_one(name):
    primitives = goldens.load("nova", "primitives")
    case = primitives["backports"][name]
    obj = from_primitive("nova", primitives["current"][case["source"]])
    manifest = nova.REGISTRY.manifest(obj.obj_name()) | case["object_versions"]
    assert plain(obj.to_primitive(manifest[obj.obj_name()], manifest)) == after_reading(case["result"])


@pytest.mark.parametrize("name", goldens.load("cinder", "primitives")["backports"])
def test_backport_for_an_older_cinder_is_the_recorded_one(name):
    primitives = goldens.load("cinder", "primitives")
    case = primitives["backports"][name]
    obj = from_primitive("cinder", primitives["current"][case["source"]])
    manifest = pins.cinder_manifest(case["manifest"].removeprefix("pinned_"))
    assert plain(obj.to_primitive(manifest[obj.obj_name()], manifest)) == after_reading(case["result"])


def test_value_unknown_to_an_older_version_is_refused():
    props = nova.ImageMetaProps(hw_vif_model="igb")
    with pytest.raises(objects.BackportRefused):
        props.to_primitive("1.38")
    assert props.to_primitive("1.39")["nova_object.data"] == {"hw_vif_model": "igb"}


def test_value_with_an_older_name_is_sent_under_it():
    assert nova.HVSpec(hv_type="vz").to_primitive("1.0")["nova_object.data"] == {"hv_type": "parallels"}


def test_object_newer_than_this_contract_is_incompatible():
    wire = nova.Flavor(name="m1").to_primitive() | {"nova_object.version": "1.99"}
    with pytest.raises(objects.IncompatibleVersion):
        from_primitive("nova", wire)


def test_older_object_keeps_its_version_number():
    wire = nova.Flavor(name="m1").to_primitive() | {"nova_object.version": "1.1"}
    assert from_primitive("nova", wire).to_primitive()["nova_object.version"] == "1.1"


def test_same_name_in_both_suites_stays_apart():
    assert nova.Service(host="a").to_primitive()["nova_object.namespace"] == "nova"
    assert cinder.Service(host="a").to_primitive()["versioned_object.namespace"] == "cinder"


def test_reading_a_field_without_value_fails():
    with pytest.raises(objects.NotLoaded):
        _ = nova.Instance(uuid="11111111-1111-4111-8111-111111111111").host


def test_calling_a_remote_action_here_fails():
    with pytest.raises(objects.RemoteOnly):
        nova.Instance().save()


def test_changes_are_known_until_reset():
    instance = nova.Instance(host="a")
    assert instance.changes() == {"host": "a"}
    instance.reset_changes()
    assert instance.changes() == {}


def test_ephemeral_objects_are_made_with_their_defaults():
    assert nova.RequestGroup().resources == {}
    assert nova.Diagnostics().memory_details.obj_name() == "MemoryDiagnostics"
