"""Host aggregates (nova 34.0.0)."""

import pytest
from fakes import rows

from keel_common.clients.errors import Unreachable


class Placement:
    def __init__(self, broken=False):
        self.changes, self.broken = [], broken

    def change_aggregates(self, uuid, add=frozenset(), remove=frozenset()):
        if self.broken:
            raise Unreachable(0, "no route", "placement")
        self.changes.append((uuid, sorted(add), sorted(remove)))


class Glance:
    def show(self, context, image_id):
        return {"id": image_id}


@pytest.fixture(autouse=True)
def placement(compute):
    compute.services.clients.placement = Placement()
    compute.services.clients.glance = Glance()
    return compute.services.clients.placement


@pytest.fixture
def make(compute, admin):
    def make(name="a", zone=None, version="2.41"):
        body = {"name": name, **({"availability_zone": zone} if zone else {})}
        return compute.post("/os-aggregates", {"aggregate": body}, who=admin, version=version).ok.body["aggregate"]

    return make


@pytest.fixture
def act(compute, admin):
    def act(aggregate, action, **body):
        return compute.post(f"/os-aggregates/{aggregate['id']}/action", {action: body}, who=admin, version="2.41")

    return act


@pytest.fixture
def host(compute):
    rows.service(compute, "n1")
    return rows.node(compute, "n1")


def test_an_aggregate_is_created_changed_and_deleted(compute, admin, make):
    aggregate = make(zone="z")
    assert (aggregate["availability_zone"], "hosts" in aggregate) == ("z", False)
    path = f"/os-aggregates/{aggregate['id']}"
    assert "uuid" not in compute.get(path, who=admin, version="2.40").ok.body["aggregate"]
    body = {"aggregate": {"name": "b", "availability_zone": "y"}}
    changed = compute.put(path, body, who=admin).ok.body["aggregate"]
    assert (changed["name"], changed["metadata"], changed["hosts"]) == ("b", {"availability_zone": "y"}, [])
    assert compute.delete(path, who=admin).status == 200
    assert compute.get(path, who=admin).status == 404
    assert compute.bus.methods() == ["update_aggregates", "update_aggregates", "delete_aggregate"]


def test_names_are_unique(compute, admin, make):
    make("a")
    other = make("b")
    assert compute.post("/os-aggregates", {"aggregate": {"name": "a"}}, who=admin).status == 409
    assert compute.put(f"/os-aggregates/{other['id']}", {"aggregate": {"name": "a"}}, who=admin).status == 409


@pytest.mark.parametrize(("key", "status"), [("x", 400), ("99", 404)])
def test_wrong_ids_are_refused(compute, admin, key, status):
    assert compute.get(f"/os-aggregates/{key}", who=admin).status == status


def test_only_administrators_see_aggregates(compute):
    assert compute.get("/os-aggregates").status == 403


def test_metadata_is_added_and_deleted_key_by_key(make, act):
    aggregate = make()
    assert act(aggregate, "set_metadata", metadata={"k": "v", "n": "1"}).ok
    changed = act(aggregate, "set_metadata", metadata={"k": None}).ok.body["aggregate"]
    assert changed["metadata"] == {"n": "1"}


def test_a_host_joins_and_leaves_in_placement_too(make, act, host, placement):
    aggregate = make()
    assert act(aggregate, "add_host", host="n1").ok.body["aggregate"]["hosts"] == ["n1"]
    assert act(aggregate, "add_host", host="n1").status == 409
    assert act(aggregate, "remove_host", host="n1").ok.body["aggregate"]["hosts"] == []
    assert act(aggregate, "remove_host", host="n1").status == 404
    assert placement.changes == [(host["uuid"], [aggregate["uuid"]], []), (host["uuid"], [], [aggregate["uuid"]])]


def test_an_unknown_host_does_not_join(make, act):
    assert act(make(), "add_host", host="zz").status == 404


def test_a_host_joins_although_placement_is_away(compute, make, act, host):
    compute.services.clients.placement = Placement(broken=True)
    assert act(make(), "add_host", host="n1").ok


def test_an_aggregate_with_hosts_stays(compute, admin, make, act, host):
    aggregate = make()
    assert act(aggregate, "add_host", host="n1").ok
    assert compute.delete(f"/os-aggregates/{aggregate['id']}", who=admin).status == 400


def test_a_host_is_in_one_zone_only(make, act, host):
    first, second = make("a", "z"), make("b", "y")
    assert act(first, "add_host", host="n1").ok
    assert act(second, "add_host", host="n1").status == 409
    third = make("c")
    assert act(third, "add_host", host="n1").ok
    assert act(third, "set_metadata", metadata={"availability_zone": "y"}).status == 400
    assert act(third, "set_metadata", metadata={"availability_zone": "z"}).ok


def test_servers_do_not_change_their_zone(compute, make, act, host):
    aggregate = make("a")
    assert act(aggregate, "add_host", host="n1").ok
    rows.server(compute, host="n1")
    assert act(aggregate, "set_metadata", metadata={"availability_zone": "z"}).status == 400
    assert act(aggregate, "remove_host", host="n1").ok


def test_images_are_cached_from_2_81(compute, admin, make):
    aggregate = make()
    image = "c0ffee00-0000-4000-8000-000000000000"
    path, body = f"/os-aggregates/{aggregate['id']}/images", {"cache": [{"id": image}]}
    assert compute.post(path, body, who=admin, version="2.80").status == 404
    assert compute.post(path, body, who=admin, version="2.81").status == 202
    method, arguments = compute.bus.sent[-1]
    assert (method, arguments["image_ids"]) == ("cache_images", [image])
    assert compute.post(path, {"cache": [{"id": image}] * 2}, who=admin, version="2.81").status == 400
