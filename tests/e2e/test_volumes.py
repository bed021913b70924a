"""Volumes through openstacksdk, with the cluster's side looked at."""

import pytest
from openstack.exceptions import BadRequestException, NotFoundException

from keel_common.kube import SNAPSHOT, names
from tests.e2e.waiting import wait_for
from tests.e2e.world import NAMESPACE, World


def size_of(claim: dict) -> str:
    """The size that a claim has."""
    return claim["status"]["capacity"]["storage"]


def test_a_volume_is_a_claim(world: World) -> None:
    """The claim is bound, has the size and the labels, and goes with the volume."""
    volume = world.make_volume(2, metadata={"use": "data"})
    claim = world.claim(volume)
    assert claim["status"]["phase"] == "Bound" and size_of(claim) == "2Gi"
    assert claim["metadata"]["labels"][names.VOLUME] == volume.id
    assert volume.volume_type == "csi" and volume.metadata == {"use": "data"}
    world.delete_volume(volume)
    wait_for("end of the claim", lambda: world.claim(volume) is None)


def test_extend(world: World) -> None:
    """The claim grows with the volume; it cannot shrink."""
    volume = world.make_volume(1)
    world.member.block_storage.extend_volume(volume.id, 3)
    wait_for("size of 3", lambda: world.volume(volume).size == 3)
    world.wait_for_volume(volume, "available")
    wait_for("a claim of 3Gi", lambda: size_of(world.claim(volume)) == "3Gi")
    with pytest.raises(BadRequestException):
        world.member.block_storage.extend_volume(volume.id, 2)


def test_snapshot_and_what_is_made_from_it(world: World) -> None:
    """A snapshot is a VolumeSnapshot; a volume from it is a claim with that source; the order of deletion is held."""
    storage = world.member.block_storage
    volume = world.make_volume()
    snapshot = storage.create_snapshot(name=world.name("snapshot"), volume_id=volume.id)
    wait_for("snapshot", lambda: storage.get_snapshot(snapshot.id).status == "available")
    assert world.kube.find(SNAPSHOT, names.snapshot(snapshot.id), NAMESPACE)["status"]["readyToUse"]
    with pytest.raises(BadRequestException):
        storage.delete_volume(volume.id)
    copy = world.make_volume(1, snapshot_id=snapshot.id)
    assert copy.snapshot_id == snapshot.id and world.claim(copy)["status"]["phase"] == "Bound"
    storage.delete_snapshot(snapshot.id)
    wait_for("end of the snapshot", lambda: _is_gone(storage, snapshot))
    wait_for("end in the cluster", lambda: world.kube.find(SNAPSHOT, names.snapshot(snapshot.id), NAMESPACE) is None)


def _is_gone(storage, snapshot) -> bool:
    try:
        storage.get_snapshot(snapshot.id)
    except NotFoundException:
        return True
    return False


def test_volume_from_image(world: World) -> None:
    """A volume with the content of an image is bootable and remembers the image."""
    image = world.member.image.find_image("tiny")
    volume = world.make_volume(1, image_id=image.id)
    assert volume.is_bootable and volume.volume_image_metadata["image_id"] == image.id
    assert world.claim(volume)["status"]["phase"] == "Bound"


def test_clone(world: World) -> None:
    """A volume made from another one; both go on alone."""
    volume = world.make_volume()
    copy = world.make_volume(2, source_volume_id=volume.id)
    assert copy.source_volume_id == volume.id
    world.delete_volume(volume)
    assert world.volume(copy).status == "available"


def test_a_volume_that_cannot_be(world: World) -> None:
    """Refused with the code that Cinder has for it."""
    storage = world.member.block_storage
    with pytest.raises(BadRequestException):
        storage.create_volume(name=world.name("volume"), size=0)
    with pytest.raises(NotFoundException):
        storage.create_volume(name=world.name("volume"), size=1, volume_type="no-such-type")
    with pytest.raises(NotFoundException):
        storage.create_volume(name=world.name("volume"), size=1, snapshot_id="d9f7a6a4-0c52-4f3c-a3ec-5a4d3f3a4b10")


def test_lists_types_pools_and_limits(world: World) -> None:
    """The lists of the volume API."""
    volume = world.make_volume()
    storage = world.member.block_storage
    assert volume.id in [found.id for found in storage.volumes(name=volume.name)]
    assert volume.id in [found.id for found in world.admin.block_storage.volumes(all_projects=True)]
    assert storage.get_limits().absolute.total_volumes_used >= 1
    pools = list(world.admin.block_storage.backend_pools())
    assert pools and all(pool.name for pool in pools)
    kind = world.admin.block_storage.create_type(name=world.name("type"), extra_specs={"volume_backend_name": "csi"})
    world.admin.block_storage.delete_type(kind.id)
