"""Which states let an action begin (nova 34.0.0 action_preconditions): lock, host, vm_state, task_state, launched."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keel_common.domain.server.tables import table

ANY = "any"


class Refused(Exception):
    """A guard refuses an action; `str(error)` is the recorded sentence for the user."""


class Locked(Refused):
    """The server is locked and the caller is no administrator."""


class NotReady(Refused):
    """The server has no host yet."""


class HostDown(Refused):
    """The compute service of the server's host is down."""


class InvalidState(Refused):
    """The vm_state, task_state or launch of the server does not allow the action."""


@dataclass(frozen=True)
class Guard:
    """The recorded preconditions and effects of one action."""

    name: str
    order: tuple[str, ...]
    vm_states: tuple[str, ...] | None
    task_states: tuple[str | None, ...] | None
    launched: bool
    host: str | None
    sets: str | None
    expects: tuple[str | None, ...]
    actions: tuple[str, ...]

    def check(self, server: Mapping[str, Any], verb: str, is_admin: bool) -> None:
        """Raise the first refusal for `server` (a row with uuid, locked, host, vm_state, task_state, launched_at).

        Whether the host's service is up is not known here: see `host == "up"`.
        """
        for step in self.order:
            if step == "lock" and server["locked"] and not is_admin:
                raise Locked(f"Instance {server['uuid']} is locked")
            if step == "host" and not server["host"]:
                raise NotReady(f"Instance {server['uuid']} is not ready")
            if step == "state":
                self._check_state(server, verb)

    def _check_state(self, server: Mapping[str, Any], verb: str) -> None:
        for attribute, allowed in (("vm_state", self.vm_states), ("task_state", self.task_states)):
            if allowed is not None and server[attribute] not in allowed:
                raise InvalidState(invalid_state(verb, server["uuid"], attribute, server[attribute]))
        if self.launched and not server["launched_at"]:
            raise InvalidState(f"Cannot '{verb}' an instance which has never been active")


def invalid_state(verb: str, uuid: str, attribute: str, state: str | None) -> str:
    """Return the recorded sentence for a server whose state forbids `verb`."""
    return f"Cannot '{verb}' instance {uuid} while it is in {attribute} {state}"


def guard(method: str) -> Guard:
    """Return the guard of one recorded compute method, e.g. `stop` or `_hard_reboot`; KeyError when unknown."""
    row = table("guards")[method]
    return Guard(
        name=method,
        order=tuple(row["order"]),
        vm_states=_states(row.get("vm_state", ANY)),
        task_states=_states(row.get("task_state", ANY)),
        launched=row.get("launched", False),
        host=row.get("host"),
        sets=row.get("sets"),
        expects=tuple(row.get("expects") or ()),
        actions=tuple(row["actions"]),
    )


def _states(value: Any) -> tuple | None:
    return None if value == ANY else tuple(value)
