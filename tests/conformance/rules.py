"""What two correct deployments may answer differently, by key, operation and state."""

from __future__ import annotations

import re

RANDOM_KEYS = frozenset(
    "adminPass admin_password private_key public_key fingerprint auth_key progress uptime token vendor_data salt "
    "start_time_monotonic".split()
)
"""Values that are random: compared with what was shown before only."""

CLOCK_NUMBERS = frozenset(
    "total_hours hours uptime total_memory_mb_usage total_vcpus_usage total_local_gb_usage age".split()
)
"""Numbers that follow the clock."""

DRIVER_KEYS = frozenset(
    "vcpus vcpus_used memory_mb memory_mb_used local_gb local_gb_used free_disk_gb free_ram_mb disk_available_least "
    "hypervisor_type hypervisor_version host_ip cpu_info uptime current_workload".split()
)
"""Facts of the machine, in the operations below."""

DRIVER_OPERATIONS = ("os-hypervisors", "os-hosts", "/diagnostics")

TRANSIENT = {
    "creating": {"available"},
    "uploading": {"available", "in-use"},
    "attaching": {"active", "inactive", "in-use"},
    "detaching": {"available"},
    "BUILD": {"ACTIVE"},
    "downloading": {"available"},
    "extending": {"available"},
}
"""States on the way, and what a faster deployment may show instead."""

LATE_KEYS = frozenset(
    "host os-vol-host-attr:host updated_at service_uuid provider_id replication_status volume_image_metadata "
    "fail_reason".split()
)
"""What comes with the end of such a state, and may be null before or set already."""

_TAIL = re.compile(r'([?&](?:token|path)=|token%3D)[^"\s]*$')


def random_tail(text: str) -> str:
    """A URL without the token at its end."""
    return _TAIL.sub(r"\1", text)
