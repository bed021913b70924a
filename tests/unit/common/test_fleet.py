"""A fleet of several releases: who may start beside whom, what pins follow, and what SIGHUP changes."""

import subprocess
import sys
import uuid

import pytest

import keel_api.main
from keel_common.config import load
from keel_common.db import CELL0, Cells, Database, add, now, schema
from keel_common.db.fleet import CinderFleet, NovaFleet
from keel_common.db.heartbeat import NovaHeartbeat, ServiceTooOld
from keel_common.db.stores.cinder import services as cinder_services
from keel_common.db.stores.nova import quotas
from keel_common.db.stores.nova import services as nova_services
from keel_common.runtime import CannotStart, Process
from keel_contract import releases
from keel_contract.cinder import interfaces as cinder
from keel_contract.nova import interfaces as nova

SERVICES = schema.nova_cell.tables["services"]
MAPPINGS = schema.nova_api.tables["cell_mappings"]


def make(url, *tables):
    db = Database(url)
    with db.engine.begin() as connection:
        for table in tables:
            table.create(connection)
    return db


class Deployment:
    """Two cells with their services."""

    def __init__(self, folder):
        self.folder = folder
        self.urls = {name: f"sqlite:///{folder}/{name}.db" for name in ("api", "cell0", "cell1", "cell2")}
        self.api = make(self.urls["api"], MAPPINGS)
        self.cells = {name: make(self.urls[name], SERVICES) for name in ("cell0", "cell1", "cell2")}
        self.map("cell0", CELL0)
        self.map("cell1")
        self.map("cell2")
        self.config = folder / "nova.conf"
        self.write()

    def write(self, *lines):
        self.config.write_text(
            f"[DEFAULT]\nhost = ctl-1\ntransport_url = fake:/\n[api_database]\nconnection = {self.urls['api']}\n"
            f"[database]\nconnection = {self.urls['cell1']}\n[keel]\nhealth_port = 0\n" + "\n".join(lines)
        )

    def map(self, name, cell=None, url=None):
        row = {"uuid": cell or str(uuid.uuid4()), "name": name, "transport_url": "none:///", "disabled": False}
        self.api.run(add, MAPPINGS, row | {"database_connection": url or self.urls[name]})

    def service(self, cell, host, version, binary="nova-compute", **values):
        row = {
            "host": host,
            "binary": binary,
            "topic": "t",
            "version": version,
            "report_count": 1,
            "last_seen_up": now(),
        }
        return self.cells[cell].run(add, SERVICES, {**row, "disabled": False, "forced_down": False, **values})

    def retire(self, cell, key):
        self.cells[cell].run(
            lambda conn: conn.execute(SERVICES.update().where(SERVICES.c.id == key).values(deleted=SERVICES.c.id))
        )

    def fleet(self, *lines):
        self.write(*lines)
        conf = load("compute", argv=[], config_files=[str(self.config)])
        return NovaFleet(conf, Cells(conf))


@pytest.fixture
def deployment(tmp_path):
    return Deployment(tmp_path)


AUTO = ("[upgrade_levels]", "compute = auto")


def test_the_oldest_compute_of_all_cells_counts(deployment):
    deployment.service("cell1", "a", 74)
    deployment.service("cell2", "b", 72)
    deployment.service("cell2", "c", 60, binary="nova-conductor")
    fleet = deployment.fleet(*AUTO)
    assert (fleet.oldest().version, fleet.oldest().host) == (72, "b")
    assert fleet.pins.of(nova.COMPUTE)().holder.host == "b"


@pytest.mark.parametrize("values", [{"forced_down": True}, {"deleted": 7}], ids=["forced down", "deleted"])
def test_computes_that_are_forced_down_or_deleted_do_not_count(deployment, values):
    deployment.service("cell1", "a", 74)
    deployment.service("cell1", "old", 60, **values)
    assert deployment.fleet().oldest().version == 74
    deployment.fleet().start()


@pytest.mark.parametrize("values", [{"disabled": True}, {"last_seen_up": None}], ids=["disabled", "never heard of"])
def test_computes_that_are_disabled_or_silent_count(deployment, values):
    deployment.service("cell1", "old", 68, **values)
    with pytest.raises(CannotStart, match="old"):
        deployment.fleet().start()


@pytest.mark.parametrize("release", releases.NOVA, ids=lambda release: release.name)
@pytest.mark.parametrize("cell", ["cell1", "cell2"])
def test_a_start_is_refused_beside_computes_the_real_services_refuse(deployment, release, cell):
    deployment.service("cell1", "new", 74)
    deployment.service(cell, "other", release.service_version)
    fleet = deployment.fleet()
    if release.service_version >= 72:
        fleet.start()
        return
    with pytest.raises(CannotStart, match=f"nova-compute on other .* {release.service_version} .*{release.name}"):
        fleet.start()


def test_the_refusal_can_be_switched_off_for_an_upgrade(deployment, caplog):
    deployment.service("cell1", "old", 68)
    deployment.fleet("[workarounds]", "disable_compute_service_check_for_ffu = true").start()
    assert "nova-compute on old" in caplog.text


def test_a_cell_that_does_not_answer_is_left_out(deployment, caplog):
    deployment.map("away", url="mysql+pymysql://nobody@127.0.0.1:1/nova")
    deployment.service("cell1", "a", 72)
    assert deployment.fleet().oldest().version == 72
    assert "not looked at" in caplog.text


def test_without_an_api_database_the_own_cell_counts(deployment):
    deployment.service("cell1", "a", 72)
    deployment.service("cell2", "old", 60)
    deployment.write("[upgrade_levels]", "compute = auto")
    deployment.config.write_text(deployment.config.read_text().replace(deployment.urls["api"], ""))
    conf = load("compute", argv=[], config_files=[str(deployment.config)])
    fleet = NovaFleet(conf, Cells(conf))
    fleet.start()
    assert fleet.oldest().host == "a"
    fleet.reload()


def test_after_sighup_the_pin_rises_without_the_last_old_compute_and_new_cells_are_seen(deployment):
    key = deployment.service("cell1", "old", 68)
    deployment.service("cell2", "new", 74)
    fleet = deployment.fleet(*AUTO, "[workarounds]", "disable_compute_service_check_for_ffu = true")
    process = Process([fleet])
    process.start()
    pin = fleet.pins.of(nova.COMPUTE)
    assert pin().rpc == "6.4"
    deployment.retire("cell1", key)
    assert pin().rpc == "6.4"
    process.reload()
    assert pin().rpc == "6.5"
    third = f"sqlite:///{deployment.folder}/cell3.db"
    deployment.cells["cell3"] = make(third, SERVICES)
    deployment.map("cell3", url=third)
    deployment.service("cell3", "older", 66)
    process.reload()
    assert (pin().rpc, pin().holder.host) == ("6.2", "older")


def test_after_sighup_another_level_counts(deployment):
    fleet = deployment.fleet("[upgrade_levels]", "compute = epoxy")
    pin = fleet.pins.of(nova.COMPUTE)
    assert pin().rpc == "6.4"
    deployment.write("[upgrade_levels]", "compute = gazpacho")
    fleet._conf.reload_config_files()
    fleet.reload()
    assert pin().rpc == "6.5"


def test_a_service_older_than_all_others_of_its_kind_does_not_join_and_says_why(deployment):
    deployment.service("cell1", "k-1", 99, binary="nova-conductor")
    fleet = deployment.fleet()
    heartbeat = NovaHeartbeat(fleet._conf, deployment.cells["cell1"], "nova-conductor", "conductor")
    with pytest.raises(ServiceTooOld, match=r"99 \(newer than Hibiscus\), this one is 74 \(Hibiscus\)") as refusal:
        heartbeat.start()
    assert isinstance(refusal.value, CannotStart)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("keel_conductor.main", "main()"),
        ("keel_scheduler.compute.main", "main()"),
        ("keel_api.main", "compute()"),
    ],
)
def test_processes_end_with_one_line_that_says_what_to_do(deployment, module, arguments):
    deployment.service("cell2", "old-7", 68)
    run = f"import sys; from {module} import *; sys.exit({arguments})"
    command = [sys.executable, "-c", run, "--config-file", str(deployment.config)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    told = [line for line in (ended.stderr + ended.stdout).splitlines() if "cannot start" in line]
    assert len(told) == 1
    assert told[0].count("old-7") == 1
    for word in ("old-7", "68 (Epoxy)", "Gazpacho (2026.1, nova 33)", "disable_compute_service_check_for_ffu"):
        assert word in told[0]
    assert "Traceback" not in ended.stderr


def test_the_compute_api_writes_its_row_and_refuses_to_be_older_than_the_others(deployment):
    conf = deployment.fleet()._conf
    keel_api.main.join(conf, "compute")
    keel_api.main.join(conf, "compute")
    rows = deployment.cells["cell1"].read(nova_services.versions)
    assert [(row["host"], row["binary"], row["version"]) for row in rows] == [("ctl-1", "nova-osapi_compute", 74)]
    deployment.retire("cell1", 1)
    deployment.service("cell1", "ctl-2", 99, binary="nova-osapi_compute")
    with pytest.raises(CannotStart, match="newer than Hibiscus"):
        keel_api.main.join(conf, "compute")


def test_a_quota_driver_that_is_not_built_is_refused(deployment):
    conf = deployment.fleet("[quota]", "driver = nova.quota.UnifiedLimitsDriver")._conf
    with pytest.raises(CannotStart, match="UnifiedLimitsDriver is not built"):
        quotas.refuse_unbuilt_driver(conf)
    for driver in ("DbQuotaDriver", "NoopQuotaDriver"):
        quotas.refuse_unbuilt_driver(deployment.fleet("[quota]", f"driver = nova.quota.{driver}")._conf)


@pytest.fixture
def volumes(tmp_path):
    return make(f"sqlite:///{tmp_path}/cinder.db", schema.cinder.tables["clusters"], schema.cinder.tables["services"])


def wrote(db, host, binary, rpc, objects):
    db.run(cinder_services.register, host, binary, rpc_current_version=rpc, object_current_version=objects)


def test_a_volume_service_is_pinned_to_the_rows_of_its_binary_and_answers_for_all(volumes):
    fleet = CinderFleet(volumes)
    fleet.start()
    assert fleet.pins.of(cinder.VOLUME)().rpc == cinder.VOLUME.version
    wrote(volumes, "a@lvm", "cinder-volume", "3.20", "1.39")
    wrote(volumes, "b@lvm", "cinder-volume", "3.16", "1.39")
    wrote(volumes, "c", "cinder-backup", "2.4", "1.38")
    assert fleet.pins.of(cinder.VOLUME)().rpc == "3.16"
    assert fleet.pins.of(cinder.VOLUME)().objects is None
    assert fleet.pins.of(cinder.SCHEDULER)().rpc == cinder.SCHEDULER.version
    assert fleet.results().objects["Volume"] == "1.8"
    wrote(volumes, "b@lvm", "cinder-volume", "3.20", "1.39")
    wrote(volumes, "c", "cinder-backup", "2.4", "1.39")
    fleet.reload()
    assert fleet.pins.of(cinder.VOLUME)().rpc == "3.20"
    assert fleet.results().objects is None


@pytest.mark.parametrize("binary", ["cinder-volume", "cinder-scheduler", "cinder-backup"])
@pytest.mark.parametrize(
    ("rpc", "objects", "told"),
    [(None, None, "no rpc_current_version"), ("2.0", None, "no object_current_version"), ("2.0", "1.37", r"1\.37")],
)
@pytest.mark.parametrize("serves", [True, False])
def test_a_start_is_refused_beside_services_without_known_versions(volumes, binary, rpc, objects, told, serves):
    wrote(volumes, "odd-1", binary, rpc, objects)
    with pytest.raises(CannotStart, match=f"{binary} on odd-1 .*{told}"):
        CinderFleet(volumes, serves).start()
