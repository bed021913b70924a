"""What the handlers of the volume API know of their deployment."""

from __future__ import annotations

import json
import logging
import threading
import time
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from keel_api.http.request import Request
from keel_common.db import Database
from keel_common.db.stores.cinder import services as service_rows
from keel_common.db.stores.cinder.quotas import Settings

LOG = logging.getLogger(__name__)
_INSTALLED = "/etc/cinder/resource_filters.json"


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
            if not self._known or self._clock() >= self._until or (wanted and wanted not in self._known):
                found = [zone for zone in self._db.read(service_rows.zones) if zone]
                default = self._conf.storage_availability_zone
                self._known = found if default in found else [*found, default]
                self._until = self._clock() + self._conf.az_cache_duration
            return list(self._known)


def quotas(req: Request) -> Settings:
    """The quota options."""
    return Settings.of(req.services.conf)


def filters(req: Request, resource: str) -> list[str]:
    """Filter keys members may use in the lists of a resource."""
    return filter_file(req.services.conf.resource_query_filters_file).get(resource, [])


@cache
def filter_file(path: str) -> dict[str, list[str]]:
    """resource -> filter keys. Read once per process; a broken file raises ValueError.

    A missing file means no filters (as recorded), but for the default path: what Cinder installs there comes with us.
    """
    file: Any = Path(path)
    if not file.exists() and path == _INSTALLED:
        file = resources.files("keel_api.volume").joinpath("data", "resource_filters.json")
    elif not file.exists():
        LOG.warning("%s is missing: members may use no filters from 3.31 on", path)
        return {}
    found = json.loads(file.read_text())
    if not isinstance(found, dict):
        raise ValueError(f"{path} is no table of filters")
    return found
