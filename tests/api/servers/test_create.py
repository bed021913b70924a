import json

import pytest

from keel_common.clients import errors
from keel_common.db import count_statements, schema

API = schema.nova_api.tables
CREATE_BUDGET = 14


def stored(cloud, table):
    return cloud.api.cells.api.read(lambda conn: [dict(r) for r in conn.execute(API[table].select()).mappings()])


def test_a_created_server_is_recorded_and_handed_to_the_conductor(cloud, wish):
    body = wish(key_name="mine", metadata={"a": "b"}, tags=["t"], security_groups=[{"name": "default"}])
    with count_statements() as seen:
        reply = cloud.api.post("/servers", body, version="2.104")
    assert reply.status == 202, reply.raw
    assert len(seen) <= CREATE_BUDGET, seen
    server = reply.body["server"]
    assert server["security_groups"] == [{"name": "default"}]
    assert server["OS-DCF:diskConfig"] == "MANUAL" and len(server["adminPass"]) == 12
    assert reply.headers["Location"].endswith(f"/servers/{server['id']}")

    ((method, sent),) = cloud.api.bus.sent
    assert method == "schedule_and_build_instances"
    (build,) = sent["build_requests"]
    assert build.instance.uuid == server["id"] and build.instance.vm_state == "building"
    assert build.instance.system_metadata["image_hw_disk_bus"] == "virtio"
    assert sent["request_specs"][0].requested_networks.objects[0].network_id == "none"
    assert [d.source_type for d in sent["block_device_mapping"].objects] == ["image"]
    assert sent["image"]["properties"] == {"os_type": "linux", "hw_disk_bus": "virtio"}
    assert [tag.tag for tag in sent["tags"].objects] == ["t"]

    (mapping,) = stored(cloud, "instance_mappings")
    assert mapping["cell_id"] is None and mapping["instance_uuid"] == server["id"]
    (spec,) = stored(cloud, "request_specs")
    assert "requested_networks" not in json.loads(spec["spec"])["nova_object.data"]
    (request,) = stored(cloud, "build_requests")
    data = json.loads(request["instance"])["nova_object.data"]
    assert data["key_data"] == "ssh-rsa AAAA" and data["task_state"] == "scheduling"


def test_a_server_shows_and_lists_before_any_cell_has_it(cloud, wish):
    uuid = cloud.api.post("/servers", wish(metadata={"a": "b"}, tags=["t"]), version="2.104").ok.body["server"]["id"]
    server = cloud.api.get(f"/servers/{uuid}", version="2.104").ok.body["server"]
    assert server["status"] == "BUILD" and server["OS-EXT-STS:task_state"] == "scheduling"
    assert server["metadata"] == {"a": "b"} and server["tags"] == ["t"] and server["addresses"] == {}
    assert server["flavor"]["extra_specs"] == {"hw:a": "b"}
    listed = cloud.api.get("/servers/detail?name=w.b", version="2.104").ok.body["servers"]
    assert [s["id"] for s in listed] == [uuid]
    assert cloud.api.get("/servers?name=db").ok.body["servers"] == []


def test_several_servers_share_a_reservation(cloud, wish):
    body = wish(min_count=2, max_count=3, return_reservation_id=True)
    reply = cloud.api.post("/servers", body, version="2.37")
    assert reply.status == 202 and list(reply.body) == ["reservation_id"]
    ((_, sent),) = cloud.api.bus.sent
    instances = [build.instance for build in sent["build_requests"]]
    assert [i.display_name for i in instances] == ["web-1", "web-2", "web-3"]
    assert {i.reservation_id for i in instances} == {reply.body["reservation_id"]}
    assert [spec.num_instances for spec in sent["request_specs"]] == [3, 3, 3]


def test_the_quota_lets_in_what_still_fits(cloud, wish):
    for number in range(8):
        cloud.server(number)
    cloud.create(wish(min_count=1, max_count=5), version="2.37")
    ((_, sent),) = cloud.api.bus.sent
    assert len(sent["build_requests"]) == 2
    reply = cloud.api.post("/servers", wish(min_count=3, max_count=3), version="2.37")
    assert reply.status == 403
    assert reply.message == "Quota exceeded for instances: Requested 3, but already used 8 of 10 instances"


def test_a_volume_is_reserved_and_given_back_when_the_message_cannot_be_sent(cloud, wish):
    volume = cloud.cinder.add(bootable="true", volume_image_metadata={"hw_disk_bus": "scsi", "min_ram": "64"})
    device = {"source_type": "volume", "uuid": volume, "destination_type": "volume", "boot_index": 0}
    body = wish(imageRef=None, block_device_mapping_v2=[device])
    cloud.create(body, version="2.37")
    ((_, sent),) = cloud.api.bus.sent
    (made,) = sent["block_device_mapping"].objects
    assert made.attachment_id in cloud.cinder.attachments and made.volume_size == 1
    assert sent["request_specs"][0].is_bfv and sent["build_requests"][0].instance.image_ref == ""
    assert sent["build_requests"][0].instance.system_metadata["image_hw_disk_bus"] == "scsi"

    cloud.cinder.volumes[volume]["status"] = "available"
    cloud.cinder.attachments.clear()
    cloud.api.bus.answers["schedule_and_build_instances"] = ConnectionError("no broker")
    assert cloud.api.post("/servers", body, version="2.37").status == 500
    assert cloud.cinder.attachments == {} and len(stored(cloud, "build_requests")) == 1


def test_the_other_forms_of_block_devices(cloud, wish):
    snapshot = "5a000000-0000-4000-8000-000000000001"
    cloud.cinder.snapshots[snapshot] = {"id": snapshot, "size": 3, "volume_id": cloud.cinder.add()}
    devices = [
        {"source_type": "image", "uuid": cloud.image, "destination_type": "volume", "volume_size": 5, "boot_index": 0},
        {"source_type": "blank", "destination_type": "volume", "volume_size": 2, "boot_index": -1},
        {"source_type": "snapshot", "uuid": snapshot, "destination_type": "volume", "boot_index": -1},
    ]
    cloud.create(wish(imageRef=None, block_device_mapping_v2=devices), version="2.37")
    ((_, sent),) = cloud.api.bus.sent
    made = sent["block_device_mapping"].objects
    assert [(d.source_type, d.volume_size) for d in made] == [("image", 5), ("blank", 2), ("snapshot", 3)]
    assert sent["image"]["id"] == cloud.image


def test_ports_and_networks_are_checked_and_sent(cloud, wish):
    port = cloud.neutron.add_port(network_id=cloud.network)
    networks = [{"port": port, "tag": "nic"}, {"uuid": cloud.network, "fixed_ip": "10.0.0.77"}]
    group = cloud.neutron.add_group("web")
    body = wish(networks=networks, security_groups=[{"name": "web"}])
    cloud.create(body, version="2.42")
    ((_, sent),) = cloud.api.bus.sent
    first, second = sent["requested_networks"].objects
    assert (first.port_id, first.network_id, first.tag) == (port, cloud.network, "nic")
    assert (second.network_id, str(second.address)) == (cloud.network, "10.0.0.77")
    assert [g.uuid for g in sent["build_requests"][0].instance.security_groups.objects] == [group]


UNKNOWN = "00000000-0000-4000-8000-00000000dead"


@pytest.mark.parametrize(
    ("change", "status", "text"),
    [
        ({"flavorRef": "huge"}, 400, "Flavor huge"),
        ({"imageRef": UNKNOWN}, 400, "requested image"),
        ({"key_name": "theirs"}, 400, "key_name"),
        ({"networks": [{"uuid": UNKNOWN}]}, 400, "Network"),
        ({"networks": [{"port": UNKNOWN}]}, 400, "Port"),
        ({"security_groups": [{"name": "nope"}]}, 400, "Security group nope"),
        ({"availability_zone": "mars"}, 400, "availability zone"),
        ({"min_count": 3, "max_count": 2}, 400, "min_count"),
        ({"imageRef": None}, 400, "imageRef"),
        ({"availability_zone": "nova:node-1"}, 403, "forced_host"),
        ({"host": "node-1"}, 403, "requested_destination"),
        ({"hostname": "one", "max_count": 2}, 400, "hostname"),
        ({"block_device_mapping_v2": [{"source_type": "volume", "uuid": UNKNOWN, "boot_index": -1}]}, 400, "Volume"),
    ],
)
def test_what_does_not_exist_or_is_not_allowed_is_refused(cloud, wish, change, status, text):
    reply = cloud.api.post("/servers", wish(**change), version="2.104")
    assert (reply.status, text in reply.message) == (status, True), reply.raw
    assert cloud.api.bus.sent == [] and stored(cloud, "instance_mappings") == []


def test_a_bad_body_wins_over_the_policy(cloud, wish, reader):
    assert cloud.api.post("/servers", {"server": {}}, who=reader).status == 400
    assert cloud.api.post("/servers", wish(networks=None), who=reader).status == 403


def test_networks_may_be_ambiguous_or_automatic(cloud, wish):
    assert cloud.api.post("/servers", wish(networks="auto"), version="2.37").status == 202
    cloud.neutron.add_network(name="second")
    assert cloud.api.post("/servers", wish(networks="auto"), version="2.37").status == 409
    assert cloud.api.post("/servers", wish(networks=None)).status == 409


def test_an_administrator_forces_or_asks_for_a_host(cloud, wish, admin):
    nodes = schema.nova_cell.tables["compute_nodes"]
    node = {
        "host": "node-1",
        "hypervisor_hostname": "node-1",
        "uuid": UNKNOWN,
        "vcpus": 1,
        "memory_mb": 1,
        "local_gb": 1,
    }
    node |= {"vcpus_used": 0, "memory_mb_used": 0, "local_gb_used": 0, "hypervisor_type": "k", "hypervisor_version": 1}
    cloud.cell.run(lambda conn: conn.execute(nodes.insert().values(**node, cpu_info="", deleted=0)))
    cloud.create(wish(availability_zone="nova:node-1:node-1"), who=admin, version="2.37")
    cloud.create(wish(hypervisor_hostname="node-1"), who=admin, version="2.74")
    forced, wanted = [sent["request_specs"][0] for _, sent in cloud.api.bus.sent]
    assert (forced.force_hosts, forced.force_nodes, forced.availability_zone) == (["node-1"], ["node-1"], "nova")
    assert (wanted.requested_destination.host, wanted.requested_destination.node) == ("node-1", "node-1")
    kept = [
        json.loads(row["spec"])["nova_object.data"]["requested_destination"] for row in stored(cloud, "request_specs")
    ]
    assert kept == [None, None]  # it counts for one placement only
    reply = cloud.api.post("/servers", wish(host="node-9"), who=admin, version="2.74")
    assert reply.status == 400 and "node-9" in reply.message


def test_a_server_joins_the_group_of_its_hint(cloud, wish):
    group = {"id": 7, "uuid": UNKNOWN, "name": "g", "project_id": "6f70656e6b65656c00000000000000aa", "user_id": "u"}
    policy = {"group_id": 7, "policy": "anti-affinity", "rules": '{"max_server_per_host": 2}'}

    def fill(conn):
        conn.execute(API["instance_groups"].insert().values(**group))
        conn.execute(API["instance_group_policy"].insert().values(**policy))

    cloud.api.cells.api.run(fill)
    body = {**wish(), "os:scheduler_hints": {"group": UNKNOWN}}
    uuid = cloud.api.post("/servers", body, version="2.100").ok.body["server"]["id"]
    assert cloud.api.bus.sent[0][1]["request_specs"][0].instance_group.policy == "anti-affinity"
    shown = cloud.api.get(f"/servers/{uuid}", version="2.100").ok.body["server"]
    assert shown["server_groups"] == [UNKNOWN] and shown["scheduler_hints"] == {"group": [UNKNOWN]}


def test_files_are_injected_where_the_version_still_has_them(cloud, wish):
    files = [{"path": "/etc/motd", "contents": "aGVsbG8="}]
    cloud.create(wish(personality=files), version="2.56")
    assert cloud.api.bus.sent[0][1]["injected_files"] == [["/etc/motd", "aGVsbG8="]]
    assert cloud.api.post("/servers", wish(personality=files), version="2.57").status == 400
    assert cloud.api.post("/servers", wish(personality=files * 6), version="2.56").status == 403


@pytest.mark.parametrize("peer", ["neutron", "glance"])
def test_a_service_that_does_not_answer_is_named(cloud, wish, peer):
    def away(*_args, **_more):
        raise errors.Unreachable(0, "no answer", peer)

    service = getattr(cloud, peer)
    for name in ("show", "list_networks", "show_network", "list_ports"):
        setattr(service, name, away)
    reply = cloud.api.post("/servers", wish(networks=[{"uuid": cloud.network}]), version="2.37")
    assert (reply.status, peer in reply.message) == (503, True)
    assert cloud.api.get("/servers").ok.body["servers"] == []
