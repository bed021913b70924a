"""Rows that a test of the compute API wants to find in cell1."""

from __future__ import annotations

import uuid
from typing import Any

from fakes.api import PROJECT, ComputeApi
from keel_common.db import add, now
from keel_common.db.schema import nova_api, nova_cell


def server(api: ComputeApi, **values: Any) -> str:
    """A server of the member in cell1, with its instance mapping; its uuid."""
    row = {
        "uuid": str(uuid.uuid4()),
        "project_id": PROJECT,
        "user_id": "member-user",
        "display_name": "server",
        "vcpus": 2,
        "memory_mb": 1024,
        "root_gb": 1,
        "ephemeral_gb": 0,
        "vm_state": "active",
        "power_state": 1,
        "launched_at": now(),
        **values,
    }
    api.cell1.db.run(add, nova_cell.tables["instances"], row)
    mapping = {
        "instance_uuid": row["uuid"],
        "cell_id": api.cell1.id,
        "project_id": row["project_id"],
        "user_id": row["user_id"],
    }
    api.cells.api.run(add, nova_api.tables["instance_mappings"], {**mapping, "queued_for_delete": False})
    return str(row["uuid"])


def service(api: ComputeApi, host: str, binary: str = "nova-compute", **values: Any) -> dict[str, Any]:
    """A service that was heard of just now."""
    topics = {"nova-compute": "compute", "nova-conductor": "conductor", "nova-scheduler": "scheduler"}
    row = {
        "uuid": str(uuid.uuid4()),
        "host": host,
        "binary": binary,
        "topic": topics.get(binary),
        "report_count": 1,
        "disabled": False,
        "forced_down": False,
        "last_seen_up": now(),
        "version": 71,
        **values,
    }
    row["id"] = api.cell1.db.run(add, nova_cell.tables["services"], row)
    return row


def node(api: ComputeApi, host: str, name: str | None = None, mapped: bool = True, **values: Any) -> dict[str, Any]:
    """A compute node of a host, with the host's mapping to cell1."""
    row = {
        "uuid": str(uuid.uuid4()),
        "host": host,
        "hypervisor_hostname": name or host,
        "hypervisor_type": "KubeVirt",
        "hypervisor_version": 1008000,
        "host_ip": "192.0.2.1",
        "vcpus": 4,
        "memory_mb": 8192,
        "local_gb": 100,
        "vcpus_used": 1,
        "memory_mb_used": 1024,
        "local_gb_used": 10,
        "free_ram_mb": 7168,
        "free_disk_gb": 90,
        "current_workload": 0,
        "running_vms": 1,
        "disk_available_least": 90,
        "cpu_info": '{"arch": "x86_64"}',
        "mapped": 1,
        **values,
    }
    row["id"] = api.cell1.db.run(add, nova_cell.tables["compute_nodes"], row)
    if mapped:
        api.cells.api.run(add, nova_api.tables["host_mappings"], {"host": host, "cell_id": api.cell1.id})
    return row
