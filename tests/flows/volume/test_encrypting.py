"""A type that promises encrypted storage: the StorageClass that says it encrypts, and no other."""

import pytest

from keel_common.db.stores.cinder import encryptions
from keel_common.domain.volume.encryption import CAPABILITY, WANTED
from keel_common.kube import STORAGECLASS
from keel_volume.csi import claims, classes


@pytest.fixture(scope="module")
def secret(suite):
    """A StorageClass with the parameter of Ceph's and Amazon's drivers."""
    like = suite.kube.get(STORAGECLASS, "standard")
    body = STORAGECLASS.body("secret", provisioner=like["provisioner"], parameters={"encrypted": "true"})
    suite.kube.create(STORAGECLASS, {**body, "allowVolumeExpansion": True})
    pools = lambda: suite.scheduler.send(suite.context, "get_pools")  # noqa: E731
    suite.until(lambda: any(pool["name"].endswith("#secret") for pool in pools()), "the pool is reported")
    return "secret"


def encrypted(suite, **specs):
    kind = suite.kind(**specs)
    values = {"provider": "storage", "control_location": "back-end"}
    suite.db.run(encryptions.create, kind["id"], values)
    return kind


def test_a_volume_of_an_encrypted_type_lies_on_a_class_that_encrypts(suite, secret):
    volume = suite.create(kind=encrypted(suite, **{CAPABILITY: WANTED}))
    assert claims.storage_class(suite.reach(volume, "available")) == secret
    suite.delete(volume)
    suite.gone(volume)


def test_a_class_that_does_not_say_so_is_not_used_whatever_the_scheduler_thinks(suite, secret):
    volume = suite.create(kind=encrypted(suite, pool_name="standard"))
    suite.reach(volume, "error")


@pytest.mark.parametrize(
    ("item", "answer"),
    [
        ({"parameters": {"encrypted": "true"}}, True),
        ({"parameters": {"encrypted": "false"}}, False),
        ({"metadata": {"annotations": {classes.ENCRYPTS: "true"}}}, True),
        ({"metadata": {}}, False),
        (None, False),
    ],
)
def test_what_says_that_a_class_encrypts(item, answer):
    assert classes.encrypts(item) is answer
