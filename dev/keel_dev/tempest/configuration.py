"""tempest.conf, from the facts of a running cloud.

A flag that stands here says what the services can do with Nova's fake driver and Cinder's small files; a way takes
away what its own compute cannot.
"""

from pathlib import Path

from keel_dev.client import connect
from keel_dev.confs.compute import SCHEDULER_FILTERS
from keel_dev.ini import Sections
from keel_dev.seeds import images
from keel_dev.seeds.volume_types import MULTIATTACH
from keel_dev.settings import PASSWORD, REGION, Settings
from keel_dev.tempest.ways import Way

FLAVOR, FLAVOR_ALT = "m1.nano", "m1.tiny"
NETWORK, EXTERNAL_NETWORK = "private", "public"
#: The newest microversions of Nova 34 and Cinder 29.
COMPUTE_MICROVERSION, VOLUME_MICROVERSION = "2.104", "3.71"
#: Seconds that something may take on a busy machine.
PATIENCE = 300
#: [compute-feature-enabled]: on with the fake driver. There are no guests: nothing that looks into one is on.
FEATURES = (
    "change_password",
    "cold_migration",
    "console_output",
    "enable_instance_password",
    "interface_attach",
    "live_migrate_back_and_forth",
    "live_migration",
    "pause",
    "rescue",
    "resize",
    "shelve",
    "snapshot",
    "suspend",
    "vnc_console",
    "volume_backed_live_migration",
    "volume_multiattach",
)
ABSENT_FEATURES = (
    "attach_encrypted_volume",
    "config_drive",
    "ide_bus",
    "metadata_service",
    "personality",
    "serial_console",
    "spice_console",
    "stable_rescue",
    "swap_volume",
    "unified_limits",
)


def tempest_conf(settings: Settings, way: Way, workspace: Path) -> Sections:
    """All sections; images and volume types must have been seeded."""
    return {
        "DEFAULT": {"use_stderr": False, "log_file": workspace / "tempest.log"},
        "oslo_concurrency": {"lock_path": workspace / "lock"},
        **_identity(settings),
        "service_available": {
            "cinder": True,
            "glance": True,
            "horizon": False,
            "neutron": True,
            "nova": True,
            "swift": False,
        },
        "validation": {"run_validation": False},
        "placement": {"min_microversion": "1.0", "max_microversion": "latest"},
        **_compute(settings, way),
        **_image(),
        **_network(settings),
        **_volume(way),
    }


def _identity(settings: Settings) -> Sections:
    return {
        "auth": {
            "use_dynamic_credentials": True,
            "admin_username": "admin",
            "admin_password": PASSWORD,
            "admin_project_name": "admin",
            "admin_domain_name": "Default",
            "tempest_roles": "member",
            "create_isolated_networks": True,
        },
        "identity": {
            "uri_v3": settings.auth_url,
            "auth_version": "v3",
            "region": REGION,
            "v3_endpoint_type": "public",
        },
        "identity-feature-enabled": {"security_compliance": False},
    }


def _compute(settings: Settings, way: Way) -> Sections:
    cloud = connect(settings)
    flavors = {flavor.name: flavor.id for flavor in cloud.compute.flavors()}
    found = {image.name: image.id for image in cloud.image.images()}
    off = (*ABSENT_FEATURES, *way.without)
    flags = {name: name not in off for name in (*FEATURES, *ABSENT_FEATURES)}
    return {
        "compute": {
            "image_ref": found[images.NAME],
            "image_ref_alt": found[images.OTHER_NAME],
            "flavor_ref": flavors[FLAVOR],
            "flavor_ref_alt": flavors[FLAVOR_ALT],
            "fixed_network_name": NETWORK,
            "min_compute_nodes": 2,
            "min_microversion": "2.1",
            "max_microversion": COMPUTE_MICROVERSION,
            "build_interval": 1,
            "build_timeout": PATIENCE,
            "ready_wait": 0,
            "hypervisor_type": way.hypervisor,
        },
        "compute-feature-enabled": flags | {"scheduler_enabled_filters": ",".join(SCHEDULER_FILTERS)},
    }


def _image() -> Sections:
    return {
        "image": {"build_interval": 1, "http_image": "none", "image_caching_enabled": False},
        "image-feature-enabled": {"import_image": True},
    }


def _network(settings: Settings) -> Sections:
    external = connect(settings).network.find_network(EXTERNAL_NETWORK, ignore_missing=False)
    return {
        "network": {
            "project_network_cidr": "10.100.0.0/16",
            "project_network_mask_bits": 28,
            "project_networks_reachable": False,
            "public_network_id": external.id,
            "floating_network_name": EXTERNAL_NETWORK,
            "build_interval": 1,
        },
        "network-feature-enabled": {
            "floating_ips": True,
            "ipv6": True,
            "port_security": True,
            "api_extensions": "all",
        },
    }


def _volume(way: Way) -> Sections:
    protocol, vendor = way.storage
    return {
        "volume": {
            "backend_names": ",".join(way.backends),
            "storage_protocol": protocol,
            "vendor_name": vendor,
            "volume_type_multiattach": MULTIATTACH,
            "backup_driver": "posix",
            "disk_format": "raw",
            "volume_size": 1,
            "manage_volume_ref": "source-name,volume-%s",
            "manage_snapshot_ref": "source-name,snapshot-%s",
            "min_microversion": "3.0",
            "max_microversion": VOLUME_MICROVERSION,
            "build_interval": 1,
            "build_timeout": PATIENCE,
        },
        "volume-feature-enabled": {
            "backup": True,
            "clone": True,
            "extend_attached_volume": True,
            "manage_snapshot": True,
            "manage_volume": True,
            "multi_backend": len(way.backends) > 1,
            "snapshot": True,
        },
    }
