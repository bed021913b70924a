"""Both APIs over HTTP in this process, behind a Keystone and beside an image and a network service, for real clients.

Our API, conductor and scheduler work on databases in memory; the hosts and the backend are those of the conformance
lane, whose hypervisor and driver always succeed. The two suites know each other by their endpoints alone, as in a
deployment: the compute API takes volumes of our block storage API, that one sends its events back. Tokens are checked
by keystonemiddleware, so the service-token rules hold.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import openstack
from cinderclient import client as cinder_client
from conformance.compute_cloud import ComputeCloud
from conformance.scenario import environment
from conformance.volume_cloud import VolumeCloud
from fakes.api import Identity
from fakes.keystone import REGION, FakeKeystone
from keystoneauth1.identity.v3 import Password
from keystoneauth1.session import Session
from novaclient import client as nova_client

from clients.peers import ImageAndNetwork
from keel_api import app
from keel_common.clients import Clients
from keel_common.runtime import WsgiServer

USERS = {
    "admin": Identity.ADMIN,
    "demo": Identity.MEMBER,
    "reader": Identity.READER,
    "other": Identity.OTHER,
    "nova": Identity("nova-user", Identity.SERVICE.project, ("admin", "service")),
    "cinder": Identity("cinder-user", Identity.SERVICE.project, ("admin", "service")),
    "glance": Identity("glance-user", Identity.SERVICE.project, ("member", "service")),
    "neutron": Identity("neutron-user", Identity.SERVICE.project, ("admin", "service")),
    "masakari": Identity("masakari-user", Identity.SERVICE.project, ("admin",)),
}
_FACTS = environment()["nova"]
IMAGE = _FACTS["glance_images"][0]["id"]
NETWORK = _FACTS["neutron"]["networks"][0]["id"]
TINY = "1"  # a flavor
_SECTION = """
[{section}]
auth_type = password
auth_url = {url}/v3
username = {user}
password = {user}
user_domain_id = default
project_domain_id = default
project_name = {user}-project
region_name = {region}
{more}
"""


def until(look: Any, done: Any, say: Any = lambda: "nothing came", seconds: float = 10) -> None:
    """Look again until it is done."""
    deadline = time.monotonic() + seconds
    while True:
        look()
        if done():
            return
        assert time.monotonic() < deadline, say()
        time.sleep(0.02)


class Deployment:
    """Made once for many tests; `reset` empties it."""

    def __init__(self, folder: Path):
        self.keystone = FakeKeystone(USERS)
        self.keystone.start()
        self.keystone.endpoint("identity", "keystone", f"{self.keystone.url}/v3")
        sections = ("keystone_authtoken", "cinder", "service_user", "placement", "neutron", "keystone")
        self.compute = ComputeCloud(self._configuration(folder / "nova.conf", "nova", sections))
        sections = ("keystone_authtoken", "nova", "service_user")
        self.volume = VolumeCloud(self._configuration(folder / "cinder.conf", "cinder", sections))
        for option in ("compute_link_prefix", "glance_link_prefix"):
            self.compute.conf.clear_override(option, "api")
        peers = ImageAndNetwork(self.compute.clients)
        self._servers = [
            self._serve("compute", self._app("compute"), "nova", "/v2.1"),
            self._serve("block-storage", self._app("volume"), "cinder", "/v3/%(project_id)s"),
            self._serve("image", peers.image, "glance", ""),
            self._serve("network", peers.network, "neutron", ""),
        ]
        self.keystone.endpoint("volumev3", "cinderv3", self.keystone.services["block-storage"]["url"])
        self.reset()

    def _configuration(self, path: Path, user: str, sections: tuple[str, ...]) -> list[str]:
        more = {
            "service_user": "send_service_user_token = true",
            "keystone_authtoken": "service_token_roles = service\nservice_token_roles_required = true\n"
            f"www_authenticate_uri = {self.keystone.url}",
        }
        facts = {"url": self.keystone.url, "user": user, "region": REGION}
        # An exchange of its own: every cloud of a test process is on one bus, and this one stays for all of its tests.
        bus = f"[DEFAULT]\ncontrol_exchange = {user}-{uuid4().hex}\n"
        path.write_text(bus + "".join(_SECTION.format(section=s, more=more.get(s, ""), **facts) for s in sections))
        return [str(path)]

    def _app(self, suite: str) -> Any:
        cloud = self.compute if suite == "compute" else self.volume
        return app.build(cloud.conf, suite, cloud.services)

    def _serve(self, kind: str, application: Any, name: str, path: str) -> WsgiServer:
        server = WsgiServer(application, "127.0.0.1", 0, threads=8, name=name)
        server.start()
        self.keystone.endpoint(kind, name, f"http://127.0.0.1:{server.port}{path}")
        return server

    def reset(self) -> None:
        """Nothing but flavors, images, a network and two hosts; the peers of each suite are the other one."""
        self.compute.reset({"profile": {"computes": ["host2"]}})
        self.volume.reset({"config": []})
        for option in ("compute_link_prefix", "glance_link_prefix"):
            self.compute.conf.clear_override(option, "api")
        self.compute.clients.cinder = Clients(self.compute.conf, "compute").cinder
        self.volume.services.clients.nova = Clients(self.volume.conf, "volume").nova
        self.volume.services.clients.glance = self.compute.clients.glance

    def close(self) -> None:
        for server in self._servers:
            server.stop(time.monotonic() + 5)
        self.compute.close()
        self.volume.close()
        self.keystone.stop()

    # -- things

    def server(self, who: str = "demo", **options: Any) -> Any:
        """A server that is active, as novaclient 2.96 has it."""
        wanted = {"image": IMAGE, "flavor": TINY, "nics": [{"net-id": NETWORK}], **options}
        nova = self.nova("2.96", who)
        made = nova.servers.get(nova.servers.create(wanted.pop("name", "web"), **wanted).id)
        assert made.status == "ACTIVE", made.to_dict()
        return made

    def volume_of(self, who: str = "demo", size: int = 1, **options: Any) -> Any:
        """A volume that is available, as cinderclient 3.71 has it."""
        return self.settled(self.cinder("3.71", who).volumes.create(size, **options))

    def settled(self, volume: Any, status: str = "available") -> Any:
        """The volume (or snapshot ...) of cinderclient or novaclient once it has a status."""
        return until(volume.get, lambda: volume.status == status, lambda: f"{volume.status}, not {status}") or volume

    # -- clients

    def url(self, kind: str, who: str = "demo") -> str:
        """The endpoint of a service as the catalog has it for a user."""
        return self.keystone.services[kind]["url"].replace("%(project_id)s", USERS[who].project or "")

    def session(self, who: str = "demo") -> Session:
        """A keystoneauth session of a user."""
        names = {"user_domain_id": "default", "project_domain_id": "default", "project_name": f"{who}-project"}
        return Session(Password(f"{self.keystone.url}/v3", username=who, password=who, **names))

    def nova(self, version: str, who: str = "demo", **how: Any) -> Any:
        """novaclient."""
        return nova_client.Client(version, session=self.session(who), **how)

    def cinder(self, version: str, who: str = "demo", **how: Any) -> Any:
        """cinderclient."""
        return cinder_client.Client(version, session=self.session(who), **how)

    def sdk(self, who: str = "demo", **how: Any) -> openstack.connection.Connection:
        """openstacksdk."""
        return openstack.connection.Connection(session=self.session(who), region_name=REGION, **how)

    def environment(self, who: str) -> dict[str, str]:
        """What the command line reads."""
        return {
            "OS_AUTH_URL": f"{self.keystone.url}/v3",
            "OS_USERNAME": who,
            "OS_PASSWORD": who,
            "OS_PROJECT_NAME": f"{who}-project",
            "OS_USER_DOMAIN_ID": "default",
            "OS_PROJECT_DOMAIN_ID": "default",
            "OS_REGION_NAME": REGION,
            "OS_IDENTITY_API_VERSION": "3",
        }
