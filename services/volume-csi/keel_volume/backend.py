"""One backend of this process: what every flow needs to know and to reach."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from oslo_config import cfg

from keel_common.clients import Clients
from keel_common.db import Database
from keel_common.db.stores.cinder import messages, quotas
from keel_common.kube import DATAVOLUME, PVC, SNAPSHOT, STORAGECLASS, Informer, Kube


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

    def __post_init__(self) -> None:
        self.quota = quotas.Settings.of(self.conf)
        self.access_mode: str = self.conf.csi.access_mode
        self.provision_deadline = timedelta(seconds=self.conf.csi.provision_timeout)
        self.import_deadline = timedelta(seconds=self.conf.csi.import_timeout)

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
