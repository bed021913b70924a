"""Flavors, extra specs and access (nova 34.0.0)."""

import pytest
from fakes.api import OTHER, PROJECT

LATEST = "2.104"


class Keystone:
    def __init__(self, *projects):
        self.projects = projects

    def project_exists(self, project_id, context=None):
        return project_id in self.projects


@pytest.fixture
def make(compute, admin):
    def make(name, version=None, **values):
        body = {"flavor": {"name": name, "ram": 512, "vcpus": 1, "disk": 1, "id": name, **values}}
        return compute.post("/flavors", body, who=admin, version=version)

    return make


@pytest.fixture
def keystone(compute):
    compute.services.clients.keystone = Keystone(PROJECT, OTHER)


PRIVATE = {"os-flavor-access:is_public": False}


def names(reply):
    return [flavor["name"] for flavor in reply.ok.body["flavors"]]


def test_a_flavor_is_created_and_shown_at_every_version_edge(compute, make):
    assert make("m1.small", swap=0).ok
    for version in ("2.1", "2.54", "2.55", "2.60", "2.61", "2.74", "2.75", "2.101", "2.102", LATEST):
        shown = compute.get("/flavors/m1.small", version=version).ok.body["flavor"]
        assert shown["swap"] == ("" if int(version[2:]) < 75 else 0)
        assert ("rxtx_factor" in shown) == (int(version[2:]) < 102)
        assert ("extra_specs" in shown) == (int(version[2:]) >= 61)


def test_links_carry_the_project_only_when_the_url_did(compute, make):
    assert make("a").ok
    (own, bookmark) = compute.get(f"/{PROJECT}/flavors/a").body["flavor"]["links"]
    assert own["href"] == f"http://localhost/v2.1/{PROJECT}/flavors/a"
    assert bookmark["href"] == f"http://localhost/{PROJECT}/flavors/a"
    assert compute.get("/flavors/a").body["flavor"]["links"][0]["href"] == "http://localhost/v2.1/flavors/a"


def test_numbers_may_be_text_and_an_id_may_be_left_to_the_service(make):
    flavor = make("t", ram="1024", vcpus="2", id=None).ok.body["flavor"]
    assert (flavor["ram"], flavor["vcpus"]) == (1024, 2)
    assert len(flavor["id"]) == 36


@pytest.mark.parametrize("second", [{"name": "a", "id": "b"}, {"name": "b", "id": "a"}])
def test_names_and_ids_are_unique(make, second):
    assert make("a").ok
    reply = make(**second)
    assert reply.status == 409
    assert "already exists" in reply.message


def test_only_an_administrator_makes_flavors(compute):
    body = {"flavor": {"name": "a", "ram": 1, "vcpus": 1, "disk": 1}}
    reply = compute.post("/flavors", body)
    assert reply.status == 403
    assert reply.message == "Policy doesn't allow os_compute_api:os-flavor-manage:create to be performed."


def test_a_bad_body_is_refused_before_the_policy_is_asked(compute):
    reply = compute.post("/flavors", {"flavor": {"name": "a", "ram": 0, "vcpus": 1, "disk": 1}})
    assert reply.status == 400
    assert reply.message == "Invalid input for field/attribute ram. Value: 0. 0 is less than the minimum of 1"


def test_bounds_hold_for_numbers_given_as_text(make):
    reply = make("a", ram="0")
    assert reply.status == 400
    assert reply.message.startswith("Invalid input for field/attribute ram. Value: 0.")


def test_emoji_is_no_name(make):
    assert make("\U0001f600").status == 400


def test_others_see_public_flavors_and_those_shared_with_them(compute, make, admin, other, keystone):
    assert make("public").ok
    assert make("private", **PRIVATE).ok
    assert names(compute.get("/flavors", who=other)) == ["public"]
    assert compute.get("/flavors/private", who=other).status == 404
    assert compute.post("/flavors/private/action", {"addTenantAccess": {"tenant": OTHER}}, who=admin).ok
    assert names(compute.get("/flavors", who=other)) == ["private", "public"]
    assert names(compute.get("/flavors", who=admin)) == ["public"]
    assert names(compute.get("/flavors?is_public=none", who=admin)) == ["private", "public"]
    assert names(compute.get("/flavors?is_public=false", who=admin)) == ["private"]


def test_access_is_listed_given_once_and_taken_back(compute, make, admin, keystone):
    assert make("private", **PRIVATE).ok
    add, remove = {"addTenantAccess": {"tenant": OTHER}}, {"removeTenantAccess": {"tenant": OTHER}}
    access = [{"flavor_id": "private", "tenant_id": OTHER}]
    assert compute.post("/flavors/private/action", add, who=admin).ok.body == {"flavor_access": access}
    assert compute.post("/flavors/private/action", add, who=admin).status == 409
    assert compute.get("/flavors/private/os-flavor-access", who=admin).ok.body == {"flavor_access": access}
    assert compute.post("/flavors/private/action", remove, who=admin).ok.body == {"flavor_access": []}
    assert compute.post("/flavors/private/action", remove, who=admin).status == 404


def test_access_needs_a_project_that_exists_and_a_private_flavor(compute, make, admin, keystone):
    assert make("public").ok
    add = {"addTenantAccess": {"tenant": "nobody"}}
    assert compute.post("/flavors/public/action", add, who=admin).status == 400
    add = {"addTenantAccess": {"tenant": OTHER}}
    assert compute.post("/flavors/public/action", add, who=admin, version="2.6").status == 200
    assert compute.post("/flavors/public/action", add, who=admin, version="2.7").status == 409
    assert compute.get("/flavors/public/os-flavor-access", who=admin).status == 404


def test_pages_link_to_the_next_one(compute, make):
    for name in "abc":
        assert make(name).ok
    first = compute.get("/flavors?limit=2&sort_dir=desc").ok.body
    assert [flavor["id"] for flavor in first["flavors"]] == ["c", "b"]
    (link,) = first["flavors_links"]
    assert link == {"rel": "next", "href": "http://localhost/v2.1/flavors?limit=2&sort_dir=desc&marker=b"}
    assert names(compute.get("/flavors?limit=2&marker=b&sort_dir=desc")) == ["a"]
    assert compute.get("/flavors?limit=0").body == {"flavors": []}


def test_a_marker_that_does_not_fit_the_filters_still_marks_the_place(compute, make):
    assert make("a", ram=100).ok
    assert make("b", ram=200).ok
    assert names(compute.get("/flavors?minRam=150&marker=a")) == ["b"]


@pytest.mark.parametrize(
    "query", ["marker=zz", "limit=-1", "limit=a", "minRam=zz", "minDisk=zz", "sort_key=zz", "sort_dir=zz"]
)
def test_wrong_list_queries_are_refused(compute, query):
    assert compute.get(f"/flavors/detail?{query}").status == 400


def test_an_administrator_may_not_ask_for_half_public_ones(compute, admin):
    assert compute.get("/flavors?is_public=zz", who=admin).status == 400


def test_names_are_filtered_by_expression_from_2_102(compute, make):
    assert make("abc").ok
    assert make("xyz").ok
    assert names(compute.get("/flavors?name=^a", version="2.102")) == ["abc"]
    assert names(compute.get("/flavors?name=^a", version="2.1")) == ["abc", "xyz"]


def test_the_description_changes_from_2_55(compute, make, admin):
    assert make("a").ok
    body = {"flavor": {"description": "words"}}
    assert compute.put("/flavors/a", body, who=admin, version="2.54").status == 404
    assert compute.put("/flavors/a", body, who=admin, version="2.55").ok.body["flavor"]["description"] == "words"
    assert compute.put("/flavors/zz", body, who=admin, version="2.55").status == 404


def test_a_deleted_flavor_is_gone_with_its_extra_specs(compute, make, admin):
    assert make("a").ok
    assert compute.post("/flavors/a/os-extra_specs", {"extra_specs": {"k": "v"}}, who=admin).ok
    assert compute.delete("/flavors/a", who=admin).status == 202
    assert compute.delete("/flavors/a", who=admin).status == 404
    assert make("a").ok
    assert compute.get("/flavors/a/os-extra_specs").body == {"extra_specs": {}}


def test_extra_specs_are_added_changed_and_removed(compute, make, admin):
    assert make("a").ok
    path = "/flavors/a/os-extra_specs"
    body = {"extra_specs": {"k": "v", "n": 5}}
    assert compute.post(path, body, who=admin).ok.body == body
    assert compute.get(path).body == {"extra_specs": {"k": "v", "n": "5"}}
    assert compute.put(f"{path}/k", {"k": "w"}, who=admin).ok.body == {"k": "w"}
    assert compute.put(f"{path}/k", {"other": "w"}, who=admin).status == 400
    assert compute.get(f"{path}/k").body == {"k": "w"}
    assert compute.delete(f"{path}/k", who=admin).status == 200
    assert compute.delete(f"{path}/k", who=admin).status == 404
    assert compute.get(f"{path}/k").status == 404
    assert compute.get("/flavors/a", version="2.61").body["flavor"]["extra_specs"] == {"n": "5"}


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        ({"hw:cpu_policy": "dedicated"}, 200),
        ({"hw:cpu_policy": "zz"}, 400),
        ({"hw:zz": "1"}, 400),
        ({"mine:zz": "1"}, 200),
        ({"plain": "1"}, 200),
        ({"resources:VCPU": "2"}, 200),
        ({"resources:VCPU": "x"}, 400),
        ({"resources1:CUSTOM_GOLD": "1"}, 200),
        ({"trait:HW_CPU_X86_AVX2": "required"}, 200),
        ({"trait:HW_CPU_X86_AVX2": "maybe"}, 400),
        ({"hw:numa_nodes": "0"}, 400),
        ({"hw_rng:allowed": "yes"}, 200),
    ],
)
def test_known_extra_specs_are_checked_from_2_86(compute, make, admin, spec, status):
    assert make("a").ok
    body = {"extra_specs": spec}
    assert compute.post("/flavors/a/os-extra_specs", body, who=admin, version="2.85").status == 200
    assert compute.post("/flavors/a/os-extra_specs", body, who=admin, version="2.86").status == status


def test_the_legacy_endpoint_drops_unknown_keys_and_trims_names(compute, admin):
    body = {"flavor": {"name": " a ", "ram": 1, "vcpus": 1, "disk": 1, "unknown": 1}}
    reply = compute.call("POST", "/v2/flavors", body, who=admin, raw=True).ok
    assert reply.body["flavor"]["name"] == "a"
    assert "OpenStack-API-Version" not in reply.headers
    assert compute.post("/flavors", body, who=admin).status == 400
