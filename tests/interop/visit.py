"""What is done in a cell with each kind of compute: the life of a server and of a volume, as the member `demo`.

Every step waits for its end and looks at what the APIs say then. A step needs those before it.
"""

from collections.abc import Callable
from typing import Any

from openstack.exceptions import NotFoundException

from tests.e2e.waiting import wait_for
from tests.e2e.world import NETWORK, World
from tests.interop.cells import OURS, volume_type


class Visit:
    """One server with one port and one volume with one snapshot, on one kind of compute.

    :param compute: the kind: OURS or a release of the real one
    :param hosts: the hosts of that kind, where the server must come to stand
    :param zone: the availability zone of these hosts; empty where the cell has no others
    """

    def __init__(self, world: World, compute: str, hosts: frozenset[str], zone: str = "") -> None:
        self.world = world
        self.compute = compute
        self.hosts = hosts
        self.zone = zone
        self.servers: list[str] = []
        self.volumes: list[str] = []
        self.snapshots: list[str] = []
        self.port: Any = None
        self.server: Any = None
        self.volume: Any = None

    # The server

    def boot(self) -> None:
        """A server of an image with a port made before: ACTIVE, on a host of the kind, and the port is its own."""
        network = self.world.member.network
        wanted = network.find_network(NETWORK)
        self.port = network.create_port(network_id=wanted.id, name=self.world.name("port"))
        zone = {"availability_zone": self.zone} if self.zone else {}
        self.server = self.world.request_server(networks=[{"port": self.port.id}], **zone)
        self.servers.append(self.server.id)
        self.world.wait_for_server(self.server, "ACTIVE")
        host = self.world.admin.compute.get_server(self.server.id).compute_host
        assert host in self.hosts, f"the server is on {host}, not on one of {sorted(self.hosts)}"
        bound = self.world.admin.network.get_port(self.port.id)
        assert bound.device_id == self.server.id, f"the port belongs to {bound.device_id!r}"
        assert (bound.status, bound.binding_host_id) == ("ACTIVE", host), f"{bound.status} on {bound.binding_host_id}"

    def show(self) -> None:
        """The list and the page of the server say the same, and have the port's address."""
        compute = self.world.member.compute
        listed = {server.id: server for server in compute.servers(details=True)}[self.server.id]
        shown = compute.get_server(self.server.id)
        for field in ("name", "status", "addresses", "flavor", "image", "availability_zone", "power_state"):
            assert listed[field] == shown[field], f"{field}: {listed[field]} in the list, {shown[field]} shown"
        addresses = [address["addr"] for network in shown.addresses.values() for address in network]
        assert addresses == [address["ip_address"] for address in self.port.fixed_ips]
        assert shown.power_state == 1, f"power state {shown.power_state}"
        actions = [action.action for action in compute.server_actions(self.server.id)]
        assert actions == ["create"], actions

    def stop_and_start(self) -> None:
        """SHUTOFF and ACTIVE again."""
        self.world.member.compute.stop_server(self.server.id)
        self.world.wait_for_server(self.server, "SHUTOFF")
        self.world.member.compute.start_server(self.server.id)
        self.world.wait_for_server(self.server, "ACTIVE")

    def reboot(self) -> None:
        """A hard reboot ends in ACTIVE."""
        self.world.member.compute.reboot_server(self.server.id, "HARD")
        self.world.wait_for_server(self.server, "ACTIVE")

    def delete(self) -> None:
        """The server goes; the port, which was there before it, stays and is free."""
        self.world.delete_server(self.server)
        wait_for("a free port", self._port_is_free)
        self.world.member.network.delete_port(self.port.id)

    def _port_is_free(self) -> bool:
        port = self.world.admin.network.get_port(self.port.id)
        return not port.device_id and not port.binding_host_id

    # The volume

    def create_volume(self) -> None:
        """A volume of the type for this kind of compute."""
        kind = volume_type(self.compute)
        self.volume = self.world.member.block_storage.create_volume(
            name=self.world.name("volume"), size=1, volume_type=kind
        )
        self.volumes.append(self.volume.id)
        shown = self.world.wait_for_volume(self.volume, "available")
        assert shown.volume_type == kind and shown.size == 1

    def attach(self) -> None:
        """In use in the one API, listed in the other, and a disk of the instance where the cluster runs it."""
        compute = self.world.member.compute
        compute.create_volume_attachment(self.server.id, volume_id=self.volume.id)
        shown = self.world.wait_for_volume(self.volume, "in-use")
        assert [attachment["server_id"] for attachment in shown.attachments] == [self.server.id]
        listed = [attachment.volume_id for attachment in compute.volume_attachments(self.server.id)]
        assert listed == [self.volume.id], listed
        if self.compute == OURS:
            wait_for("the volume in the instance", lambda: self.world.plugged(self.server, self.volume))

    def detach(self) -> None:
        """Available again, and no attachment anywhere."""
        compute = self.world.member.compute
        compute.delete_volume_attachment(self.server.id, self.volume.id)
        shown = self.world.wait_for_volume(self.volume, "available")
        assert shown.attachments == [], shown.attachments
        wait_for("end of the attachment", lambda: not list(compute.volume_attachments(self.server.id)))
        assert self.world.attachments(self.server) == []

    def extend(self) -> None:
        """The volume has the new size."""
        self.world.member.block_storage.extend_volume(self.volume.id, 2)
        wait_for("the new size", lambda: self.world.volume(self.volume).size == 2)
        self.world.wait_for_volume(self.volume, "available")

    def snapshot(self) -> None:
        """A snapshot comes and goes."""
        storage = self.world.member.block_storage
        made = storage.create_snapshot(name=self.world.name("snapshot"), volume_id=self.volume.id)
        self.snapshots.append(made.id)

        def reached() -> bool:
            status = storage.get_snapshot(made.id).status
            assert status != "error", "the snapshot is in error"
            return status == "available"

        wait_for("the snapshot", reached)
        storage.delete_snapshot(made.id)
        wait_for("end of the snapshot", lambda: _is_gone(lambda: storage.get_snapshot(made.id)))

    def delete_volume(self) -> None:
        """The volume goes."""
        self.world.delete_volume(self.volume)


def _is_gone(look: Callable[[], Any]) -> bool:
    try:
        look()
    except NotFoundException:
        return True
    return False


#: Column of the table -> step, in the order in which they are done.
STEPS: dict[str, Callable[[Visit], None]] = {
    "boot": Visit.boot,
    "show": Visit.show,
    "stop/start": Visit.stop_and_start,
    "reboot": Visit.reboot,
    "volume": Visit.create_volume,
    "attach": Visit.attach,
    "detach": Visit.detach,
    "extend": Visit.extend,
    "snapshot": Visit.snapshot,
    "delete vol": Visit.delete_volume,
    "delete": Visit.delete,
}
