"""What the cluster holds of a volume: the claim it has, and those that were to take its place or have lost it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from keel_common.kube import DATAVOLUME, PVC, names
from keel_volume.backend import Backend
from keel_volume.csi import naming

#: Name of the claim whose place this one takes: on a claim that stands in for another until that one is gone.
REPLACES = "openstack.org/replaces"
#: Kinds that hold a volume, the owner first: a DataVolume that goes takes its claim along.
KINDS = (DATAVOLUME, PVC)


def label(item: Mapping[str, Any], name: str) -> str | None:
    """A label of an object that is ours, None for what others made."""
    labels = item["metadata"].get("labels") or {}
    return labels.get(name) if labels.get(names.MANAGED_BY) == names.STORAGE else None


def note(item: Mapping[str, Any] | None, name: str) -> str | None:
    """An annotation of an object that may not be there."""
    return ((item or {}).get("metadata", {}).get("annotations") or {}).get(name)


def shown(backend: Backend, volume_id: str) -> list[Mapping[str, Any]]:
    """Claims and DataVolumes that bear the label of a volume, as the mirrors show them."""
    caches = backend.caches
    items = (*caches.imports.items(), *caches.claims.items())
    return [item for item in items if label(item, names.VOLUME) == volume_id]


def names_of(backend: Backend, volume_id: str, row: Mapping[str, Any] | None = None) -> set[str]:
    """Every name under which something of the volume can be: by its row (None: it is deleted), and by its label."""
    own = naming.claim(row) if row else names.claim(volume_id)
    return {own, *(item["metadata"]["name"] for item in shown(backend, volume_id))}


def remove(backend: Backend, found: Iterable[str]) -> None:
    """Ask the cluster to delete claims and what fills them. Raises KubeError."""
    for name in found:
        for kind in KINDS:
            backend.kube.delete(kind, name, backend.namespace)


def are_there(backend: Backend, found: Iterable[str]) -> bool:
    """Whether the cluster (not the mirror) has any of these still."""
    return any(backend.kube.find(kind, name, backend.namespace) is not None for name in found for kind in KINDS)
