"""Groups, and volumes that exist already: a pool for a group, another place for a volume, a place to take one over.

Source: cinder 29.0.0 flows 10, 13 and 14.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oslo_log import log

from keel_common.db import Database
from keel_common.db.stores.cinder import placement as placement_store
from keel_common.db.stores.cinder import placement_moves as store
from keel_contract.bus import Client
from keel_scheduler.volume.choose import Chooser, NoValidBackend
from keel_scheduler.volume.pools import Pool
from keel_scheduler.volume.wish import Wish

LOG = log.getLogger(__name__)


class MoveEndpoint:
    """Methods of topic cinder-scheduler, beside those of new volumes."""

    _ready: Callable[[], None]
    _db: Database
    _chooser: Chooser
    _volumes: Client

    def create_group(
        self,
        context: Any,
        group: Any,
        group_spec: Any = None,
        group_filter_properties: dict | None = None,
        request_spec_list: Sequence[Any] | None = None,
        filter_properties_list: Sequence[dict] | None = None,
    ) -> None:
        """Choose a pool that takes the group and every volume type of it, then have its backend make the group."""
        self._ready()
        properties = list(filter_properties_list or ())
        specs = list(request_spec_list or ())
        properties += [{}] * (len(specs) - len(properties))
        try:
            wishes = [Wish.read(group_spec, group_filter_properties, size=0)]
            wishes += [Wish.read(spec, asked, size=0) for spec, asked in zip(specs, properties, strict=False)]
            pool = self._chooser.for_all(wishes)
        except Exception as refusal:
            _tell("group", group.id, refusal)
            self._db.run(store.group_failed, group.id)
            return
        if not self._db.run(store.group_placed, group.id, pool.id, pool.cluster_name):
            LOG.info("group %s is not waiting for a place any more", group.id)
            return
        group.host, group.cluster_name = pool.id, pool.cluster_name
        group.obj_reset_changes(["host", "cluster_name"])
        self._volumes.send(context, "create_group", server=pool.id, group=group)

    def retype(
        self, context: Any, volume: Any, request_spec: Mapping[str, Any], filter_properties: dict | None = None
    ) -> None:
        """Ask the backend of a volume to change its type: there when that fits, else, when the policy lets it move, on
        the best other one."""
        self._ready()
        policy = request_spec.get("migration_policy") or "never"
        reservations = list(request_spec.get("quota_reservations") or ())
        try:
            wish = Wish.read(request_spec, filter_properties, size=volume.size, exists_on=volume.host)
            pool = self._retyped(wish, volume, policy)
        except Exception as refusal:
            _tell("retype of volume", volume.id, refusal)
            self._db.run(store.retype_refused, volume.id, reservations)
            return
        self._volumes.send(
            context,
            "retype",
            server=volume.host,
            volume=volume,
            new_type_id=request_spec["volume_type"]["id"],
            host=_place(pool),
            migration_policy=policy,
            reservations=reservations,
            old_reservations=request_spec.get("old_reservations"),
        )

    def _retyped(self, wish: Wish, volume: Any, policy: str) -> Pool:
        try:
            return self._chooser.fitting(wish, volume.host)
        except NoValidBackend:
            if policy != "on-demand":
                raise
        return self._chooser.best(wish)

    def migrate_volume(
        self,
        context: Any,
        volume: Any,
        backend: str,
        force_copy: bool,
        request_spec: Any,
        filter_properties: dict | None,
    ) -> None:
        """See whether a backend takes a volume, then ask the volume's own backend to move it there."""
        self._ready()
        try:
            pool = self._chooser.here(Wish.read(request_spec, filter_properties, size=volume.size), backend)
        except Exception as refusal:
            _tell("migration of volume", volume.id, refusal)
            self._db.run(store.migration_refused, volume.id)
            return
        self._volumes.send(
            context,
            "migrate_volume",
            server=volume.host,
            volume=volume,
            host=_place(pool),
            force_host_copy=force_copy,
        )

    def migrate_volume_to_host(
        self,
        context: Any,
        volume: Any,
        host: str,
        force_host_copy: bool,
        request_spec: Any,
        filter_properties: dict | None = None,
    ) -> None:
        """The same under the name that an API below 3.3 sends it by."""
        self.migrate_volume(context, volume, host, force_host_copy, request_spec, filter_properties)

    def manage_existing(
        self, context: Any, volume: Any, request_spec: Any, filter_properties: dict | None = None
    ) -> None:
        """Find the pool of a volume that lies on a backend already, then have that backend take it over."""
        self._ready()
        try:
            pool = self._chooser.here(Wish.read(request_spec, filter_properties, size=0), volume.host)
        except Exception as refusal:
            _tell("volume to manage", volume.id, refusal)
            self._db.run(store.managed_refused, volume.id)
            return
        if not self._db.run(store.managed_placed, volume.id, pool.id, pool.cluster_name):
            LOG.info("volume %s is not waiting to be managed any more", volume.id)
            return
        volume.host, volume.cluster_name = pool.id, pool.cluster_name
        volume.obj_reset_changes(["host", "cluster_name"])
        self._volumes.send(context, "manage_existing", server=pool.id, volume=volume, ref=_get(request_spec, "ref"))

    def manage_existing_snapshot(
        self,
        context: Any,
        volume: Any,
        snapshot: Any,
        ref: Any,
        request_spec: Any,
        filter_properties: dict | None = None,
    ) -> None:
        """Ask the backend of a volume whether it has room, then to take the snapshot over."""
        self._ready()
        try:
            self._chooser.here(Wish.read(request_spec, filter_properties, size=volume.size), volume.host)
        except Exception as refusal:
            _tell("snapshot to manage", snapshot.id, refusal)
            self._db.run(placement_store.snapshot_refused, snapshot.id)
            return
        self._volumes.send(context, "manage_existing_snapshot", server=volume.host, snapshot=snapshot, ref=ref)


def _tell(what: str, key: str, refusal: Exception) -> None:
    LOG.error("%s %s: %s", what, key, refusal, exc_info=not isinstance(refusal, NoValidBackend))


def _place(pool: Pool) -> dict[str, Any]:
    """A destination as a volume service takes it."""
    return {"host": pool.id, "cluster_name": pool.cluster_name, "capabilities": dict(pool.capabilities)}


def _get(spec: Any, name: str) -> Any:
    return spec.get(name) if isinstance(spec, Mapping) else getattr(spec, name, None)
