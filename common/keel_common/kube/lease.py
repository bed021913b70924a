"""Leases: which replicas are alive, told through coordination.k8s.io.

A member writes one Lease and renews it; the members are the holders of leases that have not run out. Expiry is judged
by the watcher's own clock from the moment it last saw the lease change (as client-go's leader election does), so that
clocks of different machines need not agree.
"""

from __future__ import annotations

import datetime
import logging
import threading
import time
from collections.abc import Callable

from keel_common.kube.client import Kube
from keel_common.kube.errors import AlreadyExists, Conflict, KubeError, NotFound
from keel_common.kube.kinds import LEASE

LOG = logging.getLogger(__name__)

SETTLE = 1.0
"""Seconds between joining and the first look at the others."""
GROUP = "openstack.org/members-of"
"""Label of every lease of one group of replicas."""


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Membership:
    """A Part: this process is a member of `group` while it runs, and learns who else is.

    `on_change(members)` is called from the Part's thread with the sorted names whenever the set changes, the first
    time after the own lease is written. `seconds` is how long a lease lasts without renewal; it is renewed three times
    in that span. When the own lease could not be renewed for that long, on_change(()) tells that this process must not
    act as a member.
    """

    def __init__(
        self,
        kube: Kube,
        namespace: str,
        group: str,
        member: str,
        on_change: Callable[[tuple[str, ...]], None],
        seconds: float = 15.0,
    ) -> None:
        self.name = f"membership-{group}"
        self._kube = kube
        self._namespace = namespace
        self._group = group
        self._member = member
        self._on_change = on_change
        self._seconds = seconds
        self._seen: dict[str, tuple[str, float]] = {}
        self._members: tuple[str, ...] | None = None
        self._renewed = time.monotonic()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)

    @property
    def lease(self) -> str:
        """Name of the own Lease object."""
        return f"{self._group}-{self._member}"

    def start(self) -> None:
        """Join in the background."""
        self._thread.start()

    def stop(self, deadline: float) -> None:
        """Leave: the lease is deleted so that the others take over at once."""
        self._stopping.set()
        self._thread.join(max(0.1, deadline - time.monotonic()))
        try:
            self._kube.delete(LEASE, self.lease, self._namespace)
        except KubeError as error:
            LOG.warning("%s: the lease was not given back and will run out: %s", self.name, error)

    def checks(self) -> dict[str, Callable[[], None]]:
        """Readiness: the own lease is valid."""
        return {self.name: self._check}

    def _check(self) -> None:
        if self._members is None or self._member not in self._members:
            raise RuntimeError(f"{self._member} is no member of {self._group}")

    def _run(self) -> None:
        while not self._stopping.is_set():
            if self._members and time.monotonic() - self._renewed > self._seconds:
                # This process slept too long: others have taken what it held, so it lets go before it joins again.
                self._members = ()
                self._tell(())
            members: tuple[str, ...] | None
            try:
                self._renew()
                self._renewed = time.monotonic()
                if self._members is None:
                    # Replicas are started together: who comes a moment later is waited for, or it would be handed
                    # over to at once what was just taken.
                    self._stopping.wait(min(SETTLE, self._seconds / 3))
                members = self._alive()
            except KubeError as error:
                LOG.warning("%s: %s", self.name, error)
                lost = time.monotonic() - self._renewed > self._seconds
                members = () if lost else self._members
            if members is not None and members != self._members:
                self._members = members
                self._tell(members)
            self._stopping.wait(self._seconds / 3)

    def _tell(self, members: tuple[str, ...]) -> None:
        LOG.info("%s: members are now %s", self.name, ", ".join(members) or "unknown")
        try:
            self._on_change(members)
        except Exception:
            LOG.exception("%s: the change was not handled", self.name)

    def _renew(self) -> None:
        body = LEASE.body(self.lease, self._namespace)
        body["metadata"]["labels"] = {GROUP: self._group}
        body["spec"] = {
            "holderIdentity": self._member,
            "leaseDurationSeconds": int(self._seconds),
            "renewTime": _now(),
        }
        try:
            self._kube.patch(LEASE, self.lease, self._namespace, {"spec": body["spec"]})
        except NotFound:
            try:
                self._kube.create(LEASE, body)
            except (AlreadyExists, Conflict):
                LOG.info("%s: the lease appeared meanwhile", self.name)

    def _alive(self) -> tuple[str, ...]:
        now = time.monotonic()
        found = {}
        for lease in self._kube.list(LEASE, self._namespace, {GROUP: self._group}):
            holder, version = lease["spec"]["holderIdentity"], lease["metadata"]["resourceVersion"]
            before = self._seen.get(holder)
            found[holder] = before if before and before[0] == version else (version, now)
        self._seen = found
        return tuple(sorted(holder for holder, (_, since) in found.items() if now - since <= self._seconds))
