"""The keys of a server by microversion and role, compared with what nova 34.0.0 shows."""

import json
from pathlib import Path

import pytest
from fakes.api import CELL1, Identity

from keel_common.db import count_statements, schema

from .rows import START, vif

VIEWS = json.loads((Path(__file__).parent / "data" / "server_views.json").read_text())
WHO = {"admin": Identity.ADMIN, "member": Identity.MEMBER, "reader": Identity.READER}
SHOW_BUDGET = 3
EDGES = ["2.1", "2.2", "2.3", "2.8", "2.9", "2.15", "2.16", "2.18", "2.19", "2.25", "2.26", "2.46", "2.47", "2.62"]
EDGES += ["2.63", "2.70", "2.71", "2.72", "2.73", "2.74", "2.75", "2.89", "2.90", "2.95", "2.96", "2.97", "2.98"]
EDGES += ["2.99", "2.100", "2.104"]


def edges(role):
    """A reader sees what a member sees: the ends will do."""
    return ["2.1", "2.104"] if role == "reader" else EDGES


def number(version):
    return int(version.split(".")[1])


def expected(operation, role, version):
    keys = set()
    for span in VIEWS[operation][role]:
        if number(span["since"]) <= number(version):
            keys = (keys | set(span.get("keys", ())) | set(span.get("added", ()))) - set(span.get("removed", ()))
    return keys


def keys_of(server):
    found = set(server)
    for name in ("image", "flavor"):
        found |= {f"{name}.{key}" for key in server.get(name) or ()}
    return found


@pytest.fixture
def uuid(cloud):
    cloud.service()
    return cloud.server()


@pytest.mark.parametrize("role", WHO)
def test_show_has_the_recorded_keys_at_every_version(cloud, uuid, role):
    for version in edges(role):
        server = cloud.api.get(f"/servers/{uuid}", who=WHO[role], version=version).ok.body["server"]
        assert keys_of(server) == expected("GET /servers/{id}", role, version), version


@pytest.mark.parametrize("role", WHO)
def test_lists_have_the_recorded_keys_at_every_version(cloud, uuid, role):
    for version in edges(role):
        for path, operation in (("/servers", "GET /servers"), ("/servers/detail", "GET /servers/detail")):
            (server,) = cloud.api.get(path, who=WHO[role], version=version).ok.body["servers"]
            assert keys_of(server) == expected(operation, role, version), (path, version)


@pytest.mark.parametrize("role", ["admin", "member"])
def test_an_update_answers_with_the_recorded_keys(cloud, uuid, role):
    for version in EDGES:
        reply = cloud.api.put(f"/servers/{uuid}", {"server": {"name": "new"}}, who=WHO[role], version=version)
        assert keys_of(reply.ok.body["server"]) == expected("PUT /servers/{id}", role, version), version


def test_a_server_in_full(cloud, admin):
    cloud.service()
    volume = cloud.cinder.add()
    uuid = cloud.server(
        vifs=[vif("10.0.0.5", floating=["203.0.113.7"])], metadata={"k": "v"}, tags=["b", "a"], volumes=[volume]
    )
    group = cloud.neutron.add_group("web")
    cloud.neutron.add_port(device_id=uuid, security_groups=[group])
    with count_statements() as seen:
        server = cloud.api.get(f"/servers/{uuid}", who=admin, version="2.104").ok.body["server"]
    assert len(seen) <= SHOW_BUDGET
    assert server["status"] == "ACTIVE" and server["host_status"] == "UP"
    assert server["tags"] == ["a", "b"] and server["metadata"] == {"k": "v"}
    assert server["security_groups"] == [{"name": "web"}]
    assert server["os-extended-volumes:volumes_attached"] == [{"id": volume, "delete_on_termination": False}]
    assert server["OS-EXT-SRV-ATTR:instance_name"] == "instance-00000001"
    assert server["OS-SRV-USG:launched_at"] == "2026-01-02T03:04:05.000000"
    assert server["created"] == "2026-01-02T03:04:06Z"
    assert server["image"]["properties"] == {"os_type": "linux"}
    mac = "fa:16:3e:00:00:05"
    assert server["addresses"] == {
        "private": [
            {"version": 4, "addr": "10.0.0.5", "OS-EXT-IPS:type": "fixed", "OS-EXT-IPS-MAC:mac_addr": mac},
            {"version": 4, "addr": "203.0.113.7", "OS-EXT-IPS:type": "floating", "OS-EXT-IPS-MAC:mac_addr": mac},
        ]
    }


def test_an_update_tells_kind_and_mac_of_addresses_from_2_75(cloud):
    uuid = cloud.server(vifs=[vif("10.0.0.5")])
    for version, extra in (("2.74", set()), ("2.75", {"OS-EXT-IPS:type", "OS-EXT-IPS-MAC:mac_addr"})):
        shown = cloud.api.put(f"/servers/{uuid}", {"server": {"name": "new"}}, version=version).ok.body["server"]
        assert set(shown["addresses"]["private"][0]) == {"version", "addr"} | extra


def test_a_fault_is_shown_in_error_and_its_details_to_administrators(cloud, admin):
    uuid = cloud.server(vm_state="error")
    faults = schema.nova_cell.tables["instance_faults"]
    values = {"instance_uuid": uuid, "code": 500, "message": "No valid host", "details": "trace", "deleted": 0}
    values["created_at"] = START
    cloud.cell.run(lambda conn: conn.execute(faults.insert().values(**values)))
    assert cloud.api.get(f"/servers/{uuid}").ok.body["server"]["fault"]["message"] == "No valid host"
    assert "details" not in cloud.api.get(f"/servers/{uuid}").body["server"]["fault"]
    assert cloud.api.get(f"/servers/{uuid}", who=admin).body["server"]["fault"]["details"] == "trace"


@pytest.mark.parametrize("spelling", [str.upper, lambda u: u.replace("-", ""), lambda u: "nothing"])
def test_other_spellings_of_an_id_are_unknown(cloud, uuid, spelling):
    reply = cloud.api.get(f"/servers/{spelling(uuid)}")
    assert reply.status == 404 and reply.message == f"Instance {spelling(uuid)} could not be found."


def test_a_server_of_another_project_is_unknown(cloud, uuid, other):
    assert cloud.api.get(f"/servers/{uuid}", who=other).status == 404
    assert cloud.api.get("/servers/00000000-0000-4000-8000-000000000000", who=other).status == 404


def test_a_host_that_was_not_seen_is_unknown(cloud, admin):
    cloud.service(last_seen_up=None)
    cloud.cell.run(
        lambda conn: conn.execute(
            schema.nova_cell.tables["services"].update().values(created_at=None, last_seen_up=None)
        )
    )
    uuid = cloud.server()
    assert cloud.api.get(f"/servers/{uuid}", who=admin, version="2.16").body["server"]["host_status"] == "UNKNOWN"
    assert cloud.api.cells.get(CELL1).db is cloud.cell
