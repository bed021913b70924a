"""JSON that we store, read by the real code of every recorded release, on databases in memory.

It needs no cloud. The releases are installed into KEEL_HOME when they are not there, as `make record-check` does:

    python -m pytest tests/interop/test_blobs.py
"""

import pytest
from api.conftest import _compute_tables, compute  # noqa: F401
from api.servers.conftest import cloud, wish  # noqa: F401
from fakes.blob_store import BlobStore
from fakes.wireform import plain

from keel_contract import goldens
from keel_contract.recorder import blobs
from keel_contract.recorder.delta import diff
from keel_dev import environments
from keel_dev.record_check import NEWEST
from keel_dev.settings import Settings

RELEASES = goldens.RELEASES["nova"]


@pytest.fixture(scope="module")
def pythons():
    """The interpreter that has a release; installs what is not there."""
    settings = Settings.from_environment()

    def of(release):
        environment = "reference" if release in NEWEST else f"releases/{release}"
        environments.install(settings, environment)
        return str(settings.environment_folder(environment) / "bin" / "python")

    return of


@pytest.fixture
def store(tmp_path):
    made = BlobStore(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("release", RELEASES)
def test_what_our_conductor_stores_is_read_like_the_rows_of_the_release(release, store, pythons):
    recorded = {case: each for case, each in blobs.stored(release)["cases"].items() if "before" not in case}
    rows = {case: store.create(each["sent"]) for case, each in recorded.items()}
    read = blobs.read_by(pythons(release), rows)
    assert {case: diff(each["read"], read[case]) for case, each in recorded.items()} == dict.fromkeys(recorded)


@pytest.mark.parametrize("release", RELEASES)
def test_what_our_api_stores_is_read_by_the_release(release, store, pythons, cloud, wish):  # noqa: F811
    body = wish(key_name="mine", metadata={"a": "b"}, tags=["t"], security_groups=[{"name": "default"}])
    uuid = cloud.api.post("/servers", body, version="2.104").ok.body["server"]["id"]
    rows = asked_for(cloud)
    store.fill(rows)
    ours = {name: plain(each) for name, each in store.read_request(uuid).items()}
    read = blobs.read_by(pythons(release), {"api": {**rows, "instances": [{"uuid": uuid}]}})["api"]
    assert {name: diff(each, read[name]) for name, each in ours.items()} == dict.fromkeys(ours)


def asked_for(cloud):  # noqa: F811
    """The rows of the API database that a server was asked for with, as they stand there."""

    def rows(conn, table):
        found = conn.exec_driver_sql(f"SELECT * FROM {table}").mappings()
        return [{key: value for key, value in row.items() if value is not None} for row in found]

    tables = ("request_specs", "build_requests")
    return cloud.api.cells.api.read(lambda conn: {table: rows(conn, table) for table in tables})
