"""The scheduler's view of the cloud: host states of provider uuids, over all enabled cells."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

from oslo_config import cfg
from oslo_log import log

from keel_common.db import Cells
from keel_common.db.stores.nova import hosts as store
from keel_common.db.stores.nova import services
from keel_scheduler.compute.hosts import HostState, from_row

LOG = log.getLogger(__name__)

COMPUTE = "nova-compute"
#: How long an answer about the versions of all computes holds, in seconds.
VERSIONS_SECONDS = 10.0


class World:
    """Reads host facts when a request needs them: one statement a cell, aggregates cached until told."""

    def __init__(self, conf: cfg.ConfigOpts, cells: Cells, now: Callable[[], datetime] | None = None):
        self._conf = conf
        self._cells = cells
        self._now = now or (lambda: datetime.now(UTC).replace(tzinfo=None))
        self._pool = ThreadPoolExecutor(max_workers=8, thread_name_prefix="cells")
        self._oldest: tuple[float, int] | None = None

    def host_states(self, uuids: Iterable[str], cell_uuid: str | None, with_servers: bool) -> list[HostState]:
        """States of the compute nodes with these uuids, in enabled cells (or in one); a cell that fails is left out."""
        wanted = list(uuids)
        if not wanted:
            return []
        aggregates = self.aggregates()
        cells = [c for c in self._enabled() if cell_uuid in (None, c.uuid)]
        found: list[HostState] = []
        for cell, rows, servers in self._pool.map(lambda c: self._of_cell(c, wanted, with_servers), cells):
            for row in rows:
                mine = [a["metadata"] for a in aggregates if row["host"] in a["hosts"]]
                state = from_row(row, cell.uuid, self._is_up(row), mine)
                state.instances |= servers.get(row["host"], set())
                found.append(state)
        return found

    def nodes(self, host: str | None, node: str | None) -> list[str]:
        """Uuids of the compute nodes of a host or node name."""
        return [row["uuid"] for cell in self._enabled() for row in cell.db.read(store.find_node, host, node)]

    def oldest_compute(self) -> int:
        """The lowest service version of a compute in all cells; 0 without computes. As old as VERSIONS_SECONDS."""
        moment = time.monotonic()
        if self._oldest is None or moment - self._oldest[0] > VERSIONS_SECONDS:
            found = [cell.db.read(services.minimum_versions, [COMPUTE]) for cell in self._enabled()]
            self._oldest = moment, min((one[COMPUTE] for one in found if COMPUTE in one), default=0)
        return self._oldest[1]

    def aggregates(self) -> list[dict[str, Any]]:
        """All host aggregates with metadata and hosts."""
        return self._cells.api.read(store.aggregates)

    def _enabled(self) -> list[Any]:
        return [cell for cell in self._cells.all() if not cell.disabled and cell.uuid != self._cells.cell0.uuid]

    def _of_cell(self, cell: Any, uuids: list[str], with_servers: bool) -> tuple[Any, list, Mapping]:
        def read(conn: Any) -> tuple[list, Mapping]:
            rows = store.of_providers(conn, uuids)
            return rows, store.servers_on(conn, {row["host"] for row in rows}) if with_servers and rows else {}

        try:
            rows, servers = cell.db.read(read)
        except Exception:
            # A cell that does not answer must not stop placement in the others (nova 34.0.0 host_manager).
            LOG.exception("cell %s does not answer; its hosts are left out", cell.uuid)
            return cell, [], {}
        return cell, rows, servers

    def _is_up(self, row: Mapping[str, Any]) -> bool:
        if row["forced_down"]:
            return False
        seen = row["last_seen_up"] or row["service_updated_at"] or row["service_created_at"]
        return seen is not None and abs(self._now() - seen) <= timedelta(seconds=self._conf.service_down_time)
