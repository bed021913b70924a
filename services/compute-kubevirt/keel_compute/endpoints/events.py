"""What Neutron and Cinder tell about a server."""

from __future__ import annotations

import logging
from typing import Any

from keel_compute.endpoints.turn import Turns
from keel_compute.errors import is_fault
from keel_compute.flows import attach, interfaces
from keel_compute.scope import Scope
from keel_compute.steps import network
from keel_contract.context import Context
from keel_contract.errors import RemoteFault

LOG = logging.getLogger(__name__)


class Events(Turns):
    """External events (nova 34.0.0 external_instance_event)."""

    def external_instance_event(self, context: Context, instances: Any, events: Any) -> None:
        """Pass events on to who waits for them; a changed network refreshes the info cache."""
        known = {each.uuid: each for each in instances}
        for event in events:
            instance = known.get(event.instance_uuid)
            if instance is None:
                LOG.warning("Event %s is for server %s that was not sent along", event.name, event.instance_uuid)
                continue
            try:
                self._event(context, instance, event)
            except Exception:
                # One event that cannot be handled must not swallow the others of the batch.
                LOG.exception("Event %s of server %s was not handled", event.name, instance.uuid)

    def _event(self, context: Context, instance: Any, event: Any) -> None:
        if event.name in ("network-changed", "network-vif-deleted"):
            self._network_event(context, instance.uuid, event)
            return
        if event.name == "volume-extended":
            with self._turn(context, instance, "extend_volume") as scope:
                attach.extended(scope, event.tag)
            return
        key = f"{event.name}-{event.get('tag')}" if event.get("tag") else event.name
        if not self.site.arrivals.arrive(instance.uuid, key, event.status == "failed"):
            LOG.info("Nobody waits for event %s of server %s", key, instance.uuid)

    def _network_event(self, context: Context, server: str, event: Any) -> None:
        """Follow a change at Neutron. What we do ourselves is told to us too, so the record is read when it is our
        turn.
        """
        with self.site.flights.enter(server, event.name) as flight:
            try:
                instance = self.site.records.instance(context, server)
            except RemoteFault as fault:
                if not is_fault(fault, "InstanceNotFound"):
                    raise
                return
            if instance.task_state == "deleting" or instance.host != self.place.name:
                return
            scope = Scope(self.site, self.place, context, instance, flight)
            if event.name == "network-vif-deleted":
                interfaces.vanished(scope, event.tag)
            else:
                self.site.records.save_network(context, instance, network.refresh(scope))
