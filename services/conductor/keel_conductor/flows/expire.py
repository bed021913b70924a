"""Servers that a conductor lost: it died between taking the request and handing the server to a compute.

The message is gone with the process and not everything in it is stored, so nobody can go on. Such a server ends in
ERROR, with a fault that says so, once nothing happened to it for [keel]build_deadline seconds.
"""

import datetime
import logging
from typing import Any

from keel_common.db import Cell, now
from keel_common.db.refusals import Refused
from keel_common.db.stores.nova import instances, placed
from keel_conductor.flows import bury
from keel_conductor.flows.build import Wanted
from keel_conductor.flows.failure import Expired, fault_of
from keel_conductor.objects import wire
from keel_conductor.peers import Peers
from keel_contract.context import Context

LOG = logging.getLogger(__name__)


class Expiry:
    """Finds lost servers; several conductors may look at once, each server is buried by one of them."""

    def __init__(self, peers: Peers) -> None:
        self._peers = peers
        self._seconds = peers.conf.keel.build_deadline

    def run(self) -> None:
        before = now() - datetime.timedelta(seconds=self._seconds)
        for row in self._peers.cells.api.read(placed.stale_build_requests, before):
            try:
                self._build_request(row)
            except Exception:  # one that cannot be read must not keep the others
                LOG.exception("Server %s could not be buried", row["instance_uuid"])
        for cell in self._peers.cells.working():
            for uuid in cell.db.read(instances.never_started, before):
                self._recorded(cell, uuid)

    def _build_request(self, row: dict[str, Any]) -> None:
        """No cell was noted: the server is buried where its rows are, in cell0 when it has none."""
        uuid = row["instance_uuid"]
        LOG.warning("Server %s was not placed in %s s", uuid, self._seconds)
        server = Wanted(
            wire.record("BuildRequest", {"instance_uuid": uuid}, instance=wire.stored(row["instance"])),
            None,
            wire.stored(row["block_device_mappings"]) or wire.listed("BlockDeviceMappingList", []),
        )
        for cell in self._peers.cells.working():
            if cell.db.read(instances.by_uuid, uuid) is not None:
                server.cell = cell
                bury.in_cell(self._peers, server, self._error(uuid))
                return
        bury.give_back_claim(self._peers, uuid)
        tags = [tag.tag for tag in wire.stored(row["tags"]).objects] if row["tags"] else []
        # The request id of the user is not stored: the action carries the one of this run.
        context = Context(server.request.instance.user_id, server.request.instance.project_id, is_admin=True)
        bury.in_cell0(self._peers, context, server, tags, self._error(uuid))

    def _recorded(self, cell: Cell, uuid: str) -> None:
        """Its allocation stays until it is deleted: a compute that gets the message late may still build it."""
        try:
            cell.db.run(bury.fail, uuid, fault_of(self._error(uuid), self._peers.host), ["scheduling", None])
        except Refused as moved:
            LOG.info("Server %s moved on: %s", uuid, moved)

    def _error(self, uuid: str) -> Expired:
        return Expired(f"Building server {uuid} was interrupted; nothing happened for {self._seconds} seconds")
