"""Requests that need a newer service than there is, and APIs that follow the fleet."""

import pytest
from fakes import rows

from keel_common.db.stores.cinder import services as cinder_services
from keel_common.runtime import CannotStart
from keel_contract.cinder import interfaces as cinder
from keel_contract.errors import PeerTooOld
from keel_contract.nova.interfaces import COMPUTE


@pytest.mark.parametrize(
    ("suite", "operation", "code"), [("compute", "GET /flavors", 409), ("volume", "GET /types", 400)]
)
def test_a_request_that_a_pin_refuses_is_no_server_error_and_the_log_tells_the_operator(
    request, caplog, suite, operation, code
):
    api = request.getfixturevalue(suite)

    def refused(_req):
        raise PeerTooOld("old-host-1 holds the pin")

    api.with_handlers({operation: refused})
    reply = api.get(operation.split()[1])
    assert reply.status == code
    assert "older release" in reply.message
    assert "old-host-1" not in reply.message
    assert "old-host-1" in caplog.text


def test_the_compute_api_follows_the_oldest_compute_of_every_cell(compute):
    compute.set("compute", "auto", "upgrade_levels")
    fleet = compute.services.fleet
    pin = fleet.pins.of(COMPUTE)
    assert pin().rpc == COMPUTE.version
    rows.service(compute, "new-1", version=74)
    rows.service(compute, "old-1", version=68)
    fleet.reload()
    assert (pin().rpc, pin().holder.host) == ("6.4", "old-1")
    with pytest.raises(CannotStart, match="old-1"):
        fleet.start()


def test_the_volume_api_follows_the_oldest_volume_service(volume):
    pin = volume.services.fleet.pins.of(cinder.VOLUME)
    versions = {"rpc_current_version": "3.16", "object_current_version": "1.38"}
    volume.db.run(cinder_services.register, "node-1@lvm", "cinder-volume", **versions)
    volume.services.fleet.reload()
    assert (pin().rpc, pin().objects["Volume"]) == ("3.16", "1.8")
