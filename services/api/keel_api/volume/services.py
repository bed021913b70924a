"""What the handlers of the volume API work with (`req.services`)."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keel_common.db import Database
from keel_common.db.stores.cinder import services as service_rows
from keel_common.db.stores.cinder.quotas import Settings

LOG = logging.getLogger(__name__)


class Zones:
    """The availability zones there are: those of the volume services and the storage default.

    Read again after `az_cache_duration` seconds, and at once when a zone is asked for that is not known.
    """

    def __init__(self, conf: Any, db: Database, clock: Any = time.monotonic):
        self._conf, self._db, self._clock = conf, db, clock
        self._lock = threading.Lock()
        self._known: list[str] = []
        self._until = 0.0

    def known(self, wanted: str | None = None) -> list[str]:
        """Every zone a volume may ask for."""
        with self._lock:
            if self._clock() >= self._until or (wanted and wanted not in self._known):
                found = [zone for zone in self._db.read(service_rows.zones) if zone]
                default = self._conf.storage_availability_zone
                self._known = found if default in found else [*found, default]
                self._until = self._clock() + self._conf.az_cache_duration
            return list(self._known)


@dataclass
class Services:
    """Database, buses, peers and settings. `scheduler`, `volume`: bus clients of the two interfaces."""

    conf: Any
    db: Database
    clients: Any
    scheduler: Any
    volume: Any
    quotas: Settings
    zones: Zones
    filters: Mapping[str, list[str]]

    @classmethod
    def of(cls, conf: Any, db: Database, clients: Any, scheduler: Any, volume: Any) -> Services:
        """Everything else follows from the configuration."""
        return cls(
            conf=conf,
            db=db,
            clients=clients,
            scheduler=scheduler,
            volume=volume,
            quotas=Settings.of(conf),
            zones=Zones(conf, db),
            filters=resource_filters(conf.resource_query_filters_file),
        )


def resource_filters(path: str) -> dict[str, list[str]]:
    """resource -> filter keys members may use. A missing file means none (as recorded); a broken one raises
    ValueError."""
    file = Path(path)
    if not file.exists():
        LOG.warning("%s is missing: members may use no filters at 3.31 and above", path)
        return {}
    found = json.loads(file.read_text())
    if not isinstance(found, dict):
        raise ValueError(f"{path} is no table of filters")
    return found
