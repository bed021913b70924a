"""How a nova-compute at the edge keeps the records of its servers: through the conductor, as a real one."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from keel_contract.nova.remote import RemoteObjects

RUNNING, PAUSED, OFF, SUSPENDED = 1, 3, 4, 7


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def to(power: int, vm_state: str, **more: Any) -> dict[str, Any]:
    """The power and the state a server is in when nothing goes on."""
    return {"power_state": power, "vm_state": vm_state, "task_state": None, **more}


class HostRecords:
    """One host with one node. `peers`: the clients of the services it talks to; `conf`: its configuration."""

    def __init__(self, host: str, node: str, remote: RemoteObjects, peers: Any, conf: Any):
        self.host, self.node, self._remote, self._peers, self._conf = host, node, remote, peers, conf

    def _save(self, context: Any, instance: Any, **values: Any) -> None:
        for name, value in values.items():
            setattr(instance, name, value)
        self._remote.action(context, instance, "save")

    @contextmanager
    def _event(self, context: Any, instance: Any, method: str) -> Iterator[None]:
        """The event of an action, begun and ended; errors are faults of the server."""
        server, event = instance.uuid, f"compute_{method}"
        self._remote.class_action(
            context, "InstanceActionEvent", "event_start", server, event, want_result=False, host=self.host
        )
        error: BaseException | None = None
        try:
            yield
        except Exception as raised:
            error = raised
            raise
        finally:
            self._remote.class_action(
                context,
                "InstanceActionEvent",
                "event_finish_with_failure",
                server,
                event,
                exc_val=str(error) if error else None,
                exc_tb="a traceback" if error else None,
                want_result=False,
            )

    def _whole(self, context: Any, instance: Any) -> Any:
        parts = ["info_cache", "metadata", "system_metadata", "flavor"]
        return self._remote.class_action(context, "Instance", "get_by_uuid", instance.uuid, expected_attrs=parts)

    def _moved(self, context: Any, instance: Any, method: str, **values: Any) -> None:
        """An action whose whole effect is another state of the record."""
        with self._event(context, instance, method):
            self._save(context, instance, **values)

    def _place(self, context: Any, host: str, node: str) -> dict[str, Any]:
        """Where a server is from now on, as its record says it."""
        found = self._remote.class_action(context, "ComputeNode", "get_by_host_and_nodename", host, node)
        return {"host": host, "node": node, "compute_id": found.id}
