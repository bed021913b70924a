"""The cloud as a test uses it: things to make, states to wait for, and traces that must not stay."""

import itertools
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from openstack.exceptions import NotFoundException

from keel_common.kube import PVC, SECRET, VM, VMI, Kube, names
from keel_dev.client import connect
from keel_dev.seeds import images
from keel_dev.settings import NAMESPACE, Settings
from tests.e2e.waiting import wait_for

FLAVOR = "m1.nano"
NETWORK = "private"
#: Statuses in which nothing is under way any more.
SETTLED_VOLUME = ("available", "in-use", "error", "error_deleting", "error_extending")


class World:
    """Servers and volumes of the member `demo`; everything made here is deleted by `tidy`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.member = connect(settings, "openkeel")
        self.admin = connect(settings)
        self.reader = connect(settings, "openkeel-reader")
        self.kube = Kube(str(settings.kubeconfig))
        self.numbers = itertools.count(1)
        self.prefix = f"e2e-{uuid.uuid4().hex[:6]}"

    def name(self, kind: str) -> str:
        """A name that no other test has."""
        return f"{self.prefix}-{kind}-{next(self.numbers)}"

    # Servers

    def request_server(self, **options: Any) -> Any:
        """Ask for a server and return at once."""
        compute = self.member.compute
        body = {
            "name": self.name("server"),
            "image_id": self.member.image.find_image(images.NAME).id,
            "flavor_id": compute.find_flavor(FLAVOR).id,
            "networks": [{"uuid": self.member.network.find_network(NETWORK).id}],
        }
        return compute.create_server(**(body | options))

    def boot(self, **options: Any) -> Any:
        """A server that is ACTIVE."""
        return self.wait_for_server(self.request_server(**options), "ACTIVE")

    def server(self, server: Any) -> Any:
        """The server as it is now; None when it has gone."""
        try:
            return self.member.compute.get_server(server.id)
        except NotFoundException:
            return None

    def wait_for_server(self, server: Any, status: str, seconds: float = 60) -> Any:
        """The server once it has a status and no task; an unexpected ERROR fails at once."""

        def reached() -> Any:
            found = self.server(server)
            assert found is not None, f"server {server.id} has gone"
            assert found.status != "ERROR" or status == "ERROR", f"ERROR: {found.fault}"
            return found if found.status == status and found.task_state is None else None

        return wait_for(f"server {server.id} in {status}", reached, seconds)

    def delete_server(self, server: Any) -> None:
        """Delete a server and wait until it has gone."""
        self.member.compute.delete_server(server.id)
        wait_for(f"end of server {server.id}", lambda: self.server(server) is None)

    def vm(self, server: Any) -> dict | None:
        """The server's VirtualMachine."""
        return self.kube.find(VM, names.vm(server.id), NAMESPACE)

    def vmi(self, server: Any) -> dict | None:
        """The server's running instance in the cluster."""
        return self.kube.find(VMI, names.vm(server.id), NAMESPACE)

    # Volumes

    def make_volume(self, size: int = 1, **options: Any) -> Any:
        """A volume that is available."""
        volume = self.member.block_storage.create_volume(name=self.name("volume"), size=size, **options)
        return self.wait_for_volume(volume, "available")

    def volume(self, volume: Any) -> Any:
        """The volume as it is now; None when it has gone."""
        try:
            return self.member.block_storage.get_volume(volume.id)
        except NotFoundException:
            return None

    def wait_for_volume(self, volume: Any, status: str, seconds: float = 60) -> Any:
        """The volume once it has a status; an unexpected error status fails at once."""

        def reached() -> Any:
            found = self.volume(volume)
            assert found is not None, f"volume {volume.id} has gone"
            assert not found.status.startswith("error") or status == found.status, found.status
            return found if found.status == status else None

        return wait_for(f"volume {volume.id} in {status}", reached, seconds)

    def delete_volume(self, volume: Any) -> None:
        """Delete a volume and wait until it has gone."""
        self.member.block_storage.delete_volume(volume.id)
        wait_for(f"end of volume {volume.id}", lambda: self.volume(volume) is None)

    def claim(self, volume: Any) -> dict | None:
        """The volume's PersistentVolumeClaim."""
        return self.kube.find(PVC, names.claim(volume.id), NAMESPACE)

    def attach(self, server: Any, volume: Any) -> Any:
        """Attach and wait until the volume is in use and the instance in the cluster has it."""
        attachment = self.member.compute.create_volume_attachment(server.id, volume_id=volume.id)
        self.wait_for_volume(volume, "in-use")
        wait_for(f"volume {volume.id} in the instance", lambda: self.plugged(server, volume))
        return attachment

    def detach(self, server: Any, volume: Any) -> None:
        """Detach and wait until the volume is available and the instance in the cluster has let it go."""
        self.member.compute.delete_volume_attachment(server.id, volume.id)
        self.wait_for_volume(volume, "available")
        wait_for(f"volume {volume.id} out of the instance", lambda: not self.plugged(server, volume))

    def plugged(self, server: Any, volume: Any) -> dict | None:
        """The volume's status in the running instance, once it is ready there."""
        statuses = ((self.vmi(server) or {}).get("status") or {}).get("volumeStatus") or ()
        found = (status for status in statuses if status["name"] == names.disk(volume.id))
        return next((status for status in found if status.get("phase", "Ready") == "Ready"), None)

    # Traces

    def allocations(self, server: Any) -> dict:
        """What Placement holds for a server."""
        endpoint = {"service_type": "placement"}
        answer = self.admin.session.get(
            f"/allocations/{server.id}",
            endpoint_filter=endpoint,
            headers={"OpenStack-API-Version": "placement 1.39"},
        )
        return answer.json()["allocations"]

    def attachments(self, server: Any) -> list[str]:
        """Ids of Cinder's attachments of a server."""
        found = self.admin.block_storage.attachments(all_projects=True, instance_id=server.id)
        return [attachment.id for attachment in found]

    def traces(self, server: Any) -> dict[str, Any]:
        """Everything that a deleted server must not leave behind, by what it is."""
        label = {names.SERVER: server.id}
        found = {
            "VirtualMachine": self.vm(server),
            "VirtualMachineInstance": self.vmi(server),
            "Secrets": [item["metadata"]["name"] for item in self.kube.list(SECRET, NAMESPACE, label)],
            "claims": [
                item["metadata"]["name"]
                for item in self.kube.list(PVC, NAMESPACE)
                if item["metadata"]["name"].startswith(names.vm(server.id))
            ],
            "ports": [port.id for port in self.admin.network.ports(device_id=server.id)],
            "allocations": self.allocations(server),
            "attachments": self.attachments(server),
        }
        return {what: trace for what, trace in found.items() if trace}

    def assert_no_traces(self, server: Any, seconds: float = 60) -> None:
        """Wait until a deleted server has left nothing."""
        wait_for(f"end of the traces of server {server.id}", _Gone(self, server), seconds)

    # Tidying

    @contextmanager
    def tidy(self) -> Iterator[None]:
        """Delete what a test made, whatever came of the test."""
        try:
            yield
        finally:
            self._delete_servers()
            self._delete_volumes()

    def _delete_servers(self) -> None:
        servers = [found for found in self.member.compute.servers() if found.name.startswith(self.prefix)]
        for server in servers:
            self.member.compute.delete_server(server.id)
        for server in servers:
            wait_for(f"end of server {server.id}", lambda server=server: self.server(server) is None)

    def _delete_volumes(self) -> None:
        storage = self.member.block_storage
        mine = [found for found in storage.snapshots() if (found.name or "").startswith(self.prefix)]
        for snapshot in mine:
            storage.delete_snapshot(snapshot.id)
        wait_for("end of snapshots", lambda: not {item.id for item in storage.snapshots()} & {item.id for item in mine})
        volumes = [found for found in storage.volumes() if (found.name or "").startswith(self.prefix)]
        for volume in volumes:
            found = wait_for("rest of the volume", lambda volume=volume: self._settled(volume))
            if found != "gone":
                storage.delete_volume(volume.id)
        for volume in volumes:
            wait_for(f"end of volume {volume.id}", lambda volume=volume: self.volume(volume) is None)

    def _settled(self, volume: Any) -> str:
        found = self.volume(volume)
        if found is None:
            return "gone"
        return found.status if found.status in SETTLED_VOLUME else ""


class _Gone:
    """True once a server has left no traces; shows those it still has."""

    def __init__(self, world: World, server: Any) -> None:
        self.world, self.server = world, server

    def __call__(self) -> "_Gone | None":
        self.left = self.world.traces(self.server)
        return None if self.left else self
