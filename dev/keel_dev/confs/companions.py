"""Configuration of Keystone, Placement, Glance and Neutron."""

from keel_dev.confs import shared
from keel_dev.ini import Sections
from keel_dev.settings import Settings

#: What Neutron does not count, so that a test may create as much as it likes.
UNLIMITED = ("network", "subnet", "port", "router", "floatingip", "security_group", "security_group_rule")


def keystone(settings: Settings) -> Sections:
    """keystone.conf: fernet tokens of a day, a cache in the one process."""
    keys = settings.state / "keystone"
    return {
        "DEFAULT": {"use_stderr": True},
        "database": shared.database(settings, "keystone"),
        "token": {"provider": "fernet", "expiration": 86400},
        "fernet_tokens": {"key_repository": keys / "fernet-keys"},
        "credential": {"key_repository": keys / "credential-keys"},
        # The least that bcrypt allows: clients on this machine log in all the time.
        "identity": {"password_hash_rounds": 4},
        "cache": {"enabled": True, "backend": "oslo_cache.dict"},
    }


def placement(settings: Settings) -> Sections:
    """placement.conf."""
    return {
        "DEFAULT": {"use_stderr": True},
        "api": {"auth_strategy": "keystone"},
        "placement_database": shared.database(settings, "placement"),
        "keystone_authtoken": shared.authtoken(settings, "placement"),
    }


def glance(settings: Settings) -> Sections:
    """glance-api.conf: one store of files."""
    state = settings.state_of("glance")
    return {
        "DEFAULT": {
            "use_stderr": True,
            "enabled_backends": "files:file",
            "worker_self_reference_url": settings.url("glance"),
        },
        "database": shared.database(settings, "glance"),
        "glance_store": {"default_backend": "files"},
        "files": {"filesystem_store_datadir": state / "images"},
        "os_glance_staging_store": {"filesystem_store_datadir": state / "staging"},
        "os_glance_tasks_store": {"filesystem_store_datadir": state / "tasks"},
        "keystone_authtoken": shared.authtoken(settings, "glance"),
        "paste_deploy": {
            "flavor": "keystone",
            "config_file": settings.environment_folder("companions") / "etc" / "glance" / "glance-api-paste.ini",
        },
        "oslo_concurrency": shared.lock_path(settings, "glance"),
    }


def neutron(settings: Settings) -> Sections:
    """neutron.conf: ML2 without agents; the compute API hears of every port's status."""
    return {
        "DEFAULT": {
            "use_stderr": True,
            "transport_url": settings.transport_url,
            "state_path": settings.state_of("neutron"),
            "api_paste_config": settings.environment_folder("companions") / "etc" / "neutron" / "api-paste.ini",
            "core_plugin": "ml2",
            "service_plugins": "router",
            "notify_nova_on_port_status_changes": True,
            "notify_nova_on_port_data_changes": True,
            "send_events_interval": 1,
            "dhcp_agent_notification": False,
            "api_workers": 1,
            "rpc_workers": 0,
            "rpc_state_report_workers": 0,
            "global_physnet_mtu": 1500,
        },
        "database": shared.database(settings, "neutron"),
        "keystone_authtoken": shared.authtoken(settings, "neutron"),
        "nova": shared.service_user(settings, "nova"),
        "placement": shared.service_user(settings, "placement"),
        "oslo_concurrency": shared.lock_path(settings, "neutron"),
        "ml2": {
            "type_drivers": "local,flat,vlan,vxlan",
            "tenant_network_types": "vxlan",
            "mechanism_drivers": "keel",
            "extension_drivers": "port_security",
        },
        "ml2_type_flat": {"flat_networks": "public"},
        "ml2_type_vxlan": {"vni_ranges": "1:10000"},
        "quotas": {f"quota_{name}": -1 for name in UNLIMITED},
    }
