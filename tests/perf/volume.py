"""A whole volume suite in one process: API, scheduler, volume-csi, each with connections of its own."""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fakes.api import Api

from keel_api.services import VolumeServices
from keel_common import config
from keel_common.db import Database
from keel_common.db.stores.cinder import types
from keel_common.db.stores.cinder.rows import TABLES
from keel_common.runtime import Process
from keel_contract.bus import Bus
from keel_contract.cinder import interfaces
from keel_contract.context import Context
from keel_dev.kubesim import KubeSim
from keel_scheduler.volume import main as scheduler
from keel_volume import main as volume_csi
from perf import databases

NAMESPACE = "volumes"
#: What the tests ask, what processes do by the clock, and the looks of volume-csi at its rows: it looks again
#: whenever the cluster or the clock says that something may have changed.
NOT_COUNTED = (
    r"^\w+ test ",
    r"services",
    r"get_pools",
    r"capabilities",
    r"^sql csi \w+ SELECT (volume_types )?volumes$",
    r"^sql csi \w+ SELECT (encryption )?snapshots( volume_types)?( volumes)?$",
    r"^sql csi \w+ SELECT (group_snapshots )?groups$",
)
_CONF = """
[DEFAULT]
host = {who}
transport_url = fake:/
control_exchange = {exchange}
enabled_backends = cluster
report_interval = 3600
service_down_time = 7200
backend_stats_polling_interval = 3600
[database]
connection = {cinder}
[csi]
kubeconfig = {kubeconfig}
namespace = {namespace}
"""


class VolumeCloud(Api):
    """One backend whose pools are the classes of a simulated cluster."""

    suite = "volume"

    def __init__(self, folder: Path, sim: KubeSim) -> None:
        self._folder, self.sim, self._exchange = folder, sim, f"cinder-{uuid.uuid4().hex}"
        databases.create(folder, cinder="cinder")
        conf = self._configuration("api")
        bus = Bus(conf, "cinder")
        self._scheduler = bus.client(interfaces.SCHEDULER)
        self.api_db = Database(conf.database.connection, conf.database)
        super().__init__(conf, VolumeServices(conf, self.api_db, SimpleNamespace(), lambda url: bus))
        self.db = Database(databases.url(folder, "cinder", "test"))
        parts = [*scheduler.parts(self._configuration("scheduler")), *volume_csi.parts(self._configuration("csi"))]
        self.process = Process(parts)

    def start(self) -> None:
        self.process.start()
        asking, end = Context(user_id="u", project_id="p", overwrite=False), time.monotonic() + 30
        while not self._scheduler.send(asking, "get_pools"):
            assert time.monotonic() < end, "no pools were reported"
            time.sleep(0.05)

    def stop(self) -> None:
        self.process.stop(time.monotonic() + 20)
        self.api_db.close()
        self.db.close()

    def status(self, volume: str) -> str | None:
        """The status of a volume; None when it is gone."""
        table = TABLES["volumes"]
        query = table.select().where(table.c.id == volume)
        row = self.db.read(lambda conn: conn.execute(query).mappings().one())
        return None if row["deleted"] else row["status"]

    def snapshot_status(self, snapshot: str) -> str:
        """The status of a snapshot."""
        table = TABLES["snapshots"]
        query = table.select().where(table.c.id == snapshot)
        return self.db.read(lambda conn: conn.execute(query).mappings().one())["status"]

    def type_id(self) -> str:
        return self.db.read(types.get_by_name, "__DEFAULT__")["id"]

    def create(self, **values: Any) -> str:
        reply = self.post("/volumes", {"volume": {"size": 1, "name": "data", **values}}, version="3.71")
        return reply.ok.body["volume"]["id"]

    def _configuration(self, who: str) -> Any:
        values = {"kubeconfig": str(self.sim.kubeconfig), "namespace": NAMESPACE, "exchange": self._exchange}
        path = self._folder / f"{who}.conf"
        path.write_text(_CONF.format(who=who, cinder=databases.url(self._folder, "cinder", who), **values))
        return config.load("volume", [], [str(path)])
