"""Attachments that a conductor lost: it died between naming the device and handing over to the compute.

The device stays in the records and the volume reserved, and nobody goes on. Both are taken back once nothing happened
to them for [keel]build_deadline seconds. What a compute has begun with is left to that compute.
"""

import datetime
import logging
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.db import Cell, now
from keel_common.db.stores.nova import bdms
from keel_conductor.peers import Peers

LOG = logging.getLogger(__name__)
RESERVED = "reserved"
"""Status of an attachment that no compute has touched (cinder 29.0.0)."""


class Unattached:
    """Finds lost attachments; several conductors may look at once."""

    def __init__(self, peers: Peers) -> None:
        self._peers = peers
        self._seconds = peers.conf.keel.build_deadline

    def run(self) -> None:
        before = now() - datetime.timedelta(seconds=self._seconds)
        for cell in self._peers.cells.working():
            for row in cell.db.read(bdms.never_attached, before):
                try:
                    self._undo(cell, row)
                except ClientError as error:
                    LOG.warning("Volume %s of server %s: %s", row["volume_id"], row["instance_uuid"], error)

    def _undo(self, cell: Cell, row: dict[str, Any]) -> None:
        cinder = self._peers.clients.cinder
        found = cinder.list_attachments(None, volume_id=row["volume_id"], instance_id=row["instance_uuid"])
        if any(each["status"] != RESERVED for each in found):
            return
        for each in found:
            cinder.delete_attachment(None, each["id"])
        if cell.db.run(bdms.destroy_unattached, row["id"]):
            LOG.warning("Volume %s never reached server %s", row["volume_id"], row["instance_uuid"])
