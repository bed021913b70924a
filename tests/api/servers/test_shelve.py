"""shelve, shelveOffload, unshelve, rescue, restore and forceDelete."""

import pytest

from keel_common.clients import errors
from keel_common.db import schema

from .moves import act, actions, boot_volume, created, node, only, row, spec, system


def test_shelving_makes_an_image_for_the_host(cloud):
    uuid = cloud.server(image_ref=cloud.image, display_name="web")
    system(cloud, uuid, image_base_image_ref=cloud.image, image_min_disk="5", image_hw_disk_bus="virtio")
    system(cloud, uuid, owner_user_name="me")
    assert act(cloud, uuid, "shelve").status == 202
    method, sent = only(cloud)
    image = cloud.glance.images[sent["image_id"]]
    assert (method, sent["clean_shutdown"], sent["accel_uuids"]) == ("shelve_instance", True, [])
    expected = {"name": "web-shelved", "image_type": "snapshot", "instance_uuid": uuid, "user_id": "member-user"}
    expected |= {"min_disk": 5, "hw_disk_bus": "virtio", "owner_user_name": "me", "visibility": "private"}
    assert expected.items() <= image.items() and "disk_format" not in image
    assert row(cloud, uuid, "task_state") == "shelving" and actions(cloud) == ["shelve"]


def test_a_server_on_a_volume_leaves_its_host_at_once(cloud):
    uuid = cloud.server(image_ref="")
    boot_volume(cloud, uuid)
    before = len(cloud.glance.images)
    assert act(cloud, uuid, "shelve").status == 202
    assert only(cloud)[0] == "shelve_offload_instance" and len(cloud.glance.images) == before
    assert row(cloud, uuid, "system_metadata")["image_base_image_ref"] == ""


def test_a_shelving_that_cannot_leave_leaves_nothing(cloud):
    cloud.api.bus.answers["shelve_instance"] = ConnectionError("no broker")
    uuid, before = cloud.server(image_ref=cloud.image), len(cloud.glance.images)
    assert act(cloud, uuid, "shelve").status == 500
    assert len(cloud.glance.images) == before and row(cloud, uuid, "task_state") is None


def test_an_image_that_may_not_be_made_undoes_the_shelving(cloud):
    def refuse(context, image):
        raise errors.OverQuota(413, "full", "image")

    cloud.glance.create = refuse
    uuid = cloud.server(image_ref=cloud.image)
    assert act(cloud, uuid, "shelve").status == 403
    assert row(cloud, uuid, "task_state") is None and cloud.api.bus.sent == []


def test_offloading_is_for_administrators(cloud, admin):
    uuid = cloud.server(vm_state="shelved")
    assert act(cloud, uuid, "shelveOffload").status == 403
    assert act(cloud, uuid, "shelveOffload", who=admin).status == 202
    assert only(cloud)[0] == "shelve_offload_instance" and actions(cloud) == ["shelveOffload"]


def away(cloud, wish, **values):
    return created(cloud, wish(), vm_state="shelved_offloaded", host=None, node=None, **values)


def test_unshelving_goes_to_the_conductor(cloud, wish):
    uuid = away(cloud, wish)
    assert act(cloud, uuid, "unshelve", version="2.76").status == 202
    method, sent = only(cloud)
    assert method == "unshelve_instance" and sent["instance"].task_state == "unshelving"
    assert sent["request_spec"].requested_destination is None and actions(cloud) == ["unshelve"]


def test_unshelving_into_a_zone_pins_the_server_and_null_unpins_it(cloud, wish):
    node(cloud, "node-2")
    uuid = away(cloud, wish)
    assert act(cloud, uuid, "unshelve", {"availability_zone": "nova"}, "2.77").status == 202
    assert only(cloud)[1]["request_spec"].availability_zone == "nova" == spec(cloud, uuid)["availability_zone"]
    reset = schema.nova_cell.tables["instances"].update().values(task_state=None)
    cloud.cell.run(lambda conn: conn.execute(reset))
    assert act(cloud, uuid, "unshelve", {"availability_zone": None}, "2.91").status == 202
    assert spec(cloud, uuid)["availability_zone"] is None


def test_unshelving_to_a_host(cloud, wish, admin):
    node(cloud, "node-2")
    uuid = away(cloud, wish)
    assert act(cloud, uuid, "unshelve", {"host": "node-2"}).status == 403
    assert act(cloud, uuid, "unshelve", {"host": "nowhere"}, who=admin).status == 400
    assert act(cloud, uuid, "unshelve", {"host": "node-2"}, who=admin).status == 202
    target = only(cloud)[1]["request_spec"].requested_destination
    assert (target.host, target.node) == ("node-2", "node-2.local")
    assert spec(cloud, uuid)["requested_destination"] is None


@pytest.mark.parametrize(
    ("args", "code"),
    [({"availability_zone": "unknown"}, 400), ({"availability_zone": "nova", "host": "east-1"}, 409)],
)
def test_zones_that_do_not_go(cloud, wish, admin, args, code):
    node(cloud, "node-2")
    node(cloud, "east-1")
    _aggregate(cloud, "east-1", "east")
    uuid = away(cloud, wish)
    assert act(cloud, uuid, "unshelve", args, who=admin).status == code
    assert row(cloud, uuid, "task_state") is None


def test_a_pinned_server_keeps_its_zone(cloud, wish, admin):
    node(cloud, "node-2")
    node(cloud, "east-1")
    _aggregate(cloud, "east-1", "east")
    uuid = created(cloud, wish(availability_zone="nova"), vm_state="shelved_offloaded", host=None, node=None)
    assert act(cloud, uuid, "unshelve", {"host": "east-1"}, who=admin).status == 409
    assert act(cloud, uuid, "unshelve", {"host": "east-1", "availability_zone": None}, who=admin).status == 202


def test_volumes_in_another_zone_forbid_the_zone_where_they_must_match(cloud, wish):
    cloud.api.set("cross_az_attach", False, "cinder")
    node(cloud, "node-2")
    uuid = away(cloud, wish, volumes=[cloud.cinder.add(availability_zone="east")])
    assert act(cloud, uuid, "unshelve", {"availability_zone": "nova"}).status == 409


def test_a_place_is_only_for_servers_off_their_host(cloud, wish):
    node(cloud, "node-2")
    uuid = created(cloud, wish(), vm_state="shelved")
    assert act(cloud, uuid, "unshelve", {"availability_zone": "nova"}).status == 409


def _aggregate(cloud, host, zone):
    tables = schema.nova_api.tables

    def write(conn):
        key = conn.execute(tables["aggregates"].insert().values(name=zone, uuid=zone)).inserted_primary_key[0]
        conn.execute(tables["aggregate_hosts"].insert().values(host=host, aggregate_id=key))
        conn.execute(
            tables["aggregate_metadata"].insert().values(aggregate_id=key, key="availability_zone", value=zone)
        )

    cloud.api.cells.api.run(write)


# -- rescue


def test_a_rescue_answers_the_password(cloud):
    image = cloud.glance.add()
    uuid = cloud.server()
    reply = act(cloud, uuid, "rescue", {"adminPass": "p", "rescue_image_ref": image})
    assert (reply.status, reply.body) == (200, {"adminPass": "p"})
    method, sent = only(cloud)
    assert (method, sent["rescue_password"], sent["rescue_image_ref"]) == ("rescue_instance", "p", image)
    assert sent["clean_shutdown"] is True and actions(cloud) == ["rescue"]


def test_a_rescue_makes_a_password_and_may_keep_it(cloud):
    cloud.api.set("enable_instance_password", False, "api")
    assert act(cloud, cloud.server(), "rescue").body == {}
    assert len(only(cloud)[1]["rescue_password"]) == 12


@pytest.mark.parametrize("image", [None, {"block_device_mapping": "[]"}])
def test_images_one_cannot_rescue_with(cloud, image):
    ref = "00000000-0000-4000-8000-00000000dead" if image is None else cloud.glance.add(**image)
    if image is not None:
        cloud.glance.images[ref]["block_device_mapping"] = '[{"boot_index": 0}]'
    assert act(cloud, cloud.server(), "rescue", {"rescue_image_ref": ref}).status == 400


@pytest.mark.parametrize(
    ("version", "stable", "traits", "code"),
    [
        ("2.86", True, {"COMPUTE_RESCUE_BFV"}, 400),
        ("2.87", False, {"COMPUTE_RESCUE_BFV"}, 400),
        ("2.87", True, set(), 400),
        ("2.87", True, {"COMPUTE_RESCUE_BFV"}, 200),
    ],
)
def test_rescuing_a_server_on_a_volume(cloud, version, stable, traits, code):
    cloud.placement.traits_of[node(cloud, "node-1")] = traits
    image = cloud.glance.add(**({"hw_rescue_bus": "virtio", "hw_rescue_device": "disk"} if stable else {}))
    uuid = cloud.server(image_ref="", node="node-1.local")
    boot_volume(cloud, uuid)
    assert act(cloud, uuid, "rescue", {"rescue_image_ref": image}, version).status == code


def test_a_volume_on_its_way_forbids_a_rescue(cloud):
    uuid = cloud.server(volumes=[cloud.cinder.add(status="detaching")])
    assert act(cloud, uuid, "rescue").status == 409


# -- deferred deletion


def test_restoring_gives_the_server_back(cloud):
    uuid = cloud.server(vm_state="soft-delete")
    mappings = schema.nova_api.tables["instance_mappings"]
    cloud.api.cells.api.run(lambda conn: conn.execute(mappings.update().values(queued_for_delete=True)))
    assert act(cloud, uuid, "restore").status == 202
    assert only(cloud)[0] == "restore_instance" and only(cloud)[1]["instance"].task_state == "restoring"
    queued = cloud.api.cells.api.read(lambda conn: conn.execute(mappings.select()).mappings().one())
    assert not queued["queued_for_delete"] and actions(cloud) == ["restore"]


def test_without_a_host_the_api_restores(cloud):
    uuid = cloud.server(vm_state="soft-delete", host=None)
    assert act(cloud, uuid, "restore").status == 202
    assert cloud.api.bus.sent == [] and row(cloud, uuid, "vm_state", "task_state") == ("active", None)


def test_restoring_needs_quota(cloud):
    cloud.api.set("instances", 0, "quota")
    assert act(cloud, cloud.server(vm_state="soft-delete"), "restore").status == 403


def test_a_soft_deletion_is_marked_and_a_forced_one_is_at_once(cloud):
    cloud.api.set("reclaim_instance_interval", 60)
    cloud.service()
    uuid = cloud.server()
    assert cloud.api.delete(f"/servers/{uuid}").status == 204
    mappings = schema.nova_api.tables["instance_mappings"]
    queued = cloud.api.cells.api.read(lambda conn: conn.execute(mappings.select()).mappings().one())
    assert cloud.api.bus.methods() == ["soft_delete_instance"] and queued["queued_for_delete"]
    assert act(cloud, uuid, "forceDelete").status == 202
    assert cloud.api.bus.methods()[-1] == "terminate_instance"
