"""Services, hypervisors and availability zones (nova 34.0.0)."""

import pytest
from fakes import rows

from keel_common.db.stores.nova import aggregates, cell_mappings, services
from keel_contract.errors import RpcTimeout

UNKNOWN = "c0ffee00-0000-4000-8000-000000000000"


class Placement:
    def __init__(self):
        self.deleted = []

    def delete_provider(self, uuid):
        self.deleted.append(uuid)
        return True


@pytest.fixture
def placement(compute):
    compute.services.clients.placement = Placement()
    return compute.services.clients.placement


@pytest.fixture
def host(compute):
    row = rows.service(compute, "n1")
    row["node"] = rows.node(compute, "n1")
    return row


def test_services_are_listed_with_state_and_zone(compute, admin, host):
    rows.service(compute, "c1", "nova-conductor", last_seen_up=None)
    rows.service(compute, "c1", "nova-osapi_compute")
    listed = compute.get("/os-services", who=admin).ok.body["services"]
    assert [(row["binary"], row["zone"], row["state"]) for row in listed] == [
        ("nova-compute", "nova", "up"),
        ("nova-conductor", "internal", "up"),
    ]
    only = compute.get("/os-services?binary=nova-conductor", who=admin).ok.body["services"]
    assert [row["host"] for row in only] == ["c1"]
    assert compute.get("/os-services").status == 403


@pytest.mark.parametrize(
    ("version", "key", "forced"), [("2.10", "id", False), ("2.11", "id", True), ("2.53", "uuid", True)]
)
def test_the_fields_of_a_service_grow(compute, admin, host, version, key, forced):
    (row,) = compute.get("/os-services", who=admin, version=version).ok.body["services"]
    assert row["id"] == host[key]
    assert ("forced_down" in row) == forced


@pytest.mark.parametrize(
    ("word", "body", "answer"),
    [
        ("disable", {}, {"status": "disabled"}),
        ("disable-log-reason", {"disabled_reason": "why"}, {"status": "disabled", "disabled_reason": "why"}),
        ("enable", {}, {"status": "enabled"}),
        ("force-down", {"forced_down": True}, {"forced_down": True}),
    ],
)
def test_services_change_by_words_below_2_53(compute, admin, host, word, body, answer):
    named = {"host": "n1", "binary": "nova-compute"}
    reply = compute.put(f"/os-services/{word}", {**named, **body}, who=admin, version="2.11")
    assert reply.ok.body == {"service": {**named, **answer}}


@pytest.mark.parametrize(
    ("word", "body", "version", "status"),
    [
        ("x", {}, None, 400),
        ("foo", {"binary": "b", "host": "h"}, None, 404),
        ("enable", {"binary": "b", "host": "h"}, None, 400),
        ("enable", {"binary": "nova-compute", "host": "h"}, None, 404),
        ("force-down", {"binary": "b", "host": "h", "forced_down": True}, None, 400),
        ("force-down", {"binary": "b", "host": "h"}, None, 404),
        ("force-down", {"binary": "nova-compute", "host": "h"}, "2.11", 400),
        ("disable-log-reason", {"binary": "nova-compute", "host": "h"}, None, 400),
        ("x", {}, "2.53", 400),
        (UNKNOWN, {"status": "enabled"}, "2.53", 404),
    ],
)
def test_wrong_changes_are_refused(compute, admin, word, body, version, status):
    assert compute.put(f"/os-services/{word}", body, who=admin, version=version).status == status


def test_disabling_by_uuid_answers_the_record_and_tells_the_host(compute, admin, host):
    path = f"/os-services/{host['uuid']}"
    body = {"status": "disabled", "disabled_reason": "why"}
    shown = compute.put(path, body, who=admin, version="2.53").ok.body["service"]
    assert (shown["status"], shown["disabled_reason"], shown["state"]) == ("disabled", "why", "up")
    assert compute.bus.sent == [("set_host_enabled", {"enabled": False, "server": "n1"})]
    shown = compute.put(path, {"status": "enabled"}, who=admin, version="2.53").ok.body["service"]
    assert (shown["status"], shown["disabled_reason"]) == ("enabled", None)


def test_a_host_that_does_not_answer_is_disabled_all_the_same(compute, admin, host):
    compute.bus.answers["set_host_enabled"] = RpcTimeout("late")
    path = f"/os-services/{host['uuid']}"
    assert (
        compute.put(path, {"status": "disabled"}, who=admin, version="2.53").ok.body["service"]["status"] == "disabled"
    )


@pytest.mark.parametrize("body", [{}, {"disabled_reason": "why"}, {"status": "enabled", "disabled_reason": "why"}])
def test_a_change_by_uuid_must_change_something(compute, admin, host, body):
    assert compute.put(f"/os-services/{host['uuid']}", body, who=admin, version="2.53").status == 400


def test_only_computes_change_by_uuid(compute, admin):
    row = rows.service(compute, "c1", "nova-conductor")
    reply = compute.put(f"/os-services/{row['uuid']}", {"status": "disabled"}, who=admin, version="2.53")
    assert reply.status == 400


def test_a_forced_down_service_is_down(compute, admin, host):
    path = f"/os-services/{host['uuid']}"
    shown = compute.put(path, {"forced_down": True}, who=admin, version="2.53").ok.body["service"]
    assert (shown["forced_down"], shown["state"]) == (True, "down")


def test_deleting_a_compute_forgets_the_host_everywhere(compute, admin, host, placement):
    api = compute.cells.api
    zone = api.run(aggregates.create, "a", {"availability_zone": "z"})
    api.run(aggregates.join, zone["id"], "n1")
    assert compute.delete(f"/os-services/{host['uuid']}", who=admin, version="2.53").status == 204
    assert placement.deleted == [host["node"]["uuid"]]
    assert api.read(aggregates.find, zone["id"])["hosts"] == []
    assert api.read(cell_mappings.hosts) == []
    assert compute.cell1.db.read(services.listing) == []


def test_a_compute_with_servers_stays(compute, admin, host, placement):
    rows.server(compute, host="n1", node="n1")
    reply = compute.delete(f"/os-services/{host['id']}", who=admin)
    assert reply.status == 409
    assert placement.deleted == []


@pytest.mark.parametrize(("key", "version", "status"), [("x", None, 400), ("x", "2.53", 400), ("99", None, 404)])
def test_wrong_ids_are_refused(compute, admin, key, version, status):
    assert compute.delete(f"/os-services/{key}", who=admin, version=version).status == status


def test_zones_come_from_aggregates(compute, host):
    rows.service(compute, "n2", disabled=True)
    rows.service(compute, "c1", "nova-scheduler")
    api = compute.cells.api
    aggregate = api.run(aggregates.create, "a", {"availability_zone": "z"})
    api.run(aggregates.join, aggregate["id"], "n1")
    listed = compute.get("/os-availability-zone").ok.body["availabilityZoneInfo"]
    assert listed == [
        {"zoneName": "z", "zoneState": {"available": True}, "hosts": None},
        {"zoneName": "nova", "zoneState": {"available": False}, "hosts": None},
    ]


def test_zone_details_show_hosts_and_the_internal_zone(compute, admin, host):
    rows.service(compute, "c1", "nova-scheduler")
    listed = compute.get("/os-availability-zone/detail", who=admin).ok.body["availabilityZoneInfo"]
    zones = {zone["zoneName"]: zone for zone in listed}
    assert list(zones["nova"]["hosts"]) == ["n1"]
    assert zones["nova"]["hosts"]["n1"]["nova-compute"]["available"] is True
    assert "internal" in zones
    assert compute.get("/os-availability-zone/detail").status == 403


def test_hypervisors_show_what_the_version_has(compute, admin, host):
    for version in ("2.1", "2.27", "2.28", "2.33", "2.53", "2.87", "2.88", "2.104"):
        (row,) = compute.get("/os-hypervisors/detail", who=admin, version=version).ok.body["hypervisors"]
        minor = int(version[2:])
        assert row["id"] == (host["node"]["uuid"] if minor >= 53 else host["node"]["id"])
        assert row["service"]["id"] == (host["uuid"] if minor >= 53 else host["id"])
        assert ("vcpus" in row) == (minor < 88)
        assert ("uptime" in row) == (minor >= 88)
        if minor < 88:
            assert isinstance(row["cpu_info"], dict if minor >= 28 else str)
        compute.get(f"/os-hypervisors/{row['id']}", who=admin, version=version).ok.body["hypervisor"]


def test_nodes_without_a_service_or_mapping_are_skipped(compute, admin, host):
    rows.node(compute, "n2")
    rows.service(compute, "n3")
    rows.node(compute, "n3", mapped=False)
    listed = compute.get("/os-hypervisors", who=admin).ok.body["hypervisors"]
    assert [row["hypervisor_hostname"] for row in listed] == ["n1"]


def test_servers_of_a_hypervisor_are_named(compute, admin, host):
    uuid = rows.server(compute, host="n1", id=7)
    expected = [{"name": "instance-00000007", "uuid": uuid}]
    (row,) = compute.get("/os-hypervisors/n1/servers", who=admin, version="2.52").ok.body["hypervisors"]
    assert row["servers"] == expected
    (row,) = compute.get("/os-hypervisors?with_servers=1", who=admin, version="2.53").ok.body["hypervisors"]
    assert row["servers"] == expected


@pytest.mark.parametrize(("version", "shown"), [("2.53", False), ("2.75", True)])
def test_an_empty_host_shows_its_servers_from_2_75(compute, admin, host, version, shown):
    (row,) = compute.get("/os-hypervisors?with_servers=1", who=admin, version=version).ok.body["hypervisors"]
    assert ("servers" in row) == shown


def test_hypervisors_come_in_pages(compute, admin, host):
    rows.service(compute, "n2")
    rows.node(compute, "n2")
    first = compute.get("/os-hypervisors/detail?limit=1", who=admin, version="2.53").ok.body
    marker = host["node"]["uuid"]
    assert first["hypervisors_links"][0]["href"].endswith(f"/os-hypervisors/detail?limit=1&marker={marker}")
    rest = compute.get(f"/os-hypervisors?limit=1&marker={marker}", who=admin, version="2.53").ok.body["hypervisors"]
    assert [row["hypervisor_hostname"] for row in rest] == ["n2"]
    assert compute.get(f"/os-hypervisors?marker={UNKNOWN}", who=admin, version="2.53").status == 400


@pytest.mark.parametrize(
    ("path", "version", "status"),
    [
        ("/x", None, 404),
        ("/x", "2.53", 400),
        ("?hypervisor_hostname_pattern=a&limit=1", "2.53", 400),
        ("?hypervisor_hostname_pattern=zz", "2.53", 404),
        ("?hypervisor_hostname_pattern=n", "2.53", 200),
        ("/zz/search", None, 404),
        ("/n/search", None, 200),
        ("/n/search", "2.53", 404),
        ("/statistics", "2.87", 200),
        ("/statistics", "2.88", 404),
        ("/1/uptime", "2.88", 404),
    ],
)
def test_hypervisor_paths(compute, admin, host, path, version, status):
    assert compute.get(f"/os-hypervisors{path}", who=admin, version=version).status == status


def test_statistics_add_up_enabled_hosts(compute, admin, host):
    rows.service(compute, "n2", disabled=True)
    rows.node(compute, "n2")
    sums = compute.get("/os-hypervisors/statistics", who=admin).ok.body["hypervisor_statistics"]
    assert (sums["count"], sums["vcpus"], sums["memory_mb"]) == (1, 4, 8192)


def test_the_uptime_is_asked_of_the_host(compute, admin, host):
    compute.bus.answers["get_host_uptime"] = "up 3 days"
    path = f"/os-hypervisors/{host['node']['id']}/uptime"
    assert compute.get(path, who=admin).ok.body["hypervisor"]["uptime"] == "up 3 days"
    (row,) = compute.get("/os-hypervisors/detail", who=admin, version="2.88").ok.body["hypervisors"]
    assert row["uptime"] == "up 3 days"
    compute.bus.answers["get_host_uptime"] = RpcTimeout("late")
    assert compute.get(path, who=admin).status == 400
    (row,) = compute.get("/os-hypervisors/detail", who=admin, version="2.88").ok.body["hypervisors"]
    assert row["uptime"] is None
