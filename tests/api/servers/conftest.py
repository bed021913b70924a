"""A compute API with image, network and volume services beside it, a flavor, a key and an image in them."""

from types import SimpleNamespace

import pytest
from fakes.api import CELL1, PROJECT, Identity
from fakes.peers import FakeAllocations, FakeCinder, FakeGlance, FakeNeutron

from keel_common.db import add, schema

from .rows import add_server, add_service, map_server

USER = Identity.MEMBER.user


@pytest.fixture
def cloud(compute):
    """The API with its peers: `.api`, `.glance`, `.neutron`, `.cinder`, `.image`, `.network`, and makers of rows."""
    peers = SimpleNamespace(
        api=compute, glance=FakeGlance(), neutron=FakeNeutron(), cinder=FakeCinder(), placement=FakeAllocations()
    )
    for name in ("glance", "neutron", "cinder", "placement"):
        setattr(compute.services.clients, name, getattr(peers, name))
    peers.image = peers.glance.add(os_type="linux", hw_disk_bus="virtio")
    peers.network = peers.neutron.add_network()
    compute.services.cells.api.run(_seed)
    peers.cell = compute.cells.get(CELL1).db

    def server(number=1, project=PROJECT, user=USER, cell=CELL1, **values):
        home = compute.cells.get(cell)
        uuid = home.db.run(add_server, project, user, number, **values)
        compute.cells.api.run(map_server, uuid, home.id, project, user)
        return uuid

    peers.server = server
    peers.create = lambda body, version="2.37", who=Identity.MEMBER: _ok(compute, body, version, who)
    peers.service = lambda host="node-1", **values: peers.cell.run(add_service, host, **values)
    return peers


def _ok(api, body, version, who):
    reply = api.post("/servers", body, version=version, who=who)
    assert reply.status == 202, reply.raw
    return reply.body


def _seed(conn):
    flavors = schema.nova_api.tables["flavors"]
    key = add(
        conn,
        flavors,
        {
            "name": "m1.small",
            "flavorid": "small",
            "memory_mb": 2048,
            "vcpus": 1,
            "root_gb": 20,
            "ephemeral_gb": 0,
            "swap": 0,
            "rxtx_factor": 1.0,
            "vcpu_weight": 0,
            "disabled": False,
            "is_public": True,
        },
    )
    add(conn, schema.nova_api.tables["flavor_extra_specs"], {"flavor_id": key, "key": "hw:a", "value": "b"})
    keys = schema.nova_api.tables["key_pairs"]
    add(
        conn,
        keys,
        {"name": "mine", "user_id": USER, "public_key": "ssh-rsa AAAA", "fingerprint": "aa:bb", "type": "ssh"},
    )


@pytest.fixture
def wish(cloud):
    """The body of a small create request; keyword arguments change its server."""

    def body(**values):
        server = {"name": "web", "imageRef": cloud.image, "flavorRef": "small", "networks": "none", **values}
        return {"server": {key: value for key, value in server.items() if value is not None}}

    return body
