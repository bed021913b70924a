"""Retype, migration, upload, reimage, revert, taking over (states, codes, messages: cinder 29.0.0, measured)."""

import pytest
from fakes.api import PROJECT, Identity

from keel_common.clients import errors
from keel_common.db.stores.cinder import quotas, snapshots, volumes

ADMIN = Identity.ADMIN
V = "3.71"


def act(volume, volume_id, action, args=None, who=ADMIN, version=V):
    return volume.post(
        f"/volumes/{volume_id}/action", {action: args if args is not None else {}}, who=who, version=version
    )


def row(volume, volume_id):
    return volume.db.read(volumes.show, volume_id)


def set_row(volume, volume_id, **values):
    volume.db.run(volumes.change, volume_id, values)


def reserved(volume, resource):
    found = volume.db.read(quotas.usages, PROJECT, [resource])[resource]
    return found.in_use, found.reserved


def test_a_retype_promises_the_quota_of_both_types(everything):
    volume, ids = everything
    assert act(volume, ids["cut_volume"], "os-retype", {"new_type": "plain"}, Identity.MEMBER).status == 202
    kept = row(volume, ids["cut_volume"])
    assert (kept["status"], kept["previous_status"]) == ("retyping", "available")
    method, sent = volume.bus.sent[-1]
    spec = sent["request_spec"]
    assert method == "retype" and spec["migration_policy"] == "never" and spec["volume_type"]["name"] == "plain"
    # One volume, one snapshot, their sizes: for the new type, and back from the old one.
    assert len(spec["quota_reservations"]) == len(spec["old_reservations"]) == 3
    assert reserved(volume, "gigabytes_plain") == (0, 2) and reserved(volume, "gigabytes_gold")[1] == 0
    assert act(volume, ids["cut_volume"], "os-retype", {"new_type": "plain"}).status == 400


@pytest.mark.parametrize(
    ("values", "new_type", "status"),
    [
        ({}, "none", 404),
        ({}, "gold", 400),
        ({"status": "error"}, "plain", 400),
        ({"migration_status": "migrating"}, "plain", 400),
    ],
)
def test_volumes_that_keep_their_type(everything, values, new_type, status):
    volume, ids = everything
    set_row(volume, ids["volume"], **values)
    assert act(volume, ids["volume"], "os-retype", {"new_type": new_type}).status == status
    assert act(volume, ids["group_member"], "os-retype", {"new_type": "plain"}).status == 400
    assert volume.bus.sent == []


def test_a_retype_that_cannot_be_sent_leaves_all_as_it_was(everything):
    volume, ids = everything
    volume.bus.answers["retype"] = RuntimeError("no broker")
    assert act(volume, ids["volume"], "os-retype", {"new_type": "plain"}).status == 500
    assert row(volume, ids["volume"])["status"] == "available" and reserved(volume, "volumes_plain") == (0, 0)


def test_specs_of_the_hypervisor_do_not_change_under_a_server(everything):
    volume, ids = everything
    volume.put(f"/qos-specs/{ids['used_qos']}", {"qos_specs": {"consumer": "both"}}, who=ADMIN)
    set_row(volume, ids["volume"], status="in-use")
    assert act(volume, ids["volume"], "os-retype", {"new_type": "plain"}).status == 400
    set_row(volume, ids["volume"], status="available")
    assert act(volume, ids["volume"], "os-retype", {"new_type": "plain"}).status == 202


def test_a_migration_may_lock_its_volume(everything):
    volume, ids = everything
    target = {"host": "node-2@csi#standard", "lock_volume": True, "force_host_copy": True}
    assert act(volume, ids["volume"], "os-migrate_volume", target).status == 202
    kept = row(volume, ids["volume"])
    assert (kept["status"], kept["previous_status"], kept["migration_status"]) == (
        "maintenance",
        "available",
        "starting",
    )
    _, sent = volume.bus.sent[-1]
    assert (sent["backend"], sent["force_copy"]) == ("node-2@csi#standard", True)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("volume", {}),
        ("volume", {"host": "none"}),
        ("volume", {"cluster": "pool"}),
        ("volume", {"host": "node-2@csi", "cluster": "pool"}),
        ("volume", {"host": "node-1@csi#standard"}),
        ("cut_volume", {"host": "node-2@csi"}),
        ("group_member", {"host": "node-2@csi"}),
        ("detaching", {"host": "node-2@csi"}),
    ],
)
def test_volumes_that_stay_where_they_are(everything, name, target):
    volume, ids = everything
    assert act(volume, ids[name], "os-migrate_volume", target).status == 400
    assert volume.bus.sent == []


def test_a_completion_belongs_to_its_migration(everything):
    volume, ids = everything
    complete = "os-migrate_volume_completion"
    assert act(volume, ids["moving"], complete, {"new_volume": ids["volume"]}).status == 400
    assert act(volume, ids["volume"], complete, {"new_volume": ids["target"]}).status == 400
    both_still = act(volume, ids["volume"], complete, {"new_volume": ids["cut_volume"]})
    assert both_still.body == {"save_volume_id": ids["cut_volume"]} and volume.bus.sent == []
    assert act(volume, ids["moving"], complete, {"new_volume": ids["target"]}).status == 200
    assert volume.bus.methods() == ["migrate_volume_completion"]


def test_the_end_of_an_extension_takes_what_the_backend_left(everything):
    volume, ids = everything
    assert act(volume, ids["volume"], "os-extend_volume_completion").status == 400
    assert act(volume, ids["extending"], "os-extend_volume_completion", {"error": True}).status == 202
    _, sent = volume.bus.sent[-1]
    assert (sent["new_size"], sent["reservations"], sent["error"]) == (2, [], True)
    assert row(volume, ids["extending"])["admin_metadata"] == {"readonly": "False"}
    assert act(volume, ids["extending"], "os-extend_volume_completion").status == 400


def test_an_upload_makes_an_image_and_holds_the_volume(everything):
    volume, ids = everything
    reply = act(volume, ids["volume"], "os-volume_upload_image", {"image_name": "i"}, Identity.MEMBER, "3.0")
    shown = reply.body["os-volume_upload_image"]
    assert reply.status == 202 and shown["status"] == "uploading" and shown["volume_type"]["name"] == "gold"
    assert (shown["container_format"], shown["disk_format"], shown["image_name"]) == ("bare", "raw", "i")
    assert row(volume, ids["volume"])["previous_status"] == "available"
    assert volume.bus.sent[-1][1]["image_meta"]["id"] == shown["image_id"]


@pytest.mark.parametrize(
    ("asked", "options", "status"),
    [
        ({"container_format": "compressed"}, {}, 400),
        ({"container_format": "compressed"}, {"allow_compression_on_image_upload": True}, 202),
        ({"disk_format": "qcow2"}, {}, 202),
        ({"disk_format": "qcow2"}, {"image_conversion_disable": True}, 400),
        ({"disk_format": "raw"}, {"image_conversion_disable": True}, 202),
    ],
)
def test_an_upload_keeps_to_what_the_operator_allows(everything, asked, options, status):
    """Cinder 29.0.0 answers 500."""
    volume, ids = everything
    for name, value in options.items():
        volume.services.conf.set_override(name, value)
    try:
        asked = {"image_name": "i", **asked}
        assert act(volume, ids["volume"], "os-volume_upload_image", asked).status == status
        wanted = "uploading" if status == 202 else "available"
        assert volume.get(f"/volumes/{ids['volume']}").body["volume"]["status"] == wanted
    finally:
        for name in options:
            volume.services.conf.clear_override(name)


def test_an_upload_glance_refuses_leaves_the_volume(everything):
    volume, ids = everything

    def refuse(context, image):
        raise errors.Forbidden(403, "no", "glance")

    volume.services.clients.glance.create = refuse
    assert act(volume, ids["volume"], "os-volume_upload_image", {"image_name": "i"}).status == 403
    assert row(volume, ids["volume"])["status"] == "available" and volume.bus.sent == []


def test_force_and_public_are_not_for_everybody(everything):
    volume, ids = everything
    set_row(volume, ids["volume"], status="in-use")
    asked = {"image_name": "i", "force": True}
    assert act(volume, ids["volume"], "os-volume_upload_image", asked, version="3.1").status == 400
    volume.set("enable_force_upload", True)
    public = {**asked, "visibility": "public"}
    assert act(volume, ids["volume"], "os-volume_upload_image", public, Identity.MEMBER, "3.1").status == 403
    assert act(volume, ids["volume"], "os-volume_upload_image", asked, Identity.MEMBER, "3.1").status == 202


def test_a_reimage_needs_a_free_volume_or_a_reserved_one(everything):
    volume, ids = everything
    asked = {"image_id": "00000000-0000-4000-8000-000000000000"}
    assert act(volume, ids["attached"], "os-reimage", asked).status == 400
    set_row(volume, ids["volume"], status="reserved")
    assert act(volume, ids["volume"], "os-reimage", asked).status == 400
    assert act(volume, ids["volume"], "os-reimage", {**asked, "reimage_reserved": True}, Identity.MEMBER).status == 202
    kept = row(volume, ids["volume"])
    assert (kept["status"], kept["previous_status"]) == ("downloading", "reserved")
    assert volume.bus.sent[-1][1]["image_snap"] is None


def test_a_revert_takes_the_latest_snapshot_and_both_or_none(everything):
    volume, ids = everything
    asked, mine = {"snapshot_id": ids["snapshot"]}, ids["cut_volume"]
    assert act(volume, ids["volume"], "revert", asked).message.endswith("doesn't have any snapshots.")
    volume.db.run(snapshots.change, ids["snapshot"], {"status": "error"})
    assert act(volume, mine, "revert", asked).status == 409
    assert row(volume, mine)["status"] == "available"
    volume.db.run(snapshots.change, ids["snapshot"], {"status": "available"})
    assert act(volume, mine, "revert", asked, Identity.MEMBER).status == 202
    assert row(volume, mine)["status"] == "reverting"
    assert act(volume, mine, "revert", asked).status == 409


def test_what_is_taken_over_is_managing_and_looks_like_creating(everything):
    volume, ids = everything
    asked = {"host": "node-1@csi#standard", "ref": {"source-name": "x"}, "name": "m", "volume_type": "plain"}
    shown = volume.post("/manageable_volumes", {"volume": asked}, who=ADMIN, version=V).ok.body["volume"]
    assert (shown["status"], shown["size"]) == ("creating", 0) and "group_id" not in shown  # the fields of 3.0
    assert row(volume, shown["id"])["status"] == "managing"
    _, sent = volume.bus.sent[-1]
    assert sent["request_spec"]["ref"] == {"source-name": "x"} and sent["volume"].host == "node-1@csi#standard"
    mine = {**asked, "ref": {"source-name": f"volume-{ids['volume']}"}}
    assert volume.post("/manageable_volumes", {"volume": mine}, who=ADMIN, version=V).status == 400
    for wrong in ({"host": "none"}, {"host": None}, {"volume_type": "none"}, {"cluster": "pool"}):
        assert volume.post("/manageable_volumes", {"volume": {**asked, **wrong}}, who=ADMIN, version=V).status == 400


def test_unmanaging_is_a_deletion_that_leaves_the_content(everything):
    volume, ids = everything
    assert act(volume, ids["cut_volume"], "os-unmanage").status == 400  # it has a snapshot
    assert volume.post(f"/snapshots/{ids['snapshot']}/action", {"os-unmanage": {}}, who=ADMIN).status == 202
    assert volume.bus.sent[-1][1]["unmanage_only"] is True
    assert act(volume, ids["volume"], "os-unmanage").status == 202
    assert row(volume, ids["volume"])["status"] == "unmanaging" and volume.bus.sent[-1][1]["unmanage_only"] is True


def test_freezing_thawing_and_failing_over_are_guarded(everything):
    volume, _ = everything

    def put(verb, version=V, **body):
        return volume.put(f"/os-services/{verb}", body, who=ADMIN, version=version)

    assert put("freeze", host="node-1@csi").status == 200
    assert volume.bus.sent[-1] == ("freeze_host", {"server": "node-1@csi"})
    for again in ({"host": "node-1@csi"}, {"host": "none"}, {}, {"host": "node-1@csi", "cluster": "pool"}):
        assert put("freeze", **again).status == 400
    assert put("thaw", host="node-1@csi").status == 200 and put("thaw", host="node-1@csi").status == 400
    assert put("failover_host", host="node-1@csi", backend_id="b").status == 202
    assert volume.bus.sent[-1] == ("failover", {"server": "node-1@csi", "secondary_backend_id": "b"})
    assert put("failover_host", host="node-1@csi").status == 400
    assert put("freeze", version="3.25", cluster="pool").status == 400


def test_clusters_are_counted_from_their_services(everything):
    volume, _ = everything
    volume.db.run(join)
    (shown,) = volume.get("/clusters/detail", who=ADMIN, version="3.26").body["clusters"]
    assert (shown["num_hosts"], shown["num_down_hosts"], shown["state"], shown["frozen"]) == (1, 0, "up", False)
    (plain,) = volume.get("/clusters", who=ADMIN, version="3.7").body["clusters"]
    assert set(plain) == {"name", "binary", "state", "status"}
    for query, number in (
        ("is_up=true", 1),
        ("num_hosts=1", 1),
        ("num_hosts=0", 0),
        ("disabled=true", 0),
        ("name=x", 0),
    ):
        assert len(volume.get(f"/clusters?{query}", who=ADMIN, version=V).body["clusters"]) == number
    for wrong in ("is_up=perhaps", "color=red"):
        assert volume.get(f"/clusters?{wrong}", who=ADMIN, version=V).status == 400
    assert volume.get("/clusters?frozen=0", who=ADMIN, version="3.25").status == 400


def join(conn):
    conn.exec_driver_sql("UPDATE services SET cluster_name = 'pool' WHERE host = 'node-1@csi'")


def test_a_cleanup_names_who_works_on_a_resource(everything):
    volume, ids = everything
    body = {"resource_id": ids["volume"]}
    assert volume.post("/workers/cleanup", body, who=ADMIN, version="3.24").status == 202
    request = volume.bus.sent[-1][1]["cleanup_request"]
    assert (request.resource_type, request.resource_id) == ("Volume", ids["volume"])
    for wrong in ({"resource_id": ids["backup"]}, {"resource_type": "server"}):
        assert volume.post("/workers/cleanup", wrong, who=ADMIN, version="3.24").status == 400
