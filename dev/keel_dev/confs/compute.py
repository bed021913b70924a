"""nova.conf of OpenKeel's compute services and of the real ones: one set of facts, Nova's option names."""

from keel_dev.confs import shared
from keel_dev.ini import Sections
from keel_dev.settings import HOST, REGION, Settings

#: A real service of Nova finishes its work only when this is shorter than graceful_shutdown_timeout.
MANAGER = {"manager_shutdown_timeout": 15}
#: The filters that are on by default, and the two that honour the hints `same_host` and `different_host`.
SCHEDULER_FILTERS = (
    "ComputeFilter",
    "ComputeCapabilitiesFilter",
    "ImagePropertiesFilter",
    "ServerGroupAntiAffinityFilter",
    "ServerGroupAffinityFilter",
    "SameHostFilter",
    "DifferentHostFilter",
)


def common(settings: Settings, process: str) -> Sections:
    """What every service of the suite needs to know."""
    return {
        "DEFAULT": {
            "host": process,
            "my_ip": HOST,
            "use_stderr": True,
            "transport_url": settings.transport_url,
            "rpc_response_timeout": 30,
            "state_path": settings.state_of(process),
            "rpc_ping_enabled": True,
            "graceful_shutdown_timeout": 20,
        },
        "oslo_concurrency": shared.lock_path(settings, process),
        "service_user": shared.sent_service_token(settings, "nova"),
        "keystone": shared.service_user(settings, "nova"),
        "placement": shared.service_user(settings, "nova"),
        "glance": {"region_name": REGION},
        "neutron": shared.service_user(settings, "neutron"),
        "cinder": shared.service_user(settings, "nova")
        | {"catalog_info": "block-storage:cinder:publicURL", "os_region_name": REGION},
        "upgrade_levels": {"compute": "auto"},
    }


def control(settings: Settings, process: str) -> Sections:
    """API, conductor and scheduler: these know the databases."""
    sections = common(settings, process)
    sections["DEFAULT"] |= {"osapi_compute_listen": HOST, "osapi_compute_listen_port": settings.port("compute-api")}
    return sections | {
        "api_database": shared.database(settings, "nova_api"),
        "database": shared.database(settings, "nova_cell1"),
        "api": {"auth_strategy": "keystone"},
        "keystone_authtoken": shared.authtoken(settings, "nova"),
        "scheduler": {"discover_hosts_in_cells_interval": 30},
        "filter_scheduler": {"enabled_filters": ",".join(SCHEDULER_FILTERS)},
    }


def keel(settings: Settings, process: str, health_port: int) -> Sections:
    """A service of OpenKeel: Nova's options, and our own in groups of our own."""
    is_compute = process.startswith("keel-compute-kubevirt")
    sections = common(settings, process) if is_compute else control(settings, process)
    sections["keel"] = shared.own(settings, health_port)
    if is_compute or process == "keel-compute":
        sections["kubevirt"] = {"kubeconfig": settings.kubeconfig}
    return sections


def real(settings: Settings, process: str) -> Sections:
    """A real service of Nova; its compute runs Nova's fake hypervisor driver."""
    if not process.startswith("nova-compute"):
        sections = control(settings, process)
        sections["DEFAULT"] |= MANAGER
        sections["conductor"] = {"workers": 1}
        sections["scheduler"]["workers"] = 1
        return sections
    sections = common(settings, process)
    sections["DEFAULT"] |= MANAGER | {
        "compute_driver": "keel_guests.GuestDriver",
        "instances_path": settings.state_of(process) / "instances",
        "vif_plugging_is_fatal": False,
        "vif_plugging_timeout": 0,
    }
    return sections | {"vnc": {"enabled": False}}
