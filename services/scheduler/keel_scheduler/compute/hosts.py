"""What the scheduler knows of a host: one record per compute node, consumed as servers are placed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson


@dataclass
class HostState:
    """Facts of one compute node (from its row, its service row and its aggregates)."""

    host: str
    node: str
    uuid: str
    cell_uuid: str
    up: bool
    disabled: bool
    free_ram_mb: int
    free_disk_mb: int
    vcpus_total: int
    vcpus_used: int
    cpu_allocation_ratio: float
    hypervisor_type: str
    hypervisor_version: int
    supported_instances: list[list[str]]
    stats: dict[str, Any]
    instances: set[str] = field(default_factory=set)
    aggregates: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def failed_builds(self) -> int:
        """Failures since the last good build on this host."""
        return int(self.stats.get("failed_builds", 0))

    @property
    def io_ops(self) -> int:
        """Builds, resizes and the like that run now."""
        return int(self.stats.get("io_workload", 0))

    def zone(self, default: str) -> str:
        """Availability zone: of the first aggregate that names one."""
        for metadata in self.aggregates:
            if "availability_zone" in metadata:
                return metadata["availability_zone"]
        return default

    def consume(self, request: Any, instance: str) -> None:
        """Account for a server that this very request has placed here."""
        self.free_ram_mb -= request.memory_mb
        self.free_disk_mb -= request.disk_gb * 1024
        self.vcpus_used += request.vcpus
        self.stats["io_workload"] = self.io_ops + 1
        self.instances.add(instance)


def from_row(row: Mapping[str, Any], cell_uuid: str, up: bool, aggregates: list[Mapping[str, str]]) -> HostState:
    """A record from a row of ``stores.nova.hosts.of_providers``."""
    free_disk = row["free_disk_gb"] or 0
    least = row["disk_available_least"]
    if least is not None:
        free_disk = min(free_disk, least)
    return HostState(
        host=row["host"],
        node=row["hypervisor_hostname"],
        uuid=row["uuid"],
        cell_uuid=cell_uuid,
        up=up,
        disabled=bool(row["disabled"]),
        free_ram_mb=row["free_ram_mb"] or 0,
        free_disk_mb=free_disk * 1024,
        vcpus_total=row["vcpus"] or 0,
        vcpus_used=row["vcpus_used"] or 0,
        cpu_allocation_ratio=row["cpu_allocation_ratio"] or 1.0,
        hypervisor_type=row["hypervisor_type"] or "",
        hypervisor_version=row["hypervisor_version"] or 0,
        supported_instances=_json(row["supported_instances"], []),
        stats=_json(row["stats"], {}),
        aggregates=aggregates,
    )


def _json(text: str | None, default: Any) -> Any:
    return orjson.loads(text) if text else default
