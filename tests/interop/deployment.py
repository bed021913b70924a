"""The one cloud that every cell makes its own by changing processes."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from keel_dev import servers
from keel_dev.client import connect
from keel_dev.cloud import Cloud
from keel_dev.confs.volume import FILES, SECTION
from keel_dev.console import CloudError
from keel_dev.job import Job
from keel_dev.settings import Settings
from tests.e2e.waiting import wait_for
from tests.e2e.world import World
from tests.interop.cells import OURS, Cell, process_name

#: The nodes of the simulated cluster, each a host of our compute service.
NODES = frozenset(f"node-{number}" for number in range(1, 5))


class Deployment:
    """Starts the processes of cells, on databases that stay the same."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.cloud = Cloud(settings)
        #: What ran before and runs again afterwards.
        self.before = self.cloud.mixture if self.cloud.book.names() else None
        self.cell: Cell | None = None
        self._world: World | None = None

    @property
    def world(self) -> World:
        """Connections to the cloud; a cell must have been started."""
        assert self._world is not None
        return self._world

    @property
    def logs(self) -> Path:
        """The folder of the logs of all processes."""
        return self.cloud.book.log_folder

    def prepare(self) -> None:
        """Begin to use the cloud: without servers, whose hosts will go. They are deleted by our own services."""
        if not self.cloud.was_up:
            return
        self.cloud = Cloud(self.settings, Cell("", "").mixture)
        self.cloud.up()
        Job(self.settings).clean()
        others = list(connect(self.settings).compute.servers(all_projects=True))
        if others:
            raise CloudError(f"this cloud has {len(others)} servers, whose hosts would go: delete them, or make reset")

    def become(self, cell: Cell) -> None:
        """Run the processes of a cell and no others, and wait until its hosts can take servers.

        The workers that are new start last: when the control plane is there, and when the computes of earlier cells
        are forgotten, because a compute older than all that are known is refused.
        """
        before = self.cell or Cell("", "", computes=(), backends=())
        computes = tuple(kind for kind in cell.computes if kind in before.computes)
        backends = tuple(kind for kind in cell.backends if kind in before.backends)
        self._run(replace(cell, computes=computes, backends=backends))
        self._forget_hosts(keep=hosts_of(computes))
        self._forget_backends(keep=backends)
        if (computes, backends) != (cell.computes, cell.backends):
            self._run(cell)
        self.cell = cell
        wait_for("hosts that are up", lambda: hosts_of(cell.computes) <= self._up())

    def begin_anew(self, cell: Cell) -> None:
        """Run a cell of an older release than the one that is there: no service may know of newer ones of its kind."""
        self.become(Cell("empty", "", computes=()))
        self.cloud.book.stop([name for name in self.services if self.cloud.services[name].conf_name == "nova.conf"])
        for database in ("nova_cell0", "nova_cell1"):
            table = f"`{self.settings.prefix}_{database}`.services"
            servers.sql(f"update {table} set deleted = id, deleted_at = utc_timestamp() where deleted = 0;")
        self.become(cell)

    def exchange(self, cell: Cell) -> None:
        """Run the processes of a cell; the records of services that go stay, and only new hosts are waited for."""
        self._run(cell)
        self.cell = cell
        wait_for("hosts that are up", lambda: hosts_of(cell.computes) <= self._up(), 120)

    def enable(self, hosts: Iterable[str]) -> None:
        """Let hosts take servers."""
        for service in self._computes(hosts):
            self.world.admin.compute.enable_service(service)

    def disable(self, hosts: Iterable[str]) -> None:
        """Let hosts take no more servers."""
        for service in self._computes(hosts):
            self.world.admin.compute.disable_service(service, disabled_reason="leaves the fleet")

    def servers_on(self, hosts: Iterable[str]) -> list[str]:
        """Ids of the servers that stand on hosts."""
        found = self.world.admin.compute.servers(all_projects=True)
        return [server.id for server in found if server.compute_host in hosts]

    def _computes(self, hosts: Iterable[str]) -> list[Any]:
        wanted = set(hosts)
        return [service for service in self.world.admin.compute.services() if service.host in wanted]

    def leave(self) -> None:
        """Run again what ran before; end everything where nothing did."""
        if self.before is None:
            self.cloud.down()
        elif self.cell is not None:
            self.become(Cell("as before", ""))
            self.cloud = self.cloud.change(self.before)

    @contextmanager
    def zones(self, cell: Cell) -> Iterator[dict[str, str]]:
        """An availability zone for each kind of compute, where a cell has several; kind -> its name or nothing."""
        kinds = cell.computes if len(cell.computes) > 1 else ()
        made = [self._zone(kind) for kind in kinds]
        try:
            yield {kind: f"zone-{kind}" if kind in kinds else "" for kind in cell.computes}
        finally:
            compute = self.world.admin.compute
            for aggregate, hosts in made:
                for host in hosts:
                    compute.remove_host_from_aggregate(aggregate, host)
                compute.delete_aggregate(aggregate)

    @property
    def services(self) -> list[str]:
        """Names of the running services of both suites, ours and real ones."""
        return [service.name for service in self.cloud.services.values() if service.kind in ("keel", "real")]

    def _zone(self, kind: str) -> tuple[int, frozenset[str]]:
        compute = self.world.admin.compute
        made = compute.create_aggregate(name=f"zone-{kind}", availability_zone=f"zone-{kind}")
        for host in hosts_of([kind]):
            compute.add_host_to_aggregate(made, host)
        return made.id, hosts_of([kind])

    def _run(self, cell: Cell) -> None:
        if self.cloud.was_up:
            self.cloud = self.cloud.change(cell.mixture)
        else:
            self.cloud = Cloud(self.settings, cell.mixture)
            self.cloud.up()
        self._world = self._world or World(self.settings)

    def _forget_hosts(self, keep: Iterable[str]) -> None:
        """Delete the records of services that do not run any more, as an operator does."""
        compute = self.world.admin.compute
        alive = {*keep, *self.services}
        for service in list(compute.services()):
            if service.host not in alive:
                compute.delete_service(service.id)

    def _forget_backends(self, keep: Iterable[str]) -> None:
        """Delete the records of backends that do not run any more, as `cinder-manage service remove` does."""
        kept = ", ".join(f"'{self.settings.prefix}@{SECTION if kind == OURS else FILES}'" for kind in keep) or "''"
        servers.sql(
            f"update `{self.settings.prefix}_cinder`.services set deleted = 1, deleted_at = utc_timestamp()"
            f" where deleted = 0 and `binary` = 'cinder-volume' and host not in ({kept});"
        )

    def _up(self) -> set[str]:
        found = self.world.admin.compute.services(binary="nova-compute")
        known = {node.name for node in self.world.admin.compute.hypervisors()}
        return {service.host for service in found if service.state == "up" and service.host in known}


def hosts_of(kinds: Iterable[str]) -> frozenset[str]:
    """The hosts that kinds of compute report."""
    return frozenset().union(*(NODES if kind == OURS else {process_name("nova-compute", kind)} for kind in kinds))
