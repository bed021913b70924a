"""Server groups (nova 34.0.0)."""

import pytest
from fakes import rows
from fakes.api import OTHER, PROJECT

from keel_common.db import add
from keel_common.db.schema import nova_api


def make(compute, version="2.64", who=None, name="g", **body):
    body = body or ({"policy": "anti-affinity"} if int(version[2:]) >= 64 else {"policies": ["anti-affinity"]})
    how = {"who": who} if who else {}
    return compute.post("/os-server-groups", {"server_group": {"name": name, **body}}, version=version, **how)


@pytest.mark.parametrize(
    ("version", "keys"),
    [
        ("2.1", "id members metadata name policies"),
        ("2.13", "id members metadata name policies project_id user_id"),
        ("2.63", "id members metadata name policies project_id user_id"),
        ("2.64", "id members name policy project_id rules user_id"),
    ],
)
def test_a_group_shows_what_the_version_has(compute, version, keys):
    group = make(compute, version).ok.body["server_group"]
    assert sorted(group) == keys.split()
    shown = compute.get(f"/os-server-groups/{group['id']}", version=version).ok.body["server_group"]
    assert shown == group
    assert compute.get("/os-server-groups", version=version).ok.body["server_groups"] == [group]


def test_members_that_are_being_deleted_are_not_shown(compute):
    uuid = make(compute).ok.body["server_group"]["id"]
    stays, goes = rows.server(compute), rows.server(compute)
    for member in (stays, goes):
        compute.cells.api.run(add, nova_api.tables["instance_group_member"], {"group_id": 1, "instance_uuid": member})
    mappings = nova_api.tables["instance_mappings"]
    going = mappings.update().where(mappings.c.instance_uuid == goes).values(queued_for_delete=True)
    compute.cells.api.run(lambda conn: conn.execute(going))
    assert compute.get(f"/os-server-groups/{uuid}").ok.body["server_group"]["members"] == [stays]


@pytest.mark.parametrize(
    ("version", "body", "status"),
    [
        ("2.14", {"policies": ["soft-affinity"]}, 400),
        ("2.15", {"policies": ["soft-affinity"]}, 200),
        ("2.64", {"policies": ["affinity"]}, 400),
        ("2.64", {"policy": "zz"}, 400),
        ("2.64", {"policy": "affinity", "rules": {"max_server_per_host": 3}}, 400),
        ("2.64", {"policy": "anti-affinity", "rules": {"max_server_per_host": "3"}}, 200),
        ("2.64", {"policy": "anti-affinity", "rules": {"max_server_per_host": 0}}, 400),
    ],
)
def test_policies_and_rules(compute, version, body, status):
    reply = make(compute, version, **body)
    assert reply.status == status
    if status == 200 and "rules" in body:
        assert reply.body["server_group"]["rules"] == {"max_server_per_host": 3}


def test_several_servers_on_a_host_need_new_computes(compute):
    rows.service(compute, "old", version=32)
    assert make(compute, policy="anti-affinity", rules={"max_server_per_host": 2}).status == 409
    assert make(compute, policy="anti-affinity", rules={"max_server_per_host": 1}).status == 200


def test_groups_of_all_projects_are_for_administrators(compute, admin, other):
    assert make(compute).ok
    assert make(compute, who=other).ok
    mine = compute.get("/os-server-groups?all_projects=1", version="2.13").ok.body["server_groups"]
    assert [group["project_id"] for group in mine] == [PROJECT]
    every = compute.get("/os-server-groups?all_projects=1", version="2.13", who=admin).ok.body["server_groups"]
    assert [group["project_id"] for group in every] == [PROJECT, OTHER]


def test_lists_are_cut_by_limit_and_offset(compute):
    for name in "abc":
        assert make(compute, name=name).ok

    def names(query):
        return [group["name"] for group in compute.get(f"/os-server-groups{query}").ok.body["server_groups"]]

    assert names("?limit=1&offset=1") == ["b"]
    assert names("?limit=0") == ["a", "b", "c"]
    assert compute.get("/os-server-groups?offset=-1").status == 400


def test_another_project_reads_and_deletes_nothing(compute, other, reader):
    uuid = make(compute).ok.body["server_group"]["id"]
    assert compute.get(f"/os-server-groups/{uuid}", who=other).status == 404
    assert compute.delete(f"/os-server-groups/{uuid}", who=other).status == 404
    assert compute.get(f"/os-server-groups/{uuid}", who=reader).status == 200
    assert compute.delete(f"/os-server-groups/{uuid}", who=reader).status == 403
    assert compute.delete(f"/os-server-groups/{uuid}").status == 204
    assert compute.delete(f"/os-server-groups/{uuid}").status == 404


def test_the_quota_counts_groups(compute):
    compute.set("server_groups", 1, "quota")
    assert make(compute).ok
    reply = make(compute)
    assert (reply.status, reply.message) == (403, "Quota exceeded, too many server groups.")
