"""nova.conf and cinder.conf are read with the recorded names, types and defaults."""

import socket

import pytest
from oslo_config import cfg

from keel_common.config import backends, load, settings_without_effect, warn_without_effect


def write(tmp_path, text):
    path = tmp_path / "service.conf"
    path.write_text(text)
    return str(path)


def test_recorded_defaults_of_nova_hold():
    conf = load("compute", argv=[])
    assert conf.control_exchange == "nova"
    assert conf.service_down_time == 60
    assert conf.scheduler.max_attempts == 3
    assert conf.host == socket.gethostname()
    assert conf.my_block_storage_ip == conf.my_ip
    assert conf.cinder.catalog_info == "volumev3::publicURL"


def test_recorded_defaults_of_cinder_hold():
    conf = load("volume", argv=[])
    assert conf.default_volume_type == "__DEFAULT__"
    assert conf.state_path == "/var/lib/cinder"
    assert conf.database.max_retries == 10


def test_config_file_argument_is_read_with_types_and_deprecated_names(tmp_path):
    path = write(tmp_path, "[DEFAULT]\nreport_interval = 3\npci_alias = {}\n[neutron]\nauth_url = http://keystone\n")
    conf = load("compute", argv=["--config-file", path])
    assert conf.report_interval == 3
    assert conf.pci.alias == ["{}"]
    assert conf.neutron.auth_url == "http://keystone"


def test_config_dir_argument_is_read(tmp_path):
    (tmp_path / "10-a.conf").write_text("[keel]\nhealth_port = 9100\n")
    assert load("compute", argv=["--config-dir", str(tmp_path)]).keel.health_port == 9100


def test_bad_value_is_refused(tmp_path):
    conf = load("compute", config_files=[write(tmp_path, "[DEFAULT]\nreport_interval = soon\n")])
    with pytest.raises(cfg.ConfigFileValueError):
        _ = conf.report_interval


def test_backend_section_falls_back_to_backend_defaults(tmp_path):
    text = "[DEFAULT]\nenabled_backends = fast,slow\n[backend_defaults]\nreserved_percentage = 7\n"
    conf = load(
        "volume", config_files=[write(tmp_path, text + "[fast]\nvolume_backend_name = f\nreserved_percentage = 1\n")]
    )
    fast, slow = backends(conf)
    assert (fast.name, fast.volume_backend_name, fast.reserved_percentage) == ("fast", "f", 1)
    assert (slow.name, slow.volume_backend_name, slow.reserved_percentage) == ("slow", None, 7)
    with pytest.raises(cfg.NoSuchOptError):
        _ = slow.no_such_option


def test_a_library_may_register_its_options_again():
    conf = load("compute", argv=[])
    conf.register_opts([cfg.StrOpt("control_exchange", default="openstack"), cfg.StrOpt("auth_url")])
    conf.register_opts([cfg.Opt("auth-url", required=True)], group="neutron")
    assert conf.control_exchange == "nova"


def test_settings_without_effect_are_named_once(tmp_path, caplog):
    conf = load(
        "compute", config_files=[write(tmp_path, "[DEFAULT]\ncompute_driver = x\n[libvirt]\nvirt_type = kvm\n")]
    )
    assert settings_without_effect(conf) == ["DEFAULT.compute_driver", "libvirt.virt_type"]
    warn_without_effect(conf)
    assert [r.levelname for r in caplog.records] == ["WARNING"]
    assert "libvirt.virt_type" in caplog.text


def test_nothing_is_warned_about_when_defaults_are_kept(caplog):
    warn_without_effect(load("volume", argv=[]))
    assert not caplog.records
