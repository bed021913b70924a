"""A compute asks the conductor who else is there before it starts."""

import time
import uuid

import pytest
from fakes.conductor import FakeConductor

from keel_common import config
from keel_common.runtime import CannotStart
from keel_compute.fleet import Fleet
from keel_contract.bus import Bus, Endpoint
from keel_contract.nova import interfaces, objects
from keel_contract.nova.remote import RemoteObjects


@pytest.fixture
def fleet(tmp_path):
    path = tmp_path / "nova.conf"
    exchange = f"nova-{uuid.uuid4().hex}"
    path.write_text(
        f"[DEFAULT]\ntransport_url = fake:/\ncontrol_exchange = {exchange}\n[upgrade_levels]\ncompute = auto\n"
    )
    conf = config.load("compute", [], [str(path)])
    bus, conductor = Bus(conf, "nova"), FakeConductor()
    server = bus.server("conductor", "conductor-1", [Endpoint(interfaces.CONDUCTOR, conductor)])
    server.start()
    remote = RemoteObjects(bus.client(interfaces.CONDUCTOR))
    yield Fleet(conf, lambda: remote), conductor, conf
    server.stop(time.monotonic() + 5)
    bus.close()


def add(conductor, host, version):
    conductor.services[host, "nova-compute"] = objects.Service(
        host=host, binary="nova-compute", version=version, forced_down=False
    )


def test_the_oldest_compute_sets_the_pin_and_its_host_is_told(fleet):
    fleet, conductor, _ = fleet
    pin = fleet.pins.of(interfaces.COMPUTE)
    assert pin().rpc == interfaces.COMPUTE.version
    add(conductor, "new", 74)
    add(conductor, "old", 68)
    assert (pin().rpc, pin().holder.host) == ("6.4", "old")
    del conductor.services["old", "nova-compute"]
    fleet.reload()
    assert pin().rpc == "6.5"


@pytest.mark.parametrize(
    ("version", "told"), [(68, r"on old .* 68 \(Epoxy\).*Gazpacho"), (99, r"every other nova-compute is newer.*99")]
)
def test_a_compute_does_not_start_beside_ones_it_does_not_fit(fleet, version, told):
    fleet, conductor, conf = fleet
    fleet.start()
    add(conductor, "old", version)
    with pytest.raises(CannotStart, match=told):
        fleet.start()
    if version < 74:
        conf.set_override("disable_compute_service_check_for_ffu", True, group="workarounds")
        fleet.start()
