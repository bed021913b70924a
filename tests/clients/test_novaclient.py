"""novaclient as it is released, against our API."""

import pytest

from clients.deployment import IMAGE, NETWORK, TINY


@pytest.mark.parametrize("version", ["2.1", "2.60", "2.96"])
def test_a_server_lives_and_dies(cloud, version):
    nova = cloud.nova(version)
    server = nova.servers.create("web", image=IMAGE, flavor=TINY, nics=[{"net-id": NETWORK}], meta={"a": "b"})
    assert nova.servers.get(server.id).status == "ACTIVE"
    assert [found.id for found in nova.servers.list()] == [server.id]
    nova.servers.stop(server)
    assert nova.servers.get(server.id).status == "SHUTOFF"
    nova.servers.start(server)
    nova.servers.delete(server)
    assert nova.servers.list() == []
