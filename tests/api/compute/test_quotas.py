"""Quota sets, quota classes and limits (nova 34.0.0)."""

import pytest
from fakes import rows
from fakes.api import OTHER, PROJECT

PATH = f"/os-quota-sets/{PROJECT}"


class Keystone:
    def project_exists(self, project_id, context=None):
        return project_id in (PROJECT, OTHER)


@pytest.fixture(autouse=True)
def keystone(compute):
    compute.services.clients.keystone = Keystone()


@pytest.fixture
def server(compute):
    return lambda **values: rows.server(compute, **values)


def put(compute, who, body, query="", path=PATH, **how):
    return compute.put(f"{path}{query}", {"quota_set": body}, who=who, **how)


@pytest.mark.parametrize(("version", "count"), [("2.1", 14), ("2.35", 14), ("2.36", 10), ("2.56", 10), ("2.57", 7)])
def test_limits_leave_with_the_versions(compute, version, count):
    body = compute.get(PATH, version=version).ok.body["quota_set"]
    assert body.pop("id") == PROJECT
    assert len(body) == count
    assert body["cores"] == 20


def test_a_project_reads_its_own_limits_and_an_administrator_sets_them(compute, admin, other):
    assert put(compute, admin, {"cores": 30}).ok.body["quota_set"]["cores"] == 30
    assert compute.get(PATH).body["quota_set"]["cores"] == 30
    assert compute.get(PATH, who=other).status == 403
    assert put(compute, other, {"cores": 1}).status == 403
    assert compute.get(f"{PATH}/defaults").body["quota_set"]["cores"] == 20
    assert compute.delete(PATH, who=admin).status == 202
    assert compute.get(PATH).body["quota_set"]["cores"] == 20


def test_an_unknown_project_is_refused(compute, admin):
    reply = compute.get("/os-quota-sets/nobody", who=admin)
    assert (reply.status, reply.message) == (400, "Project ID nobody is not a valid project.")


def test_what_is_in_use_is_counted_over_all_cells(compute, admin, server):
    server()
    server(user_id="other-user")
    server(vm_state="soft-delete")
    server(deleted=7)
    server(project_id=OTHER)
    body = compute.get(f"{PATH}/detail", who=admin).ok.body["quota_set"]
    assert body["instances"] == {"limit": 10, "in_use": 2, "reserved": 0}
    assert body["cores"]["in_use"] == 4
    assert body["ram"]["in_use"] == 2048
    of_user = compute.get(f"{PATH}/detail?user_id=other-user", who=admin).ok.body["quota_set"]
    assert of_user["instances"]["in_use"] == 1


def test_a_limit_below_the_use_needs_force(compute, admin, server):
    server()
    assert put(compute, admin, {"cores": 1}).status == 400
    assert put(compute, admin, {"cores": 1, "force": "true"}).ok.body["quota_set"]["cores"] == 1
    assert put(compute, admin, {"cores": -1}).ok.body["quota_set"]["cores"] == -1


def test_a_user_gets_no_more_than_the_project(compute, admin):
    assert put(compute, admin, {"cores": 5}, "?user_id=u").ok.body["quota_set"]["cores"] == 5
    assert put(compute, admin, {"cores": 21}, "?user_id=u").status == 400
    assert compute.get(f"{PATH}?user_id=u", who=admin).body["quota_set"]["cores"] == 5
    assert compute.get(PATH, who=admin).body["quota_set"]["cores"] == 20
    assert compute.delete(f"{PATH}?user_id=u", who=admin).status == 202
    assert compute.get(f"{PATH}?user_id=u", who=admin).body["quota_set"]["cores"] == 20


@pytest.mark.parametrize(("body", "version"), [({"cores": -2}, None), ({"zz": 1}, None), ({"fixed_ips": 1}, "2.36")])
def test_wrong_limits_are_refused(compute, admin, body, version):
    assert put(compute, admin, body, version=version).status == 400


def test_the_default_class_moves_every_project(compute, admin):
    body = {"quota_class_set": {"cores": 7}}
    changed = compute.put("/os-quota-class-sets/default", body, who=admin).ok.body["quota_class_set"]
    assert changed["cores"] == 7
    assert compute.get(PATH).body["quota_set"]["cores"] == 7
    assert compute.get("/os-quota-class-sets/default", who=admin).body["quota_class_set"]["cores"] == 7
    assert compute.get("/os-quota-class-sets/other", who=admin).body["quota_class_set"]["cores"] == 20
    assert compute.get("/os-quota-class-sets/default").status == 403


@pytest.mark.parametrize(("version", "count"), [("2.1", 12), ("2.49", 12), ("2.50", 10), ("2.57", 7)])
def test_classes_show_by_version(compute, admin, version, count):
    body = compute.get("/os-quota-class-sets/default", who=admin, version=version).ok.body["quota_class_set"]
    assert len(body) == count + 1


@pytest.mark.parametrize(("version", "count"), [("2.1", 19), ("2.35", 19), ("2.36", 14), ("2.39", 13), ("2.57", 11)])
def test_limits_show_the_use_of_the_project(compute, server, version, count):
    server()
    absolute = compute.get("/limits", version=version).ok.body["limits"]["absolute"]
    assert (absolute["maxTotalCores"], absolute["totalCoresUsed"], absolute["totalInstancesUsed"]) == (20, 2, 1)
    assert len(absolute) == count


def test_limits_of_another_project_are_for_administrators(compute, admin, server):
    server(project_id=OTHER)
    assert compute.get(f"/limits?tenant_id={OTHER}").status == 403
    reply = compute.get(f"/limits?tenant_id={OTHER}", who=admin)
    assert reply.ok.body["limits"]["absolute"]["totalInstancesUsed"] == 1


def test_unknown_query_keys_of_limits_are_refused_from_2_75(compute):
    assert compute.get("/limits?zz=1", version="2.74").status == 200
    assert compute.get("/limits?zz=1", version="2.75").status == 400
