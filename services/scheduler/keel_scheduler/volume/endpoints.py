"""What other services may ask of the volume scheduler (cinder 29.0.0 rpc_server, cinder-scheduler 3.12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC
from typing import Any

from oslo_config import cfg
from oslo_log import log
from oslo_utils import strutils

from keel_common.db import Database
from keel_common.db.stores.cinder import placement as store
from keel_common.db.stores.cinder import types, workers
from keel_contract.bus import Client
from keel_contract.errors import ExpectedFault
from keel_scheduler.volume import upkeep
from keel_scheduler.volume.backups import BackupEndpoint, BackupReports
from keel_scheduler.volume.choose import Chooser, NoValidBackend
from keel_scheduler.volume.moves import MoveEndpoint
from keel_scheduler.volume.pools import Pool, Pools
from keel_scheduler.volume.wish import Wish

LOG = log.getLogger(__name__)


class SchedulerEndpoint(MoveEndpoint, BackupEndpoint):
    """The methods of topic cinder-scheduler that OpenKeel's path uses; the others answer NotImplementedError."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        db: Database,
        pools: Pools,
        chooser: Chooser,
        volumes: Client,
        backups: Client,
        ready: Callable[[], None] = lambda: None,
    ):
        """``ready`` returns when the backends have reported for the first time."""
        self._ready = ready
        self._conf = conf
        self._db = db
        self._pools = pools
        self._chooser = chooser
        self._volumes = volumes
        self._backups = backups
        self._backup_reports = BackupReports()

    def create_volume(
        self,
        context: Any,
        volume: Any,
        snapshot_id: str | None = None,
        image_id: str | None = None,
        request_spec: Any = None,
        filter_properties: dict | None = None,
        backup_id: str | None = None,
    ) -> None:
        """Choose a pool, write it into the row and hand the volume to its backend; error when nothing fits."""
        self._ready()
        properties = dict(filter_properties or {})
        try:
            pool = self._chooser.best(Wish.read(request_spec, properties))
        except Exception as refusal:
            self._refuse(context, volume, refusal)
            return
        written = self._db.run(store.placed, volume.id, pool.id, pool.cluster_name, pool.zone)
        if written is None:
            LOG.info("volume %s is not waiting for a place any more", volume.id)
            return
        # The receiver works with the object inside the request (cinder 29.0.0 flows 1.2).
        placed = request_spec.volume if request_spec.obj_attr_is_set("volume") and request_spec.volume else volume
        for name, value in written.items():
            setattr(placed, name, _aware(value) if name == "scheduled_at" else value)
        placed.obj_reset_changes(list(written))
        self._note_attempt(properties, pool)
        self._volumes.send(
            context,
            "create_volume",
            server=pool.id,
            volume=placed,
            request_spec=request_spec,
            filter_properties=properties,
            allow_reschedule=True,
        )

    def _refuse(self, context: Any, volume: Any, refusal: Exception) -> None:
        """No backend, or a wish nobody foresaw (an extra spec, a report): the volume must not wait for ever."""
        LOG.error("volume %s: %s", volume.id, refusal, exc_info=not isinstance(refusal, NoValidBackend))
        if self._db.run(store.failed, volume.id):
            upkeep.tell_no_backend(self._conf, self._db, volume.project_id, volume.id, request_id=context.request_id)

    def _note_attempt(self, properties: dict[str, Any], pool: Pool) -> None:
        """Retry data for the backend; none when only one attempt is allowed (it then does not reschedule)."""
        if self._conf.scheduler_max_attempts == 1:
            return
        retry = properties.setdefault("retry", {"num_attempts": 0, "backends": [], "hosts": []})
        retry["num_attempts"] += 1
        retry["backends"].append(pool.id)
        retry["hosts"].append(pool.id)
        properties.pop("context", None)

    def extend_volume(
        self,
        context: Any,
        volume: Any,
        new_size: int,
        reservations: list[str],
        request_spec: Any = None,
        filter_properties: dict | None = None,
    ) -> None:
        """Ask the volume's own pool whether it may grow to ``new_size`` GiB, then its backend to do it."""
        self._ready()
        try:
            wish = Wish.read(
                request_spec,
                filter_properties,
                size=volume.size,
                new_size=int(new_size),
                operation="extend_volume",
                attached=volume.attach_status != "detached",
            )
            self._chooser.here(wish, volume.host)
        except Exception as refusal:
            LOG.error("volume %s: %s", volume.id, refusal, exc_info=not isinstance(refusal, NoValidBackend))
            if self._db.run(store.extension_refused, volume.id, reservations):
                upkeep.tell_no_backend(
                    self._conf, self._db, volume.project_id, volume.id, "EXTEND_VOLUME", context.request_id
                )
            return
        self._volumes.send(
            context, "extend_volume", server=volume.host, volume=volume, new_size=new_size, reservations=reservations
        )

    def create_snapshot(
        self,
        context: Any,
        volume: Any,
        snapshot: Any,
        backend: str,
        request_spec: Any = None,
        filter_properties: dict | None = None,
    ) -> None:
        """Ask the volume's backend for room for a snapshot, then the backend to make it."""
        self._ready()
        try:
            self._chooser.here(Wish.read(request_spec, filter_properties, size=volume.size), volume.host)
        except Exception as refusal:
            LOG.error("snapshot %s: %s", snapshot.id, refusal, exc_info=not isinstance(refusal, NoValidBackend))
            self._db.run(store.snapshot_refused, snapshot.id)
            return
        self._db.run(workers.create, "Snapshot", snapshot.id, "creating")
        self._volumes.send(context, "create_snapshot", server=backend, snapshot=snapshot)

    def validate_host_capacity(
        self, context: Any, backend: str, request_spec: Any, filter_properties: dict | None
    ) -> bool:
        """Whether a backend passes the filters for a request."""
        try:
            self._chooser.here(Wish.read(request_spec, filter_properties), backend)
        except NoValidBackend:
            return False
        return True

    def get_pools(self, context: Any, filters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Pools with their capabilities; filters: name, volume_type, or any capability."""
        if not isinstance(filters or {}, Mapping):
            raise ExpectedFault("TypeError", "filters of get_pools are names with values", module="builtins")
        wanted = dict(filters or {})
        pools = self._chooser.candidates()
        kind = wanted.pop("volume_type", None)
        if kind:
            row = self._db.read(types.get_by_id_or_name, kind)
            wish = Wish(size=0, extra_specs=row["extra_specs"] if row else {})
            pools = self._chooser.passing(wish, pools)[0] if row else []
        name = wanted.pop("name", None)
        return [
            {"name": pool.id, "capabilities": pool.capabilities}
            for pool in pools
            if name in (None, pool.id) and all(_equal(pool.capabilities.get(k), v) for k, v in wanted.items())
        ]

    def update_service_capabilities(
        self,
        context: Any,
        service_name: str | None = None,
        host: str | None = None,
        capabilities: Mapping[str, Any] | None = None,
        cluster_name: str | None = None,
        timestamp: str | None = None,
    ) -> None:
        """A backend's report (fanout, each scheduler keeps its own copy)."""
        if service_name == "volume" and host:
            self._pools.update(host, capabilities or {}, timestamp or "", cluster_name)
        elif service_name == "backup" and host:
            self._backup_reports.update(host, capabilities or {}, timestamp or "")

    def notify_service_capabilities(
        self,
        context: Any,
        service_name: str,
        capabilities: Mapping[str, Any],
        host: str | None = None,
        backend: str | None = None,
        timestamp: str | None = None,
    ) -> None:
        """Capacity notifications are not sent: the report itself has come by fanout already."""


def _equal(have: Any, wanted: Any) -> bool:
    """A query value in the type of the capability."""
    if isinstance(have, bool):
        return have == strutils.bool_from_string(str(wanted))
    if isinstance(have, int | float):
        try:
            return have == float(wanted)
        except ValueError:
            return False
    return str(have) == str(wanted)


def _aware(moment: Any) -> Any:
    return moment.replace(tzinfo=UTC)
