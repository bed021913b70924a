"""Volumes from images."""

import uuid

import pytest

from keel_common.clients import errors

GIB = 1024**3
IMAGE = "69b4f766-136b-44e4-b447-752927dac6e2"  # in the names of tests, so the same in every worker


class Glance:
    """The image API: images by id."""

    def __init__(self):
        self.images = {}

    def add(self, image_id=IMAGE, **values):
        self.images[image_id] = {
            "id": image_id,
            "name": "cirros",
            "status": "active",
            "size": GIB,
            "min_disk": 0,
            **values,
        }

    def show(self, context, image_id):
        if image_id not in self.images:
            raise errors.NotFound(404, "no such image", "glance")
        return self.images[image_id]

    def list(self, context, name):
        return [image for image in self.images.values() if image["name"] == name]


@pytest.fixture
def glance(volume):
    volume.services.clients.glance = Glance()
    volume.services.clients.glance.add()
    return volume.services.clients.glance


@pytest.fixture
def ask(volume):
    def do(image, size=1, version="3.71"):
        return volume.post("/volumes", {"volume": {"size": size, "imageRef": image}}, version=version)

    return do


@pytest.mark.parametrize("image", [IMAGE, f"http://glance/v2/images/{IMAGE}", "cirros"])
def test_an_image_is_named_by_id_address_or_name(volume, glance, ask, image):
    assert ask(image).status == 202
    sent = volume.bus.sent[-1][1]
    assert sent["image_id"] == IMAGE == sent["request_spec"].image_id


def test_names_that_do_not_tell_one_image(glance, ask):
    assert ask("none").status == 400
    assert ask(str(uuid.uuid4())).status == 400
    glance.add(str(uuid.uuid4()))
    assert ask("cirros").status == 409


@pytest.mark.parametrize(
    "values", [{"status": "queued"}, {"size": 2 * GIB}, {"min_disk": 5}, {"virtual_size": 3 * GIB}]
)
def test_images_that_do_not_fit_are_400(glance, ask, values):
    glance.add(**values)
    assert ask(IMAGE).status == 400


def test_an_image_needs_a_size(volume, glance):
    assert volume.post("/volumes", {"volume": {"imageRef": IMAGE}}).status == 400


def test_an_image_may_name_its_type(volume, glance, ask, admin):
    assert volume.post("/types", {"volume_type": {"name": "gold"}}, who=admin).status == 200
    glance.add(cinder_img_volume_type="gold")
    assert ask(IMAGE).body["volume"]["volume_type"] == "gold"


def test_the_image_of_a_volume_backed_server_stands_for_its_snapshot_from_3_46(volume, made, backend, glance, ask):
    mine = made(1)
    snapshot = volume.post("/snapshots", {"snapshot": {"volume_id": mine}}).body["snapshot"]["id"]
    backend.finish_snapshot(snapshot)
    root = {"boot_index": 0, "source_type": "snapshot", "snapshot_id": snapshot}
    glance.add(size=0, block_device_mapping=[root])
    assert ask(IMAGE, version="3.46").body["volume"]["snapshot_id"] == snapshot
    assert ask(IMAGE, version="3.45").body["volume"]["snapshot_id"] is None
