"""Instance actions (nova 34.0.0)."""

import datetime

import pytest
from fakes import rows
from fakes.api import PROJECT

from keel_common.db import add
from keel_common.db.schema import nova_cell

START = datetime.datetime(2026, 11, 30, 12)


@pytest.fixture
def server(compute):
    return rows.server(compute)


@pytest.fixture
def act(compute, server):
    def act(number, uuid=server, **event):
        moment = START + datetime.timedelta(minutes=number)
        action = {
            "action": "stop",
            "instance_uuid": uuid,
            "request_id": f"req-{number}",
            "user_id": "member-user",
            "project_id": PROJECT,
            "start_time": moment,
            "created_at": moment,
            "updated_at": moment,
        }
        key = compute.cell1.db.run(add, nova_cell.tables["instance_actions"], action)
        if event:
            row = {"action_id": key, "event": "compute_stop_instance", "start_time": moment, "finish_time": moment}
            compute.cell1.db.run(add, nova_cell.tables["instance_actions_events"], {**row, **event})

    return act


def ids(reply):
    return [action["request_id"] for action in reply.ok.body["instanceActions"]]


def test_actions_come_newest_first(compute, server, act):
    act(1)
    act(2)
    reply = compute.get(f"/servers/{server}/os-instance-actions")
    assert ids(reply) == ["req-2", "req-1"]
    assert reply.body["instanceActions"][0]["start_time"] == "2026-11-30T12:02:00.000000"
    assert "updated_at" not in reply.body["instanceActions"][0]


def test_pages_and_times_begin_at_2_58(compute, server, act):
    for number in (1, 2, 3):
        act(number)
    path = f"/servers/{server}/os-instance-actions"
    assert len(ids(compute.get(f"{path}?limit=1", version="2.57"))) == 3
    first = compute.get(f"{path}?limit=2", version="2.58")
    assert ids(first) == ["req-3", "req-2"]
    assert first.body["links"] == [{"rel": "next", "href": f"http://localhost/v2.1{path}?limit=2&marker=req-2"}]
    assert ids(compute.get(f"{path}?limit=2&marker=req-2", version="2.58")) == ["req-1"]
    assert ids(compute.get(f"{path}?changes-since=2026-11-30T12:02:00Z", version="2.58")) == ["req-3", "req-2"]
    assert ids(compute.get(f"{path}?changes-before=2026-11-30T12:02:00Z", version="2.66")) == ["req-2", "req-1"]
    assert compute.get(f"{path}?marker=req-9", version="2.58").status == 400
    wrong = "changes-since=2026-11-30T12:02:00Z&changes-before=2026-11-30T12:01:00Z"
    assert compute.get(f"{path}?{wrong}", version="2.66").status == 400
    assert ids(compute.get(f"{path}?limit=0", version="2.58")) == []


@pytest.mark.parametrize(
    ("version", "who", "keys"),
    [
        ("2.50", "member", None),
        ("2.50", "admin", "event finish_time result start_time traceback"),
        ("2.51", "member", "event finish_time result start_time"),
        ("2.62", "member", "event finish_time hostId result start_time"),
        ("2.62", "admin", "event finish_time host hostId result start_time traceback"),
        ("2.84", "admin", "details event finish_time host hostId result start_time traceback"),
    ],
)
def test_events_show_by_version_and_role(compute, server, act, request, version, who, keys):
    act(1, result="Error", traceback="line", host="n1", details="why")
    identity = request.getfixturevalue(who)
    path = f"/servers/{server}/os-instance-actions/req-1"
    action = compute.get(path, version=version, who=identity).ok.body["instanceAction"]
    assert ("events" in action) == (keys is not None)
    if keys is not None:
        assert sorted(action["events"][0]) == keys.split()


def test_an_unknown_action_or_server_is_not_found(compute, server):
    assert compute.get(f"/servers/{server}/os-instance-actions/req-9").status == 404
    assert compute.get("/servers/c0ffee00-0000-4000-8000-000000000000/os-instance-actions").status == 404


def test_another_project_sees_no_actions(compute, server, other):
    assert compute.get(f"/servers/{server}/os-instance-actions", who=other).status == 404


def test_actions_outlive_the_server_from_2_21(compute, act):
    gone = rows.server(compute, deleted=5)
    act(1, uuid=gone)
    assert compute.get(f"/servers/{gone}/os-instance-actions", version="2.20").status == 404
    assert ids(compute.get(f"/servers/{gone}/os-instance-actions", version="2.21")) == ["req-1"]
