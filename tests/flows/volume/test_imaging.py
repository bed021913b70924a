"""Volumes made of images: looked at first, imported with their checksum; a refused one leaves nothing but a message."""

import pytest

from keel_common.kube import DATAVOLUME, PVC, SECRET
from keel_dev import disk_images as made
from keel_volume.csi import claims, naming

GIB = 1 << 30
REFUSED = {
    "a backing file": ("qcow2", made.qcow2(GIB, backing_file="/etc/passwd")),
    "another format": ("raw", made.qcow2(GIB)),
    "a data file": ("qcow2", made.qcow2(GIB, data_file=True)),
    "a text of extents": ("vmdk", made.vmdk_descriptor('RW 1 FLAT "/etc/passwd" 0')),
    "too large a disk": ("qcow2", made.qcow2(9 * GIB)),
}


def of_image(suite, **image):
    data = image.pop("data")
    found = suite.images.add(data, **image)
    return found, suite.create(image_id=found, kind=suite.kind(pool_name="standard"))


def held(suite, volume):
    name = naming.claim(suite.row(volume))
    pairs = ((DATAVOLUME, name), (PVC, name), (SECRET, claims.image_secret_name(volume)))
    return [kind.kind for kind, name in pairs if suite.kube.find(kind, name, suite.namespace)]


@pytest.mark.parametrize("what", REFUSED)
def test_a_hostile_image_ends_in_error_with_the_recorded_message_and_leaves_nothing(suite, what):
    disk_format, data = REFUSED[what]
    _, volume = of_image(suite, data=data, disk_format=disk_format)
    suite.reach(volume, "error")
    assert suite.until(lambda: suite.messages(volume), "a message") == ["VOLUME_VOLUME_005_029"]
    assert held(suite, volume) == []
    assert suite.worker(volume) is None
    suite.delete(volume)
    suite.gone(volume)


def test_a_qcow2_image_is_what_the_guest_finds_on_the_disk(suite):
    image, volume = of_image(suite, data=made.qcow2(GIB, b"grub"), disk_format="qcow2", os_distro="x")
    row = suite.reach(volume, "available")
    assert row["bootable"]
    assert suite.sim.read(naming.claim(row), 0, 6, suite.namespace) == b"grub\0\0"
    facts = suite.image_facts(volume)
    assert (facts["image_id"], facts["disk_format"], facts["os_distro"]) == (image, "qcow2", "x")
    assert facts["signature_verified"] == "False"
    found = suite.kube.get(DATAVOLUME, naming.claim(row), suite.namespace)["spec"]["source"]["http"]
    assert found["checksum"] == f"sha512:{suite.images.images[image]['os_hash_value']}"


def test_an_image_that_changes_after_it_was_looked_at_is_not_taken(suite):
    image = suite.images.add(made.qcow2(GIB), disk_format="qcow2")
    suite.images.images[image]["os_hash_value"] = "0" * 128
    volume = suite.create(image_id=image, kind=suite.kind(pool_name="standard"))
    suite.reach(volume, "error")
    assert suite.until(lambda: suite.messages(volume), "a message")
