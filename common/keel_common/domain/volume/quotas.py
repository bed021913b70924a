"""Quota resources of block storage and what an operation takes from them (source: cinder 29.0.0 quota rules)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MAX_INT = 2147483647
UNLIMITED = -1
DEFAULT_CLASS = "default"


@dataclass(frozen=True)
class Resource:
    """A countable thing: its option, the option's default, and whether it is reserved (or only compared)."""

    name: str
    option: str
    default: int
    reservable: bool = True


RESOURCES: dict[str, Resource] = {
    resource.name: resource
    for resource in (
        Resource("volumes", "quota_volumes", 10),
        Resource("per_volume_gigabytes", "per_volume_size_limit", -1, reservable=False),
        Resource("snapshots", "quota_snapshots", 10),
        Resource("gigabytes", "quota_gigabytes", 1000),
        Resource("backups", "quota_backups", 10),
        Resource("backup_gigabytes", "quota_backup_gigabytes", 1000),
    )
}
#: Counted apart, shown last.
GROUP_RESOURCES: dict[str, Resource] = {"groups": Resource("groups", "quota_groups", 10)}

PER_TYPE = ("volumes", "gigabytes", "snapshots")

#: Keys of a quota set which are no resources.
NOT_RESOURCES = ("tenant_id", "id")


def type_resources(type_names: list[str]) -> list[str]:
    """Names of the per-type resources, in the order of the quota set."""
    return [f"{kind}_{name}" for name in type_names for kind in PER_TYPE]


def all_resources(type_names: list[str]) -> list[str]:
    """Every resource of a quota set in the order it is shown."""
    return [*RESOURCES, *type_resources(type_names), *GROUP_RESOURCES]


def option_of(resource: str) -> Resource | None:
    """The declared resource, or None for a per-type one (its default is unlimited)."""
    return RESOURCES.get(resource) or GROUP_RESOURCES.get(resource)


def with_type(deltas: Mapping[str, int], type_name: str | None) -> dict[str, int]:
    """The same deltas, and each of them for the volume type as well."""
    result = dict(deltas)
    if type_name:
        result.update({f"{name}_{type_name}": delta for name, delta in deltas.items()})
    return result


def create_volume(size: int, type_name: str | None) -> dict[str, int]:
    """What a new volume takes."""
    return with_type({"volumes": 1, "gigabytes": size}, type_name)


def delete_volume(size: int, type_name: str | None) -> dict[str, int]:
    """What a deleted volume gives back (negative)."""
    return with_type({"volumes": -1, "gigabytes": -size}, type_name)


def extend_volume(increase: int, type_name: str | None) -> dict[str, int]:
    """What a growing volume takes."""
    return with_type({"gigabytes": increase}, type_name)


def create_snapshot(size: int, type_name: str | None, sizes_count: bool) -> dict[str, int]:
    """What a new snapshot takes; its size only when the deployment counts sizes of snapshots."""
    return with_type({"snapshots": 1, "gigabytes": size} if sizes_count else {"snapshots": 1}, type_name)


def delete_snapshot(size: int, type_name: str | None, sizes_count: bool) -> dict[str, int]:
    """What a deleted snapshot gives back (negative)."""
    return {name: -delta for name, delta in create_snapshot(size, type_name, sizes_count).items()}


def create_backup(size: int) -> dict[str, int]:
    """What a new backup takes; there are no resources of types for backups."""
    return {"backups": 1, "backup_gigabytes": size}


def create_group() -> dict[str, int]:
    """What a new group takes."""
    return {"groups": 1}


@dataclass(frozen=True)
class Usage:
    """One counter: used now, and promised to operations under way."""

    in_use: int
    reserved: int

    @property
    def total(self) -> int:
        """Used and promised."""
        return self.in_use + self.reserved


class OverQuota(Exception):
    """A reservation does not fit. `overs`: resource names, sorted; `limits`, `usages`: by resource."""

    def __init__(
        self, overs: list[str], limits: Mapping[str, int], usages: Mapping[str, Usage], deltas: Mapping[str, int]
    ):
        super().__init__(f"over quota: {', '.join(overs)}")
        self.overs, self.limits, self.usages, self.deltas = overs, limits, usages, deltas


class UsageOverflow(Exception):
    """A counter would pass the largest number the database holds. `resource`: its name."""

    def __init__(self, resource: str):
        super().__init__(f"counter of {resource} would overflow")
        self.resource = resource


def check(deltas: Mapping[str, int], limits: Mapping[str, int], usages: Mapping[str, Usage]) -> None:
    """Raise OverQuota or UsageOverflow when these deltas do not fit. Giving back (a negative delta) always fits."""
    for name, delta in deltas.items():
        if usages[name].total + delta > MAX_INT:
            raise UsageOverflow(name)
    overs = [
        name
        for name, delta in deltas.items()
        if delta >= 0 and limits.get(name, UNLIMITED) >= 0 and limits[name] < usages[name].total + delta
    ]
    if overs:
        raise OverQuota(sorted(overs), limits, usages, deltas)


#: Which fault class an exhausted resource raises; looked up by the word inside the resource's name.
_LIMIT_CLASSES = {
    "volumes": "VolumeLimitExceeded",
    "snapshots": "SnapshotLimitExceeded",
    "backups": "BackupLimitExceeded",
    "groups": "GroupLimitExceeded",
}


def fault_class(over: str, resource: str) -> str:
    """Class name of the 413 for the first exhausted resource, while creating a `resource` (volumes, snapshots, ...)."""
    if "gigabytes" in over:
        return "VolumeBackupSizeExceedsAvailableQuota" if resource == "backups" else "VolumeSizeExceedsAvailableQuota"
    if resource in over:
        return _LIMIT_CLASSES[resource]
    return "UnexpectedOverQuota"
