"""Clients of the other OpenStack services: one object per process, one adapter per service.

The only package that imports keystoneauth1. Every failure of a peer is a
:class:`~keel_common.clients.errors.ClientError` with the peer's status.
"""

from functools import cached_property

from oslo_config import cfg

from keel_common.clients.cinder import Cinder
from keel_common.clients.glance import Glance
from keel_common.clients.keystone import Keystone
from keel_common.clients.manila import Manila
from keel_common.clients.neutron import Neutron
from keel_common.clients.nova import Nova
from keel_common.clients.placement import Placement
from keel_common.clients.session import Sessions

__all__ = ["Clients"]


class Clients:
    """The peers of one suite ("compute" or "volume"), each made when first used.

    Safe for use by many threads: keystoneauth sessions are, and the clients hold no request state.
    """

    def __init__(self, conf: cfg.ConfigOpts, suite: str):
        self._sessions = Sessions(conf, suite)

    @cached_property
    def placement(self) -> Placement:
        """Resource providers, candidates and allocations (compute suite)."""
        return Placement(self._sessions.service("placement"))

    @cached_property
    def neutron(self) -> Neutron:
        """Networks and ports (compute suite)."""
        return Neutron(self._sessions.service("neutron"))

    @cached_property
    def glance(self) -> Glance:
        """Images (both suites)."""
        return Glance(self._sessions.service("glance"))

    @cached_property
    def cinder(self) -> Cinder:
        """Volumes and attachments (compute suite)."""
        return Cinder(self._sessions.service("cinder"))

    @cached_property
    def manila(self) -> Manila:
        """Shared file systems (compute suite)."""
        return Manila(self._sessions.service("manila"))

    @cached_property
    def nova(self) -> Nova:
        """External events and attachments of servers (volume suite)."""
        return Nova(self._sessions.service("nova"))

    @cached_property
    def keystone(self) -> Keystone:
        """Look-ups of projects (both suites)."""
        return Keystone(self._sessions.service("keystone"))
