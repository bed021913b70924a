"""Host facts for the scheduler: compute nodes with their services, aggregates, servers on a host."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, and_, func, select

from keel_common.db.schema import nova_api, nova_cell

_NODE_COLUMNS = (
    "uuid",
    "host",
    "hypervisor_hostname",
    "hypervisor_type",
    "hypervisor_version",
    "vcpus",
    "vcpus_used",
    "free_ram_mb",
    "free_disk_gb",
    "disk_available_least",
    "cpu_allocation_ratio",
    "supported_instances",
    "stats",
)
_SERVICE_COLUMNS = ("disabled", "forced_down", "last_seen_up", "updated_at", "created_at")


def of_providers(conn: Connection, uuids: Iterable[str]) -> list[Mapping[str, Any]]:
    """Compute nodes whose uuid is one of ``uuids``, each with its nova-compute service's facts; one statement."""
    nodes = nova_cell.tables["compute_nodes"]
    services = nova_cell.tables["services"]
    service_of_node = and_(
        services.c.host == nodes.c.host, services.c.binary == "nova-compute", services.c.deleted == 0
    )
    query = (
        select(*(nodes.c[name] for name in _NODE_COLUMNS), *(services.c[name] for name in _SERVICE_COLUMNS[:3]))
        .add_columns(
            services.c.updated_at.label("service_updated_at"), services.c.created_at.label("service_created_at")
        )
        .select_from(nodes.join(services, service_of_node))
        .where(nodes.c.deleted == 0, nodes.c.uuid.in_(list(uuids)))
    )
    return [dict(row) for row in conn.execute(query).mappings()]


def find_node(conn: Connection, host: str | None, node: str | None) -> list[Mapping[str, Any]]:
    """uuid and host of the compute nodes of a host (or of one node of it)."""
    nodes = nova_cell.tables["compute_nodes"]
    query = select(nodes.c.uuid, nodes.c.host, nodes.c.hypervisor_hostname).where(nodes.c.deleted == 0)
    if host:
        query = query.where(nodes.c.host == host)
    if node:
        query = query.where(nodes.c.hypervisor_hostname == node)
    return [dict(row) for row in conn.execute(query).mappings()]


def servers_on(conn: Connection, hosts: Iterable[str]) -> dict[str, set[str]]:
    """Uuids of the servers on each host."""
    instances = nova_cell.tables["instances"]
    query = select(instances.c.host, instances.c.uuid).where(
        instances.c.deleted == 0, instances.c.host.in_(list(hosts))
    )
    found: dict[str, set[str]] = defaultdict(set)
    for host, uuid in conn.execute(query):
        found[host].add(uuid)
    return found


def promised(conn: Connection, host: str) -> dict[str, tuple[int, int, int]]:
    """vCPUs, MiB and GiB of disk that the servers of a host were promised, by project."""
    instances = nova_cell.tables["instances"]
    disk = func.coalesce(func.sum(instances.c.root_gb), 0) + func.coalesce(func.sum(instances.c.ephemeral_gb), 0)
    query = (
        select(
            instances.c.project_id,
            func.coalesce(func.sum(instances.c.vcpus), 0),
            func.coalesce(func.sum(instances.c.memory_mb), 0),
            disk,
        )
        .where(instances.c.deleted == 0, instances.c.host == host)
        .group_by(instances.c.project_id)
        .order_by(instances.c.project_id)
    )
    return {row[0]: (int(row[1]), int(row[2]), int(row[3])) for row in conn.execute(query)}


def aggregates(conn: Connection) -> list[dict[str, Any]]:
    """Every aggregate: uuid, metadata (dict) and hosts (set); two statements."""
    table = nova_api.tables["aggregates"]
    metadata = nova_api.tables["aggregate_metadata"]
    members = nova_api.tables["aggregate_hosts"]
    found = {
        row.id: {"uuid": row.uuid, "metadata": {}, "hosts": set()}
        for row in conn.execute(select(table.c.id, table.c.uuid))
    }
    if not found:
        return []
    for row in conn.execute(select(metadata.c.aggregate_id, metadata.c.key, metadata.c.value)):
        found[row.aggregate_id]["metadata"][row.key] = row.value
    for aggregate, host in conn.execute(select(members.c.aggregate_id, members.c.host)):
        found[aggregate]["hosts"].add(host)
    return list(found.values())
