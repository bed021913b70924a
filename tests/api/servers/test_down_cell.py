"""A cell whose database does not answer: the other servers are there, its own are shown from the API database."""

import json

import pytest
from fakes.api import PROJECT

from keel_common.db import add, schema

from .rows import FLAVOR, map_server, nova

LOST = "10000000-0000-4000-8000-000000000001"
API = schema.nova_api.tables


@pytest.fixture
def lost(cloud):
    """A server in a cell nobody listens for, and one in cell1."""
    spec = {"flavor": nova("Flavor", "1.2", FLAVOR), "image": nova("ImageMeta", "1.8", {"id": cloud.image})}
    spec |= {"availability_zone": "nova", "user_id": "u"}

    def fill(conn):
        cell = {"uuid": "d0" + LOST[2:], "name": "gone", "transport_url": "fake:/", "disabled": False}
        key = add(conn, API["cell_mappings"], {**cell, "database_connection": "mysql+pymysql://x@127.0.0.1:1/gone"})
        map_server(conn, LOST, key, PROJECT, "u")
        add(conn, API["request_specs"], {"instance_uuid": LOST, "spec": json.dumps(nova("RequestSpec", "1.15", spec))})

    cloud.api.cells.api.run(fill)
    cloud.api.cells.refresh()
    return cloud.server()


@pytest.mark.parametrize(
    ("query", "version", "count"),
    [
        ("", "2.68", 1),
        ("", "2.69", 2),
        ("?name=server", "2.69", 1),
        ("?limit=5", "2.69", 1),
        ("?sort_key=uuid", "2.69", 1),
    ],
)
def test_a_list_goes_on_without_the_cell(cloud, lost, query, version, count):
    for path in ("/servers", "/servers/detail"):
        found = cloud.api.get(path + query, version=version).ok.body["servers"]
        assert len(found) == count and found[0]["id"] == lost
    if count == 2:
        assert set(found[1]) == {"id", "status", "links", "tenant_id", "created"} and found[1]["status"] == "UNKNOWN"


def test_an_operator_may_want_no_incomplete_list(cloud, lost):
    cloud.api.set("list_records_by_skipping_down_cells", False, "api")
    assert cloud.api.get("/servers").status == 500


def test_a_server_of_the_cell_is_shown_as_far_as_it_is_known(cloud, lost):
    shown = cloud.api.get(f"/servers/{LOST}", version="2.104").ok.body["server"]
    assert (shown["status"], shown["image"]["id"]) == ("UNKNOWN", cloud.image)
    assert shown["flavor"]["original_name"] == "m1.small"
    assert cloud.api.get(f"/servers/{LOST}", version="2.68").status == 500
