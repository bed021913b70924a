"""A volume suite without its API: scheduler and volume-csi on an in-process bus, SQLite and a simulated cluster."""

import contextlib
import time
import uuid

import pytest
import sqlalchemy as sa
from fakes.image_server import ImageServer

from keel_common import config
from keel_common.db import Database, sync
from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import metadata, quota_counts, quotas, services, snapshots, types, volumes, workers
from keel_common.db.stores.cinder.rows import TABLES
from keel_common.db.stores.cinder.rows import now as moment
from keel_common.kube import DATAVOLUME, NAMESPACE, PV, PVC, Kube, names
from keel_common.runtime import Process
from keel_common.wire import cinder as wire
from keel_contract.bus import Bus
from keel_contract.cinder import interfaces
from keel_contract.context import Context
from keel_dev.kubesim import KubeSim
from keel_dev.kubesim.knobs import Failure
from keel_scheduler.volume import main as scheduler
from keel_volume import main as volume_csi

from . import killing

PROJECT = "0" * 31 + "1"
BACKEND = "host1@cluster"
PATIENCE = 30
MANY = 1000
CONNECTOR = {"host": "node-1", "platform": "kubevirt", "cluster": "openkeel", "namespace": "volumes"}


class Suite:
    """What the tests do: rows as the API writes them, messages as the API sends them."""

    def __init__(self, conf, sim):
        self.conf, self.sim = conf, sim
        self.db = Database(conf.database.connection, conf.database)
        self.kube = Kube(str(sim.kubeconfig))
        self.namespace = conf.csi.namespace
        self.context = Context(
            user_id="u", project_id=PROJECT, roles=["member"], auth_token="user-token", overwrite=False
        )
        self._bus = Bus(conf, "cinder")
        self.scheduler = self._bus.client(interfaces.SCHEDULER)
        self.volume_service = self._bus.client(interfaces.VOLUME)
        self.process = None

    def start(self):
        self.process = Process([*scheduler.parts(self.conf), *volume_csi.parts(self.conf)])
        self.process.start()
        self.until(lambda: self.scheduler.send(self.context, "get_pools"), "pools are reported")

    def stop(self):
        self.process.stop(time.monotonic() + 10)

    def until(self, fact, what):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if found := fact():
                return found
            time.sleep(0.02)
        pytest.fail(f"did not happen within {PATIENCE} s: {what}")

    def row(self, volume_id):
        return self.db.read(rows.volume, volume_id)

    def reach(self, volume_id, status):
        def there():
            row = self.row(volume_id)
            if row and row["status"].startswith("error") and not status.startswith("error"):
                pytest.fail(f"volume went to {row['status']}")
            return row if row and row["status"] == status else None

        return self.until(there, f"volume in status {status}")

    def kind(self, **specs):
        return self.db.run(types.create, f"type-{uuid.uuid4().hex[:8]}", None, True, specs)

    def default_type(self):
        return self.db.read(types.get_by_name, "__DEFAULT__")

    def new_row(self, size=1, kind=None, **values):
        kind = kind or self.default_type()
        base = {
            "size": size,
            "status": "creating",
            "attach_status": "detached",
            "project_id": PROJECT,
            "user_id": "u",
            "volume_type_id": kind["id"],
            "multiattach": False,
            "display_name": "test",
            "snapshot_id": None,
            "source_volid": None,
            "group_id": None,
        }

        def write(conn):
            self._take(conn, {"volumes": 1, "gigabytes": size}, kind)
            row = volumes.create(conn, base | values)
            workers.create(conn, "Volume", row["id"], "creating", fresh=True)
            return row

        return self.db.run(write), kind

    def _take(self, conn, amounts, kind):
        """Quota as the API takes it, of the project and of the type."""
        deltas = amounts | {f"{name}_{kind['name']}": amount for name, amount in amounts.items()}
        quotas.take(conn, quotas.Settings.of(self.conf), PROJECT, deltas, {})

    def create(self, size=1, kind=None, image_id=None, backup_id=None, **values):
        row, kind = self.new_row(size, kind, **values)
        full = {**self.db.read(volumes.show, row["id"]), "volume_attachment": []}
        spec = wire.create_spec(
            full,
            kind,
            zones=[],
            reservations=[],
            image_id=image_id,
            backup_id=backup_id,
            resource_backend=self._place_of_source(row),
        )
        self.scheduler.send(
            self.context,
            "create_volume",
            volume=spec.volume,
            snapshot_id=row["snapshot_id"],
            image_id=image_id,
            request_spec=spec,
            filter_properties={},
        )
        return row["id"]

    def _place_of_source(self, row):
        """A copy lands where its source is."""
        if row["source_volid"]:
            return self.row(row["source_volid"])["host"]
        return self.db.read(rows.snapshot, row["snapshot_id"])["host"] if row["snapshot_id"] else None

    def set_status(self, volume_id, **values):
        self.db.run(lambda conn: conn.execute(_update("volumes", volume_id, values)))

    def delete(self, volume_id):
        self.set_status(volume_id, status="deleting", terminated_at=moment())
        row = self.row(volume_id)
        self.volume_service.send(
            self.context, "delete_volume", server=row["host"], volume=self.full(volume_id), unmanage_only=False
        )

    def gone(self, volume_id):
        self.until(lambda: self.row(volume_id) is None, "volume is gone")

    def set_snapshot(self, snapshot_id, **values):
        self.db.run(lambda conn: conn.execute(_update("snapshots", snapshot_id, values)))

    def delete_snapshot(self, snapshot_id):
        self.set_snapshot(snapshot_id, status="deleting", updated_at=moment())
        row = self.db.read(rows.snapshot, snapshot_id)
        cut = wire.snapshot(self.db.read(snapshots.show, snapshot_id))
        self.volume_service.send(self.context, "delete_snapshot", server=row["host"], snapshot=cut, unmanage_only=False)

    def snapshot(self, volume_id, tell=True):
        row = self.row(volume_id)
        values = {
            "volume_id": volume_id,
            "status": "creating",
            "progress": "0%",
            "volume_size": row["size"],
            "volume_type_id": row["volume_type_id"],
            "project_id": PROJECT,
            "user_id": "u",
            "use_quota": True,
        }

        def write(conn):
            amounts = {"snapshots": 1, "gigabytes": row["size"]}
            self._take(conn, amounts, types.get(conn, row["volume_type_id"]))
            return snapshots.create(conn, values, {})

        cut = self.db.run(write)
        if not tell:
            return cut["id"]
        full = self.db.read(volumes.show, volume_id)
        self.scheduler.send(
            self.context,
            "create_snapshot",
            volume=wire.volume(full, None),
            snapshot=wire.snapshot(cut),
            backend=full["host"],
            request_spec=wire.snapshot_spec(cut["id"], row["size"]),
            filter_properties=None,
        )
        return cut["id"]

    def snapshot_reach(self, snapshot_id, status):
        def there():
            row = self.db.read(rows.snapshot, snapshot_id)
            return row if row and row["status"] == status else None

        return self.until(there, f"snapshot in status {status}")

    def full(self, volume_id):
        """The volume as an object of the bus."""
        return wire.volume(self.db.read(volumes.show, volume_id), None)

    def promise(self, volume_id, size):
        """What the API writes for an extension: the status, and reservations."""
        settings = quotas.Settings.of(self.conf)

        def write(conn):
            row = volumes.get(conn, volume_id)
            now = {"status": "extending", "previous_status": row["status"], "updated_at": moment()}
            conn.execute(_update("volumes", volume_id, now))
            kind = types.get(conn, row["volume_type_id"])
            deltas = dict.fromkeys(("gigabytes", f"gigabytes_{kind['name']}"), size - row["size"])
            return quotas.reserve(conn, settings, PROJECT, deltas, {})

        return self.db.run(write)

    def extend(self, volume_id, size):
        reservations = self.promise(volume_id, size)
        row = self.db.read(volumes.show, volume_id)
        self.scheduler.send(
            self.context,
            "extend_volume",
            volume=wire.volume(row, None),
            new_size=size,
            reservations=reservations,
            request_spec=wire.extend_spec(row, None),
        )

    def connect(self, volume_id, connector):
        return self.volume_service.send(
            self.context,
            "initialize_connection",
            server=self.row(volume_id)["host"],
            volume=self.full(volume_id),
            connector=connector,
        )

    def messages(self, resource_id):
        table = TABLES["messages"]
        query = table.select().where(table.c.resource_uuid == resource_id)
        return [row["event_id"] for row in self.db.read(lambda conn: conn.execute(query).mappings().all())]

    def drift(self):
        """Counters that do not tell what is there, and promises that nobody will keep."""

        def look(conn):
            usages = quotas.usages(conn, PROJECT)
            counted = quota_counts.count(conn, PROJECT, usages, True)
            wrong = {
                name: (usage, counted[name])
                for name, usage in usages.items()
                if usage.in_use != counted[name] or usage.reserved
            }
            held = TABLES["reservations"]
            return wrong, conn.execute(held.select().where(held.c.deleted == sa.false())).all()

        return self.db.read(look)

    def worker(self, resource_id):
        return self.db.read(workers.get, "Volume", resource_id) or self.db.read(workers.get, "Snapshot", resource_id)

    @contextlib.contextmanager
    def failing(self, **rule):
        """The cluster refuses requests like this as long as the block runs."""
        knobs = self.sim.cluster.knobs
        knobs.failures = [Failure(**({"count": MANY} | rule))]
        try:
            yield
        finally:
            knobs.failures = []

    def image_facts(self, volume_id):
        return self.db.read(metadata.read, metadata.IMAGE, [volume_id])[volume_id]


def _update(table, row_id, values):
    rows_of = TABLES[table]
    return rows_of.update().where(rows_of.c.id == row_id).values(values)


@contextlib.contextmanager
def made_suite(folder, more=""):
    """A suite on a simulated cluster of its own, not started."""
    with KubeSim(seed=7) as sim, contextlib.closing(ImageServer()) as images:
        # Real time, short steps: deadlines compare the cluster's timestamps with our clock.
        sim.cluster.knobs.delays = {step: seconds / 50 for step, seconds in sim.cluster.knobs.delays.items()}
        path = folder / "cinder.conf"
        path.write_text(f"""
[DEFAULT]
host = host1
state_path = {folder}
transport_url = fake:/
enabled_backends = cluster
backend_stats_polling_interval = 3
glance_api_servers = {images.url}
[service_user]
auth_type = admin_token
endpoint = {images.url}
token = service-token
[nova]
endpoint_override = {images.url}
[database]
connection = sqlite:///{folder}/cinder.sqlite
[csi]
kubeconfig = {sim.kubeconfig}
namespace = volumes
export_links = external
provision_timeout = 4
extend_timeout = 3
lost_request_age = 1
audit_interval = 0.5
{more}
""")
        conf = config.load("volume", [], [str(path)])
        sync(Database(conf.database.connection, conf.database), "cinder")
        found = Suite(conf, sim)
        found.images = images
        yield found


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    with made_suite(tmp_path_factory.mktemp("volume-suite")) as found:
        found.start()
        yield found
        found.stop()


class World:
    """A suite whose volume service lives one life after the other in the thread of the test (see killing)."""

    def __init__(self, suite):
        self.suite, self.conf, self.db, self.kube = suite, suite.conf, suite.db, suite.kube
        self.scheduler = suite.scheduler
        self.service = self.db.run(services.register, BACKEND, "cinder-volume")["id"]
        self.caches = killing.caches(suite.kube, suite.namespace)
        self.kube.create(NAMESPACE, NAMESPACE.body(suite.namespace))
        for informer in self.caches.all():
            informer.start()

    def stop(self):
        for informer in self.caches.all():
            informer.stop(time.monotonic() + 5)

    def life(self):
        """One that nobody kills."""
        return killing.Life(self, killing.Fuse(), BACKEND)

    def volume(self, pool="standard", status="available", **values):
        """A volume on its claim."""
        row, kind = self.suite.new_row(host=f"{BACKEND}#{pool}", **values)
        life = self.life()
        life.endpoint.create_volume(self.suite.context, self.suite.full(row["id"]), None, {}, False)
        killing.run(life, lambda: self.suite.row(row["id"])["status"] == "available")
        if status != "available":
            self.suite.set_status(row["id"], status=status)
        return row["id"]

    def shrink(self, claim, size="3Mi"):
        """Make the disk small, for what reads it often."""
        cluster, small = self.suite.sim.cluster, {"storage": size}
        found = cluster.get(PVC.plural, self.suite.namespace, claim)

        def of_claim(item):
            item["spec"]["resources"]["requests"] = item["status"]["capacity"] = small

        def of_volume(item):
            item["spec"]["capacity"] = small

        cluster.writes.modify(PV.plural, "", found["spec"]["volumeName"], of_volume, "t")
        cluster.writes.modify(PVC.plural, self.suite.namespace, claim, of_claim, "t")

    def snapshot(self, volume_id):
        cut = self.suite.snapshot(volume_id, tell=False)
        life = self.life()
        life.endpoint.create_snapshot(self.suite.context, wire.snapshot(self.db.read(snapshots.show, cut)))
        killing.run(life, lambda: self.db.read(rows.snapshot, cut)["status"] == "available")
        return cut

    def delete(self, volume_id):
        """With its snapshots."""
        for cut in self.db.read(rows.snapshots_of, volume_id):
            self.suite.set_snapshot(cut["id"], status="deleting")
        self.suite.set_status(volume_id, status="deleting", terminated_at=moment())
        killing.run(self.life(), lambda: self.suite.row(volume_id) is None)

    def claims(self, volume_id):
        """Names of what the cluster holds with the label of a volume."""
        held = [*self.kube.list(PVC, self.suite.namespace), *self.kube.list(DATAVOLUME, self.suite.namespace)]
        return {
            item["metadata"]["name"]
            for item in held
            if (item["metadata"].get("labels") or {}).get(names.VOLUME) == volume_id
        }

    def is_settled(self, volume_id):
        """Nothing is under way: one claim is there and bears no mark."""
        held = [self.kube.find(PVC, name, self.suite.namespace) for name in self.claims(volume_id)]
        notes = [(item["metadata"].get("annotations") or {}) for item in held if item]
        return len(notes) == 1 and not any(name.startswith("openstack.org/") for name in notes[0])


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with made_suite(tmp_path_factory.mktemp("volume-lives")) as suite:
        found = World(suite)
        yield found
        found.stop()
