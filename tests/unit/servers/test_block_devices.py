import json

import pytest

from keel_common.domain.server import block_devices as bd

IMAGE, VOLUME = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"


def test_a_plain_image_is_the_local_root_disk():
    (root,) = bd.with_image([], IMAGE)
    assert (root["source_type"], root["destination_type"], root["boot_index"]) == ("image", "local", 0)
    assert root["delete_on_termination"] is True


def test_data_volumes_follow_the_image():
    devices = bd.from_v2([{"source_type": "volume", "uuid": VOLUME, "boot_index": "-1"}])
    devices = bd.with_image(devices, IMAGE)
    assert [d["source_type"] for d in devices] == ["image", "volume"]
    bd.check(devices, max_local=3)


def test_the_older_form_boots_from_the_device_named_like_the_root_disk():
    devices = bd.from_v1([{"device_name": "vda", "volume_id": VOLUME, "delete_on_termination": "True"}])
    assert bd.root_of(devices)["volume_id"] == VOLUME
    assert devices[0]["delete_on_termination"] is True
    data = bd.from_v1([{"device_name": "/dev/vdb", "volume_id": VOLUME}])
    assert bd.root_of(data) is None
    assert [d["source_type"] for d in bd.with_image(data, IMAGE)] == ["image", "volume"]


def test_an_image_of_a_volume_backed_server_brings_its_devices():
    mapping = [{"source_type": "snapshot", "snapshot_id": VOLUME, "boot_index": 0, "destination_type": "volume"}]
    brought = bd.of_image({"block_device_mapping": json.dumps(mapping), "bdm_v2": "True"})
    (root,) = bd.with_image([], IMAGE, brought)
    assert (root["source_type"], root["snapshot_id"]) == ("snapshot", VOLUME)
    own = bd.from_v2([{"source_type": "volume", "uuid": VOLUME, "boot_index": 0}])
    assert [d["source_type"] for d in bd.with_image(own, IMAGE, brought)] == ["volume"]
    assert bd.of_image({}) == []


@pytest.mark.parametrize(
    ("devices", "text"),
    [
        ([{"source_type": "volume", "uuid": VOLUME, "destination_type": "local"}], "volume to local"),
        ([{"source_type": "image", "uuid": IMAGE, "destination_type": "volume", "boot_index": 0}], "non-zero size"),
        ([{"source_type": "blank", "destination_type": "volume"}], "non-zero size"),
        ([{"source_type": "volume", "uuid": VOLUME, "boot_index": 1}], "Boot sequence"),
        ([{"source_type": "volume", "uuid": VOLUME, "disk_bus": "abacus"}], "disk bus abacus"),
        ([{"source_type": "volume", "uuid": VOLUME, "tag": "a"}] * 2, "tags must be unique"),
        ([{"source_type": "blank", "destination_type": "local", "boot_index": -1}] * 4, "more local devices"),
    ],
)
def test_what_cannot_be_combined_is_refused(devices, text):
    with pytest.raises(bd.InvalidDevice, match=text):
        bd.check(bd.from_v2(devices), max_local=3)


@pytest.mark.parametrize("device", [{"source_type": "volume"}, {"source_type": "blank", "uuid": VOLUME}])
def test_a_source_and_its_id_belong_together(device):
    with pytest.raises(bd.InvalidDevice):
        bd.from_v2([device])


def test_a_flavor_brings_its_ephemeral_and_swap_disks_unless_they_are_named():
    flavor = {"ephemeral_gb": 10, "swap": 512}
    added = bd.flavor_devices(flavor, [])
    assert [(d["guest_format"], d["volume_size"]) for d in added] == [(None, 10), ("swap", 512)]
    own = bd.from_v2([{"source_type": "blank", "destination_type": "local", "volume_size": 4, "boot_index": -1}])
    assert [d["guest_format"] for d in bd.flavor_devices(flavor, own)] == ["swap"]
    bd.check_flavor_sizes(own, flavor)
    with pytest.raises(bd.InvalidDevice, match="Ephemeral"):
        bd.check_flavor_sizes(own, {"ephemeral_gb": 3, "swap": 0})
