"""Lists of volumes: who sees what, filters, order, pages, counts, and what they cost."""

import datetime
import json
import uuid

import pytest
from fakes.api import PROJECT, Identity

from keel_common.db import count_statements
from keel_common.db.stores.cinder import attachments, metadata, rows, types


@pytest.fixture
def declared(volume, tmp_path):
    """A resource filter file."""

    def write(*keys):
        file = tmp_path / f"{'-'.join(keys)}.json"  # a file is read once
        file.write_text(json.dumps({"volume": list(keys)}))
        volume.set("resource_query_filters_file", str(file))

    return write


def names(volume, query="", **how):
    return [row["name"] for row in volume.get(f"/volumes/detail{query}", **how).ok.body["volumes"]]


def test_names_and_links_alone(volume, made):
    mine = made(name="a")
    (row,) = volume.get("/volumes").body["volumes"]
    assert set(row) == {"id", "name", "links"}
    assert row["links"][0]["href"].endswith(f"/v3/volumes/{mine}")


def test_everybody_lists_the_own_project_and_administrators_all(volume, made, other, admin):
    made(name="mine"), made(name="theirs", who=other)
    assert names(volume) == ["mine"]
    assert names(volume, "?all_tenants=1") == ["mine"]
    assert sorted(names(volume, "?all_tenants=1", who=admin)) == ["mine", "theirs"]
    assert names(volume, "?all_tenants=0", who=admin) == ["mine"]
    assert volume.get("/volumes?all_tenants=maybe", who=admin).status == 400


def test_without_a_project_there_is_nothing(volume, made):
    mine = made()
    nobody = Identity("nobody", None, ("member", "reader"))
    for path in (
        f"/volumes/{mine}",
        "/volumes",
        "/snapshots",
        "/types",
        f"/attachments/{uuid.uuid4()}",
        "/attachments",
    ):
        assert volume.get(path, who=nobody, version="3.71").status in (403, 404), path
    assert volume.post("/volumes", {"volume": {"size": 1}}, who=nobody).status == 403


def test_members_do_not_see_the_targets_of_migrations(volume, made, backend, admin):
    backend.force(made(name="target"), migration_status=f"target:{uuid.uuid4()}")
    made(name="plain")
    assert names(volume) == ["plain"]
    assert len(names(volume, who=admin)) == 2


def test_order(volume, made, backend):
    for second, (name, size) in enumerate((("b", 1), ("a", 2), ("c", 2))):
        backend.force(made(size, name=name), created_at=datetime.datetime(2026, 1, 1, 0, 0, second))
    assert names(volume, "?sort=name:asc") == ["a", "b", "c"]
    assert names(volume, "?sort=size:desc,name:asc") == ["a", "c", "b"]
    assert names(volume, "?sort_key=display_name&sort_dir=desc") == ["c", "b", "a"]
    assert names(volume) == ["c", "a", "b"]


@pytest.mark.parametrize(
    "query",
    [
        "sort=nonsense",
        "sort=name:up",
        "sort=name&sort_key=name",
        "limit=-1",
        "limit=x",
        "offset=-1",
        "offset=99999999999",
    ],
)
def test_bad_orders_and_pages_are_400(volume, query):
    assert volume.get(f"/volumes?{query}").status == 400


def test_pages_follow_each_other(volume, made):
    for name in ("a", "b", "c", "d", "e"):
        made(name=name)
    path, seen = "/volumes/detail?limit=2&sort=size:asc,name:desc", []
    while path:
        body = volume.get(path).body
        seen += [row["name"] for row in body["volumes"]]
        links = body.get("volumes_links")
        path = links[0]["href"].partition("/v3")[2] if links else None
    assert seen == ["e", "d", "c", "b", "a"]


def test_pages_over_rows_without_a_value(volume, made):
    for name in ("a", None, "b", None):
        made(name=name)
    for direction in ("asc", "desc"):
        whole = [row["id"] for row in volume.get(f"/volumes?sort=name:{direction}").body["volumes"]]
        for place in range(3):
            path = f"/volumes?sort=name:{direction}&marker={whole[place]}"
            assert [row["id"] for row in volume.get(path).body["volumes"]] == whole[place + 1 :]


def test_limits_offsets_and_unknown_markers(volume, made):
    made(name="a"), made(name="b")
    assert volume.get("/volumes?limit=0").body == {"volumes": []}
    assert names(volume, "?offset=1&sort=name:asc") == ["b"]
    assert volume.get(f"/volumes?marker={uuid.uuid4()}").status == 404
    volume.set("osapi_max_limit", 1)
    assert len(names(volume, "?limit=50")) == 1


def test_the_total_is_told_from_3_45(volume, made):
    made(), made()
    assert volume.get("/volumes?with_count=true&limit=1", version="3.45").body["count"] == 2
    assert "count" not in volume.get("/volumes?with_count=true&limit=1", version="3.44").body
    assert volume.get("/volumes?with_count=perhaps", version="3.45").status == 400


def test_members_use_declared_filters_only(volume, made, declared):
    declared("name")
    made(2, name="a"), made(1, name="b")
    assert names(volume, "?name=a", version="3.31") == ["a"]
    assert volume.get("/volumes?size=2", version="3.31").status == 400
    assert names(volume, "?size=2&sort=name:asc", version="3.30") == ["a", "b"]


def test_without_a_file_of_the_operator_the_usual_filters_are_declared(volume, made):
    made(name="a")
    assert names(volume, "?name=a&status=available", version="3.71") == ["a"]
    volume.set("resource_query_filters_file", "/nowhere/filters.json")
    assert volume.get("/volumes?name=a", version="3.71").status == 400


def test_administrators_filter_by_any_column(volume, made, admin, backend):
    made(2, name="a"), made(1, name="b")
    how = {"who": admin, "version": "3.71"}
    assert names(volume, "?size=2", **how) == ["a"]
    assert names(volume, "?size=[1,2]&sort=name:asc", **how) == ["a", "b"]
    assert names(volume, "?nonsense=1", **how) == []
    assert names(volume, "?bootable=false&sort=name:asc", **how) == ["a", "b"]
    assert volume.get("/volumes?bootable=x", **how).status == 400
    assert sorted(names(volume, "?host=node-1", **how)) == ["a", "b"]
    assert names(volume, "?host=node", **how) == []
    assert sorted(names(volume, "?host=node-1@csi", **how)) == ["a", "b"]


def test_filters_by_part_of_the_name(volume, made, admin, declared):
    made(name="database one"), made(name="cache"), made(name="50%")
    assert names(volume, "?name~=base", who=admin, version="3.34") == ["database one"]
    assert names(volume, "?name~=0%25", who=admin, version="3.34") == ["50%"]
    declared("name")
    assert volume.get("/volumes?name~=base", version="3.34").status == 400
    declared("name~")
    assert names(volume, "?name~=base", version="3.34") == ["database one"]


def test_filters_by_metadata(volume, made, admin, backend):
    mine = made(name="a", metadata={"k": "1", "l": "2"})
    made(name="b", metadata={"k": "1"})
    assert names(volume, "?metadata={'k':'1','l':'2'}", who=admin) == ["a"]
    volume.db.run(metadata.merge, metadata.ADMIN, mine, {"readonly": "True"})
    assert names(volume, "?metadata={'readonly':'True'}", who=admin) == ["a"]


def test_filters_by_time_from_3_31(volume, made, admin):
    made(name="a")
    how = {"who": admin, "version": "3.60"}
    assert names(volume, "?created_at=gt:2020-01-01T00:00:00", **how) == ["a"]
    assert names(volume, "?created_at=lt:2020-01-01T00:00:00", **how) == []
    assert names(volume, "?created_at=lt:2020-01-01T00:00:00,gte:2020-01-01T00:00:00", **how) == ["a"]
    assert volume.get("/volumes?created_at=2020-01-01", **how).status == 400
    assert volume.get("/volumes?created_at=gt:x", **how).status == 400
    assert names(volume, "?created_at=lt:2020-01-01T00:00:00", who=admin, version="3.30") == ["a"]


def many(conn, number):
    """Volumes with metadata and an attachment each."""
    type_id = types.get_by_name(conn, "__DEFAULT__")["id"]
    ids = [str(uuid.uuid4()) for _ in range(number)]
    made = {"project_id": PROJECT, "volume_type_id": type_id, "status": "in-use", "size": 1, "use_quota": True}
    rows.insert_many(conn, rows.TABLES["volumes"], [{"id": one, **made} for one in ids])
    rows.insert_many(
        conn, rows.TABLES["volume_metadata"], [{"volume_id": one, "key": "k", "value": "v"} for one in ids]
    )
    for one in ids:
        attachments.create(conn, one, {"attach_status": "attached", "instance_uuid": one, "connection_info": {}})


def test_a_thousand_volumes_take_three_statements(volume):
    volume.db.run(many, 1000)
    with count_statements() as seen:
        found = volume.get("/volumes/detail", version="3.71").body["volumes"]
    assert len(found) == 1000 and len(seen) <= 3
    assert found[0]["metadata"] == {"k": "v"} and len(found[0]["attachments"]) == 1
    with count_statements() as seen:
        assert len(volume.get("/volumes").body["volumes"]) == 1000
    assert len(seen) == 1
