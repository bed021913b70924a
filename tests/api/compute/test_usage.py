"""Simple tenant usage (nova 34.0.0)."""

import datetime
import json

import pytest
from fakes import rows
from fakes.api import OTHER, PROJECT

from keel_common.db import add
from keel_common.db.schema import nova_cell

START = datetime.datetime(2026, 1, 1, 12)
SPAN = "start=2026-01-01T12:00:00&end=2026-01-01T14:00:00"
HOUR = datetime.timedelta(hours=1)


@pytest.fixture
def server(compute):
    def server(**values):
        uuid = rows.server(compute, **{"launched_at": START, **values})
        data = {"name": "m1", "memory_mb": 512, "vcpus": 2, "root_gb": 10, "ephemeral_gb": 5}
        flavor = json.dumps({"cur": {"nova_object.data": data}, "old": None, "new": None})
        compute.cell1.db.run(add, nova_cell.tables["instance_extra"], {"instance_uuid": uuid, "flavor": flavor})
        return uuid

    return server


def test_the_hours_inside_the_span_are_added_up(compute, admin, server):
    server()
    server(launched_at=START - HOUR, terminated_at=START + HOUR, deleted=3)
    server(launched_at=START - 3 * HOUR, terminated_at=START - HOUR, deleted=4)
    (usage,) = compute.get(f"/os-simple-tenant-usage?{SPAN}", who=admin).ok.body["tenant_usages"]
    assert usage == {
        "tenant_id": PROJECT,
        "total_hours": 3.0,
        "total_memory_mb_usage": 3 * 512.0,
        "total_vcpus_usage": 6.0,
        "total_local_gb_usage": 45.0,
        "start": "2026-01-01T12:00:00.000000",
        "stop": "2026-01-01T14:00:00.000000",
    }


def test_a_project_reads_its_own_servers(compute, server, other):
    ended = server(terminated_at=START + HOUR, deleted=3)
    usage = compute.get(f"/os-simple-tenant-usage/{PROJECT}?{SPAN}").ok.body["tenant_usage"]
    (shown,) = usage["server_usages"]
    assert (shown["instance_id"], shown["state"], shown["uptime"], shown["hours"]) == (ended, "terminated", 3600, 1.0)
    assert compute.get(f"/os-simple-tenant-usage/{PROJECT}?{SPAN}", who=other).status == 403
    assert compute.get(f"/os-simple-tenant-usage/{OTHER}?{SPAN}", who=other).body == {"tenant_usage": {}}


def test_pages_count_servers_from_2_40(compute, admin, server):
    uuids = sorted(server() for _ in range(3))
    path = f"/os-simple-tenant-usage?{SPAN}&detailed=1&limit=2"
    first = compute.get(path, who=admin, version="2.40").ok.body
    assert [row["instance_id"] for row in first["tenant_usages"][0]["server_usages"]] == uuids[:2]
    assert f"marker={uuids[1]}" in first["tenant_usages_links"][0]["href"]
    rest = compute.get(f"{path}&marker={uuids[1]}", who=admin, version="2.40").ok.body
    assert [row["instance_id"] for row in rest["tenant_usages"][0]["server_usages"]] == uuids[2:]
    assert len(compute.get(path, who=admin, version="2.39").body["tenant_usages"][0]["server_usages"]) == 3
    unknown = f"{path}&marker=c0ffee00-0000-4000-8000-000000000000"
    assert compute.get(unknown, who=admin, version="2.40").status == 400


@pytest.mark.parametrize(
    "query",
    [
        "start=bad",
        "start=2020-01-02T00:00:00&end=2020-01-01T00:00:00",
        "start=2020-01-01T00:00:00&end=2020-01-01T00:00:00",
    ],
)
def test_wrong_spans_are_refused(compute, admin, query):
    assert compute.get(f"/os-simple-tenant-usage?{query}", who=admin).status == 400


def test_the_list_is_for_administrators(compute):
    assert compute.get("/os-simple-tenant-usage").status == 403
