"""The shapes of a server by microversion and policy (nova 34.0.0 measured server_views)."""

from __future__ import annotations

from dataclasses import replace

from keel_api.compute.servers import fields as f
from keel_api.http.version import parse
from keel_api.http.view import Field, View

EXTENDED = "os_compute_api:os-extended-server-attributes"
HOST_STATUS = "os_compute_api:servers:show:host_status"
HOST_STATUS_UNKNOWN = "os_compute_api:servers:show:host_status:unknown-only"
FLAVOR_SPECS = "os_compute_api:servers:show:flavor-extra-specs"
_STATES = ("vm_state", "task_state", "deleted")

_NAME = [
    Field("id", "uuid"),
    Field("name", "display_name"),
    Field("links", f.links, columns=("uuid",)),
]

# shown by every detailed answer, PUT and rebuild of any version included
_CORE = [
    *_NAME,
    Field("status", f.status, columns=_STATES),
    Field("tenant_id", "project_id"),
    Field("user_id", "user_id"),
    Field("metadata", "metadata"),
    Field("hostId", f.host_id, columns=("host", "project_id")),
    Field("image", f.image, until="2.97", columns=("image_ref",)),
    Field("image", f.image_with_properties, since="2.98", columns=("image_ref", "system_metadata")),
    Field("flavor", f.flavor_link, until="2.46", columns=("flavor",)),
    Field("flavor", f.flavor_embedded, since="2.47", columns=("flavor",)),
    Field("created", f.created, columns=("created_at",)),
    Field("updated", f.updated, columns=("updated_at", "created_at")),
    Field("accessIPv4", f.access_ip_v4, columns=("access_ip_v4",)),
    Field("accessIPv6", f.access_ip_v6, columns=("access_ip_v6",)),
    Field("OS-DCF:diskConfig", f.disk_config, columns=("auto_disk_config",)),
    Field("progress", f.progress, columns=("progress", *_STATES), optional=True),
    Field("fault", f.fault, columns=("fault", *_STATES), optional=True),
    Field("locked", f.locked, since="2.9", columns=("locked",)),
    Field("description", "display_description", since="2.19"),
    Field("tags", "tags", since="2.26"),
    Field("trusted_image_certificates", "trusted_certs", since="2.63"),
    Field("locked_reason", "locked_reason", since="2.73"),
    Field("pinned_availability_zone", f.pinned_zone, since="2.96", columns=("uuid",)),
    Field("scheduler_hints", f.scheduler_hints, since="2.100", columns=("uuid",)),
]

_ADDRESSES = Field("addresses", f.addresses, columns=("network_info", "vm_state"))

_GROUPS = [Field("server_groups", f.server_groups, since="2.71", columns=("uuid",))]

# PUT and rebuild show these from 2.75 on only
_MORE = [
    Field("OS-EXT-AZ:availability_zone", f.availability_zone, columns=("availability_zone",)),
    Field("config_drive", f.config_drive, columns=("config_drive",)),
    Field("key_name", "key_name"),
    Field("OS-SRV-USG:launched_at", f.launched_at, columns=("launched_at",)),
    Field("OS-SRV-USG:terminated_at", f.terminated_at, columns=("terminated_at",)),
    Field("security_groups", f.security_groups, columns=("uuid", "network_info"), optional=True),
    Field("OS-EXT-STS:task_state", "task_state"),
    Field("OS-EXT-STS:vm_state", "vm_state"),
    Field("OS-EXT-STS:power_state", "power_state"),
    Field("os-extended-volumes:volumes_attached", f.volumes, until="2.2", columns=("volumes",)),
    Field("os-extended-volumes:volumes_attached", f.volumes_with_termination, since="2.3", columns=("volumes",)),
    Field("OS-EXT-SRV-ATTR:host", "host", policy=EXTENDED),
    Field("OS-EXT-SRV-ATTR:hypervisor_hostname", "node", policy=EXTENDED),
    Field("OS-EXT-SRV-ATTR:instance_name", f.instance_name, policy=EXTENDED, columns=("id", "uuid")),
    Field("OS-EXT-SRV-ATTR:hostname", "hostname", since="2.3", until="2.89", policy=EXTENDED),
    Field("OS-EXT-SRV-ATTR:hostname", "hostname", since="2.90"),
    *[
        Field(f"OS-EXT-SRV-ATTR:{name}", name, since="2.3", policy=EXTENDED)
        for name in ("kernel_id", "launch_index", "ramdisk_id", "reservation_id", "root_device_name", "user_data")
    ],
    Field(
        "host_status",
        f.host_state_unknown,
        since="2.16",
        policy=HOST_STATUS_UNKNOWN,
        columns=("service",),
        optional=True,
    ),
    Field("host_status", f.host_state, since="2.16", policy=HOST_STATUS, columns=("host", "service")),
]


def _late(field: Field, since: str) -> Field:
    """The same field, shown from `since` on at the earliest."""
    own = parse(field.since) if field.since else (0, 0)
    return replace(field, since=since) if own < parse(since) else field


NAMES = View("servers", _NAME)
DETAIL = View("servers detail", [*_CORE, _ADDRESSES, *_MORE])
SHOW = View("server", [*_CORE, _ADDRESSES, *_MORE, *_GROUPS])
UPDATED = View(
    "updated server",
    [
        *_CORE,
        replace(_ADDRESSES, get=f.plain_addresses, until="2.74"),
        replace(_ADDRESSES, since="2.75"),
        *_GROUPS,
        *[_late(more, "2.75") for more in _MORE if not more.until or parse(more.until) >= (2, 75)],
    ],
)
# rebuild says the user data under a name of its own
REBUILT = View("rebuilt server", [field for field in UPDATED.fields if field.name != "OS-EXT-SRV-ATTR:user_data"])

# servers of a cell that does not answer: what the API database knows of them (from 2.69)
_DOWN = [Field("id", "uuid"), Field("status", f.unknown, columns=("uuid",)), Field("links", f.links, columns=("uuid",))]
_DOWN_MORE = [Field("tenant_id", "project_id"), Field("created", f.created, columns=("created_at",))]
DOWN_NAMES = View("servers out of reach", _DOWN)
DOWN_DETAIL = View("servers out of reach, detail", [*_DOWN, *_DOWN_MORE])
DOWN_SHOW = View(
    "server out of reach",
    [
        *_DOWN,
        *_DOWN_MORE,
        *_GROUPS,
        Field("user_id", "user_id"),
        Field("image", f.image, columns=("image_ref",)),
        Field("flavor", f.flavor_embedded, columns=("flavor",)),
        Field("OS-EXT-AZ:availability_zone", f.availability_zone, columns=("availability_zone",)),
        Field("OS-EXT-STS:power_state", f.power_unknown, columns=("uuid",)),
    ],
)
