import pytest

from keel_common.db import CELL0, count_statements, schema


def test_metadata_is_read_added_to_replaced_and_deleted(cloud):
    uuid = cloud.server(metadata={"a": "1"})
    path = f"/servers/{uuid}/metadata"
    assert cloud.api.get(path).ok.body == {"metadata": {"a": "1"}}
    assert cloud.api.post(path, {"metadata": {"b": "2"}}).ok.body == {"metadata": {"a": "1", "b": "2"}}
    assert cloud.api.put(f"{path}/a", {"meta": {"a": "9"}}).ok.body == {"meta": {"a": "9"}}
    assert cloud.api.get(f"{path}/a").ok.body == {"meta": {"a": "9"}}
    assert cloud.api.put(path, {"metadata": {"c": "3"}}).ok.body == {"metadata": {"c": "3"}}
    assert cloud.api.get(path).ok.body == {"metadata": {"c": "3"}}
    assert cloud.api.delete(f"{path}/c").status == 204
    assert cloud.api.get(path).ok.body == {"metadata": {}}
    assert cloud.api.get(f"{path}/c").status == cloud.api.delete(f"{path}/c").status == 404
    assert cloud.api.put(f"{path}/a", {"meta": {"b": "9"}}).status == 400


def test_metadata_is_guarded(cloud, wish):
    body = {"metadata": {"k": "v"}}
    assert cloud.api.post(f"/servers/{cloud.server(vm_state='error')}/metadata", body).status == 409
    assert cloud.api.post(f"/servers/{cloud.server(2, locked=True)}/metadata", body).status == 409
    cloud.api.set("metadata_items", 1, "quota")
    path = f"/servers/{cloud.server(3, metadata={'a': '1'})}/metadata"
    assert cloud.api.post(path, body).status == 403
    assert cloud.api.put(path, body).status == 200
    build = cloud.create(wish(metadata={"x": "y"}))["server"]["id"]
    assert cloud.api.get(f"/servers/{build}/metadata").ok.body == {"metadata": {"x": "y"}}
    assert cloud.api.put(f"/servers/{build}/metadata", body).status == 409


def test_tags_are_set_checked_and_deleted(cloud):
    uuid = cloud.server(tags=["a"])
    path = f"/servers/{uuid}/tags"

    def call(method, tail="", body=None):
        return cloud.api.call(method, path + tail, body, version="2.26")

    assert call("GET").ok.body == {"tags": ["a"]}
    assert call("PUT", "/b").status == 201 and call("PUT", "/b").status == 204
    assert call("PUT", "/c").headers["Location"].endswith(f"/servers/{uuid}/tags/c")
    assert call("PUT", "/d").headers["Content-Type"] == "text/html; charset=UTF-8"
    assert call("DELETE", "/d").status == 204
    assert call("GET", "/b").status == 204 and call("GET", "/z").status == 404
    assert call("DELETE", "/b").status == 204 and call("DELETE", "/b").status == 404
    assert call("PUT", body={"tags": ["y", "x", "y"]}).ok.body == {"tags": ["x", "y"]}
    assert call("PUT", "/bad,tag").status == 400
    assert call("DELETE").status == 204 and call("GET").body == {"tags": []}
    assert cloud.api.get(path, version="2.25").status == 404


def test_tags_are_limited_and_guarded(cloud):
    uuid = cloud.server(tags=[f"t{n}" for n in range(50)])
    assert cloud.api.put(f"/servers/{uuid}/tags/more", version="2.26").status == 400
    assert cloud.api.put(f"/servers/{cloud.server(2, vm_state='error')}/tags/x", version="2.26").status == 409


def events(cloud, who, *sent, version="2.93"):
    return cloud.api.post("/os-server-external-events", {"events": list(sent)}, who=who, version=version)


@pytest.fixture
def event():
    return lambda uuid, name="network-changed", **more: {"name": name, "server_uuid": uuid, **more}


def test_events_are_answered_one_by_one_and_sent_once_to_each_host(cloud, service, event):
    here, there = cloud.server(), cloud.server(2, host="node-2")
    homeless = cloud.server(3, host=None)
    unknown = "00000000-0000-4000-8000-000000000000"
    sent = [
        event(here, tag="p1"),
        event(here, "network-vif-plugged", tag="p2", status="failed"),
        event(there, "volume-extended", tag="v1"),
        event(there, "volume-extended"),
        event(homeless),
        event(unknown),
    ]
    with count_statements() as seen:
        reply = events(cloud, service, *sent)
    assert reply.status == 207
    answers = reply.body["events"]
    assert [answer["code"] for answer in answers] == [200, 200, 200, 400, 422, 404]
    assert [answer["status"] for answer in answers] == ["completed"] * 3 + ["failed"] * 3
    assert len(seen) <= 6
    by_host = {args["server"]: args for method, args in cloud.api.bus.sent if method == "external_instance_event"}
    assert [e.name for e in by_host["node-1"]["events"]] == ["network-changed", "network-vif-plugged"]
    assert by_host["node-1"]["events"][1].status == "failed" and len(by_host["node-1"]["instances"]) == 1
    assert [e.tag for e in by_host["node-2"]["events"]] == ["v1"]


def test_events_that_are_all_taken_answer_200(cloud, service, event):
    assert events(cloud, service, event(cloud.server())).status == 200


def test_a_bad_power_update_is_taken_and_dropped(cloud, service, event):
    uuid = cloud.server()
    assert events(cloud, service, event(uuid, "power-update", tag="HALT")).status == 200
    assert cloud.api.bus.sent == []
    assert events(cloud, service, event(uuid, "power-update", tag="POWER_OFF")).status == 200
    table = schema.nova_cell.tables["instance_actions"]
    assert cloud.cell.read(lambda conn: [row.action for row in conn.execute(table.select())]) == ["stop"]


def test_who_may_report_events_and_which(cloud, member, service, admin, event):
    uuid = cloud.server()
    assert events(cloud, member, event(uuid)).status == 403
    assert events(cloud, admin, event(uuid)).status == 200
    assert events(cloud, service, event(uuid, "volume-reimaged"), version="2.92").status == 400
    assert events(cloud, service).status == 400


def test_a_server_buried_in_cell0_has_no_host_to_tell(cloud, service, event):
    assert events(cloud, service, event(cloud.server(cell=CELL0, host=None))).body["events"][0]["code"] == 422
