"""Put a volume back to its latest snapshot. CSI has no such call: a claim made of the snapshot takes its place.

Which snapshot it is stands in the rows (`restoring`), so that the message is only a nudge (cinder 29.0.0 flows 7.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import backend_moves
from keel_volume.backend import Backend
from keel_volume.csi import naming
from keel_volume.flows import stand_in

LOG = log.getLogger(__name__)


def advance(backend: Backend, row: Mapping[str, Any]) -> None:
    """Make the claim, or change over to it when it holds what the snapshot holds."""
    chosen = backend.db.read(backend_moves.restored_snapshot, row["id"])
    cut = backend.db.read(rows.snapshot, chosen) if chosen else None
    if cut is None:
        _fail(backend, row, None, "its snapshot is gone")
        return
    like = {"source_volid": None, "snapshot_id": cut["id"], "snapshot_location": naming.snapshot(cut)}
    seen = stand_in.step(backend, row, f"revert {cut['id']}", like)
    if seen.ready:
        claim = naming.next_claim(row)
        if backend.db.run(backend_moves.reverted, row, cut["id"], claim):
            LOG.info("volume %s is as snapshot %s, in claim %s", row["id"], cut["id"], claim)
            stand_in.settle(backend, {**row, "status": "available", "provider_location": claim})
    elif seen.failed:
        _fail(backend, row, cut["id"], seen.message)


def _fail(backend: Backend, row: Mapping[str, Any], snapshot_id: str | None, message: str) -> None:
    LOG.error("volume %s was not put back: %s", row["id"], message)
    if backend.db.run(backend_moves.revert_failed, row["id"], snapshot_id):
        stand_in.settle(backend, {**row, "status": "error"})
