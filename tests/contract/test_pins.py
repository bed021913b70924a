"""Pins follow [upgrade_levels] and the services' versions, and say why they are where they are."""

import pytest
from oslo_config import cfg

from keel_contract import errors, goldens, pins, releases, versions
from keel_contract.cinder import interfaces as cinder
from keel_contract.nova import interfaces as nova
from keel_contract.nova import objects
from keel_contract.serializer import Serializer

PINNABLE = {"compute": nova.COMPUTE, "conductor": nova.CONDUCTOR, "scheduler": nova.SCHEDULER, "base": nova.BASE}
BINARIES = {"cinder-volume": cinder.VOLUME, "cinder-scheduler": cinder.SCHEDULER, "cinder-backup": cinder.BACKUP}


def conf_with(**levels):
    conf = cfg.ConfigOpts()
    conf([], project="keel", default_config_files=[])
    for option in ("compute", "conductor", "scheduler", "baseapi"):
        conf.register_opt(cfg.StrOpt(option), group="upgrade_levels")
        conf.set_override(option, levels.get(option), group="upgrade_levels")
    return conf


def pinned(interface, level):
    option = "baseapi" if interface.name == "base" else interface.name
    return pins.nova(conf_with(**{option: level}), interface)


@pytest.mark.parametrize("interface", [*PINNABLE.values(), nova.COMPUTE_TASK])
def test_no_level_is_the_newest_version(interface):
    assert pins.nova(conf_with(), interface).rpc is None


@pytest.mark.parametrize(
    ("name", "release", "version"),
    [(name, release, version) for name, table in releases.NOVA_ALIASES.items() for release, version in table.items()],
)
def test_level_by_release_is_the_version_nova_knows_under_that_name(name, release, version):
    pin = pinned(PINNABLE[name], release)
    assert (pin.rpc, pin.holder) == (version, None)
    assert release in pin.why
    assert pinned(PINNABLE[name], release.capitalize()).rpc == version


@pytest.mark.parametrize("interface", PINNABLE.values())
@pytest.mark.parametrize("level", ["1.0", "3.5", "4.5", "6.4", "99.1"])
def test_level_by_number_is_that_version(interface, level):
    assert pinned(interface, level).rpc == level


@pytest.mark.parametrize("interface", PINNABLE.values())
@pytest.mark.parametrize("level", ["bobbin", "6", "six.four", ""])
def test_level_that_is_neither_is_an_error_that_names_the_option(interface, level):
    if not level:
        assert pinned(interface, level).rpc is None
        return
    with pytest.raises(errors.UnknownLevel, match=rf"\[upgrade_levels\]\w+ = {level}"):
        pinned(interface, level)


@pytest.mark.parametrize("interface", [nova.CONDUCTOR, nova.SCHEDULER, nova.BASE])
def test_only_compute_can_be_found_out(interface):
    with pytest.raises(errors.UnknownLevel, match="auto"):
        pinned(interface, "auto")


@pytest.mark.parametrize("release", releases.NOVA, ids=lambda release: release.name)
def test_compute_by_name_of_a_recorded_release_is_what_its_computes_speak(release):
    assert pinned(nova.COMPUTE, release.name).rpc == release.rpc["compute"]
    assert pins.compute_version(release.service_version) == release.rpc["compute"]


def auto(version, host="node-7"):
    return pins.nova(conf_with(compute="auto"), nova.COMPUTE, lambda: pins.Lowest(version, host))


@pytest.mark.parametrize("version", range(1, releases.SERVICE_VERSION + 1))
def test_auto_follows_the_oldest_compute(version):
    pin = auto(version)
    assert pin.rpc == max((rpc for first, rpc in releases.COMPUTE_HISTORY if first <= version), key=versions.parse)
    assert pin.holder == pins.Holder("node-7", "nova-compute", str(version))
    assert "node-7" in pin.why
    assert pin.settled


def test_auto_without_computes_is_the_newest_version_and_not_remembered():
    pin = auto(0, "")
    assert (pin.rpc, pin.settled, pin.holder) == (nova.COMPUTE.version, False, None)


def test_auto_refuses_a_compute_from_the_future():
    with pytest.raises(errors.PeerTooNew, match="node-7"):
        auto(releases.SERVICE_VERSION + 1)


def test_compute_task_is_never_pinned():
    assert pins.nova(conf_with(conductor="2.0"), nova.COMPUTE_TASK).rpc is None
    assert pins.nova(conf_with(conductor="2.0"), nova.CONDUCTOR).rpc == "2.0"


def test_table_of_releases_agrees_with_the_interfaces():
    current = releases.NOVA[-1]
    recorded = goldens.load("nova", "methods")["interfaces"]
    answered = {"baseapi" if name == "base" else name: row["answers"]["version"] for name, row in recorded.items()}
    assert current.rpc == answered | {"compute_v5": recorded["compute"]["older"]["version"]}
    assert current.service_version == releases.SERVICE_VERSION
    assert releases.CINDER[-1].rpc == {interface.name: interface.version for interface in BINARIES.values()}
    named = {name: version for version, name in releases.SERVICE_VERSIONS}
    for release in releases.NOVA:
        assert named[release.name] == release.service_version


@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("5.12", "Wallaby"),
        ("6.0", "Xena"),
        ("6.2", "Antelope"),
        ("6.4", "Epoxy (2025.1, nova 31)"),
        ("6.5", "Gazpacho (2026.1, nova 33)"),
        ("6.6", "no release known here (compute 6.6)"),
    ],
)
def test_the_release_that_brings_a_version_is_told(version, told):
    assert releases.first_with("nova", "compute", version) == told


@pytest.mark.parametrize("release", releases.NOVA, ids=lambda release: release.name)
def test_computes_are_refused_exactly_where_the_real_services_refuse_them(release):
    refusal = pins.refusal_of_old_computes(pins.Lowest(release.service_version, "node-7"))
    if release.service_version >= releases.NOVA[-1].oldest_compute:
        assert refusal is None
        return
    for word in ("node-7", str(release.service_version), release.name, "72", "Gazpacho (2026.1, nova 33)"):
        assert word in refusal


def test_no_compute_is_no_old_compute():
    assert pins.refusal_of_old_computes(pins.Lowest(0)) is None


def row(host, rpc="3.20", objects="1.39", binary="cinder-volume"):
    return {"host": host, "binary": binary, "rpc_current_version": rpc, "object_current_version": objects}


def test_cinder_pins_to_the_lowest_numbers_any_row_has():
    pin = pins.cinder(cinder.VOLUME, [row("a"), row("b", "3.9"), row("c", "3.16", "1.38")])
    assert pin.rpc == "3.9"  # as numbers: 3.9 is below 3.16
    assert pin.holder == pins.Holder("b", "cinder-volume", "3.9")
    assert (pin.objects["Volume"], pin.objects["Snapshot"], pin.objects["VolumeType"]) == ("1.8", "1.5", "1.3")
    for told in ("cinder-volume on b", "3.9", "cinder-volume on c", "1.38"):
        assert told in pin.why


@pytest.mark.parametrize(("binary", "interface"), BINARIES.items())
@pytest.mark.parametrize("release", releases.CINDER, ids=lambda release: release.name)
def test_cinder_services_of_every_recorded_release_are_pinned_to_what_they_write(binary, interface, release):
    written = [row("a", release.rpc[interface.name], release.objects, binary)]
    pin = pins.cinder(interface, written)
    assert (pin.rpc, pin.holder.binary) == (release.rpc[interface.name], binary)
    assert pin.objects == pins.cinder_manifest(release.objects)


@pytest.mark.parametrize("interface", BINARIES.values())
def test_cinder_without_rows_uses_its_own_versions(interface):
    pin = pins.cinder(interface, [])
    assert (pin.rpc, pin.objects, pin.holder) == (interface.version, None, None)


@pytest.mark.parametrize("missing", [{"rpc": None}, {"objects": None}])
def test_cinder_row_without_versions_is_refused(missing):
    with pytest.raises(errors.PeerTooOld, match="cinder-volume on old-host"):
        pins.cinder(cinder.VOLUME, [row("a"), row("old-host", **missing)])


@pytest.mark.parametrize("unknown", ["1.37", "1.40"])
def test_cinder_objects_that_nobody_knows_are_refused_when_they_are_the_lowest(unknown):
    with pytest.raises(errors.PeerTooNew, match=rf"cinder-volume on a reports objects {unknown}"):
        pins.cinder(cinder.VOLUME, [row("a", objects=unknown)])
    if versions.older("1.39", unknown):
        assert pins.cinder(cinder.VOLUME, [row("a", objects=unknown), row("b")]).objects is None


def test_results_are_limited_by_the_services_of_every_binary():
    rows = [row("a"), row("b", "2.4", "1.38", "cinder-backup")]
    pin = pins.everybody(rows)
    assert (pin.rpc, pin.objects["Volume"], pin.holder.binary) == (None, "1.8", "cinder-backup")
    assert pins.everybody(rows[:1]).objects is None
    assert pins.everybody([]).objects is None


@pytest.mark.parametrize("interface", [nova.COMPUTE, nova.COMPUTE_TASK, nova.SCHEDULER, nova.CONDUCTOR])
@pytest.mark.parametrize("release", list(releases.NOVA), ids=lambda release: release.name)
def test_objects_travel_as_the_oldest_conductor_knows_them(interface, release):
    """A reader that cannot read an object asks any conductor for an older one: the oldest must know it."""
    kept = pins.NovaPins(
        conf_with(compute="auto"),
        lambda: pins.Lowest(74),
        conductor=lambda: pins.Lowest(release.service_version, "old"),
    )
    pin = kept.of(interface)()
    serializer = Serializer("nova", objects.REGISTRY, pin.objects)
    spec = objects.RequestSpec(image=objects.ImageMeta(properties=objects.ImageMetaProps()))
    sent = serializer.serialize_entity(None, spec)["nova_object.data"]["image"]["nova_object.data"]["properties"]
    known = release.objects.get("ImageMetaProps", objects.ImageMetaProps.VERSION)
    assert sent["nova_object.version"] == known
    assert ("old" in pin.why) == bool(release.objects)


@pytest.mark.parametrize(("level", "conductor"), [(None, 72), ("6.5", 72), ("auto", 0)])
def test_objects_are_the_newest_without_auto_or_without_conductors(level, conductor):
    kept = pins.NovaPins(conf_with(compute=level), lambda: pins.Lowest(74), conductor=lambda: pins.Lowest(conductor))
    assert kept.of(nova.COMPUTE)().objects is None
