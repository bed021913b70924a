"""Moves every unfinished backup of this host on: looked for now and then, and whenever a message says so.

What is wanted stands in the rows, so a message is only a nudge, and after a crash everything goes on by itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend_backups as rows
from keel_common.db.stores.cinder import backups
from keel_common.domain.volume.backup_states import OWNED_BACKUP
from keel_common.kube import KubeError
from keel_volume.backup.service import KIND, Service
from keel_volume.csi import streams
from keel_volume.flows import backup, backup_deletion, restore

LOG = log.getLogger(__name__)

STEPS: dict[str, Callable[[Service, dict[str, Any]], None]] = {
    "creating": backup.advance,
    "restoring": restore.advance,
    "deleting": backup_deletion.advance,
}
_LEFTOVERS_EVERY = 12


class Runner:
    """A Part. ``soon()`` has it look at once; ``look()`` starts what is unfinished."""

    name = "backups"

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._looks = 0
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)

    def serve(self, service: Service) -> None:
        """Say whose backups; before start."""
        self._service: Service = service

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self, deadline: float) -> None:
        """Start nothing more; what is under way is ended by the transfers."""
        self._stopping.set()
        self._wake.set()
        self._thread.join(max(0.0, deadline - time.monotonic()))

    def checks(self) -> dict[str, Callable[[], None]]:
        """Ready while it looks."""
        return {self.name: self._check}

    def soon(self, kind: str = "", resource_id: str = "") -> None:
        """Something has changed."""
        self._wake.set()

    def look(self) -> None:
        """Start every unfinished backup that is not under way."""
        service = self._service
        transfers = service.backend.transfers
        for row in service.backend.db.read(rows.unfinished, service.host):
            if row["volume_id"] == backup.NO_VOLUME and row["status"] == "creating":
                self._imported(row)
            elif not transfers.runs(KIND, row["id"]):
                transfers.run(KIND, row["id"], partial(self._step, row["id"]))
        if self._looks % _LEFTOVERS_EVERY == 0:
            streams.remove_leftovers(service.backend, self._is_wanted)
        self._looks += 1

    def _step(self, backup_id: str) -> None:
        """By the row as it is now: it may have waited for a thread."""
        row = self._service.backend.db.read(backups.get, backup_id)
        if row is not None and row["status"] in STEPS and not self._stopping.is_set():
            STEPS[row["status"]](self._service, row)

    def _imported(self, row: dict[str, Any]) -> None:
        """What its record says stood in the message alone."""
        if self._service.backend.is_lost(row["created_at"]):
            backup.fail(self._service, row, "the record to import was lost")

    def _is_wanted(self, kind: str, resource_id: str) -> bool:
        """Streams of others are theirs; ours are wanted while the backup is unfinished."""
        return kind != KIND or self._service.backend.db.read(rows.status, resource_id) in OWNED_BACKUP

    def _check(self) -> None:
        if not self._thread.is_alive():
            raise RuntimeError("not running")

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                self.look()
            except KubeError as problem:
                LOG.warning("leftovers are looked for again later: %s", problem)
            except Exception:
                LOG.exception("looking for unfinished backups failed; again in %s s", self._seconds)
            self._wake.wait(self._seconds)
