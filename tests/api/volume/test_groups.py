"""Groups, their snapshots and the older API (states and answers: cinder 29.0.0, measured)."""

import pytest
from fakes.api import PROJECT, Identity

from keel_common.db.stores.cinder import group_snapshots, groups, quotas, volumes

ADMIN = Identity.ADMIN
V = "3.71"


def row(volume, group_id):
    return volume.db.read(groups.get, group_id)


def act(volume, group_id, action, who=Identity.MEMBER, **args):
    return volume.post(f"/groups/{group_id}/action", {action: args}, who=who, version=V)


def member(volume, volume_id):
    return volume.db.read(volumes.get, volume_id)


def test_a_group_is_told_to_the_scheduler_with_a_spec_for_each_type(everything):
    volume, ids = everything
    asked = {"group_type": "replicated", "volume_types": [ids["type"], "plain"], "name": " g "}
    reply = volume.post("/groups", {"group": asked}, version="3.13")
    assert reply.status == 202 and set(reply.body["group"]) == {"id", "name"} and reply.body["group"]["name"] == "g"
    method, sent = volume.bus.sent[-1]
    assert method == "create_group"
    assert sent["group_spec"]["group_type"]["group_specs"] == {"group_replication_enabled": "<is> True"}
    assert [one["volume_properties"]["volume_type_id"] for one in sent["request_spec_list"]] == [
        ids["type"],
        ids["plain"],
    ]
    assert sent["group"].volume_type_ids == [ids["type"], ids["plain"]] and sent["filter_properties_list"] == [{}, {}]
    assert volume.db.read(quotas.usages, PROJECT, ["groups"])["groups"].in_use == 6


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"group_type": "none"}, 404),
        ({"volume_types": ["none"]}, 404),
        ({"group_type": "default_cgsnapshot_type"}, 400),
        ({"availability_zone": "moon"}, 400),
    ],
)
def test_what_makes_no_group(everything, asked, status):
    volume, ids = everything
    body = {"group": {"group_type": "free", "volume_types": [ids["type"]], **asked}}
    assert volume.post("/groups", body, version=V).status == status


def test_other_words_make_a_group_available_and_other_members_updating(everything):
    volume, ids = everything
    volume.db.run(groups.change, ids["group"], {"status": "error"})
    path = f"/groups/{ids['group']}"
    assert volume.put(path, {"group": {"name": "new"}}, version=V).status == 202
    assert row(volume, ids["group"])["status"] == "available"
    assert volume.put(path, {"group": {"name": "new", "add_volumes": ""}}, version=V).status == 400
    change = {"add_volumes": ids["volume"], "remove_volumes": ids["group_member"]}
    assert volume.put(path, {"group": change}, version=V).status == 202
    method, sent = volume.bus.sent[-1]
    assert (method, sent["add_volumes"], sent["remove_volumes"]) == ("update_group", ids["volume"], ids["group_member"])
    assert row(volume, ids["group"])["status"] == "updating"
    assert volume.put(path, {"group": change}, version=V).status == 400


@pytest.mark.parametrize(
    "change",
    [
        {"add_volumes": "none"},
        {"add_volumes": "{old_member}"},
        {"add_volumes": "{attaching}"},
        {"remove_volumes": "{volume}"},
        {"add_volumes": "{volume}", "remove_volumes": "{volume}"},
    ],
)
def test_volumes_that_cannot_join_or_leave(everything, change):
    volume, ids = everything
    filled = {key: value.format(**ids) for key, value in change.items()}
    assert volume.put(f"/groups/{ids['group']}", {"group": filled}, version=V).status == 400
    assert volume.bus.sent == []


def test_a_group_goes_with_its_volumes_only_when_asked_and_without_snapshots(everything):
    volume, ids = everything
    assert act(volume, ids["group"], "delete").message == "Invalid Group: Group has existing snapshots."
    assert act(volume, ids["on"], "delete").status == 400
    assert act(volume, ids["on"], "delete", **{"delete-volumes": True}).status == 202
    assert row(volume, ids["on"])["status"] == member(volume, ids["on_member"])["status"] == "deleting"
    assert volume.bus.methods()[-1] == "delete_group"
    volume.db.run(groups.change, ids["empty"], {"host": None})
    assert volume.delete(f"/groups/{ids['empty']}", version=V).status == 400  # it wants a body
    assert act(volume, ids["empty"], "delete").status == 202
    assert row(volume, ids["empty"]) is None and volume.bus.methods()[-1] == "delete_group"


def test_a_group_snapshot_takes_one_of_each_volume(everything):
    volume, ids = everything
    reply = volume.post("/group_snapshots", {"group_snapshot": {"group_id": ids["on"], "name": "s"}}, version="3.14")
    assert reply.status == 202 and reply.body["group_snapshot"]["group_type_id"] == ids["group_type"]
    made = reply.body["group_snapshot"]["id"]
    (cut,) = volume.db.read(group_snapshots.snapshots, made)
    assert (cut["volume_id"], cut["status"], cut["display_name"]) == (ids["on_member"], "creating", "s")
    assert volume.bus.methods()[-1] == "create_group_snapshot"
    assert volume.delete(f"/group_snapshots/{made}", version=V).status == 400
    empty = {"group_snapshot": {"group_id": ids["empty"]}}
    assert volume.post("/group_snapshots", empty, version=V).status == 400


def test_a_copy_of_a_group_snapshot_has_a_volume_for_each_snapshot(everything):
    volume, ids = everything
    reply = volume.post("/groups/action", {"create-from-src": {"group_snapshot_id": ids["cut"]}}, version="3.14")
    assert reply.status == 202
    (copy,) = volume.db.read(groups.volumes, reply.body["group"]["id"])
    assert copy["snapshot_id"] is not None and copy["status"] == "creating" and copy["host"] == "node-1@csi#standard"
    assert volume.bus.methods()[-2:] == ["validate_host_capacity", "create_group_from_src"]
    assert volume.delete(f"/group_snapshots/{ids['cut']}", version=V).status == 400  # it is the source of a group
    volume.bus.answers["validate_host_capacity"] = False
    assert volume.post("/groups/action", {"create-from-src": {"source_group_id": ids["on"]}}, version=V).status == 400


def test_replication_needs_its_specs_and_states(everything):
    volume, ids = everything
    assert act(volume, ids["group"], "disable_replication").status == 400
    assert act(volume, ids["group"], "enable_replication").status == 202
    assert row(volume, ids["group"])["replication_status"] == "enabling"
    assert member(volume, ids["group_member"])["replication_status"] == "enabling"
    assert act(volume, ids["old"], "enable_replication").message.endswith("is not a replication group type.")
    volume.db.run(volumes.change, ids["on_member"], {"status": "in-use"})
    assert act(volume, ids["on"], "failover_replication").status == 400
    assert row(volume, ids["on"])["replication_status"] == "enabled"
    assert act(volume, ids["on"], "failover_replication", allow_attached_volume=True).status == 202
    assert volume.bus.sent[-1][1]["allow_attached_volume"] is True


def test_old_groups_belong_to_the_older_api(everything):
    volume, ids = everything
    assert "reserved for migrating CGs" in volume.get(f"/groups/{ids['old']}", version=V).message
    assert "reserved for migrating CGs" in volume.get(f"/group_snapshots/{ids['old_cut']}", version=V).message
    seen = {one["id"] for one in volume.get("/groups", version=V).body["groups"]}
    assert ids["old"] not in seen
    everyone = {one["id"] for one in volume.get("/consistencygroups").body["consistencygroups"]}
    assert everyone == seen | {ids["old"], ids["old_empty"]}
    shown = volume.get(f"/volumes/{ids['old_member']}", version="3.13").body["volume"]
    assert shown["consistencygroup_id"] == shown["group_id"] == ids["old"]
    (cut,) = volume.get("/cgsnapshots/detail").body["cgsnapshots"]
    assert cut["consistencygroup_id"] == ids["old"]
    blank = {"consistencygroup": {"name": "", "add_volumes": ""}}
    assert volume.put(f"/consistencygroups/{ids['old']}/update", blank).status == 400


def test_lists_show_volumes_when_asked(everything):
    volume, ids = everything
    path = f"/groups/{ids['group']}?list_volume=true"
    assert volume.get(path, version="3.25").body["group"]["volumes"] == [ids["group_member"]]
    assert "volumes" not in volume.get(path, version="3.24").body["group"]


def test_types_in_use_stay(everything):
    volume, ids = everything
    assert volume.delete(f"/group_types/{ids['group_type']}", who=ADMIN, version=V).status == 400
    assert volume.get("/group_types/default", version=V).status == 404
    assert "group_specs" not in volume.get(f"/group_types/{ids['group_type']}", version=V).body["group_type"]
