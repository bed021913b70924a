"""An image over a volume: on a new claim, looked at first, told to Nova where a server waits, resumed after a death."""

import uuid

import pytest

from keel_common.db.stores.cinder import connections
from keel_common.db.stores.cinder import snapshots as cuts
from keel_common.kube import SECRET, names
from keel_common.wire import cinder as wire
from keel_dev import disk_images as made
from keel_volume.csi import claims, naming

from . import killing

GIB = 1 << 30


@pytest.fixture
def volume(world):
    found = world.volume()
    world.suite.sim.write(naming.claim(world.suite.row(found)), 0, b"old", world.suite.namespace)
    return found


def ask(world, volume, before="available"):
    """What the API writes."""
    world.suite.set_status(volume, status="downloading", previous_status=before)


def tell(world, endpoint, volume, image, cut=None):
    snapshot = wire.snapshot(world.db.read(cuts.show, cut)) if cut else None
    endpoint.reimage(world.suite.context, world.suite.full(volume), world.suite.images.images[image], snapshot)


def is_over(world, volume):
    order = world.kube.find(SECRET, claims.image_secret_name(volume), world.suite.namespace)
    return world.suite.row(volume)["status"] != "downloading" and order is None and world.is_settled(volume)


def write_over(world, volume, image, before="available", cut=None):
    ask(world, volume, before)
    life = world.life()
    tell(world, life.endpoint, volume, image, cut)
    killing.run(life, lambda: is_over(world, volume))
    assert world.suite.worker(volume) is None
    return world.suite.row(volume)


def content(world, volume):
    return world.suite.sim.read(naming.claim(world.suite.row(volume)), 0, 6, world.suite.namespace)


@pytest.mark.parametrize("before", ["available", "error"])
def test_a_volume_holds_the_image_and_remembers_it(world, volume, before):
    old = world.claims(volume)
    image = world.suite.images.add(made.qcow2(GIB, b"new"), disk_format="qcow2", os_distro="x")
    row = write_over(world, volume, image, before)
    assert (row["status"], row["bootable"]) == (before, True)
    assert content(world, volume) == b"new\0\0\0"
    assert world.claims(volume) == {naming.claim(row)} != old
    facts = world.suite.image_facts(volume)
    assert (facts["image_id"], facts["os_distro"]) == (image, "x")
    assert world.suite.images.events == []


def test_what_the_volume_remembered_of_an_earlier_image_is_gone(world, volume):
    write_over(world, volume, world.suite.images.add(b"first", hw_first="1"))
    second = world.suite.images.add(b"second", hw_second="2")
    write_over(world, volume, second)
    facts = world.suite.image_facts(volume)
    assert (facts["image_id"], facts.get("hw_first"), facts["hw_second"]) == (second, None, "2")
    assert content(world, volume) == b"second"


def test_an_image_of_a_server_is_its_snapshot(world, volume):
    cut = world.snapshot(volume)
    world.suite.sim.write(naming.claim(world.suite.row(volume)), 0, b"then", world.suite.namespace)
    image = world.suite.images.add(b"")
    write_over(world, volume, image, cut=cut)
    assert content(world, volume) == b"old\0\0\0"


def test_a_server_that_waits_is_told(world, volume):
    server = str(uuid.uuid4())
    world.db.run(connections.attach, volume, server, "node-1", "/dev/vda", "rw")
    row = write_over(world, volume, world.suite.images.add(b"root"), "reserved")
    assert row["status"] == "reserved"
    assert world.suite.images.events == [{"name": "volume-reimaged", "server_uuid": server, "tag": volume}]
    world.suite.images.events.clear()


@pytest.mark.parametrize(
    ("data", "disk_format", "message"),
    [
        (made.qcow2(GIB, backing_file="/etc/passwd"), "qcow2", "VOLUME_VOLUME_016_029"),
        (made.qcow2(GIB), "raw", "VOLUME_VOLUME_016_029"),
    ],
)
def test_a_hostile_image_costs_the_status_and_nothing_else(world, volume, data, disk_format, message):
    old = world.claims(volume)
    row = write_over(world, volume, world.suite.images.add(data, disk_format=disk_format))
    assert (row["status"], row["previous_status"]) == ("error", "downloading")
    assert world.suite.messages(volume) == [message]
    assert (world.claims(volume), content(world, volume)) == (old, b"old\0\0\0")


def test_an_import_that_fails_leaves_the_old_content(world, volume):
    old = world.claims(volume)
    world.suite.sim.cluster.knobs.set_behaviour("importers", f"{names.claim(volume)}*", {"outcome": "fails"})
    row = write_over(world, volume, world.suite.images.add(b"new"))
    assert row["status"] == "error"
    assert (world.claims(volume), content(world, volume)) == (old, b"old\0\0\0")


def test_a_request_that_was_lost_ends_in_error(world, volume):
    ask(world, volume)
    killing.run(world.life(), lambda: is_over(world, volume))
    assert world.suite.row(volume)["status"] == "error"


def test_a_reimage_survives_a_death_at_every_write(world):
    volume = world.volume()
    server = str(uuid.uuid4())
    world.db.run(connections.attach, volume, server, "node-1", "/dev/vda", "rw")
    number = iter(range(1000))

    def prepare():
        world.suite.images.events.clear()
        ask(world, volume, "reserved")
        return world.suite.images.add(f"image{next(number):03}".encode())

    def check(image):
        row, held = (
            world.suite.row(volume),
            world.suite.sim.read(naming.claim(world.suite.row(volume)), 0, 8, world.suite.namespace),
        )
        if row["status"] == "error":  # Nobody knows of it: the request died with the process.
            assert world.suite.messages(volume)
            assert held != world.suite.images.data[image]
        else:
            assert (row["status"], held) == ("reserved", world.suite.images.data[image])
            told = {(event["name"], event["server_uuid"]) for event in world.suite.images.events}
            assert told == {("volume-reimaged", server)}
        assert world.claims(volume) == {naming.claim(row)}
        assert world.suite.worker(volume) is None

    seen = killing.survive(
        world,
        "host1@cluster",
        prepare,
        lambda endpoint, image: tell(world, endpoint, volume, image),
        lambda image: is_over(world, volume),
        check,
    )
    assert seen > 8
