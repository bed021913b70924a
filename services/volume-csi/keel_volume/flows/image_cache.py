"""Volumes of images that were imported before: cloned inside the storage instead of imported again.

The first volume of an image is cloned for the internal tenant before it is given to its user, so that nobody has
written on it yet; later ones are clones of that clone. Each pool has its own (cinder 29.0.0 flows 1.8;
[DEFAULT]cinder_internal_tenant_*, image_volume_cache_* of the backend).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from oslo_log import log

from keel_common.config.backends import BackendSection, backends
from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import image_cache as cached
from keel_common.domain.volume.quotas import OverQuota
from keel_common.kube import DATAVOLUME, PVC, Kind
from keel_volume.backend import Backend
from keel_volume.csi import claims, holdings, naming

LOG = log.getLogger(__name__)
Row = Mapping[str, Any]

#: Annotation of what an image is imported into: when the image was changed last (ISO 8601), for its entry.
UPDATED = "openstack.org/image-updated-at"


def settings(backend: Backend) -> BackendSection | None:
    """The section of a backend that keeps a cache, None of one that does not, or has no tenant to keep it for."""
    section = backends(backend.conf)[0]
    tenant = backend.conf.cinder_internal_tenant_project_id and backend.conf.cinder_internal_tenant_user_id
    return section if section.image_volume_cache_enabled and tenant else None


def clone(backend: Backend, row: Row, image: Mapping[str, Any]) -> tuple[Kind, dict] | None:
    """What to ask the cluster for when the image is in the cache, None when it has to be imported."""
    if settings(backend) is None:
        return None
    found = backend.db.read(cached.entry, image["id"], row["host"])
    if found is None:
        return None
    if found["image_updated_at"] != moment(image.get("updated_at")) or found["status"] in (None, "error"):
        _evict(backend, found)
        return None
    if found["status"] != "available" or found["size"] > row["size"]:
        return None
    backend.db.run(cached.used, found["id"])
    LOG.info("volume %s is made of the cached volume %s", row["id"], found["volume_id"])
    filled = {
        **row,
        "source_volid": found["volume_id"],
        "source_location": found["provider_location"],
        "source_name_id": found["_name_id"],
    }
    if backend.waits_for_consumer(claims.storage_class(row)):
        return DATAVOLUME, claims.copy(filled, backend.namespace, backend.access_mode)
    return PVC, claims.claim(filled, backend.namespace, backend.access_mode)


def is_being_filled(backend: Backend, row: Row, item: Mapping[str, Any], image_id: str | None) -> bool:
    """Whether a clone for the cache is being taken of a volume that is ready to be given to its user.

    ``item`` is what it was imported into. Begins the clone when there is none; one that fails is given up.
    """
    section, updated = settings(backend), holdings.note(item, UPDATED)
    if section is None or updated is None or image_id is None:
        return False
    found = backend.db.read(cached.entry, image_id, row["host"])
    if found is not None and found["source_volid"] == row["id"]:
        if found["status"] == "error":
            _evict(backend, found)
        return found["status"] == "creating"
    if found is not None and (found["size"] <= row["size"] or not _evict(backend, found)):
        return False
    return _fill(backend, section, row, image_id, updated)


def forget(backend: Backend, row: Row) -> None:
    """A volume is being deleted: if it was a cached one its entry goes."""
    if row["project_id"] == backend.conf.cinder_internal_tenant_project_id:
        backend.db.run(cached.forget_volume, row["id"])


def _fill(backend: Backend, section: BackendSection, row: Row, image_id: str, updated: str) -> bool:
    if not _make_room(backend, section, row):
        LOG.info("image %s of %s GiB does not fit into the cache of %s", image_id, row["size"], row["host"])
        return False
    tenant = (backend.conf.cinder_internal_tenant_project_id, backend.conf.cinder_internal_tenant_user_id)
    try:
        made = backend.db.run(cached.fill, backend.quota, tenant, row, image_id, moment(updated))
    except OverQuota as problem:
        LOG.warning("image %s is not cached: %s", image_id, problem)
        return False
    full = backend.db.read(rows.volume, made["id"])
    if full is None:
        return False  # Somebody has deleted it already.
    if backend.waits_for_consumer(claims.storage_class(row)):
        backend.kube.ensure(DATAVOLUME, claims.copy(full, backend.namespace, backend.access_mode))
    else:
        backend.kube.apply(PVC, claims.claim(full, backend.namespace, backend.access_mode))
    return True


def _make_room(backend: Backend, section: BackendSection, row: Row) -> bool:
    """Give up the longest unused until one more of this size fits (0 is no limit)."""
    most, room = section.image_volume_cache_max_count, section.image_volume_cache_max_size_gb
    held = backend.db.read(cached.entries, row["host"])
    while (most and len(held) >= most) or (room and sum(one["size"] for one in held) + row["size"] > room):
        if not held or not _evict(backend, held.pop(0)):
            return False
    return True


def _evict(backend: Backend, found: Row) -> bool:
    """False while the cached volume is being made or copied."""
    own = naming.claim({**found, "id": found["volume_id"]})
    for item in (*backend.caches.claims.items(), *backend.caches.imports.items()):
        spec = item["spec"]
        source = (spec.get("dataSource") or {}).get("name") or ((spec.get("source") or {}).get("pvc") or {}).get("name")
        if source == own and item.get("status", {}).get("phase") not in ("Bound", "Succeeded"):
            return False
    if not backend.db.run(cached.evict, found):
        return False
    LOG.info("image %s leaves the cache of %s", found["image_id"], found["host"])
    return True


def moment(text: str | None) -> datetime | None:
    """As rows have it: UTC without zone."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).replace(tzinfo=None) if text else None
