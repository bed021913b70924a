"""What this backend tells the schedulers: its pools, every minute and whenever somebody asks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from keel_common.config.backends import BackendSection
from keel_common.db.stores.cinder import backend as rows
from keel_common.kube import CAPACITY, KubeError
from keel_contract.context import Context
from keel_volume.backend import Backend
from keel_volume.csi import classes, cuts, observe

VERSION = "0.1.0"


def report(backend: Backend, section: BackendSection) -> dict[str, Any]:
    """The capabilities of the backend with a pool for each StorageClass (cinder 29.0.0 pool_stats_message)."""
    allocated = {host.partition("#")[2]: size for host, size in backend.db.read(rows.allocated, backend.name).items()}
    pools = classes.pools(
        backend.caches.classes.items(),
        backend.conf.csi.storage_classes,
        allocated,
        _free(backend),
        _cut_together(backend),
    )
    return {
        "volume_backend_name": section.volume_backend_name or section.name,
        "vendor_name": "OpenKeel",
        "driver_version": VERSION,
        "storage_protocol": "csi",
        "replication_enabled": False,
        "backend_state": "up",
        "filter_function": section.filter_function,
        "goodness_function": section.goodness_function,
        "pools": pools,
    }


def publish(backend: Backend, section: BackendSection) -> None:
    """Send the report to every scheduler, then the notification to one of them (cinder 29.0.0 flows 18.6)."""
    context = Context.admin("cinder")
    capabilities = report(backend, section)
    timestamp = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    backend.scheduler.send(
        context,
        "update_service_capabilities",
        service_name="volume",
        host=backend.name,
        capabilities=capabilities,
        cluster_name=None,
        timestamp=timestamp,
    )
    backend.scheduler.send(
        context,
        "notify_service_capabilities",
        service_name="volume",
        capabilities=capabilities,
        backend=backend.name,
        timestamp=timestamp,
    )


def _cut_together(backend: Backend) -> set[str]:
    """Drivers whose claims can be cut in one moment; none while the cluster cannot say."""
    try:
        return set(cuts.classes(backend))
    except KubeError:
        return set()


def _free(backend: Backend) -> dict[str, float]:
    """Free GiB by class where the driver publishes CSIStorageCapacity; a cluster without that kind says nothing."""
    try:
        items = backend.kube.list(CAPACITY)
    except KubeError:
        return {}
    free: dict[str, float] = {}
    for item in items:
        name = item.get("storageClassName")
        if name and item.get("capacity"):
            free[name] = free.get(name, 0) + observe.in_bytes(item["capacity"]) / 2**30
    return free
