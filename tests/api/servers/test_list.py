import pytest
from fakes.api import OTHER, PROJECT

from keel_common.db import CELL0, count_statements
from keel_common.db.stores.nova import servers_change

from .rows import add_servers, map_server, vif

LIST_BUDGET = 6  # build requests, request specs, and two in each of two cells


def names(reply):
    return [server["name"] for server in reply.ok.body["servers"]]


def test_a_detailed_list_of_a_thousand_servers_costs_a_handful_of_statements(cloud, admin):
    home = next(cell for cell in cloud.api.cells.all() if cell.uuid != CELL0)

    def fill(conn):
        more = {"vifs": [vif()], "metadata": {"a": "b"}, "tags": ["t"], "volumes": ["v"]}
        return add_servers(conn, PROJECT, "u", range(1000), **more)

    uuids = home.db.run(fill)
    cloud.api.cells.api.run(lambda conn: [map_server(conn, uuid, home.id, PROJECT, "u") for uuid in uuids])
    cloud.service()
    cloud.server(1001, cell=CELL0, vm_state="error", host=None)
    with count_statements() as seen:
        reply = cloud.api.get("/servers/detail", who=admin, version="2.104")
    assert len(reply.ok.body["servers"]) == 1000 and len(reply.body["servers_links"]) == 1
    assert len(seen) <= LIST_BUDGET, seen
    with count_statements() as seen:
        assert cloud.api.get("/servers", version="2.104").status == 200
    assert len(seen) == 3


def test_pages_cross_cells_and_build_requests(cloud, wish):
    for number in range(3):
        cloud.server(number * 2)
        cloud.server(number * 2 + 1, cell=CELL0, vm_state="error", host=None)
    for number in range(2):
        cloud.create(wish(name=f"new-{number}"), version="2.37")
    whole = names(cloud.api.get("/servers"))
    assert whole == ["new-1", "new-0", *[f"server-{n}" for n in (5, 4, 3, 2, 1, 0)]]
    met, path = [], "/servers?limit=3"
    while path:
        reply = cloud.api.get(path)
        met += names(reply)
        links = reply.body.get("servers_links")
        path = links and "/servers?" + links[0]["href"].partition("?")[2]
    assert met == whole


def test_sorting_follows_the_asked_keys(cloud):
    for number, state in enumerate(["stopped", "active", "stopped"]):
        cloud.server(number, vm_state=state)
    path = "/servers?sort_key=vm_state&sort_dir=asc&sort_key=display_name&sort_dir=desc"
    assert names(cloud.api.get(path)) == ["server-1", "server-2", "server-0"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("name=server-[12]", [2, 1]),
        ("status=SHUTOFF", [2]),
        ("status=ACTIVE&status=SHUTOFF", [2, 1, 0]),
        ("host=nowhere", [2, 1, 0]),
        ("deleted=true", [2, 1, 0]),
        ("_x=1", [2, 1, 0]),
        ("all_tenants=0", [2, 1, 0]),
        ("tenant_id=other", [2, 1, 0]),
        ("flavor=small", [2, 1, 0]),
        ("flavor=unknown", []),
        ("limit=0", []),
        ("ip=10.0.0.1", [1]),
        ("reservation_id=r-", [2, 1, 0]),
        ("changes-since=2026-01-02T03:04:07Z", [2]),
    ],
)
def test_filters_of_a_member(cloud, query, found):
    for number in range(3):
        cloud.server(number, vm_state="stopped" if number == 2 else "active", vifs=[vif(f"10.0.0.{number}")])
    assert names(cloud.api.get(f"/servers?{query}")) == [f"server-{n}" for n in found]


@pytest.mark.parametrize(
    ("query", "status", "version"),
    [
        ("all_tenants=1", 403, "2.1"),
        ("all_tenants=", 403, "2.1"),
        ("all_tenants=maybe", 400, "2.1"),
        ("status=deleted", 403, "2.1"),
        ("status=nonsense", 400, "2.38"),
        ("status=nonsense", 200, "2.37"),
        ("sort_key=host", 403, "2.1"),
        ("sort_dir=zz", 400, "2.1"),
        ("sort_key=uuid&sort_dir=asc&sort_dir=asc", 400, "2.1"),
        ("marker=00000000-0000-4000-8000-000000000000", 400, "2.1"),
        ("changes-since=2026-02-01&changes-before=2026-01-01", 400, "2.66"),
        ("locked=maybe", 400, "2.73"),
        ("limit=-1", 400, "2.1"),
    ],
)
def test_refused_lists(cloud, query, status, version):
    assert cloud.api.get(f"/servers?{query}", version=version).status == status


def test_an_administrator_sees_every_project_and_every_filter(cloud, admin):
    cloud.server(0)
    cloud.server(1, project=OTHER, host="node-2", locked=True)
    get = cloud.api.get
    assert names(get("/servers", who=admin)) == ["server-0"]
    assert names(get("/servers?all_tenants=1", who=admin)) == ["server-1", "server-0"]
    assert names(get(f"/servers?all_tenants=1&tenant_id={OTHER}", who=admin)) == ["server-1"]
    assert names(get("/servers?all_tenants=1&host=node-2", who=admin)) == ["server-1"]
    assert names(get("/servers?all_tenants=1&locked=true", who=admin, version="2.73")) == ["server-1"]
    assert names(get("/servers?sort_key=host&all_tenants=1&sort_dir=asc", who=admin)) == ["server-0", "server-1"]
    assert get("/servers?_x=1", who=admin).status == 400
    assert get("/servers?metadata={}", who=admin, version="2.1").status == 400


def test_deleted_servers_are_listed_for_administrators_and_since_a_moment_for_all(cloud, admin):
    uuid = cloud.server(0)
    cloud.cell.run(servers_change.destroy, uuid, "node-1")
    assert names(cloud.api.get("/servers")) == []
    assert names(cloud.api.get("/servers?deleted=true", who=admin)) == ["server-0"]
    assert names(cloud.api.get("/servers?status=deleted", who=admin)) == ["server-0"]
    reply = cloud.api.get("/servers/detail?changes-since=2026-01-01")
    assert [s["status"] for s in reply.ok.body["servers"]] == ["DELETED"]


def test_addresses_are_searched_by_the_network_service_where_it_can(cloud):
    cloud.neutron.names = {"ip-substring-filtering"}
    uuid = cloud.server(0, vifs=[vif("10.0.0.5")])
    cloud.server(1, vifs=[vif("10.0.0.6")])
    cloud.neutron.add_port(device_id=uuid, fixed_ips=[{"ip_address": "10.0.0.5", "subnet_id": "s"}])
    assert names(cloud.api.get("/servers?ip=0.0.5")) == ["server-0"]
    assert names(cloud.api.get("/servers?ip=9.9.9")) == []
