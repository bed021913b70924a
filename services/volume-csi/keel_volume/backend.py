"""One backend of this process: what every flow needs to know and to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from oslo_config import cfg

from keel_common.clients import Clients
from keel_common.db import Database
from keel_common.db.stores.cinder import messages, quotas
from keel_common.kube import DATAVOLUME, PVC, SNAPSHOT, STORAGECLASS, Informer, Kube
from keel_volume.transfers import Transfers


@dataclass
class Caches:
    """Watch-fed mirrors of the namespace."""

    claims: Informer
    imports: Informer
    snapshots: Informer
    classes: Informer

    @classmethod
    def of(cls, kube: Kube, namespace: str, on_event: Any) -> Caches:
        """Mirrors whose every event goes to ``on_event(event, object, before)``."""
        return cls(
            claims=Informer(kube, PVC, namespace, on_event=on_event),
            imports=Informer(kube, DATAVOLUME, namespace, on_event=on_event),
            snapshots=Informer(kube, SNAPSHOT, namespace, on_event=on_event),
            classes=Informer(kube, STORAGECLASS),
        )

    def all(self) -> list[Informer]:
        """The Parts to start."""
        return [self.claims, self.imports, self.snapshots, self.classes]


@dataclass
class Backend:
    """Facts and connections of ``host@section``; ``cluster`` and ``namespace`` say where its claims are."""

    name: str
    conf: cfg.ConfigOpts
    db: Database
    kube: Kube
    caches: Caches
    clients: Clients
    scheduler: Any
    cluster: str
    namespace: str
    transfers: Transfers
    #: Client of the backup services.
    backups: Any = None
    #: volume id -> begin it (again): requests that the cluster could not take when they came.
    unsent: dict[str, Callable[[], None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.quota = quotas.Settings.of(self.conf)
        self.access_mode: str = self.conf.csi.access_mode
        self.provision_deadline = timedelta(seconds=self.conf.csi.provision_timeout)
        self.import_deadline = timedelta(seconds=self.conf.csi.import_timeout)
        self.extend_deadline = timedelta(seconds=self.conf.csi.extend_timeout)
        self.delete_deadline = timedelta(seconds=self.conf.csi.delete_timeout)
        self._lost_after = timedelta(seconds=self.conf.csi.lost_request_age)
        self._started = _utc()

    def gives_up_creation(self, asked: datetime | None) -> bool:
        """Whether the cluster has not taken a volume placed at that moment (UTC without zone) for long enough."""
        return _utc() - (asked or self._started) > self.provision_deadline

    def is_lost(self, asked: datetime | None) -> bool:
        """Whether a request of that moment (UTC without zone) that nothing in the cluster tells of will come no more.

        What waits in the queue while this process is away is not lost: the clock begins with the process.
        """
        return _utc() - max(asked or self._started, self._started) > self._lost_after

    def gives_up_deletion(self, asked: datetime | None) -> bool:
        """Whether a deletion asked for at that moment (UTC without zone) has been refused for long enough."""
        return _utc() - (asked or self._started) > self.delete_deadline

    def waits_for_consumer(self, storage_class: str | None) -> bool:
        """Whether claims of the class are bound only when a pod uses them."""
        item = self.caches.classes.get(storage_class) if storage_class else None
        return (item or {}).get("volumeBindingMode") == "WaitForFirstConsumer"

    def tell_user(
        self, row: dict, action: str, detail: str, resource_type: str = "VOLUME", request_id: str = ""
    ) -> None:
        """Leave a user message about a failure at the row's project."""
        self.db.run(
            messages.create,
            row["project_id"],
            request_id or "",
            action,
            ttl_seconds=self.conf.message_ttl,
            resource_uuid=row["id"],
            resource_type=resource_type,
            detail=detail,
        )


def _utc() -> datetime:
    """The time as rows have it: UTC without zone."""
    return datetime.now(UTC).replace(tzinfo=None)
