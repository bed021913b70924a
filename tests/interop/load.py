"""A steady load of people who make, look at and delete servers, and write down every request that fails.

A refused connection is tried again for a while, as a balancer in front of several API processes would do; everything
else that fails counts.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from keystoneauth1.exceptions import ConnectFailure
from openstack.exceptions import NotFoundException, SDKException

from keel_dev.client import connect
from keel_dev.seeds import images
from keel_dev.settings import Settings
from tests.e2e.waiting import wait_for
from tests.e2e.world import FLAVOR, NETWORK

#: How long an API may refuse connections while its process is exchanged, in seconds.
PATIENCE = 60.0
#: How long a server may take to get where it should, in seconds.
BUILD_SECONDS = 150.0


class Load:
    """Some people, each with one server at a time: create, ACTIVE, list and show, stop, delete, gone."""

    def __init__(self, settings: Settings, people: int = 2) -> None:
        self.settings = settings
        self.failures: list[str] = []
        self.servers: list[str] = []
        self.volumes: list[str] = []
        self.snapshots: list[str] = []
        self.finished = 0
        self.requests = 0
        self._ending = threading.Event()
        self._still = threading.Condition()
        self._held = False
        self._busy = 0
        self._threads = [threading.Thread(target=self._person, args=(number,)) for number in range(people)]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End when every server that is there has been deleted."""
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def tidy(self) -> None:
        """Delete the servers that failures left."""
        compute = connect(self.settings, "openkeel").compute
        left = [server for server in compute.servers() if server.id in self.servers]
        for server in left:
            compute.delete_server(server.id)
        wait_for("end of servers", lambda: not {one.id for one in compute.servers()} & {one.id for one in left})

    def wait(self, seconds: float = 300) -> None:
        """Wait until some servers more have lived, or something failed."""
        enough = self.finished + len(self._threads)
        wait_for("lives of servers", lambda: self.finished >= enough or self.failures, seconds)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """No request and no server on its way while this lasts."""
        with self._still:
            self._held = True
            self._still.wait_for(lambda: self._busy == 0, timeout=2 * BUILD_SECONDS)
        try:
            yield
        finally:
            with self._still:
                self._held = False
                self._still.notify_all()

    @contextmanager
    def _moving(self) -> Iterator[None]:
        """Something is on its way; waits while the load is held."""
        with self._still:
            self._still.wait_for(lambda: not self._held)
            self._busy += 1
        try:
            yield
        finally:
            with self._still:
                self._busy -= 1
                self._still.notify_all()

    def _person(self, number: int) -> None:
        cloud = connect(self.settings, "openkeel")
        image, flavor = cloud.image.find_image(images.NAME).id, self._ask(cloud.compute.find_flavor, FLAVOR).id
        network = cloud.network.find_network(NETWORK).id
        wanted = {"image_id": image, "flavor_id": flavor, "networks": [{"uuid": network}]}
        while not self._ending.is_set():
            begun = time.strftime("%H:%M:%S", time.gmtime())
            try:
                self._life(cloud.compute, {"name": f"e2e-load-{number}-{self.finished}", **wanted})
                self.finished += 1
            except (SDKException, AssertionError) as error:
                self.failures.append(f"begun at {begun}: {error}")

    def _life(self, compute: Any, wanted: dict[str, Any]) -> None:
        with self._moving():
            server = self._ask(compute.create_server, **wanted)
            self.servers.append(server.id)
            try:
                self._until(compute, server, "ACTIVE")
            except AssertionError:
                self._ask(compute.delete_server, server.id)
                raise
        with self._moving():
            assert server.id in [found.id for found in self._ask(lambda: list(compute.servers()))], "not listed"
            self._ask(compute.stop_server, server.id)
            self._until(compute, server, "SHUTOFF")
        with self._moving():
            self._ask(compute.delete_server, server.id)
            self._until(compute, server, "gone")

    def _until(self, compute: Any, server: Any, status: str) -> None:
        deadline = time.monotonic() + BUILD_SECONDS
        while True:
            found = self._status(compute, server)
            if found == status:
                return
            assert found != "ERROR" and time.monotonic() < deadline, f"{server.id} is {found} instead of {status}"
            time.sleep(0.5)

    def _status(self, compute: Any, server: Any) -> str:
        try:
            return self._ask(compute.get_server, server.id).status
        except NotFoundException:
            return "gone"

    def _ask(self, request: Any, *arguments: Any, **options: Any) -> Any:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.requests += 1
                return request(*arguments, **options)
            except ConnectFailure:
                if time.monotonic() > deadline:
                    raise AssertionError("no API for a minute") from None
                time.sleep(0.3)
