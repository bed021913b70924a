"""kill -9 of each of our processes in the middle of a boot and of an attach.

After the process is back, the operation ends right or fails cleanly, a retry works, and nothing is left over.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from openstack.exceptions import BadRequestException, SDKException

from keel_dev.cloud import Cloud, Mixture
from keel_dev.services import plan
from keel_dev.settings import Settings
from tests.e2e.waiting import wait_for
from tests.e2e.world import World

#: Seconds after the request at which the process is killed: while it is taken, and while the cluster works on it.
MOMENTS = (0.05, 0.7)
#: Longer than any deadline after which a service gives up a lost operation.
LOST_SECONDS = 240.0


def our_processes() -> list[str]:
    """The processes of OpenKeel in the profile that runs."""
    settings = Settings.from_environment()
    mixture = Cloud(settings).mixture or Mixture()
    services = plan(settings, mixture.real, mixture.beside).values()
    return [service.name for service in services if service.kind == "keel"]


@pytest.fixture(params=our_processes())
def victim(request: pytest.FixtureRequest) -> str:
    """The process to be killed."""
    return request.param


@pytest.fixture(params=MOMENTS)
def moment(request: pytest.FixtureRequest) -> float:
    """When it is killed."""
    return request.param


def kill_during(supervisor: Cloud, victim: str, moment: float, request: Callable[[], Any]) -> None:
    """Send a request, kill the process at the moment, start it again. The request itself may fail."""

    def send() -> None:
        try:
            request()
        except SDKException as error:
            refused.append(error)

    refused: list[SDKException] = []
    thread = threading.Thread(target=send)
    thread.start()
    time.sleep(moment)
    assert supervisor.book.kill(victim)
    supervisor.start([victim])
    thread.join(LOST_SECONDS)
    assert not thread.is_alive(), "the request hangs"


def test_boot(world: World, supervisor: Cloud, victim: str, moment: float) -> None:
    """The server is ACTIVE or in ERROR or was never made; deleted, it leaves nothing; the next one boots."""
    name = world.name("server")
    kill_during(supervisor, victim, moment, lambda: world.request_server(name=name))
    for server in world.member.compute.servers(name=name):
        settled = wait_for("end of the boot", lambda server=server: _settled_server(world, server), LOST_SECONDS)
        if settled.status == "ACTIVE":
            assert world.vmi(server)["status"]["phase"] == "Running"
        world.delete_server(server)
        world.assert_no_traces(server)
    again = world.boot()
    world.delete_server(again)
    world.assert_no_traces(again)


def _settled_server(world: World, server: Any) -> Any:
    found = world.server(server)
    assert found is not None, "the server has gone without being deleted"
    return found if found.status in ("ACTIVE", "ERROR") and found.task_state is None else None


def test_attach(world: World, supervisor: Cloud, victim: str, moment: float) -> None:
    """The volume is in the server or free again; a retry works; nothing is left when both are deleted."""
    server, volume = world.boot(), world.make_volume()
    attach = world.member.compute.create_volume_attachment
    kill_during(supervisor, victim, moment, lambda: attach(server.id, volume_id=volume.id))
    status = wait_for("end of the attach", lambda: _settled_attachment(world, server, volume), LOST_SECONDS)
    if status == "available":
        wait_for("an attach that is accepted", lambda: _accepted(world, server, volume), LOST_SECONDS)
        world.wait_for_volume(volume, "in-use")
    wait_for("volume in the instance", lambda: world.plugged(server, volume))
    world.detach(server, volume)
    assert world.attachments(server) == []
    world.delete_server(server)
    world.assert_no_traces(server)
    world.delete_volume(volume)


def _accepted(world: World, server: Any, volume: Any) -> bool:
    """Ask once more. Refused in words while the lost request still holds its place; a conductor takes that away."""
    try:
        world.member.compute.create_volume_attachment(server.id, volume_id=volume.id)
    except BadRequestException as refusal:
        assert "already attached" in str(refusal)
        return False
    return True


def _settled_attachment(world: World, server: Any, volume: Any) -> str:
    """`in-use` or `available` once both APIs say the same."""
    status = world.volume(volume).status
    known = {attachment.volume_id for attachment in world.member.compute.volume_attachments(server.id)}
    agreed = (status == "in-use") == (volume.id in known)
    return status if agreed and status in ("in-use", "available") else ""
