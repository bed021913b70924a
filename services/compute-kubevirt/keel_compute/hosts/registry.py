"""Which nodes are Nova hosts of this process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tooz import hashring

from keel_common.kube import Informer
from keel_common.runtime import left
from keel_compute.errors import text
from keel_compute.hosts.deeds import Deeds, NotFree
from keel_compute.hosts.host import Host
from keel_compute.scope import Place

LOG = logging.getLogger(__name__)

HANDOVER = 60.0
"""Seconds a host may take to finish what it has under way before another replica gets it."""
RETRY = (1.0, 30.0)
"""Seconds before a host that could not start is tried again: first and longest pause."""


class Registry:
    """A Part that keeps the hosts of this process equal to its share of the nodes.

    `make(name)` builds a Host, `deeds` sees to it that it is nobody else's. With `member` the nodes are shared by a
    hash ring over the members that `share` was told last; nothing is owned before it was told. Without, every node is
    ours. One thread starts and stops hosts, so that none is started twice.
    """

    name = "hosts"

    def __init__(
        self,
        nodes: Informer,
        make: Callable[[str], Host],
        member: str | None = None,
        deeds: Deeds | None = None,
    ) -> None:
        self._nodes = nodes
        self._make = make
        self._member = member
        self._deeds = deeds
        self._alive: tuple[str, ...] = ()
        self._ring: hashring.HashRing | None = None
        self._hosts: dict[str, Host] = {}
        self._failed: dict[str, tuple[float, float, str]] = {}
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)

    # -- the Part

    def start(self) -> None:
        """Begin to take hosts."""
        self._thread.start()

    def stop(self, deadline: float) -> None:
        """Hand over every host."""
        self._stopping.set()
        self._changed.set()
        self._thread.join(left(deadline))
        self._end_all(self.hosts(), deadline)

    def checks(self) -> dict[str, Callable[[], None]]:
        """Readiness: every host that is ours is up."""
        return {self.name: self._check}

    def _check(self) -> None:
        missing = self.wanted() - {host.name for host in self.hosts()}
        if missing:
            reasons = [
                f"{name} ({self._failed[name][2]})" if name in self._failed else name for name in sorted(missing)
            ]
            raise RuntimeError(f"hosts not up: {', '.join(reasons)}")
        for host in self.hosts():
            for check in host.checks().values():
                check()

    # -- ownership

    def node_changed(self, event: str, node: dict, before: dict | None) -> None:
        """A node came, went or changed (handler of the node informer)."""
        if event != "MODIFIED":
            self._changed.set()

    def share(self, members: tuple[str, ...]) -> None:
        """The replicas that are alive changed; no members means that this process may not own anything."""
        self._alive = members
        self._ring = hashring.HashRing(members) if members else None
        self._changed.set()

    def wanted(self) -> set[str]:
        """Names of the nodes that should be hosts of this process."""
        names = {node["metadata"]["name"] for node in self._nodes.items()}
        if self._member is None:
            return names
        ring = self._ring
        if ring is None:
            return set()
        return {name for name in names if ring.get_nodes(name.encode()) == {self._member}}

    def hosts(self) -> list[Host]:
        """The hosts that are up."""
        with self._lock:
            return list(self._hosts.values())

    def places(self) -> list[Place]:
        """The hosts that are up, as flows know them."""
        return [host.place for host in self.hosts() if host.place is not None]

    def host(self, name: str) -> Host | None:
        """The host of that name when it is up here."""
        with self._lock:
            return self._hosts.get(name)

    # -- following

    def _run(self) -> None:
        self._nodes.wait_synced(60)
        while not self._stopping.is_set():
            self._changed.clear()
            wanted = self.wanted()
            self._end_all([host for host in self.hosts() if host.name not in wanted], time.monotonic() + HANDOVER)
            for name in sorted(wanted):
                if not self._stopping.is_set():
                    self._begin(name)
            self._changed.wait(self._pause())

    def _pause(self) -> float:
        due = [when for when, _, _ in self._failed.values()]
        return max(0.05, min(due) - time.monotonic()) if due else RETRY[1]

    def _begin(self, name: str) -> None:
        when, pause, _ = self._failed.get(name, (0.0, RETRY[0], ""))
        if self.host(name) or time.monotonic() < when:
            return
        host = self._make(name)
        try:
            if self._deeds:
                self._deeds.take(name, self._alive)
            host.start()
        except NotFree as wait:
            LOG.info("Host %s: %s", name, wait)
            self._failed[name] = (time.monotonic() + RETRY[0], RETRY[0], str(wait))
            return
        except Exception as error:
            LOG.warning("Host %s could not start, next try in %.0f s: %s", name, pause, text(error), exc_info=True)
            host.stop(time.monotonic() + 5)
            self._failed[name] = (time.monotonic() + pause, min(pause * 2, RETRY[1]), text(error))
            return
        self._failed.pop(name, None)
        with self._lock:
            self._hosts[name] = host

    def _end_all(self, hosts: list[Host], deadline: float) -> None:
        """Side by side: a bus server takes seconds to end, and what a host has under way may take longer."""
        if hosts:
            with ThreadPoolExecutor(min(len(hosts), 32), thread_name_prefix="handover") as pool:
                list(pool.map(lambda host: self._end(host, deadline), hosts))

    def _end(self, host: Host, deadline: float) -> None:
        LOG.info("Host %s is handed over", host.name)
        with self._lock:
            self._hosts.pop(host.name, None)
        try:
            host.stop(deadline)
        except Exception:
            LOG.exception("Host %s did not stop cleanly", host.name)
        if self._deeds:
            self._deeds.give(host.name)

    def each(self, act: Callable[[Host], Any]) -> None:
        """Run `act` for every host; an error of one does not hold up the others."""
        for host in self.hosts():
            try:
                act(host)
            except Exception as error:
                LOG.warning("Host %s: %s", host.name, text(error), exc_info=True)
