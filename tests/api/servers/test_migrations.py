"""os-migrations by filter and page, and the live migrations of one server."""

import datetime

import pytest

from keel_common.db import schema

from .moves import act, actions, migration, only

NOON = datetime.datetime(2026, 1, 2, 12)
HOSTS = ("source_compute", "dest_compute", "source_node", "dest_node", "dest_host")


@pytest.fixture
def four(cloud):
    """Four migrations of two servers, an hour between them; the newest has the highest id."""
    one, two = cloud.server(), cloud.server()
    values = [
        (one, {"status": "error", "migration_type": "live-migration", "source_compute": "a", "dest_compute": "b"}),
        (one, {"status": "running", "migration_type": "live-migration", "source_compute": "b", "dest_compute": "c"}),
        (two, {"status": "finished", "migration_type": "resize", "source_compute": "c", "dest_compute": "a"}),
        (two, {"status": "done", "migration_type": "evacuation", "hidden": True}),
    ]
    for number, (uuid, more) in enumerate(values):
        moment = NOON + datetime.timedelta(hours=number)
        migration(cloud, uuid, created_at=moment, updated_at=moment, project_id="p1", user_id=f"u{number}", **more)
    cloud.one, cloud.two = one, two
    return cloud


def listed(cloud, who, query="", version="2.104"):
    return [
        row["id"] for row in cloud.api.get(f"/os-migrations{query}", who=who, version=version).ok.body["migrations"]
    ]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", [3, 2, 1]),
        ("?status=running", [2]),
        ("?host=a", [3, 1]),
        ("?source_compute=a", [1]),
        ("?host=b&source_compute=a", [2, 1]),
        ("?migration_type=resize", [3]),
        ("?user_id=u0", [1]),
        ("?project_id=p1&status=error", [1]),
        ("?project_id=p2", []),
        ("?changes-since=2026-01-02T13:00:00Z", [3, 2]),
        ("?changes-before=2026-01-02T13:00:00Z", [2, 1]),
        ("?hidden=0", [3, 2, 1]),
        ("?hidden=1", []),
        ("?limit=0", []),
        ("?limit=2", [3]),
    ],
)
def test_migrations_by_filter_newest_first(four, admin, query, ids):
    assert listed(four, admin, query) == ids


def test_by_server_and_in_the_order_of_ids_below_2_59(four, admin):
    assert listed(four, admin, f"?instance_uuid={four.one}") == [2, 1]
    assert listed(four, admin, version="2.58") == [1, 2, 3]
    assert listed(four, admin, "?limit=1&unknown=1", "2.58") == [1, 2, 3]


def test_pages_follow_the_marker(four, admin):
    seen, query = [], "?limit=1"
    while query:
        body = four.api.get(f"/os-migrations{query}", who=admin, version="2.59").ok.body
        seen += [row["id"] for row in body["migrations"]]
        links = body.get("migrations_links")
        query = "?" + links[0]["href"].partition("?")[2] if links else None
    assert seen == [3, 2, 1]  # the hidden one was a page of its own


@pytest.mark.parametrize(
    "query",
    ["?marker=unknown", "?unknown=1", "?changes-since=2026-01-03T00:00:00Z&changes-before=2026-01-02T00:00:00Z"],
)
def test_wrong_questions(four, admin, query):
    assert four.api.get(f"/os-migrations{query}", who=admin, version="2.66").status == 400


@pytest.mark.parametrize(
    ("version", "keys"),
    [
        ("2.1", set()),
        ("2.23", {"migration_type"}),
        ("2.59", {"migration_type", "uuid"}),
        ("2.80", {"migration_type", "uuid", "user_id", "project_id"}),
    ],
)
def test_the_keys_of_a_version(four, admin, version, keys):
    rows = four.api.get("/os-migrations", who=admin, version=version).ok.body["migrations"]
    plain = {"id", "status", "instance_uuid", "created_at", "updated_at", *HOSTS}
    plain |= {"old_instance_type_id", "new_instance_type_id"}
    assert {row["id"]: set(row) - plain for row in rows if row["id"] != 2} == {1: keys, 3: keys}
    links = {"links"} if version != "2.1" else set()
    assert next(set(row) - plain for row in rows if row["id"] == 2) == keys | links


def test_who_sees_what(four, admin, manager, member):
    project = manager.project
    assert four.api.get("/os-migrations", who=member, version="2.80").status == 403
    assert four.api.get("/os-migrations", who=manager, version="2.80").status == 403
    table = schema.nova_cell.tables["migrations"]
    four.cell.run(lambda conn: conn.execute(table.update().values(project_id=project)))
    reply = four.api.get(f"/os-migrations?project_id={project}", who=manager, version="2.80").ok.body["migrations"]
    assert len(reply) == 3 and {row[name] for row in reply for name in HOSTS} == {None}
    seen = four.api.get("/os-migrations", who=admin, version="2.80").ok.body["migrations"]
    assert seen[0]["source_compute"] == "c"


# -- of one server


def live(cloud, **values):
    uuid = cloud.server(task_state="migrating")
    facts = {"memory_total": 123456, "memory_processed": 12345, "disk_total": 1, "updated_at": NOON}
    key = migration(cloud, uuid, migration_type="live-migration", **{"status": "running", **facts, **values})
    return uuid, f"/servers/{uuid}/migrations/{key}"


def test_what_goes_on_at_a_server(cloud, admin):
    uuid, path = live(cloud)
    migration(cloud, uuid, status="finished")
    listed = cloud.api.get(f"/servers/{uuid}/migrations", who=admin, version="2.80").ok.body["migrations"]
    shown = cloud.api.get(path, who=admin, version="2.80").ok.body["migration"]
    assert listed == [shown] and shown["server_uuid"] == uuid and shown["memory_total_bytes"] == 123456
    assert "uuid" not in cloud.api.get(path, who=admin, version="2.58").ok.body["migration"]


def test_managers_list_without_hosts(cloud, manager):
    uuid, _ = live(cloud)
    (shown,) = cloud.api.get(f"/servers/{uuid}/migrations", who=manager, version="2.80").ok.body["migrations"]
    assert {shown[name] for name in HOSTS} == {None}


@pytest.mark.parametrize("values", [{"migration_type": "resize"}, {"status": "completed"}])
def test_what_is_over_or_no_live_migration_is_not_there(cloud, admin, values):
    uuid = cloud.server()
    key = migration(cloud, uuid, **{"migration_type": "live-migration", "status": "running", **values})
    assert cloud.api.get(f"/servers/{uuid}/migrations/{key}", who=admin, version="2.104").status == 404


@pytest.mark.parametrize(
    ("version", "status", "code"),
    [
        ("2.24", "running", 202),
        ("2.24", "queued", 400),
        ("2.65", "queued", 202),
        ("2.65", "preparing", 202),
        ("2.65", "completed", 400),
    ],
)
def test_giving_a_migration_up(cloud, admin, version, status, code):
    uuid, path = live(cloud, status=status)
    assert cloud.api.delete(path, who=admin, version=version).status == code
    if code == 202:
        assert only(cloud)[0] == "live_migration_abort" and only(cloud)[1]["migration_id"] == int(path.split("/")[-1])
        assert actions(cloud) == ["live_migration_cancel"]


@pytest.mark.parametrize(("status", "code"), [("running", 202), ("preparing", 400), ("completed", 400)])
def test_forcing_a_migration_to_its_end(cloud, admin, status, code):
    uuid, path = live(cloud, status=status, source_compute="elsewhere")
    assert cloud.api.post(f"{path}/action", {"force_complete": None}, who=admin, version="2.22").status == code
    if code == 202:
        assert only(cloud)[0] == "live_migration_force_complete" and only(cloud)[1]["server"] == "elsewhere"
        assert actions(cloud) == ["live_migration_force_complete"]


@pytest.mark.parametrize("key", ["99", "x", "9" * 40])
def test_a_migration_that_is_not_the_servers(cloud, admin, key):
    uuid, _ = live(cloud)
    path = f"/servers/{uuid}/migrations/{key}"
    assert cloud.api.get(path, who=admin, version="2.104").status == 404
    assert cloud.api.delete(path, who=admin, version="2.104").status == 404
    assert cloud.api.post(f"{path}/action", {"force_complete": None}, who=admin, version="2.104").status == 400


def test_the_older_name_of_servers_acts_alike(cloud):
    uuid = cloud.server()
    assert cloud.api.post(f"/os-volumes_boot/{uuid}/action", {"os-stop": None}, version="2.102").status == 202
    assert only(cloud)[0] == "stop_instance"
    assert cloud.api.get(f"/os-volumes_boot/{uuid}", version="2.102").ok.body["server"]["id"] == uuid
    assert cloud.api.put(f"/os-volumes_boot/{uuid}", {"server": {"name": "n"}}, version="2.102").status == 200
    assert act(cloud, uuid, "os-stop").status == 409
    assert cloud.api.get("/os-volumes_boot", version="2.103").status == 404
