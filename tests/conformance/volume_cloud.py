"""The block storage suite in this process: API, scheduler and database are ours; the backend is at the edge."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime
from typing import Any

from fakes.api import Snapshot, memory_url

from conformance import peers
from conformance.backend import CinderVolume, heartbeats
from conformance.replay import Answer
from conformance.requests import Message
from conformance.waiting import WaitingBus
from conformance.wsgi import Overrides, call
from keel_api import app
from keel_api.services import VolumeServices
from keel_api.volume.settings import Zones
from keel_common.clients import Clients
from keel_common.config import load
from keel_common.db import Database
from keel_common.db.stores.cinder import services
from keel_contract.bus import Endpoint
from keel_contract.cinder import OBJECT_VERSION, interfaces
from keel_scheduler.volume.choose import Chooser
from keel_scheduler.volume.endpoints import SchedulerEndpoint
from keel_scheduler.volume.pools import Pools

_OWN_WORLD = ("volume_driver", "scheduler_driver", "auth_strategy", "osapi_volume")
"""Options of a scenario that choose pieces of the original's process; ours has its own."""


class VolumeCloud:
    """A deployment with one backend; `reset` brings it back to its beginning."""

    patience = 5.0

    def __init__(self, config_files: list[str] | None = None) -> None:
        self.conf = load("volume", [], config_files)
        self._settings = Overrides(self.conf)
        self._settings.fix({"connection": ("database", memory_url()), "transport_url": "fake:/"})
        self.db = Database(self.conf.database.connection, self.conf.database)
        Snapshot.of({"cinder": "cinder"}).restore(self.db, "cinder")
        self._bus = WaitingBus(self.conf, "cinder", "fake:/")
        self._host, other = uuid.uuid4().hex, uuid.uuid4().hex
        self._register(self._host, "cinder-volume", interfaces.VOLUME, replication_status="disabled")
        self._register(other, "cinder-scheduler", interfaces.SCHEDULER)
        self._beginning = Snapshot.taken({"cinder": self.db})
        pools = Pools(self.conf.max_over_subscription_ratio)
        chooser = Chooser(self.conf, self.db, pools)
        volumes = self._bus.client(interfaces.VOLUME)
        scheduler = SchedulerEndpoint(self.conf, self.db, pools, chooser, volumes, self._bus.client(interfaces.BACKUP))
        self._backend = CinderVolume(self.conf, self.db, self._host, self._bus.client(interfaces.SCHEDULER))
        self._parts = [
            self._bus.server("cinder-scheduler", self._host, [Endpoint(interfaces.SCHEDULER, scheduler)]),
            self._bus.server("cinder-volume", self._host, [Endpoint(interfaces.VOLUME, self._backend)]),
            self._bus.server(f"cinder-volume.{self._host}", self._host, [Endpoint(interfaces.VOLUME, self._backend)]),
        ]
        for part in self._parts:
            part.start()
        self.services = VolumeServices(self.conf, self.db, Clients(self.conf, "volume"), lambda url: self._bus)
        self._app = app.build(self.conf, "volume", self.services, auth=lambda guarded: guarded)
        self._report(pools)

    def _register(self, host: str, binary: str, interface: Any, **values: Any) -> None:
        versions = {"rpc_current_version": interface.version, "object_current_version": OBJECT_VERSION}
        self.db.run(services.register, host, binary, availability_zone="nova", **versions, **values)

    def _report(self, pools: Pools) -> None:
        self._backend.report(datetime.now(UTC).replace(tzinfo=None).isoformat())
        deadline = time.monotonic() + 10
        while not pools.reported():  # a fan-out, which nobody answers
            if time.monotonic() > deadline:
                raise RuntimeError("the scheduler did not hear of the pool")
            time.sleep(0.01)

    def reset(self, scenario: dict[str, Any]) -> None:
        """An empty cloud with the configuration of the scenario."""
        self._backend.idle()
        self._beginning.restore(self.db, "cinder")
        self.db.run(heartbeats)
        self.services.clients.keystone = peers.Keystone()
        flags = (scenario.get("profile") or {}).get("flags", {})
        rows = [*_rows(flags), *scenario.get("config", ())]
        self._settings.set(row for row in rows if not row["option"].startswith(_OWN_WORLD))
        self.services.zones = Zones(self.conf, self.db)

    def send(self, request: Message) -> Answer:
        """One request, straight into the WSGI application; the backend goes on behind it."""
        return call(self._app, request)

    def close(self) -> None:
        for part in self._parts:
            part.stop(time.monotonic() + 5)
        self._bus.close()
        self.db.close()


def _rows(flags: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"group": group, "option": option, "value": value}
        for name, value in flags.items()
        for group, _, option in [name.partition(".")]
    ]
