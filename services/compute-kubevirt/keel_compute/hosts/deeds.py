"""Who owns a Nova host among the replicas: one Lease object a host.

The hash ring says who should own a host; the deed says who does. A replica takes over when the deed is free, its own,
or held by a replica that is not alive any more; a replica that hands over gives the deed back when its last operation
there has ended. So no two replicas work on one host, and nothing has to be renewed per host: a holder is alive as long
as its membership lease is.
"""

from __future__ import annotations

import logging

from keel_common.kube import LEASE, AlreadyExists, Conflict, Kube, KubeError, NotFound, names

LOG = logging.getLogger(__name__)


class NotFree(Exception):
    """Another living replica still owns the host."""


class Deeds:
    """The deeds of one deployment. `member` is this replica's name, `namespace` where the leases live."""

    def __init__(self, kube: Kube, namespace: str, member: str) -> None:
        self._kube = kube
        self._namespace = namespace
        self._member = member

    @staticmethod
    def name(host: str) -> str:
        """Name of the Lease of a host."""
        return f"nova-host-{host}"

    def take(self, host: str, alive: tuple[str, ...]) -> None:
        """Become the owner. Raises NotFree while another member of `alive` is, KubeError when nothing is known."""
        for _ in range(3):
            found = self._kube.find(LEASE, self.name(host), self._namespace)
            if found is None:
                if self._create(host):
                    return
                continue
            holder = found["spec"].get("holderIdentity")
            if holder == self._member:
                return
            if holder and holder in alive:
                raise NotFree(f"{holder} has not handed over host {host} yet")
            found["spec"]["holderIdentity"] = self._member
            try:
                self._kube.replace(LEASE, found)
                return
            except Conflict:
                LOG.info("Host %s: another replica looks at the deed too", host)
        raise NotFree(f"the deed of host {host} keeps changing")

    def _create(self, host: str) -> bool:
        body = LEASE.body(self.name(host), self._namespace, spec={"holderIdentity": self._member})
        body["metadata"]["labels"] = names.labels(names.COMPUTE, host=host)
        try:
            self._kube.create(LEASE, body)
        except AlreadyExists:
            return False
        return True

    def give(self, host: str) -> None:
        """Free the host for another replica, when it is ours. A failure is logged: the deed then waits for our end."""
        try:
            found = self._kube.get(LEASE, self.name(host), self._namespace)
            if found["spec"].get("holderIdentity") == self._member:
                found["spec"]["holderIdentity"] = None
                self._kube.replace(LEASE, found)
        except NotFound:
            return
        except KubeError as error:
            LOG.warning("The deed of host %s was not given back: %s", host, error)
