"""Moves of servers as their messages carry them: migrations, flavors before and after, the stored request spec.

Source: nova 34.0.0 wire examples (migration, instance_during_resize, request_spec_in_flight).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_common.wire.image import image_meta
from keel_common.wire.server import Row, aware, flavor, instance, read
from keel_contract.nova import objects
from keel_contract.suites import from_primitive

_FLAGS = ("deleted", "hidden", "cross_cell_move")
_TOP_LEVEL = ("min_ram", "min_disk", "disk_format", "container_format")


def migration(row: Row) -> objects.Migration:
    """A Migration of a row of migrations."""
    values = {name: aware(row[name]) for name in objects.Migration.fields if name in row}
    values |= {name: bool(values[name]) for name in _FLAGS if name in values}
    return read(objects.Migration, values)


def resized(server: Row, flavors: Mapping[str, Row | None]) -> objects.Instance:
    """An Instance between the flavors of a resize: `cur`, `old` and `new` as stored, None where there is none."""
    made: Any = instance(server)
    made.old_flavor = flavor(flavors["old"]) if flavors["old"] else None
    made.new_flavor = flavor(flavors["new"]) if flavors["new"] else None
    made.obj_reset_changes(recursive=True)
    return made


def stored_spec(row: Row) -> Any:
    """The RequestSpec of a row with `id`, `instance_uuid` and `spec` (parsed)."""
    spec: Any = from_primitive("nova", row["spec"])
    spec.id, spec.instance_uuid = row["id"], row["instance_uuid"]
    spec.obj_reset_changes(recursive=True)
    return spec


def image_of(system_metadata: Mapping[str, str | None]) -> dict[str, Any]:
    """The image a server remembers in its system metadata, in the form of `wire.image.image_dict`.

    All other keys but the state of its network count as properties, too (nova 34.0.0 flows 13, image bodies).
    """
    image: dict[str, Any] = {"properties": {}}
    for key, value in system_metadata.items():
        name = key.removeprefix("image_")
        if value is None or name == "network_allocated":
            continue
        if name in _TOP_LEVEL:
            image[name] = int(value) if name.startswith("min_") else value
        else:
            image["properties"][name] = value
    return image


def made_spec(server: Row) -> Any:
    """A RequestSpec of a server that has none stored: what its own row says of it."""
    image = image_of({k: v for k, v in server["system_metadata"].items() if k.startswith("image_")})
    spec: Any = objects.RequestSpec(
        instance_uuid=server["uuid"],
        project_id=server["project_id"],
        user_id=server["user_id"],
        num_instances=1,
        is_bfv=not server["image_ref"],
        image=image_meta({**image, **({"id": server["image_ref"]} if server["image_ref"] else {})}),
        flavor=flavor(server["flavor"]),
        availability_zone=None,
        force_hosts=None,
        force_nodes=None,
        ignore_hosts=None,
        instance_group=None,
        limits=objects.SchedulerLimits(disk_gb=None, memory_mb=None, numa_topology=None, vcpu=None),
        numa_topology=None,
        pci_requests=None,
        requested_destination=None,
        requested_resources=[],
        retry=None,
        scheduler_hints={},
        security_groups=objects.SecurityGroupList(objects=[]),
    )
    spec.obj_reset_changes(recursive=True)
    return spec
