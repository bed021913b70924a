"""What must not be left of things that were deleted: in the databases, in Placement, in Neutron and in the cluster.

The tables are found by their columns, so that one which nobody thought of counts as well.
"""

from collections.abc import Iterable
from typing import Any, Protocol

import sqlalchemy as sa

from keel_common.kube import PVC, SNAPSHOT, names
from keel_dev.settings import NAMESPACE, SUITE_DATABASES, Settings
from tests.e2e.world import World

#: Tables that tell the history of a server or a volume, which real Nova and Cinder keep when it is deleted.
HISTORY = frozenset({"instance_actions", "migrations", "messages", "instance_mappings", "request_specs"})
#: Columns that point to a server, a volume or a snapshot.
POINTERS = ("instance_uuid", "instance_id", "volume_id", "snapshot_id", "resource_id", "resource_uuid", "consumer_id")
#: (database, query) of what the columns do not tell; a row is something left.
SERVERS = (
    ("nova_cell1", "select uuid, vm_state, task_state from instances where uuid in :ids and deleted = 0"),
    (
        "nova_cell1",
        "select uuid, vm_state, task_state, deleted from instances where uuid in :ids"
        " and (vm_state != 'deleted' or task_state is not null or deleted_at is null or deleted != id)",
    ),
    ("nova_cell0", "select uuid, vm_state from instances where uuid in :ids"),
    ("nova_api", "select instance_uuid, queued_for_delete from instance_mappings where instance_uuid in :ids"
                 " and not queued_for_delete"),
    ("placement", "select uuid, resource_class_id, used from allocations join consumers"
                  " on consumer_id = consumers.uuid where consumers.uuid in :ids"),
    ("neutron", "select id, device_id from ports where device_id in :ids"),
)  # fmt: skip
VOLUMES = (
    ("cinder", "select id, status, attach_status from volumes where id in :ids and deleted = 0"),
    ("cinder", "select id, status, attach_status from volumes where id in :ids"
               " and (status != 'deleted' or attach_status != 'detached' or deleted_at is null)"),
    ("cinder", "select id, status from snapshots where id in :ids and (deleted = 0 or status != 'deleted')"),
)  # fmt: skip


class Made(Protocol):
    """Something that made servers, volumes and snapshots, by their ids."""

    servers: list[str]
    volumes: list[str]
    snapshots: list[str]


class Leftovers:
    """Looks for traces; knows what the quotas said when it was made."""

    def __init__(self, settings: Settings, world: World) -> None:
        self.world = world
        self.engines = {
            name: sa.create_engine(settings.database_url(name), poolclass=sa.NullPool)
            for name in (*SUITE_DATABASES, "placement", "neutron")
        }
        self.before = self.usages()

    def of(self, visits: Iterable[Made]) -> list[str]:
        """Everything that is left of what the visits made, in words."""
        found = []
        for visit in visits:
            things = [*visit.volumes, *visit.snapshots]
            found += self._rows(SERVERS, visit.servers) + self._rows(VOLUMES, things)
            found += self._pointers([*visit.servers, *things]) + self._cluster(visit)
        return found + [f"quota: {name} is {text}" for name, text in self._quotas().items()]

    def usages(self) -> dict[tuple[str, str], tuple[int, int]]:
        """What Cinder counts for each project and resource: in use, reserved."""
        query = "select project_id, resource, in_use, reserved from quota_usages where deleted = 0"
        return {(row[0], row[1]): (row[2], row[3]) for row in self._query("cinder", query)}

    def _quotas(self) -> dict[str, str]:
        after = self.usages()
        return {
            resource: f"{after[project, resource]} (in use, reserved), was {self.before.get((project, resource))}"
            for project, resource in after
            if after[project, resource] != self.before.get((project, resource), (0, 0))
        }

    def _query(self, database: str, query: str, ids: list[str] | None = None) -> list[Any]:
        statement = sa.text(query)
        if ids is not None:
            statement = statement.bindparams(sa.bindparam("ids", ids, expanding=True))
        with self.engines[database].connect() as connection:
            return list(connection.execute(statement))

    def _rows(self, queries: Iterable[tuple[str, str]], ids: list[str]) -> list[str]:
        if not ids:
            return []
        return [f"{database}: {tuple(row)}" for database, query in queries for row in self._query(database, query, ids)]

    def _pointers(self, ids: list[str]) -> list[str]:
        """Rows that are not deleted and point to something deleted."""
        found = []
        for database in SUITE_DATABASES:
            for table, column, is_soft in self._tables(database):
                alive = f" and `{table}`.deleted = 0" if is_soft else ""
                counted = self._query(database, f"select count(*) from `{table}` where {column} in :ids{alive}", ids)
                if counted[0][0]:
                    found.append(f"{database}.{table}: {counted[0][0]} row(s)")
        return found

    def _tables(self, database: str) -> list[tuple[str, str, bool]]:
        """(table, column that points, whether rows are marked as deleted)."""
        query = (
            "select pointer.table_name, pointer.column_name, mark.column_name from information_schema.columns pointer"
            " left join information_schema.columns mark on mark.table_schema = pointer.table_schema"
            " and mark.table_name = pointer.table_name and mark.column_name = 'deleted'"
            " where pointer.table_schema = database() and pointer.column_name in :ids"
        )
        return [
            (table, column, mark is not None)
            for table, column, mark in self._query(database, query, list(POINTERS))
            if table not in HISTORY and not table.startswith("shadow_")
        ]

    def _cluster(self, visit: Made) -> list[str]:
        kube, found = self.world.kube, []
        for server in visit.servers:
            traces = self.world.traces(_Id(server))
            found += [f"{what}: {trace}" for what, trace in traces.items()]
        for volume in visit.volumes:
            found += [f"claim of {volume}"] * (kube.find(PVC, names.claim(volume), NAMESPACE) is not None)
        for made in visit.snapshots:
            found += [f"snapshot {made}"] * (kube.find(SNAPSHOT, names.snapshot(made), NAMESPACE) is not None)
        return found


class _Id:
    """A deleted server as `World.traces` takes it."""

    def __init__(self, identity: str) -> None:
        self.id = identity
