"""Parts that keep the `services` row of a process with direct access to its database.

A compute has no database: it beats through the conductor. Source: nova 34.0.0 and cinder 29.0.0 db semantics
(services).
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from keel_common.db.database import Database
from keel_common.db.errors import DatabaseError
from keel_common.db.stores.cinder import services as cinder_services
from keel_common.db.stores.nova import services as nova_services
from keel_common.runtime.part import CannotStart
from keel_contract import releases

LOG = logging.getLogger(__name__)

NOVA_SERVICE_VERSION = releases.SERVICE_VERSION
"""What peers read to choose message versions (nova 34.0.0 service_versions)."""
FIRST_BEAT = {"nova": 1.0, "cinder": 0.2}
"""Seconds until the first beat. A service row counts as up only once it has beaten, so it does so early (the originals
wait 5 and 10 seconds)."""


class ServiceTooOld(DatabaseError, CannotStart):
    """Newer services of the same binary are registered: this release must not join them."""


class _Heartbeat:
    """Registers rows at start and beats every `report_interval` seconds in one statement."""

    first: float

    def __init__(self, conf: Any, db: Database, binary: str) -> None:
        self.name = f"heartbeat-{binary}"
        self.binary = binary
        self.ids: list[int] = []
        self._db = db
        self._seconds = conf.report_interval
        self._down = conf.service_down_time
        self._seen = 0.0
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self.ids = self._db.run(self._register)
        self._seen = time.monotonic()
        self._thread = threading.Thread(target=self._loop, name=self.name, daemon=True)
        self._thread.start()

    def stop(self, deadline: float) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(max(0.0, deadline - time.monotonic()))

    def checks(self) -> Mapping[str, Callable[[], None]]:
        return {self.name: self._check}

    def beat(self) -> None:
        """One heartbeat now; rows that somebody deleted are made again."""
        if self._db.run(self._beat) < len(self.ids):
            LOG.warning("%s: a services row was deleted while running; registered again", self.binary)
            self.ids = self._db.run(self._register)
        self._seen = time.monotonic()

    def _check(self) -> None:
        silent = time.monotonic() - self._seen
        if silent > self._down:
            raise RuntimeError(f"no heartbeat could be written for {silent:.0f} s")

    def _loop(self) -> None:
        pause = self.first
        while not self._stopping.wait(pause):
            pause = self._seconds
            try:
                self.beat()
            except Exception:
                LOG.exception("%s: heartbeat failed", self.binary)

    def _register(self, conn: Any) -> list[int]:
        raise NotImplementedError

    def _beat(self, conn: Any) -> int:
        raise NotImplementedError


class NovaHeartbeat(_Heartbeat):
    """The row of nova-conductor, nova-scheduler, nova-osapi_compute ... in `db` ([database]connection).

    `topic` is the bus topic or None. `beats` False registers the row and leaves it, as Nova's API processes do.
    Start raises ServiceTooOld when every other service of the binary is newer.
    """

    first = FIRST_BEAT["nova"]

    def __init__(
        self, conf: Any, db: Database, binary: str, topic: str | None, host: str | None = None, beats: bool = True
    ) -> None:
        super().__init__(conf, db, binary)
        self._host = host or conf.host
        self._topic = topic
        self._beats = beats

    def start(self) -> None:
        if self._beats:
            super().start()
            return
        self.ids = self._db.run(self._register)

    def checks(self) -> Mapping[str, Callable[[], None]]:
        return super().checks() if self._beats else {}

    def _register(self, conn: Any) -> list[int]:
        lowest = nova_services.minimum_versions(conn, [self.binary]).get(self.binary, 0)
        if lowest > NOVA_SERVICE_VERSION:
            raise ServiceTooOld(
                f"every other {self.binary} is newer: the oldest reports service version {lowest} "
                f"({releases.name_of_service_version(lowest)}), this one is {NOVA_SERVICE_VERSION} "
                f"({releases.name_of_service_version(NOVA_SERVICE_VERSION)}). Start a service of their release"
            )
        row = nova_services.by_host_and_binary(conn, self._host, self.binary)
        if row is None:
            values = {"host": self._host, "binary": self.binary, "topic": self._topic, "version": NOVA_SERVICE_VERSION}
            row = nova_services.create(conn, values)
        elif row["version"] != NOVA_SERVICE_VERSION:
            nova_services.update(conn, row["id"], {"version": NOVA_SERVICE_VERSION})
        return [row["id"]]

    def _beat(self, conn: Any) -> int:
        return nova_services.beat(conn, self.ids, NOVA_SERVICE_VERSION)


class CinderHeartbeat(_Heartbeat):
    """The rows of one Cinder process: `hosts` are `<host>` or, for cinder-volume, `<host>@<backend>` of each backend.

    `versions` holds rpc_current_version and object_current_version. A host for which `working(host)` is False does not
    beat, so that a backend whose driver is not up shows as down.
    """

    first = FIRST_BEAT["cinder"]

    def __init__(
        self,
        conf: Any,
        db: Database,
        binary: str,
        hosts: Sequence[str],
        versions: Mapping[str, str],
        working: Callable[[str], bool] = lambda host: True,
    ) -> None:
        super().__init__(conf, db, binary)
        self._hosts = list(hosts)
        self._values = {"availability_zone": conf.storage_availability_zone, **versions}
        self._enabled = conf.enable_new_services
        self._working = working
        self._by_host: dict[str, int] = {}

    def _register(self, conn: Any) -> list[int]:
        for host in self._hosts:
            row = cinder_services.register(conn, host, self.binary, enabled=self._enabled, **self._values)
            self._by_host[host] = row["id"]
        return list(self._by_host.values())

    def _beat(self, conn: Any) -> int:
        working = [key for host, key in self._by_host.items() if self._working(host)]
        silent = len(self._by_host) - len(working)
        return silent + (cinder_services.beat(conn, working) if working else 0)
