"""StorageClasses as pools."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from keel_common.domain.volume import encryption

_DEFAULT = "storageclass.kubernetes.io/is-default-class"
#: Annotation on a StorageClass that encrypts ("true").
ENCRYPTS = "openstack.org/encrypts"
_NO_PROVISIONER = "kubernetes.io/no-provisioner"


def pools(
    classes: Iterable[Mapping],
    wanted: Iterable[str],
    allocated: Mapping[str, int],
    capacity: Mapping[str, float],
    cut_together: Collection[str] = (),
) -> list[dict[str, Any]]:
    """A pool's report for each StorageClass that can make volumes (all, or those in ``wanted``).

    ``allocated``: GiB of our volumes by class; ``capacity``: free GiB by class where the driver publishes it
    (CSIStorageCapacity); ``cut_together``: drivers with group snapshots. Keys: cinder 29.0.0 pool_stats_message.
    """
    chosen = set(wanted)
    found = []
    for item in classes:
        name = item["metadata"]["name"]
        if item.get("provisioner") == _NO_PROVISIONER or (chosen and name not in chosen):
            continue
        used = allocated.get(name, 0)
        free: Any = capacity.get(name, "unknown")
        found.append(
            {
                "pool_name": name,
                "total_capacity_gb": free if isinstance(free, str) else round(free + used, 2),
                "free_capacity_gb": free,
                "provisioned_capacity_gb": used,
                "allocated_capacity_gb": used,
                "reserved_percentage": 0,
                "thin_provisioning_support": True,
                "thick_provisioning_support": False,
                "max_over_subscription_ratio": "1.0",
                "multiattach": True,
                "online_extend_support": bool(item.get("allowVolumeExpansion")),
                "QoS_support": False,
                "consistent_group_snapshot_enabled": item.get("provisioner") in cut_together,
                encryption.CAPABILITY: encrypts(item),
                "csi_driver": item.get("provisioner"),
                "binding_mode": binding_mode(item),
                "default_class": item["metadata"].get("annotations", {}).get(_DEFAULT) == "true",
            }
        )
    return sorted(found, key=lambda pool: (not pool["default_class"], pool["pool_name"]))


def encrypts(item: Mapping | None) -> bool:
    """Whether a StorageClass says that what it stores is encrypted: by the parameter that drivers have for it (Ceph and
    Amazon among them), or by our annotation where a driver calls it otherwise or always does it."""
    found = item or {}
    said = (found.get("metadata", {}).get("annotations") or {}).get(ENCRYPTS)
    return "true" in (str(said).lower(), str((found.get("parameters") or {}).get("encrypted")).lower())


def binding_mode(item: Mapping | None) -> str:
    """Immediate or WaitForFirstConsumer."""
    return (item or {}).get("volumeBindingMode", "Immediate")
