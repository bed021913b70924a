"""What clients do in a fleet of several releases: older forms, refusals that say what to do, pins that rise."""

import uuid

import pytest
from oslo_config import cfg

from keel_contract import errors, pins
from keel_contract.bus import Bus, Endpoint
from keel_contract.cinder import interfaces as cinder
from keel_contract.cinder import objects as cinder_objects
from keel_contract.context import Context
from keel_contract.inprocess import count_messages
from keel_contract.interface import Interface
from keel_contract.nova import interfaces as nova
from keel_contract.nova import objects as nova_objects

ADMIN = Context.admin("nova")


class Fleet:
    """The services of a table, read by a pin; ``read`` counts how often."""

    def __init__(self, *computes):
        self.computes = list(computes)
        self.read = 0

    def lowest(self):
        self.read += 1
        version, host = min(self.computes, default=(0, ""))
        return pins.Lowest(version, host)


def configured(**levels):
    conf = cfg.ConfigOpts()
    conf([], project="keel", default_config_files=[])
    for option in ("compute", "conductor", "scheduler", "baseapi"):
        conf.register_opt(cfg.StrOpt(option), group="upgrade_levels")
        conf.set_override(option, levels.get(option), group="upgrade_levels")
    return conf


@pytest.fixture
def bus():
    bus = Bus(configured(compute="auto"), "nova", "fake:/")
    yield bus
    bus.close()


class Peer:
    """Notes what arrives."""

    def __init__(self):
        self.got = []

    def get_host_uptime(self, context):
        return "long"

    def refresh_instance_security_rules(self, context, **args):
        self.got.append(args)

    def check_can_live_migrate_destination(self, context, **args):
        self.got.append(args)
        return nova_objects.LibvirtLiveMigrateData()


def compute_client(bus, fleet, patience=0.0):
    found = pins.NovaPins(bus.conf, fleet.lowest, patience)
    return bus.client(nova.COMPUTE, found.of(nova.COMPUTE)), found


def instance(host="h1"):
    return nova_objects.Instance(uuid=str(uuid.uuid4()), host=host)


def share(bus):
    return {"instance": instance(), "share_mapping": nova_objects.ShareMapping(uuid=str(uuid.uuid4()))}


def test_refused_send_tells_who_holds_the_pin_and_which_release_is_needed(bus):
    client, _ = compute_client(bus, Fleet((74, "new-1"), (67, "old-1")))
    with pytest.raises(errors.PeerTooOld) as refused:
        client.send(ADMIN, "allow_share", **share(bus))
    for told in (
        "allow_share",
        "6.4",
        "6.3",
        "old-1",
        "67",
        "Epoxy (2025.1, nova 31)",
        "[upgrade_levels]compute = auto",
    ):
        assert told in str(refused.value)
    assert "new-1" not in str(refused.value)


def test_a_level_that_refuses_is_told_as_the_setting_it_is():
    conf = configured(compute="caracal")
    bus = Bus(conf, "nova", "fake:/")
    client = bus.client(nova.COMPUTE, pins.NovaPins(conf).of(nova.COMPUTE))
    with pytest.raises(errors.PeerTooOld, match=r"\[upgrade_levels\]compute = caracal, which is 6\.3"):
        client.send(ADMIN, "allow_share", **share(bus))
    bus.close()


def test_the_fleet_is_looked_at_once_and_not_for_each_message(bus):
    fleet = Fleet((72, "a"))
    client, found = compute_client(bus, fleet)
    assert fleet.read == 0
    assert [client.pin.rpc for _ in range(5)] == ["6.5"] * 5
    assert bus.client(nova.COMPUTE, found.of(nova.COMPUTE)).pin.rpc == "6.5"
    assert fleet.read == 1


def test_nobody_is_asked_without_auto():
    conf = configured(compute="6.4")
    fleet = Fleet((60, "a"))
    assert pins.NovaPins(conf, fleet.lowest).of(nova.COMPUTE)().rpc == "6.4"
    assert fleet.read == 0


def test_a_pin_rises_once_the_old_computes_are_gone_and_the_process_is_told(bus):
    fleet = Fleet((68, "old"), (74, "new"))
    client, found = compute_client(bus, fleet)
    assert client.pin.rpc == "6.4"
    fleet.computes.remove((68, "old"))
    assert client.pin.rpc == "6.4"
    found.forget()
    assert client.pin.rpc == "6.5"


def test_a_pin_falls_when_an_old_compute_joins_and_the_process_is_told(bus):
    fleet = Fleet((74, "new"))
    client, found = compute_client(bus, fleet)
    assert client.pin.rpc == "6.5"
    fleet.computes.append((68, "old"))
    found.forget()
    assert client.pin.rpc == "6.4"


def test_a_refused_message_goes_out_when_the_old_compute_is_gone_by_now(bus):
    fleet = Fleet((67, "old"))
    client, _ = compute_client(bus, fleet)
    assert client.pin.rpc == "6.3"
    fleet.computes[:] = [(74, "new")]
    client.send(ADMIN, "allow_share", **share(bus))
    assert client.pin.rpc == "6.5"


def test_refusals_do_not_look_at_the_fleet_each_time(bus):
    fleet = Fleet((67, "old"))
    client, _ = compute_client(bus, fleet, patience=60.0)
    for _ in range(3):
        with pytest.raises(errors.PeerTooOld):
            client.send(ADMIN, "allow_share", **share(bus))
    assert fleet.read == 1


def test_a_peer_that_does_not_know_the_version_makes_the_client_look_again_and_send_an_older_one(bus):
    """The pin was taken before an older compute came."""
    peer, host = Peer(), f"host-{uuid.uuid4().hex[:8]}"
    older = Interface("compute", "nova", "5.13", ("compute",), nova.COMPUTE.methods)
    server = bus.server("compute", host, [Endpoint(older, peer)])
    alt = bus.server("compute-alt", host, [Endpoint(older, peer)])
    server.start()
    alt.start()
    try:
        fleet = Fleet((74, host))
        client, _ = compute_client(bus, fleet)
        assert client.pin.rpc == "6.5"
        fleet.computes[:] = [(55, host)]
        assert client.send(ADMIN, "get_host_uptime", server=host) == "long"
        assert client.pin.rpc == "5.13"
    finally:
        server.stop(0)
        alt.stop(0)


def test_a_peer_that_knows_no_version_is_told_to_the_caller(bus):
    peer, host = Peer(), f"host-{uuid.uuid4().hex[:8]}"
    older = Interface("compute", "nova", "4.0", ("compute",), nova.COMPUTE.methods)
    servers = [bus.server(topic, host, [Endpoint(older, peer)]) for topic in ("compute", "compute-alt")]
    for server in servers:
        server.start()
    try:
        client, _ = compute_client(bus, Fleet((74, host)))
        with pytest.raises(errors.RemoteFault) as fault:
            client.send(ADMIN, "get_host_uptime", server=host)
        assert fault.value.class_name == "UnsupportedVersion"
    finally:
        for server in servers:
            server.stop(0)


def test_a_compute_from_the_future_is_told_at_every_send(bus):
    client, _ = compute_client(bus, Fleet((99, "future-1")))
    for _ in range(2):
        with pytest.raises(errors.PeerTooNew, match="future-1"):
            client.send(ADMIN, "get_host_uptime", server="h")


def test_no_compute_yet_is_looked_up_again(bus):
    fleet = Fleet()
    client, _ = compute_client(bus, fleet)
    assert client.pin.rpc == "6.5"
    fleet.computes.append((68, "old"))
    assert client.pin.rpc == "6.4"


def written(host, rpc, objects, binary="cinder-volume"):
    return {"host": host, "binary": binary, "rpc_current_version": rpc, "object_current_version": objects}


@pytest.fixture
def volumes():
    conf = cfg.ConfigOpts()
    conf([], project="keel", default_config_files=[])
    bus = Bus(conf, "cinder", "fake:/")
    rows = []
    found = pins.CinderPins(lambda binary: [row for row in rows if binary in (None, row["binary"])], patience=0.0)
    with count_messages() as sent:
        yield rows, found, bus.client(cinder.VOLUME, found.of(cinder.VOLUME)), sent
    bus.close()


def a_volume():
    volume = cinder_objects.Volume(id=str(uuid.uuid4()), host="node-1@lvm#pool", use_quota=True)
    volume.cluster_name = None
    return volume


def test_objects_go_out_in_the_versions_the_oldest_service_reads(volumes):
    rows, found, client, sent = volumes
    rows += [written("node-1@lvm", "3.20", "1.38"), written("node-2@lvm", "3.20", "1.39")]
    context = Context.admin("cinder")
    client.send(context, "delete_volume", volume=a_volume())
    rows.pop(0)
    client.send(context, "delete_volume", volume=a_volume())
    found.forget()
    client.send(context, "delete_volume", volume=a_volume())
    told = [message["args"]["volume"]["versioned_object.version"] for _, _, message in sent]
    assert told == ["1.8", "1.8", "1.9"]


@pytest.mark.parametrize(
    ("version", "address"),
    [("3.20", ("cinder-volume.node-1@lvm", "node-1")), ("3.5", ("cinder-volume", "node-1@lvm"))],
)
def test_the_topic_of_a_backend_follows_the_oldest_service(volumes, version, address):
    rows, _, client, sent = volumes
    rows += [written("node-1@lvm", "3.20", "1.39"), written("node-2@lvm", version, "1.39")]
    client.send(Context.admin("cinder"), "delete_volume", volume=a_volume())
    assert (sent[0][0].topic, sent[0][0].server) == address


def test_refused_volume_message_tells_who_holds_the_pin(volumes):
    rows, _, client, _ = volumes
    rows += [written("node-1@lvm", "3.20", "1.39"), written("node-2@lvm", "3.6", "1.39")]
    request = cinder_objects.LogLevel(prefix="a")
    with pytest.raises(errors.PeerTooOld) as refused:
        client.send(Context.admin("cinder"), "get_log_levels", log_request=request, server="node-1@lvm")
    for told in ("get_log_levels", "3.12", "3.6", "cinder-volume on node-2@lvm", "Flamingo (2025.2, cinder 27)"):
        assert told in str(refused.value)


def test_results_of_a_server_go_out_in_the_versions_everybody_reads():
    conf = cfg.ConfigOpts()
    conf([], project="keel", default_config_files=[])
    bus = Bus(conf, "cinder", "fake:/")
    rows = [written("node-1@lvm", "3.20", "1.39"), written("b", "2.4", "1.38", "cinder-backup")]
    found = pins.CinderPins(lambda binary: rows)
    serializer = bus.serializer(lambda: found.everybody()().objects)
    versions = []
    for _ in range(2):
        versions.append(serializer.serialize_entity(None, a_volume())["versioned_object.version"])
        rows.pop()
        found.forget()
    assert versions == ["1.8", "1.9"]
    bus.close()
