"""rebuild by microversion: what is sent, what changes, what is refused."""

import pytest

from keel_common.db.stores.nova import servers_change

from .moves import act, actions, boot_volume, created, flavors_of, only, row, share, spec, system
from .rows import FLAVOR


def server(cloud, **values):
    uuid = cloud.server(image_ref=cloud.image, **values)
    flavors_of(cloud, uuid, {**FLAVOR, "extra_specs": {}})
    system(cloud, uuid, image_base_image_ref=cloud.image, image_os_type="linux", owner_user_name="me")
    return uuid


def rebuild(cloud, uuid, version="2.104", who=None, **args):
    more = {} if who is None else {"who": who}
    return act(cloud, uuid, "rebuild", {"imageRef": cloud.image, **args}, version, **more)


def test_the_same_image_needs_no_scheduler(cloud):
    uuid = server(cloud)
    reply = rebuild(cloud, uuid, adminPass="secret", preserve_ephemeral=True)
    assert reply.status == 202 and reply.headers["Location"].endswith(f"/servers/{uuid}")
    assert (reply.body["server"]["adminPass"], reply.body["server"]["status"]) == ("secret", "REBUILD")
    method, sent = only(cloud)
    assert method == "rebuild_instance" and sent["host"] == "node-1" and sent["new_pass"] == "secret"
    assert sent["preserve_ephemeral"] is True and sent["recreate"] is False and sent["reimage_boot_volume"] is False
    assert (sent["image_ref"], sent["orig_image_ref"]) == (cloud.image, cloud.image)
    assert sent["orig_sys_metadata"]["owner_user_name"] == "me"
    assert sent["instance"].task_state == row(cloud, uuid, "task_state") == "rebuilding"
    assert actions(cloud) == ["rebuild"]


def test_another_image_is_remembered_and_scheduled(cloud, wish):
    uuid = created(cloud, wish(), image_ref=cloud.image)
    flavors_of(cloud, uuid, {**FLAVOR, "extra_specs": {}})
    system(cloud, uuid, owner_user_name="me", image_hw_disk_bus="ide")
    other = cloud.glance.add(os_type="windows", hw_vif_model="e1000", min_ram=64)
    assert rebuild(cloud, uuid, imageRef=other).status == 202
    sent = only(cloud)[1]
    request = sent["request_spec"]
    assert sent["host"] is None and request.image.id == other and not request.is_set("id")
    assert (request.force_hosts, request.force_nodes) == (["node-1"], ["node-1"])
    assert request.scheduler_hints["_nova_check_type"] == ["rebuild"]
    stored = spec(cloud, uuid)
    assert stored["image"]["nova_object.data"]["id"] == other and stored["force_hosts"] is None
    assert "_nova_check_type" not in stored["scheduler_hints"]
    assert row(cloud, uuid, "image_ref", "os_type") == (other, "windows")
    kept = row(cloud, uuid, "system_metadata")
    assert kept["image_base_image_ref"] == other and kept["image_hw_vif_model"] == "e1000"
    assert kept["owner_user_name"] == "me" and "image_hw_disk_bus" not in kept
    assert sent["instance"].system_metadata == kept


def test_everything_a_rebuild_can_change(cloud):
    uuid = server(cloud, metadata={"old": "1"})
    wanted = {
        "name": "new",
        "description": "d",
        "hostname": "h.example.org",
        "accessIPv4": "192.0.2.1",
        "metadata": {"a": "b"},
        "key_name": "mine",
        "user_data": "aGk=",
        "OS-DCF:diskConfig": "AUTO",
        "trusted_image_certificates": ["c1"],
    }
    shown = rebuild(cloud, uuid, **wanted).ok.body["server"]
    assert {**wanted, "key_name": "mine"}.items() <= {**shown, "hostname": shown["OS-EXT-SRV-ATTR:hostname"]}.items()
    instance = only(cloud)[1]["instance"]
    assert (instance.key_name, instance.key_data, instance.metadata) == ("mine", "ssh-rsa AAAA", {"a": "b"})
    assert instance.trusted_certs.ids == ["c1"] and instance.user_data == "aGk="
    assert row(cloud, uuid, "metadata", "trusted_certs") == ({"a": "b"}, ["c1"])
    assert row(cloud, uuid, "keypairs")["nova_object.data"]["objects"][0]["nova_object.data"]["name"] == "mine"


def test_null_takes_key_user_data_and_certificates_away(cloud):
    uuid = server(cloud, key_name="mine", key_data="x", user_data="aGk=")
    rebuild(cloud, uuid, trusted_image_certificates=["c1"])
    cloud.cell.run(servers_change.update, uuid, {"task_state": None})
    shown = rebuild(cloud, uuid, key_name=None, user_data=None, trusted_image_certificates=None).ok.body["server"]
    assert (shown["key_name"], shown["user_data"], shown["trusted_image_certificates"]) == (None, None, None)


@pytest.mark.parametrize(
    ("version", "present", "absent"),
    [
        ("2.53", [], ["key_name", "user_data"]),
        ("2.54", ["key_name"], ["user_data"]),
        ("2.57", ["user_data"], ["config_drive"]),
    ],
)
def test_the_answer_grows(cloud, version, present, absent):
    shown = rebuild(cloud, server(cloud), version).ok.body["server"]
    assert set(present) <= set(shown) and not set(absent) & set(shown)


def test_files_come_along_below_2_57(cloud):
    cloud.api.set("injected_files", 1, "quota")
    file = {"path": "/etc/a", "contents": "aGk="}
    uuid = server(cloud)
    assert rebuild(cloud, uuid, "2.56", personality=[file, file]).status == 403
    assert rebuild(cloud, uuid, "2.56", personality=[file]).status == 202
    assert only(cloud)[1]["injected_files"] == [["/etc/a", "aGk="]]
    assert rebuild(cloud, uuid, "2.57", personality=[file]).status == 400


@pytest.mark.parametrize(
    ("args", "image", "code"),
    [
        ({"imageRef": "00000000-0000-4000-8000-00000000dead"}, {}, 400),
        ({}, {"status": "queued"}, 400),
        ({}, {"min_ram": 4096}, 400),
        ({}, {"min_disk": 100}, 400),
        ({}, {"size": 100 << 30}, 400),
        ({}, {"hw_numa_nodes": "2"}, 400),
        ({}, {"hw_disk_bus": "nonsense"}, 400),
        ({"OS-DCF:diskConfig": "AUTO"}, {"auto_disk_config": "disabled"}, 400),
        ({"key_name": "unknown"}, {}, 400),
        ({"metadata": {str(number): "x" for number in range(129)}}, {}, 403),
    ],
)
def test_what_does_not_go_is_refused(cloud, args, image, code):
    uuid = server(cloud)
    other = cloud.glance.add(**image)
    assert rebuild(cloud, uuid, **{"imageRef": other, **args}).status == code
    assert cloud.api.bus.sent == [] and actions(cloud) == [] and row(cloud, uuid, "task_state") is None


def test_the_key_is_the_callers(cloud, manager):
    """As recorded: the key of who asks, not of who owns the server."""
    assert rebuild(cloud, server(cloud), who=manager, key_name="mine").status == 400


def test_shares_forbid_a_rebuild(cloud):
    uuid = server(cloud)
    share(cloud, uuid)
    assert rebuild(cloud, uuid).status == 400


def test_a_server_on_a_volume_keeps_its_image_below_2_93(cloud):
    uuid = cloud.server(image_ref="")
    flavors_of(cloud, uuid, {**FLAVOR, "extra_specs": {}})
    boot_volume(cloud, uuid, volume_image_metadata={"image_id": cloud.image})
    other = cloud.glance.add()
    assert rebuild(cloud, uuid, "2.92", imageRef=other).status == 400
    assert rebuild(cloud, uuid, trusted_image_certificates=["c"]).status == 400
    assert rebuild(cloud, uuid, "2.93", imageRef=other).status == 202
    sent = only(cloud)[1]
    assert sent["reimage_boot_volume"] is True and sent["orig_image_ref"] == cloud.image
    assert len(sent["bdms"].objects) == 1 and row(cloud, uuid, "image_ref") == ""


def test_a_volume_that_is_not_in_use_forbids_a_rebuild(cloud):
    uuid = cloud.server(image_ref="")
    flavors_of(cloud, uuid, {**FLAVOR, "extra_specs": {}})
    volume = boot_volume(cloud, uuid, volume_image_metadata={"image_id": cloud.image})
    cloud.cinder.volumes[volume]["status"] = "error"
    assert rebuild(cloud, uuid).status == 400
