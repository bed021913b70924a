"""The main job: a server on the private network, a volume, and the one attached to the other.

Done with openstacksdk as the member `demo`, the way anybody would. What an earlier run left is deleted first.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from openstack import exceptions

from keel_dev.client import connect
from keel_dev.console import CloudError, step, table
from keel_dev.console import say as say_plain
from keel_dev.seeds import images
from keel_dev.settings import Settings

SERVER = "first-server"
VOLUME = "first-volume"
FLAVOR = "m1.tiny"
NETWORK = "private"
STEP_SECONDS = 120.0
#: Statuses from which a volume can be deleted.
SETTLED = ("available", "error")
POLL_SECONDS = 0.3


class Job:
    """One run: every step waits for its end and is written down with its seconds."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.cloud = connect(settings, "openkeel")
        self.rows: list[list[str]] = []

    def run(self) -> None:
        """All steps; CloudError with the reason and the places of the logs when one fails."""
        self.clean()
        server = self.do("server to ACTIVE", self.boot)
        volume = self.do("volume to available", self.make_volume)
        self.do("volume attached, in-use", lambda: self.attach(server, volume))

    def do(self, title: str, action: Callable[[], Any]) -> Any:
        """Do one step, wait for its end, write it down."""
        begun = time.monotonic()
        try:
            with step(title):
                result, words = action()
        except (exceptions.SDKException, TimeoutError, CloudError) as error:
            raise CloudError(f"{title}: {error}\nlogs: {self.settings.logs}") from error
        self.rows.append([title, words, f"{time.monotonic() - begun:.1f} s"])
        return result

    def clean(self) -> None:
        """Delete the server and the volume of an earlier run."""
        servers = list(self.cloud.compute.servers(name=f"^{SERVER}$"))
        volumes = list(self.cloud.block_storage.volumes(name=VOLUME))
        if servers or volumes:
            self.do("things of an earlier run deleted", lambda: self.delete(servers, volumes))

    def delete(self, servers: list[Any], volumes: list[Any]) -> tuple[None, str]:
        """Delete servers, then volumes, and wait until they have gone."""
        for server in servers:
            self.cloud.compute.delete_server(server)
        _wait("server deletion", lambda: not any(map(self.server_exists, servers)))
        _wait("end of attachment", lambda: all(self.volume_status(volume) in SETTLED for volume in volumes))
        for volume in volumes:
            self.cloud.block_storage.delete_volume(volume)
        _wait("volume deletion", lambda: not any(map(self.volume_exists, volumes)))
        return None, f"{len(servers)} server(s), {len(volumes)} volume(s)"

    def boot(self) -> tuple[Any, str]:
        """Create the server and wait for ACTIVE."""
        compute = self.cloud.compute
        image = self.cloud.image.find_image(images.NAME, ignore_missing=False)
        flavor = compute.find_flavor(FLAVOR, ignore_missing=False)
        network = self.cloud.network.find_network(NETWORK, ignore_missing=False)
        server = compute.create_server(
            name=SERVER, image_id=image.id, flavor_id=flavor.id, networks=[{"uuid": network.id}]
        )

        def active() -> bool:
            found = compute.get_server(server.id)
            if found.status == "ERROR":
                raise CloudError(f"server {server.id} is in ERROR: {(found.fault or {}).get('message')}")
            return found.status == "ACTIVE"

        _wait(f"server {server.id} to ACTIVE", active)
        addresses = compute.get_server(server.id).addresses
        words = ", ".join(address["addr"] for addresses_of in addresses.values() for address in addresses_of)
        return server, f"{server.id} at {words}"

    def make_volume(self) -> tuple[Any, str]:
        """Create the volume and wait until it is available."""
        volume = self.cloud.block_storage.create_volume(name=VOLUME, size=1)
        self.wait_for_volume(volume, "available")
        return volume, volume.id

    def attach(self, server: Any, volume: Any) -> tuple[None, str]:
        """Attach the volume and wait until it is in use."""
        self.cloud.compute.create_volume_attachment(server, volume_id=volume.id)
        self.wait_for_volume(volume, "in-use")
        attached = self.cloud.block_storage.get_volume(volume.id).attachments[0]
        return None, f"{attached['device']} of {attached['server_id']}"

    def server_exists(self, server: Any) -> bool:
        """Whether the server is still there."""
        return self.cloud.compute.find_server(server.id) is not None

    def volume_exists(self, volume: Any) -> bool:
        """Whether the volume is still there."""
        return self.cloud.block_storage.find_volume(volume.id) is not None

    def volume_status(self, volume: Any) -> str:
        """The volume's status now."""
        return self.cloud.block_storage.get_volume(volume.id).status

    def wait_for_volume(self, volume: Any, status: str) -> None:
        """Wait for a status; an error status ends the wait at once."""

        def reached() -> bool:
            found = self.volume_status(volume)
            if found.startswith("error"):
                raise CloudError(f"volume {volume.id} is in {found}")
            return found == status

        _wait(f"volume {volume.id} to {status}", reached)


def _wait(what: str, reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + STEP_SECONDS
    while not reached():
        if time.monotonic() > deadline:
            raise TimeoutError(f"no {what} in {STEP_SECONDS:.0f} s")
        time.sleep(POLL_SECONDS)


def is_possible(names: Iterable[str]) -> bool:
    """Whether a cloud of these processes has both suites."""
    known = set(names)
    compute = known & {"keel-compute", "keel-compute-api", "nova-api"}
    volume = known & {"keel-volume", "keel-volume-api", "cinder-api"}
    return bool(compute and volume)


def run(settings: Settings) -> None:
    """Do the main job and print what was done, with times."""
    job = Job(settings)
    job.run()
    table("The main job", ["what", "result", "time"], job.rows)


def print_how_to_go_on(settings: Settings) -> None:
    """The commands that a person would like to try next."""
    openstack = settings.program("openstack", "project")
    say_plain(
        f"""
Go on with:
  export OS_CLIENT_CONFIG_FILE={settings.clouds_yaml} OS_CLOUD=openkeel
  {openstack} server list
  {openstack} volume list
  {openstack} server create --image {images.NAME} --flavor {FLAVOR} --network {NETWORK} second-server
  kubectl --kubeconfig {settings.kubeconfig} get vms,vmis,pvc --all-namespaces
Also there: the clouds openkeel-admin and openkeel-reader; make status, make logs, make down, make reset."""
    )
