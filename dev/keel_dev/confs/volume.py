"""cinder.conf of OpenKeel's volume services and of the real ones."""

from keel_dev.confs import shared
from keel_dev.ini import Sections
from keel_dev.settings import HOST, Settings

#: The one backend of OpenKeel: every StorageClass of the cluster is reached through it. Its section cannot be named
#: like the group [csi], which says how the cluster is reached.
BACKEND = "csi"
SECTION = "cluster"
#: The one backend of a real cinder-volume.
FILES = "files"
#: The default StorageClass of the simulated cluster; the others bind late or cannot grow, for tests that want that.
STORAGE_CLASS = "standard"


def common(settings: Settings, process: str) -> Sections:
    """What every service of the suite needs to know."""
    state = settings.state_of("volume")
    return {
        "DEFAULT": {
            "host": settings.prefix,
            "my_ip": HOST,
            "use_stderr": True,
            "transport_url": settings.transport_url,
            "state_path": state,
            "rpc_ping_enabled": True,
            "graceful_shutdown_timeout": 20,
            "auth_strategy": "keystone",
            "osapi_volume_listen": HOST,
            "osapi_volume_listen_port": settings.port("volume-api"),
            "glance_api_servers": settings.url("glance"),
            "glance_catalog_info": "image:glance:publicURL",
            "default_volume_type": "csi",
            "enabled_backends": SECTION,
            "allow_availability_zone_fallback": True,
            "backup_driver": "cinder.backup.drivers.posix.PosixBackupDriver",
            "backup_posix_path": state / "backups",
        },
        "database": shared.database(settings, "cinder"),
        "keystone_authtoken": shared.authtoken(settings, "cinder"),
        "service_user": shared.sent_service_token(settings, "cinder"),
        "nova": shared.service_user(settings, "nova") | {"interface": "public"},
        "oslo_concurrency": shared.lock_path(settings, process),
        "coordination": {"backend_url": f"file://{state / 'coordination'}"},
        SECTION: {"volume_backend_name": BACKEND},
    }


def keel(settings: Settings, process: str, health_port: int) -> Sections:
    """A service of OpenKeel: Cinder's options, and our own in groups of our own."""
    return common(settings, process) | {
        "keel": shared.own(settings, health_port),
        "csi": {"kubeconfig": settings.kubeconfig, "storage_classes": STORAGE_CLASS, "export_links": "external"},
    }


def real(settings: Settings, process: str, environment: str, beside: bool) -> Sections:
    """A real service of Cinder; its volume service keeps volumes as small files under a backend of its own.

    In the place of ours that backend has the name which the seeded volume type asks for; beside ours it has its own.
    """
    sections = common(settings, process)
    folder = settings.environment_folder(environment) / "etc" / "cinder"
    helper: dict[str, object] = {"helper_command": settings.program("privsep-helper", environment)}
    sections["DEFAULT"] |= {
        "api_paste_config": folder / "api-paste.ini",
        "resource_query_filters_file": folder / "resource_filters.json",
        "enabled_backends": FILES,
        "osapi_volume_workers": 1,
    }
    del sections[SECTION]
    return sections | {
        "cinder_sys_admin": helper,
        "privsep_osbrick": helper,
        FILES: {
            "volume_driver": "keel_plugins.small_file_volumes.SmallFileVolumeDriver",
            "volume_backend_name": FILES if beside else BACKEND,
            "keel_volume_dir": settings.state_of("real-volumes"),
        },
    }
