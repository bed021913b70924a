import datetime

import pytest
from fakes.api import PROJECT

from keel_common.db import count_statements, schema
from keel_common.db.stores.nova import servers, servers_change
from keel_common.domain.server.filters import Condition, Selection, sorting
from keel_common.domain.server.guards import guard

from .conftest import USER
from .rows import START, add_server, add_servers, add_service, vif

NEWEST = sorting([], [], (2, 1))
DETAIL = ["uuid", "display_name", "vm_state", *servers.PARTS]
EVERYTHING = Selection(())


@pytest.fixture
def cell(cloud):
    return cloud.cell


def names(rows):
    return [row["display_name"] for row in rows]


def page(cell, selection=EVERYTHING, order=NEWEST, limit=None, marker=None):
    return cell.read(servers.page, selection, order, limit, ["display_name"], marker)


def test_a_page_of_a_thousand_servers_costs_two_statements(cell):
    def fill(conn):
        add_servers(conn, PROJECT, USER, range(1000), vifs=[vif()], metadata={"a": "b"}, tags=["x"], volumes=["v"])
        add_service(conn)

    cell.run(fill)
    with count_statements() as seen:
        rows = cell.read(servers.page, EVERYTHING, NEWEST, 1000, DETAIL)
    assert len(seen) == 2
    assert names(rows)[:2] == ["server-999", "server-998"]
    first = rows[0]
    assert first["metadata"] == {"a": "b"} and first["tags"] == ["x"]
    assert first["volumes"] == [{"volume_id": "v", "delete_on_termination": False}]
    assert first["flavor"]["name"] == "m1.small"
    assert first["network_info"][0]["network"]["label"] == "private"
    assert first["service"]["disabled"] is False and first["fault"] is None


def test_the_newest_fault_of_a_server_in_error_is_read(cell):
    def fill(conn):
        uuid = add_server(conn, PROJECT, USER, vm_state="error")
        faults = schema.nova_cell.tables["instance_faults"]
        for text in ("old", "new"):
            conn.execute(
                faults.insert().values(instance_uuid=uuid, code=500, message=text, deleted=0, created_at=START)
            )

    cell.run(fill)
    (row,) = cell.read(servers.page, EVERYTHING, NEWEST, None, ["fault"])
    assert row["fault"]["message"] == "new" and row["fault"]["created_at"] == START


@pytest.mark.parametrize("way", ["asc", "desc"])
@pytest.mark.parametrize("key", ["display_name", "task_state", "created_at"])
def test_pages_meet_without_gap_or_repetition(cell, key, way):
    def fill(conn):
        for number in range(7):
            add_server(conn, PROJECT, USER, number, task_state=["a", None, "b"][number % 3], created_at=START)

    cell.run(fill)
    order = sorting([key], [way], (2, 1))
    whole = names(page(cell, order=order))
    met, marker = [], None
    while rows := cell.read(servers.page, EVERYTHING, order, 2, ["display_name", "uuid"], marker):
        met += names(rows)
        marker = cell.read(servers.marker_row, rows[-1]["uuid"], order)
    assert met == whole and len(met) == 7


def test_deleted_and_reclaimable_servers_are_asked_for_apart(cell):
    def fill(conn):
        add_server(conn, PROJECT, USER, 1)
        add_server(conn, PROJECT, USER, 2, vm_state="soft-delete")
        servers_change.destroy(conn, add_server(conn, PROJECT, USER, 3), "node-1")

    cell.run(fill)
    assert names(page(cell)) == ["server-1"]
    assert names(page(cell, Selection((), False, True))) == ["server-2", "server-1"]
    assert names(page(cell, Selection((), True, True))) == ["server-3", "server-2"]
    assert names(page(cell, Selection((), None))) == ["server-3", "server-2", "server-1"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (Condition("regex", "display_name", "er-[12]$"), [2, 1]),
        (Condition("eq", "project_id", PROJECT), [3, 2, 1]),
        (Condition("in", "vm_state", ("active", "stopped")), [3, 2, 1]),
        (Condition("regex", "power_state", "1"), [3, 2, 1]),
        (Condition("since", "updated_at", START + datetime.timedelta(seconds=2)), [3, 2]),
        (Condition("before", "updated_at", START + datetime.timedelta(seconds=2)), [2, 1]),
        (Condition("tag", "tags", ("blue", "t2")), [2]),
        (Condition("tag", "tags-any", ("t1", "t2")), [2, 1]),
        (Condition("tag", "not-tags", ("blue", "t2")), [3, 1]),
        (Condition("tag", "not-tags-any", ("t1",)), [3, 2]),
    ],
)
def test_every_kind_of_condition_is_sql(cell, condition, found):
    def fill(conn):
        for number in (1, 2, 3):
            add_server(conn, PROJECT, USER, number, tags=["blue", f"t{number}"])

    cell.run(fill)
    assert names(page(cell, Selection((condition,)))) == [f"server-{n}" for n in found]


def test_an_action_begins_once(cell):
    uuid = cell.run(lambda conn: add_server(conn, PROJECT, USER))
    action = {"action": "stop", "instance_uuid": uuid, "request_id": "req-1", "user_id": USER, "project_id": PROJECT}
    assert cell.run(servers_change.begin, uuid, guard("stop"), action)
    assert not cell.run(servers_change.begin, uuid, guard("stop"), action)
    row = cell.read(servers.one, uuid, ["task_state"])
    assert row["task_state"] == "powering-off"
    actions = schema.nova_cell.tables["instance_actions"]
    assert cell.read(lambda conn: [r.action for r in conn.execute(actions.select())]) == ["stop"]


def test_destroying_takes_the_whole_row_set_and_only_from_the_known_host(cell):
    uuid = cell.run(lambda conn: add_server(conn, PROJECT, USER, tags=["t"], metadata={"k": "v"}))
    assert not cell.run(servers_change.destroy, uuid, "another-node")
    assert cell.run(servers_change.destroy, uuid, "node-1")
    assert cell.read(servers.one, uuid, ["uuid"]) is None
    row = cell.read(servers.one, uuid, ["vm_state", "deleted", "id", "metadata", "tags"], deleted=True)
    assert row["vm_state"] == "deleted" and row["deleted"] == row["id"]
    assert row["metadata"] == {} and row["tags"] == []
