"""JSON in the databases: what each release stored is read as it reads it, and stored again as it stores it."""

import functools
import json

import pytest
from fakes.blob_store import BlobStore
from fakes.wireform import plain

from keel_common.db import Database
from keel_common.db.stores.nova import servers
from keel_common.wire import server as wire
from keel_contract import goldens
from keel_contract.nova import objects
from keel_contract.nova.stored import stored_form
from keel_contract.recorder import blobs
from keel_contract.recorder.delta import diff

RELEASES = goldens.RELEASES["nova"]


@functools.cache
def cases_of(release):
    return blobs.stored(release)["cases"]


CASES = [(release, case) for release in RELEASES for case in cases_of(release)]
PARTS = ("flavor", "network_info", "trusted_certs", "keypairs", "metadata", "system_metadata")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    made = BlobStore(tmp_path_factory.mktemp("blobs"))
    yield made
    made.close()


def uuid_of(golden):
    return golden["rows"]["instances"][0]["uuid"]


def parsed(value):
    """Rows with the JSON of their columns, lists of changes in one order."""
    if isinstance(value, dict):
        return {k: sorted(v) if k.endswith("_object.changes") else parsed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [parsed(part) for part in value]
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return parsed(json.loads(value))
        except ValueError:
            return value
    return value


@pytest.mark.parametrize(("release", "case"), CASES)
def test_rows_of_a_release_are_read_as_it_reads_them(store, release, case):
    golden = cases_of(release)[case]
    store.fill(golden["rows"])
    found = store.read(uuid_of(golden))
    assert {name: diff(golden["read"][name], plain(each)) for name, each in found.items()} == dict.fromkeys(found)


@pytest.mark.parametrize(("release", "case"), [pair for pair in CASES if "before" not in pair[1]])
def test_a_server_is_stored_as_the_release_stores_it(store, release, case):
    golden = cases_of(release)[case]
    assert diff(parsed(golden["rows"]), parsed(store.create(golden["sent"]))) is None


@pytest.mark.parametrize(("release", "case"), CASES)
def test_rows_of_a_release_make_a_server_of_the_api(store, release, case):
    golden = cases_of(release)[case]
    store.fill(golden["rows"])
    db = Database(f"sqlite:///{store.folder}/cell.db")
    columns = ("uuid", "vm_state", "host", *PARTS)
    (server,) = db.read(servers.many, [uuid_of(golden)], columns)
    db.close()
    made = wire.instance({name: value for name, value in server.items() if name != "keypairs"})
    read = golden["read"]["Instance"]["nova_object.data"]
    sent = plain(made.to_primitive())["nova_object.data"]
    assert sent["flavor"]["nova_object.data"]["flavorid"] == read["flavor"]["nova_object.data"]["flavorid"]
    assert sent["metadata"] == read["metadata"] and sent["system_metadata"] == read["system_metadata"]
    assert json.loads(made.to_primitive()["nova_object.data"]["info_cache"]["nova_object.data"]["network_info"]) == (
        json.loads(read["info_cache"]["nova_object.data"]["network_info"])
    )


@pytest.mark.parametrize(
    ("properties", "version"),
    [
        ({}, "1.39"),
        ({"hw_vif_model": "igb"}, "1.39"),
        ({"hw_sound_model": "ich9"}, "1.42"),
        ({"hw_mem_encryption_model": "amd-sev"}, "1.42"),
        ({"hw_mem_encryption_model": "amd-sev-snp"}, "1.44"),
    ],
)
def test_a_spec_is_stored_for_the_oldest_release_that_can_tell_it(properties, version):
    spec = objects.RequestSpec(
        num_instances=1, image=objects.ImageMeta(properties=objects.ImageMetaProps(hw_disk_bus="virtio", **properties))
    )
    image = stored_form(spec)["nova_object.data"]["image"]["nova_object.data"]["properties"]
    assert image["nova_object.version"] == version
    assert image["nova_object.data"] == {"hw_disk_bus": "virtio", **properties}


def test_an_object_that_no_release_has_otherwise_is_stored_as_it_is():
    flavor = objects.Flavor(name="m1", description="small")
    assert stored_form(flavor) == flavor.to_primitive()
