"""createImage and createBackup: the image, the message, snapshots of volumes."""

import json

import pytest

from keel_contract.errors import RemoteFault

from .moves import act, actions, boot_volume, events, only, row, system


def server(cloud, **values):
    uuid = cloud.server(image_ref=cloud.image, **values)
    system(
        cloud, uuid, image_base_image_ref=cloud.image, image_min_ram="64", image_img_signature="s", boot_roles="member"
    )
    system(cloud, uuid, image_container_format="bare", image_disk_format="qcow2", network_allocated="True")
    return uuid


def test_an_image_inherits_what_the_server_remembers(cloud):
    cloud.api.set("non_inheritable_image_properties", ["os_type"])
    uuid = server(cloud)
    reply = act(cloud, uuid, "createImage", {"name": "snap", "metadata": {"a": "b"}})
    method, sent = only(cloud)
    image = cloud.glance.images[sent["image_id"]]
    assert reply.status == 202 and reply.body == {"image_id": image["id"]} and method == "snapshot_instance"
    expected = {"name": "snap", "visibility": "private", "min_ram": 64, "base_image_ref": cloud.image, "a": "b"}
    expected |= {"image_type": "snapshot", "instance_uuid": uuid, "user_id": "member-user", "boot_roles": "member"}
    assert image == {**expected, "id": image["id"], "status": "queued"}
    assert row(cloud, uuid, "task_state") == "image_snapshot_pending" and actions(cloud) == ["createImage"]


def test_where_the_image_is_below_2_45(cloud):
    reply = act(cloud, server(cloud), "createImage", {"name": "snap"}, "2.44")
    assert reply.raw == b"" and reply.headers["Location"] == f"http://glance/images/{only(cloud)[1]['image_id']}"


def test_a_backup_says_what_it_is_and_how_many_to_keep(cloud):
    uuid = server(cloud)
    asked = {"name": "b", "backup_type": "daily", "rotation": "2", "metadata": {"a": "b"}}
    reply = act(cloud, uuid, "createBackup", asked, "2.44")
    method, sent = only(cloud)
    image = cloud.glance.images[sent["image_id"]]
    assert (method, sent["backup_type"], sent["rotation"]) == ("backup_instance", "daily", 2)
    assert (image["image_type"], image["backup_type"], image["disk_format"]) == ("backup", "daily", "qcow2")
    assert reply.headers["Location"].endswith(f"/v2.1/images/{image['id']}")
    assert row(cloud, uuid, "task_state") == "image_backup" and actions(cloud) == ["createBackup"]


def test_a_backup_that_is_not_kept_has_no_place(cloud):
    asked = {"name": "b", "backup_type": "daily", "rotation": 0}
    assert "Location" not in act(cloud, server(cloud), "createBackup", asked, "2.44").headers
    assert set(act(cloud, server(cloud), "createBackup", asked, "2.45").body) == {"image_id"}


@pytest.mark.parametrize("action", ["createImage", "createBackup"])
def test_the_metadata_quota_counts_up_to_2_38(cloud, action):
    cloud.api.set("metadata_items", 1, "quota")
    asked = {"name": "b", "metadata": {"a": "1", "b": "2"}}
    asked |= {"backup_type": "daily", "rotation": 1} if action == "createBackup" else {}
    assert act(cloud, server(cloud), action, asked, "2.38").status == 403
    assert act(cloud, server(cloud), action, asked, "2.39").status == 202


def volume_backed(cloud, **values):
    uuid = cloud.server(image_ref="", root_device_name="/dev/vda", **values)
    return uuid, boot_volume(cloud, uuid)


def test_volumes_are_snapshot_by_the_volume_service(cloud):
    uuid, volume = volume_backed(cloud)
    reply = act(cloud, uuid, "createImage", {"name": "snap"})
    assert reply.status == 202
    (snapshot,) = cloud.cinder.snapshots.values()
    assert (snapshot["volume_id"], snapshot["force"], snapshot["name"]) == (volume, True, "snapshot for snap")
    image = cloud.glance.images[reply.body["image_id"]]
    (mapping,) = json.loads(image["block_device_mapping"])
    assert (mapping["source_type"], mapping["snapshot_id"], mapping["boot_index"]) == ("snapshot", snapshot["id"], 0)
    assert mapping["volume_id"] is None and mapping["volume_size"] == 1
    assert (image["bdm_v2"], image["root_device_name"], image["status"]) == ("True", "/dev/vda", "active")
    assert cloud.api.bus.methods() == ["quiesce_instance", "unquiesce_instance"]
    assert cloud.api.bus.sent[1][1]["mapping"] == [mapping]
    assert actions(cloud) == ["createImage"] and events(cloud) == [("api_snapshot_instance", "Success")]
    assert row(cloud, uuid, "task_state") is None


def test_only_running_guests_are_held_still(cloud):
    uuid, _ = volume_backed(cloud, vm_state="stopped")
    assert act(cloud, uuid, "createImage", {"name": "snap"}).status == 202 and cloud.api.bus.sent == []


def test_a_guest_that_must_be_still_and_cannot_is_409(cloud):
    cloud.api.bus.answers["quiesce_instance"] = RemoteFault("InstanceQuiesceNotSupported", "no agent", "")
    uuid, _ = volume_backed(cloud)
    assert act(cloud, uuid, "createImage", {"name": "snap"}).status == 202
    system(cloud, uuid, image_os_require_quiesce="yes")
    assert act(cloud, uuid, "createImage", {"name": "snap"}).status == 409


def test_no_more_snapshots_than_allowed(cloud):
    cloud.cinder.most_snapshots = 0
    uuid, _ = volume_backed(cloud)
    assert act(cloud, uuid, "createImage", {"name": "snap"}).status == 403
    assert cloud.api.bus.sent == [] and actions(cloud) == []


def test_a_snapshot_that_fails_lets_the_guest_go(cloud):
    uuid, volume = volume_backed(cloud)
    del cloud.cinder.volumes[volume]
    assert act(cloud, uuid, "createImage", {"name": "snap"}).status == 400
    assert cloud.api.bus.methods() == ["quiesce_instance", "unquiesce_instance"]
    assert events(cloud) == [("api_snapshot_instance", "Error")]


def test_a_server_on_a_volume_has_no_backups(cloud):
    asked = {"name": "b", "backup_type": "daily", "rotation": 1}
    assert act(cloud, volume_backed(cloud)[0], "createBackup", asked).status == 400
