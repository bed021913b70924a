"""What a request asks of the scheduler, read once from a RequestSpec object.

Objects end here: filters, weighers and the query see this plain record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any


@dataclass(frozen=True)
class Group:
    """A server group as the request carries it."""

    policy: str | None
    hosts: frozenset[str]
    members: frozenset[str]
    max_server_per_host: int | None = None


@dataclass(frozen=True)
class Destination:
    """Where the request must end: a host, a cell, aggregates (AND of OR-lists, as Placement's member_of)."""

    host: str | None = None
    node: str | None = None
    cell_uuid: str | None = None
    aggregates: tuple[str, ...] = ()
    forbidden_aggregates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """One RequestSpec. Sizes: MiB for memory and swap, GiB for disks."""

    project_id: str
    user_id: str
    vcpus: int
    memory_mb: int
    root_gb: int
    ephemeral_gb: int = 0
    swap_mb: int = 0
    extra_specs: Mapping[str, str] = field(default_factory=dict)
    image: Mapping[str, Any] = field(default_factory=dict)
    image_disk_format: str | None = None
    is_bfv: bool = False
    availability_zone: str | None = None
    destination: Destination = field(default_factory=Destination)
    ignore_hosts: frozenset[str] = frozenset()
    force_hosts: tuple[str, ...] = ()
    force_nodes: tuple[str, ...] = ()
    hints: Mapping[str, list[str]] = field(default_factory=dict)
    group: Group | None = None
    retry_hosts: tuple[tuple[str, str], ...] = ()
    num_instances: int = 1
    groups: tuple[Any, ...] = ()

    @property
    def disk_gb(self) -> int:
        """DISK_GB asked of Placement: the root disk counts only where it lies on the host (scheduler utils)."""
        return self.ephemeral_gb + ceil(self.swap_mb / 1024) + (0 if self.is_bfv else self.root_gb)

    @property
    def check_rebuild(self) -> bool:
        """A validation for a rebuild: nothing is claimed and only some filters may refuse."""
        return "rebuild" in self.hints.get("_nova_check_type", [])

    @classmethod
    def from_spec(cls, spec: Any) -> Request:
        """Read a RequestSpec object; what is unset takes the default above."""
        flavor = spec.flavor
        image = _get(spec, "image")
        return cls(
            project_id=_get(spec, "project_id"),
            user_id=_get(spec, "user_id"),
            vcpus=flavor.vcpus,
            memory_mb=flavor.memory_mb,
            root_gb=flavor.root_gb,
            ephemeral_gb=_get(flavor, "ephemeral_gb") or 0,
            swap_mb=_get(flavor, "swap") or 0,
            extra_specs=dict(_get(flavor, "extra_specs") or {}),
            image=_properties(image),
            image_disk_format=_get(image, "disk_format") if image is not None else None,
            is_bfv=bool(_get(spec, "is_bfv")),
            availability_zone=_get(spec, "availability_zone"),
            destination=_destination(_get(spec, "requested_destination")),
            ignore_hosts=frozenset(host.lower() for host in _get(spec, "ignore_hosts") or ()),
            force_hosts=tuple(_get(spec, "force_hosts") or ()),
            force_nodes=tuple(_get(spec, "force_nodes") or ()),
            hints={key: list(values) for key, values in (_get(spec, "scheduler_hints") or {}).items()},
            group=_group(_get(spec, "instance_group")),
            retry_hosts=_retry(_get(spec, "retry")),
            num_instances=_get(spec, "num_instances") or 1,
            groups=tuple(_get(spec, "requested_resources") or ()),
        )


def _get(thing: Any, name: str) -> Any:
    return getattr(thing, name) if thing is not None and thing.obj_attr_is_set(name) else None


def _properties(image: Any) -> dict[str, Any]:
    props = _get(image, "properties")
    if props is None:
        return {}
    return {name: getattr(props, name) for name in props.fields if props.obj_attr_is_set(name)}


def _destination(value: Any) -> Destination:
    if value is None:
        return Destination()
    cell = _get(value, "cell")
    return Destination(
        host=_get(value, "host"),
        node=_get(value, "node"),
        cell_uuid=cell.uuid if cell is not None else None,
        aggregates=tuple(_get(value, "aggregates") or ()),
        forbidden_aggregates=tuple(_get(value, "forbidden_aggregates") or ()),
    )


def _group(value: Any) -> Group | None:
    if value is None:
        return None
    policies = _get(value, "policies") or []
    rules = _get(value, "_rules") or {}
    limit = rules.get("max_server_per_host")
    return Group(
        policy=_get(value, "policy") or (policies[0] if policies else None),
        hosts=frozenset(_get(value, "hosts") or ()),
        members=frozenset(_get(value, "members") or ()),
        max_server_per_host=int(limit) if limit is not None else None,
    )


def _retry(value: Any) -> tuple[tuple[str, str], ...]:
    hosts = _get(value, "hosts")
    return tuple((item.host, item.node) for item in hosts.objects) if hosts is not None else ()
