"""Images as the source of volumes: what is refused, and what a volume remembers."""

from types import SimpleNamespace

import orjson
import pytest

from keel_common.clients import errors
from keel_common.kube import KubeError
from keel_dev.disk_images import qcow2
from keel_volume.flows import images
from keel_volume.flows.refusals import Refused, is_refusal

GIB = 2**30
SIGNED = dict.fromkeys(
    ("img_signature", "img_signature_hash_method", "img_signature_key_type", "img_signature_certificate_uuid"), "x"
)
GOOD = {"id": "i", "name": "cirros", "status": "active", "disk_format": "qcow2", "size": 1000, "virtual_size": GIB}


class Glance:
    """The image API with one image, or out of order."""

    def __init__(self, image=None, problem=None):
        self.image, self.problem = image, problem

    def show(self, context, image_id):
        if self.problem:
            raise self.problem
        return self.image

    def download(self, context, image_id):
        yield qcow2(self.image.get("virtual_size") or GIB)

    def file_url(self, image_id):
        return f"http://images/{image_id}/file"

    def token(self):
        return "of-the-service"


def opened(glance, size=1, token="of-the-user", **settings):
    conf = SimpleNamespace(
        **{"image_conversion_disable": False, "verify_glance_signatures": "enabled", "vmdk_allowed_types": []}
        | settings
    )
    backend = SimpleNamespace(clients=SimpleNamespace(glance=glance), conf=conf)
    return images.open_for_import(backend, SimpleNamespace(auth_token=token), {"id": "v", "size": size}, "i")


def test_an_image_is_read_with_the_token_of_the_user_else_of_the_service():
    assert opened(Glance(GOOD)) == images.Source(GOOD, "of-the-user", "http://images/i/file")
    assert opened(Glance(GOOD), token=None).token == "of-the-service"


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"status": "queued"}, "UNKNOWN_ERROR"),
        ({"disk_format": "ami"}, "IMAGE_FORMAT_UNACCEPTABLE"),
        ({"virtual_size": GIB + 1}, "UNKNOWN_ERROR"),
        ({"virtual_size": None, "size": GIB + 1}, "UNKNOWN_ERROR"),
        (SIGNED, "SIGNATURE_VERIFICATION_FAILED"),
    ],
)
def test_an_image_that_cannot_fill_the_volume_is_refused_for_every_backend(change, detail):
    with pytest.raises(Refused) as refusal:
        opened(Glance(GOOD | change))
    assert (refusal.value.retry, refusal.value.detail) == (False, detail)


@pytest.mark.parametrize(
    "problem", [errors.NotFound(404, "no such image", "glance"), errors.ClientError(503, "", "glance")]
)
def test_an_image_that_cannot_be_read_is_refused(problem):
    with pytest.raises(Refused) as refusal:
        opened(Glance(problem=problem))
    assert not refusal.value.retry


def test_a_volume_remembers_facts_and_properties_of_its_image_but_nothing_about_its_place():
    image = GOOD | {"min_ram": 0, "hw_disk_bus": "scsi", "checksum": None, "owner": "o", "file": "/f", "tags": []}
    found = images.facts(image)
    expected = {"image_id": "i", "image_name": "cirros", "disk_format": "qcow2", "size": 1000, "min_ram": 0}
    assert found == expected | {"hw_disk_bus": "scsi"}
    annotations = {images.FACTS: orjson.dumps(found).decode()}
    assert images.facts_of_import({"metadata": {"annotations": annotations}}) == found
    assert images.facts_of_import({"metadata": {}}) == {}


@pytest.mark.parametrize(
    ("code", "final"),
    [
        (400, True),
        (403, True),
        (404, True),
        (422, True),
        (0, False),
        (408, False),
        (409, False),
        (429, False),
        (500, False),
        (503, False),
    ],
)
def test_a_refusal_is_final_and_a_bad_moment_passes(code, final):
    assert is_refusal(KubeError(code, "Said", "so")) is final


def test_what_sums_up_the_data_is_handed_on_as_the_importer_takes_it():
    strong = {"os_hash_algo": "sha512", "os_hash_value": "ab", "checksum": "cd"}
    assert opened(Glance(GOOD | strong)).checksum == "sha512:ab"
    assert opened(Glance(GOOD | strong | {"os_hash_algo": "blake2b"})).checksum == "md5:cd"
    assert opened(Glance(GOOD)).checksum is None


def test_an_operator_may_forbid_conversion_and_look_away_from_signatures():
    with pytest.raises(Refused, match="not converted"):
        opened(Glance(GOOD), image_conversion_disable=True)
    assert opened(Glance(GOOD | SIGNED), verify_glance_signatures="disabled")
