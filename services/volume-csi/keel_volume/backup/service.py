"""What every flow of the backup service has at hand, and which of them moves a backup on."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from keel_common.db.stores.cinder import backend_backups as rows
from keel_volume.backend import Backend
from keel_volume.backup.store import Store
from keel_volume.csi.streams import Purpose

#: Kind of the streams of this process; the volume service leaves them alone.
KIND = "backup"
_LOOK_EVERY = 2.0


class Cancelled(Exception):
    """The row says something else by now: somebody has forced a deletion or reset its status."""


@dataclass
class Service:
    """``host`` and ``zone`` of this process; ``tries``: how often a stream was begun here, by (id, status)."""

    backend: Backend
    store: Store
    host: str
    zone: str
    tries: Counter[tuple[str, str]] = field(default_factory=Counter)

    def counts(self, row: Mapping[str, Any]) -> bool:
        """Count one try; False when there were enough."""
        key = (row["id"], row["status"])
        self.tries[key] += 1
        return self.tries[key] <= self.backend.conf.csi.transfer_attempts

    def forget(self, row: Mapping[str, Any]) -> None:
        """It has ended."""
        for key in [key for key in self.tries if key[0] == row["id"]]:
            del self.tries[key]

    def guard(self, row: Mapping[str, Any]) -> Callable[[], None]:
        """To be called often during a stream: raises Cancelled when the row has another status, now and then looked at,
        and Stopped when the process is to end."""
        looked = time.monotonic()

        def go_on() -> None:
            nonlocal looked
            self.backend.transfers.check()
            if time.monotonic() - looked >= _LOOK_EVERY:
                looked = time.monotonic()
                if self.backend.db.read(rows.status, row["id"]) != row["status"]:
                    raise Cancelled(row["id"])

        return go_on

    def tell_user(self, row: Mapping[str, Any], action: str, detail: str) -> None:
        """Leave a user message about a failure."""
        self.backend.tell_user(dict(row), action, detail, "VOLUME_BACKUP")


def purpose(row: Mapping[str, Any]) -> Purpose:
    """Whose streams a backup's are."""
    return Purpose(KIND, row["id"], row["project_id"])
