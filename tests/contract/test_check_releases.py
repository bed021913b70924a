"""The table of releases equals what each release was recorded with."""

import pytest

from keel_contract import goldens, releases, versions

NOVA = [pytest.param(release, id=f"nova-{release.number}") for release in releases.NOVA]
CINDER = [pytest.param(release, id=f"cinder-{release.number}") for release in releases.CINDER]


def test_every_recorded_release_has_a_row():
    assert [f"nova-{release.number}" for release in releases.NOVA] == list(goldens.RELEASES["nova"])
    assert [f"cinder-{release.number}" for release in releases.CINDER] == list(goldens.RELEASES["cinder"])


@pytest.mark.parametrize("release", NOVA)
def test_nova_release_speaks_what_was_recorded(release):
    recorded = goldens.release(f"nova-{release.number}", "versions")
    interfaces = goldens.release(f"nova-{release.number}", "methods")["interfaces"]
    answered = {"baseapi" if name == "base" else name: row["answers"]["version"] for name, row in interfaces.items()}
    assert release.rpc == answered | {"compute_v5": interfaces["compute"]["older"]["version"]}
    assert release.service_version == recorded["service"]
    assert release.oldest_compute == recorded["releases"][recorded["oldest"]]


@pytest.mark.parametrize("release", NOVA)
def test_nova_release_has_the_recorded_older_objects(release):
    current = goldens.load("nova", "objects")
    recorded = goldens.release(f"nova-{release.number}", "objects")
    assert release.objects == {
        name: row["version"] for name, row in recorded.items() if row["version"] != current[name]["version"]
    }


@pytest.mark.parametrize("release", CINDER)
def test_cinder_release_speaks_what_was_recorded(release):
    recorded = goldens.release(f"cinder-{release.number}", "versions")
    assert (release.rpc, release.objects) == (recorded["rpc"], recorded["objects"])
    interfaces = goldens.release(f"cinder-{release.number}", "methods")["interfaces"]
    assert release.rpc == {name: row["answers"]["version"] for name, row in interfaces.items()}


def test_names_of_releases_mean_the_recorded_versions():
    recorded = goldens.load("nova", "versions")
    assert {name: dict(table) for name, table in releases.NOVA_ALIASES.items() if name != "base"} == recorded["aliases"]
    of_names = {
        name: version for version, names in releases.SERVICE_VERSIONS for name in names.replace(" ", "").split(",")
    }
    assert of_names == recorded["releases"]
    assert recorded["service"] == releases.SERVICE_VERSION
    assert recorded["releases"][recorded["oldest"]] == releases.OLDEST_COMPUTE


def test_every_service_version_speaks_the_recorded_compute_version():
    for number, speaks in enumerate(goldens.load("nova", "versions")["compute_rpc"]):
        assert [rpc for first, rpc in releases.COMPUTE_HISTORY if first <= number][-1] == speaks, number


def test_sets_of_cinder_objects_are_the_recorded_ones():
    recorded = goldens.load("cinder", "versions")
    current = recorded["manifests"][recorded["objects"]]
    for number, differing in releases.CINDER_MANIFESTS.items():
        assert {**current, **differing} == recorded["manifests"][number]
    assert set(releases.CINDER_MANIFESTS) == set(recorded["manifests"])


def test_newest_release_is_the_one_our_interfaces_declare():
    assert versions.parse(releases.NOVA[-1].rpc["compute"]) == (6, 5)
    assert releases.NOVA[-1].service_version == releases.SERVICE_VERSION
