"""Pins follow [upgrade_levels] and the services' versions, and say why they are where they are."""

import pytest
from oslo_config import cfg

from keel_contract import errors, goldens, pins, releases
from keel_contract.cinder import interfaces as cinder
from keel_contract.nova import interfaces as nova


def conf_with(**levels):
    conf = cfg.ConfigOpts()
    conf([], project="keel", default_config_files=[])
    for option in ("compute", "conductor", "scheduler", "baseapi"):
        conf.register_opt(cfg.StrOpt(option), group="upgrade_levels")
        conf.set_override(option, levels.get(option), group="upgrade_levels")
    return conf


def test_no_level_is_the_newest_version():
    assert pins.nova(conf_with(), nova.COMPUTE).rpc is None


@pytest.mark.parametrize(
    ("level", "version"), [("6.4", "6.4"), ("epoxy", "6.4"), ("Gazpacho", "6.5"), ("caracal", "6.3")]
)
def test_level_is_a_version_or_a_release(level, version):
    pin = pins.nova(conf_with(compute=level), nova.COMPUTE)
    assert pin.rpc == version
    assert level in pin.why


def test_unknown_level_is_an_error():
    with pytest.raises(ValueError, match="bobbin"):
        pins.nova(conf_with(compute="bobbin"), nova.COMPUTE)


@pytest.mark.parametrize(
    ("service_version", "rpc"), [(68, "6.4"), (70, "6.4"), (72, "6.5"), (74, "6.5"), (0, "6.5"), (66, "6.2")]
)
def test_auto_follows_the_oldest_compute(service_version, rpc):
    pin = pins.nova(conf_with(compute="auto"), nova.COMPUTE, lambda: pins.Lowest(service_version, "node-7"))
    assert pin.rpc == rpc
    assert service_version == 0 or "node-7" in pin.why


def test_auto_refuses_a_compute_from_the_future():
    with pytest.raises(errors.PeerTooOld, match="node-7"):
        pins.nova(conf_with(compute="auto"), nova.COMPUTE, lambda: pins.Lowest(99, "node-7"))


def test_compute_task_is_never_pinned():
    assert pins.nova(conf_with(conductor="2.0"), nova.COMPUTE_TASK).rpc is None
    assert pins.nova(conf_with(conductor="2.0"), nova.CONDUCTOR).rpc == "2.0"


def test_table_of_releases_agrees_with_the_interfaces():
    current = releases.NOVA[-1]
    recorded = goldens.load("nova", "methods")["server"]
    assert current.rpc == {name: row["version"] for name, row in recorded.items()}
    assert current.service_version == releases.SERVICE_VERSION
    for release in releases.NOVA:
        assert pins.compute_version(release.service_version) == release.rpc["compute"]


def row(host, rpc="3.20", objects="1.39"):
    return {"host": host, "rpc_current_version": rpc, "object_current_version": objects}


def test_cinder_pins_to_the_lowest_numbers_any_row_has():
    pin = pins.cinder(cinder.VOLUME, [row("a"), row("b", "3.9"), row("c", "3.16", "1.38")])
    assert pin.rpc == "3.9"  # as numbers: 3.9 is below 3.16
    assert (pin.objects["Volume"], pin.objects["Snapshot"], pin.objects["VolumeType"]) == ("1.8", "1.5", "1.3")
    assert pin.why.startswith("b reports 3.9")


def test_cinder_without_rows_uses_its_own_versions():
    assert pins.cinder(cinder.BACKUP, []) == pins.Pin("2.4", None, "no backup service has reported yet")


def test_cinder_row_without_versions_or_with_unknown_ones_is_refused():
    with pytest.raises(errors.PeerTooOld, match="old-host"):
        pins.cinder(cinder.VOLUME, [row("old-host", rpc=None)])
    with pytest.raises(errors.PeerTooOld, match=r"1\.40"):
        pins.cinder(cinder.VOLUME, [row("a", objects="1.40")])
