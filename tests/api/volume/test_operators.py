"""Services, quotas, limits, zones, pools, messages, extensions."""

import datetime
import json

import pytest
from fakes.api import PROJECT

from keel_common.db import now
from keel_common.db.stores.cinder import messages, quotas, services
from keel_common.db.stores.cinder.rows import TABLES


def test_services_are_listed_with_their_state(volume, backend, admin):
    backend.service()
    backend.service("node-1", "cinder-scheduler")
    backend.service("node-2@csi")
    volume.db.run(services.beat, [1, 2])
    volume.db.run(_age, 3)
    assert volume.get("/os-services").status == 403
    rows = volume.get("/os-services", who=admin, version="3.7").body["services"]
    assert [(row["host"], row["state"]) for row in rows] == [
        ("node-1@csi", "up"),
        ("node-1", "up"),
        ("node-2@csi", "down"),
    ]
    assert set(rows[1]) == {"binary", "host", "zone", "status", "state", "updated_at", "cluster", "disabled_reason"}
    assert set(rows[0]) == set(rows[1]) | {"replication_status", "active_backend_id", "frozen"}
    assert len(volume.get("/os-services?host=node-1", who=admin).body["services"]) == 2
    assert len(volume.get("/os-services?binary=cinder-scheduler", who=admin).body["services"]) == 1


def _age(conn, service_id):
    table = TABLES["services"]
    old = now() - datetime.timedelta(minutes=5)
    conn.execute(table.update().where(table.c.id == service_id).values(updated_at=old))


def test_from_3_49_the_scheduler_tells_how_backends_are(volume, backend, admin):
    backend.service()
    volume.bus.answers["get_pools"] = [{"name": "node-1@csi#standard", "capabilities": {"backend_state": "up"}}]
    (row,) = volume.get("/os-services", who=admin, version="3.49").body["services"]
    assert row["backend_state"] == "up"
    volume.bus.answers["get_pools"] = RuntimeError("no scheduler")
    assert volume.get("/os-services", who=admin, version="3.49").status == 500


def test_services_are_disabled_and_enabled(volume, backend, admin):
    backend.service()
    named = {"host": "node-1@csi", "binary": "cinder-volume"}
    assert volume.put("/os-services/disable", named).status == 403
    reply = volume.put("/os-services/disable", named, who=admin)
    assert reply.body == {**named, "service": "", "status": "disabled", "disabled": True}
    body = {**named, "disabled_reason": "repair"}
    assert volume.put("/os-services/disable-log-reason", body, who=admin).body["disabled_reason"] == "repair"
    (row,) = volume.get("/os-services", who=admin).body["services"]
    assert (row["status"], row["disabled_reason"]) == ("disabled", "repair")
    assert volume.put("/os-services/enable", named, who=admin).body["disabled"] is False
    assert volume.get("/os-services", who=admin).body["services"][0]["status"] == "enabled"
    assert volume.put("/os-services/enable", {**named, "host": "x"}, who=admin).status == 404


def test_zones_come_from_the_volume_services(volume, backend):
    assert volume.get("/os-availability-zone").body == {"availabilityZoneInfo": []}
    backend.service()
    assert volume.get("/os-availability-zone").body == {
        "availabilityZoneInfo": [{"zoneName": "nova", "zoneState": {"available": True}}]
    }


@pytest.fixture
def pools(volume):
    capabilities = {"backend_state": "up", "storage_protocol": ["iSCSI", "iscsi"]}
    volume.bus.answers["get_pools"] = [{"name": "node-1@csi#standard", "capabilities": capabilities}]


def test_pools_come_from_the_scheduler(volume, pools, admin):
    assert volume.get("/scheduler-stats/get_pools").status == 403
    assert volume.get("/scheduler-stats/get_pools", who=admin).body == {"pools": [{"name": "node-1@csi#standard"}]}
    (pool,) = volume.get("/scheduler-stats/get_pools?detail=true", who=admin).body["pools"]
    assert pool["capabilities"]["storage_protocol"] == "iSCSI"


def test_pool_filters_by_version(volume, pools, admin):
    path = "/scheduler-stats/get_pools?thin=x"
    assert volume.get(path, who=admin, version="3.27").status == 200
    assert volume.bus.sent[-1][1]["filters"] is None
    assert volume.get(path, who=admin, version="3.28").status == 200
    assert volume.bus.sent[-1][1]["filters"] == {"thin": "x"}
    assert volume.get(path, who=admin, version="3.31").status == 400


def test_limits_show_what_may_be_and_is_used(volume, made, admin, other):
    made(3)
    absolute = volume.get("/limits").body["limits"]["absolute"]
    assert (absolute["maxTotalVolumes"], absolute["totalVolumesUsed"]) == (10, 1)
    assert (absolute["maxTotalVolumeGigabytes"], absolute["totalGigabytesUsed"]) == (1000, 3)
    path = f"/limits?project_id={other.project}"
    assert volume.get(path, who=admin, version="3.39").body["limits"]["absolute"]["totalVolumesUsed"] == 0
    assert volume.get(path, who=admin, version="3.38").body["limits"]["absolute"]["totalVolumesUsed"] == 1
    assert volume.get(path, version="3.39").body["limits"]["absolute"]["totalVolumesUsed"] == 1


def test_quota_sets(volume, made, admin, other):
    made(3)
    path = f"/os-quota-sets/{PROJECT}"
    names = ["volumes", "per_volume_gigabytes", "snapshots", "gigabytes", "backups", "backup_gigabytes",
             "volumes___DEFAULT__", "gigabytes___DEFAULT__", "snapshots___DEFAULT__", "groups", "id"]  # fmt: skip
    assert list(volume.get(path).body["quota_set"]) == names
    assert volume.get(path, who=other).status == 403
    shown = volume.get(f"{path}?usage=True").body["quota_set"]
    assert shown["gigabytes"] == {"limit": 1000, "in_use": 3, "reserved": 0}
    assert volume.put(path, {"quota_set": {"volumes": 5}}).status == 403
    changed = volume.put(path, {"quota_set": {"volumes": 5, "tenant_id": "x"}}, who=admin).body["quota_set"]
    assert changed["volumes"] == 5 and "id" not in changed
    assert volume.get(f"{path}/defaults").body["quota_set"]["volumes"] == 10
    assert volume.delete(path, who=admin).status == 200
    assert volume.get(path).body["quota_set"]["volumes"] == 10


@pytest.mark.parametrize("asked", [{"volumes": "5"}, {"nonsense": 1}, {"volumes": -2}, {}])
def test_quota_sets_that_are_refused(volume, made, admin, asked):
    made(3)
    assert volume.put(f"/os-quota-sets/{PROJECT}", {"quota_set": asked}, who=admin).status == 400


def test_an_own_limit_does_not_go_below_what_is_used(volume, made, admin):
    made(3)
    path = f"/os-quota-sets/{PROJECT}"
    assert volume.put(path, {"quota_set": {"gigabytes": 5}}, who=admin).status == 200
    assert volume.put(path, {"quota_set": {"gigabytes": 2}}, who=admin).status == 400
    assert volume.put(path, {"quota_set": {"volumes": 0}}, who=admin).status == 200  # the first one may


def test_quota_may_be_unlimited(volume, made, admin):
    made(3)
    assert volume.put(f"/os-quota-sets/{PROJECT}", {"quota_set": {"gigabytes": -1}}, who=admin).status == 200
    assert volume.post("/volumes", {"volume": {"size": 5000}}).status == 202


def test_the_default_class_sets_the_default_of_everybody(volume, admin):
    path = "/os-quota-class-sets/default"
    assert volume.get(path).status == 403
    changed = volume.put(path, {"quota_class_set": {"volumes": 1}}, who=admin).body["quota_class_set"]
    assert changed["volumes"] == 1 and "id" not in changed
    assert volume.get("/os-quota-class-sets/gold", who=admin).body["quota_class_set"]["volumes"] == 1
    assert volume.get(f"/os-quota-sets/{PROJECT}").body["quota_set"]["volumes"] == 1
    assert volume.post("/volumes", {"volume": {"size": 1}}).status == 202
    assert volume.post("/volumes", {"volume": {"size": 1}}).status == 413


def test_expired_reservations_are_given_back(volume):
    options = quotas.Settings(defaults={"volumes": 10}, expire_seconds=-1)
    volume.db.run(quotas.reserve, options, PROJECT, {"volumes": 2}, {"volumes": 10})
    assert volume.db.read(quotas.usages, PROJECT)["volumes"].reserved == 2
    assert volume.db.run(quotas.expire) == 1
    assert volume.db.read(quotas.usages, PROJECT)["volumes"].reserved == 0


@pytest.fixture
def message(volume):
    def make(detail="NO_BACKEND_AVAILABLE"):
        how = {"ttl_seconds": 60, "resource_uuid": "r", "detail": detail}
        return volume.db.run(messages.create, PROJECT, "req-1", "SCHEDULE_ALLOCATE_VOLUME", **how)["id"]

    return make


def test_messages_are_read_and_forgotten(volume, message, other):
    mine = message()
    (shown,) = volume.get("/messages", version="3.3").body["messages"]
    assert shown["event_id"] == "VOLUME_VOLUME_001_003"
    assert shown["user_message"].startswith("schedule allocate volume:")
    assert (shown["message_level"], shown["resource_type"], shown["resource_uuid"]) == ("ERROR", "VOLUME", "r")
    assert volume.get(f"/messages/{mine}", version="3.3").status == 200
    assert volume.get(f"/messages/{mine}", version="3.3", who=other).status == 404
    assert volume.get("/messages", version="3.2").status == 404
    assert volume.delete(f"/messages/{mine}", version="3.3").status == 204
    assert volume.get(f"/messages/{mine}", version="3.3").status == 404


def test_messages_are_filtered_and_paged_from_3_5(volume, message, admin):
    message(), message("DRIVER_FAILED_CREATE")
    query = "/messages?event_id=VOLUME_VOLUME_001_012"
    assert len(volume.get(query, version="3.5", who=admin).body["messages"]) == 1
    assert len(volume.get(query, version="3.4", who=admin).body["messages"]) == 2
    assert "messages_links" in volume.get("/messages?limit=1", version="3.5").body


def test_extensions_and_version(volume):
    found = volume.get("/extensions").body["extensions"]
    assert {"os-quota-sets", "os-vol-tenant-attr"} <= {row["alias"] for row in found}
    assert volume.get("/extensions/os-services").body["extension"]["name"] == "Services"
    assert volume.get("/extensions/none").status == 404
    assert volume.get("/").body["versions"][0]["version"] == "3.71"


def test_resource_filters_are_those_of_the_file(volume, tmp_path):
    file = tmp_path / "filters.json"
    file.write_text(json.dumps({"volume": ["name"], "pool": ["name"]}))
    volume.set("resource_query_filters_file", str(file))
    assert volume.get("/resource_filters?resource=volume", version="3.33").body == {
        "resource_filters": [{"resource": "volume", "filters": ["name"]}]
    }
    assert len(volume.get("/resource_filters", version="3.33").body["resource_filters"]) == 2
    assert volume.get("/resource_filters", version="3.32").status == 404
