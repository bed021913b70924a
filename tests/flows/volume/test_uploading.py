"""A volume becomes an image: streamed, compared, whoever dies meanwhile; the volume is back in any case."""

import hashlib
import shutil
import subprocess
import uuid
import zlib
from pathlib import Path

import pytest

from keel_common.db.stores.cinder import connections
from keel_common.kube import POD, SECRET
from keel_volume.csi import claims, naming

from . import killing
from .test_streams import checksum, left, use

MIB = 1 << 20
GIB = 1 << 30


@pytest.fixture(scope="module")
def volume(world):
    found = world.volume()
    world.shrink(claim_of(world, found), "33Mi")
    for place in (0, 17 * MIB):
        world.suite.sim.write(claim_of(world, found), place, b"of the volume", world.suite.namespace)
    return found


@pytest.fixture(autouse=True)
def healthy(world):
    yield
    world.suite.images.spoil, world.suite.images.refuse = False, 0


def claim_of(world, volume):
    return naming.claim(world.suite.row(volume))


def ask(world, volume, **image):
    """What the API writes: the status, and an image without data."""
    world.suite.set_status(volume, status="uploading", previous_status="available")
    return world.suite.images.add(**image)


def tell(world, endpoint, volume, image):
    made = world.suite.images.images[image]
    meta = {"id": image, "container_format": made["container_format"], "disk_format": made["disk_format"]}
    endpoint.copy_volume_to_image(world.suite.context, volume, meta)


def is_over(world, volume):
    return world.suite.row(volume)["status"] != "uploading" and order(world, volume) is None


def order(world, volume):
    return world.kube.find(SECRET, claims.image_secret_name(volume), world.suite.namespace)


def upload(world, volume, **image):
    made = ask(world, volume, **image)
    life = world.life()
    tell(world, life.endpoint, volume, made)
    killing.run(life, lambda: is_over(world, volume))
    assert world.suite.worker(volume) is None
    assert left(world) == []
    return made


def test_a_raw_image_is_the_volume(world, volume):
    image = upload(world, volume)
    assert world.suite.row(volume)["status"] == "available"
    assert world.suite.images.images[image]["status"] == "active"
    assert hashlib.sha256(world.suite.images.data[image]).hexdigest() == checksum(world, claim_of(world, volume))


@pytest.mark.skipif(not shutil.which("qemu-img"), reason="qemu-img is not installed")
def test_a_qcow2_image_holds_the_volume_without_what_is_empty(world, volume, tmp_path):
    image = upload(world, volume, disk_format="qcow2")
    data = world.suite.images.data[image]
    assert len(data) < 20 * MIB
    packed, raw = tmp_path / "a.qcow2", tmp_path / "a.raw"
    packed.write_bytes(data)
    subprocess.run(["qemu-img", "check", "-q", packed], check=True)
    subprocess.run(["qemu-img", "convert", "-O", "raw", packed, raw], check=True)
    with open(raw, "rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == checksum(world, claim_of(world, volume))


def test_a_compressed_container_is_gzip_around_the_data(world, volume):
    image = upload(world, volume, container_format="compressed")
    data = zlib.decompress(world.suite.images.data[image], 31)
    assert hashlib.sha256(data).hexdigest() == checksum(world, claim_of(world, volume))


@pytest.mark.skipif(not shutil.which("qemu-img"), reason="qemu-img is not installed")
@pytest.mark.parametrize(
    ("disk_format", "made_as"), [("vhdx", "vhdx"), ("vhd", "vpc"), ("vdi", "vdi"), ("vmdk", "vmdk")]
)
def test_other_formats_are_converted_and_no_file_stays(world, volume, disk_format, made_as, tmp_path):
    image = upload(world, volume, disk_format=disk_format)
    packed, raw = tmp_path / "a", tmp_path / "b"
    packed.write_bytes(world.suite.images.data[image])
    subprocess.run(["qemu-img", "convert", "-f", made_as, "-O", "raw", packed, raw], check=True)
    with open(raw, "rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == checksum(world, claim_of(world, volume))
    assert list(Path(world.conf.image_conversion_dir).iterdir()) == []


@pytest.mark.skipif(not shutil.which("qemu-img"), reason="qemu-img is not installed")
def test_a_conversion_beyond_its_limits_is_given_up(world, volume):
    world.conf.set_override("image_conversion_address_space_limit", 0)
    try:
        image = upload(world, volume, disk_format="vdi")
    finally:
        world.conf.clear_override("image_conversion_address_space_limit")
    assert image not in world.suite.images.images
    assert list(Path(world.conf.image_conversion_dir).iterdir()) == []


def test_a_format_that_cannot_be_made_ends_in_a_message_and_no_image(world, volume):
    image = upload(world, volume, disk_format="ploop")
    assert image not in world.suite.images.images
    assert world.suite.row(volume)["status"] == "available"
    assert "VOLUME_VOLUME_003_004" in world.suite.messages(volume)


def test_what_glance_has_is_compared_with_what_was_sent(world, volume):
    world.suite.images.spoil = True
    image = upload(world, volume)
    assert image not in world.suite.images.images
    assert world.suite.messages(volume)


def test_a_refusal_of_glance_ends_it(world, volume):
    world.suite.images.refuse = 413
    image = upload(world, volume)
    assert image not in world.suite.images.images
    assert world.suite.row(volume)["status"] == "available"


def test_a_bad_moment_of_glance_is_waited_for(world, volume):
    world.suite.images.refuse = 503
    image = upload(world, volume)
    assert world.suite.images.images[image]["status"] == "active"


def test_a_volume_in_use_is_read_as_it_was_and_stays_in_use(world, volume):
    claim = claim_of(world, volume)
    use(world, claim, "server")
    server = str(uuid.uuid4())
    attachment = world.db.run(connections.attach, volume, server, "node-1", "/dev/vdb", "rw")
    try:
        image = upload(world, volume)
        assert world.suite.row(volume)["status"] == "in-use"
        assert hashlib.sha256(world.suite.images.data[image]).hexdigest() == checksum(world, claim)
    finally:
        world.db.run(connections.detach, volume, attachment)
        world.kube.delete(POD, "server", world.suite.namespace)


def test_a_request_that_was_lost_ends_with_a_message(world, volume):
    ask(world, volume)
    life = world.life()
    killing.run(life, lambda: is_over(world, volume))
    assert world.suite.row(volume)["status"] == "available"


def test_an_upload_survives_a_death_at_every_write(world):
    volume = world.volume()
    world.shrink(claim_of(world, volume))
    world.suite.sim.write(claim_of(world, volume), 5, b"x", world.suite.namespace)
    wanted = checksum(world, claim_of(world, volume))

    def check(image):
        found = world.suite.images.images.get(image)
        if found and found["status"] == "queued":  # Nobody knows of it: the request died with the process.
            assert "VOLUME_VOLUME_003_004" in world.suite.messages(volume)
        elif found:
            assert hashlib.sha256(world.suite.images.data.pop(image)).hexdigest() == wanted
        assert world.suite.row(volume)["status"] == "available"
        assert left(world) == []
        assert world.suite.worker(volume) is None

    seen = killing.survive(
        world,
        "host1@cluster",
        lambda: ask(world, volume),
        lambda endpoint, image: tell(world, endpoint, volume, image),
        lambda image: is_over(world, volume),
        check,
    )
    assert seen > 10
