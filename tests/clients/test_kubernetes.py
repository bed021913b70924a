"""cloud-provider-openstack (nodes, Cinder CSI) and cluster-api-provider-openstack, in gophercloud's HTTP."""

import pytest

from clients.deployment import IMAGE, NETWORK, TINY, until
from clients.gophercloud import Answer, Gophercloud


@pytest.fixture
def compute(cloud):
    return Gophercloud(cloud, "compute")


@pytest.fixture
def storage(cloud):
    return Gophercloud(cloud, "block-storage")


@pytest.fixture
def node(cloud):
    return cloud.server(name="node-1")


@pytest.fixture
def volume(cloud):
    return cloud.volume_of(name="pvc-1", metadata={"cinder.csi.openstack.org/cluster": "kubernetes"})


def test_a_node_is_found_by_its_name_and_by_its_id(cloud, compute, node):
    (found,) = compute("GET", "servers/detail?name=%5Enode-1%24")["servers"]
    assert found["id"] == node.id and found["addresses"]
    assert compute("GET", f"servers/{node.id}")["server"]["OS-EXT-AZ:availability_zone"] == "nova"
    assert compute("GET", f"servers/{node.id}/os-interface")["interfaceAttachments"]
    assert compute.gone("servers/11111111-1111-4111-8111-111111111111")


def test_the_csi_driver_makes_a_volume_once(storage, volume):
    (found,) = storage("GET", "volumes/detail?name=pvc-1")["volumes"]
    assert found["id"] == volume.id and found["metadata"]["cinder.csi.openstack.org/cluster"] == "kubernetes"
    assert storage("GET", "volumes/detail?name=pvc-2")["volumes"] == []


def test_the_csi_driver_pages_through_volumes(cloud, storage, volume):
    cloud.volume_of(name="pvc-2")
    first = storage("GET", "volumes/detail?limit=1")
    assert len(first["volumes"]) == 1 and first["volumes_links"][0]["rel"] == "next"
    rest = storage("GET", f"volumes/detail?limit=1&marker={first['volumes'][0]['id']}")
    assert {first["volumes"][0]["name"], rest["volumes"][0]["name"]} == {"pvc-1", "pvc-2"}


def test_attach_detach_and_what_the_volume_says_meanwhile(cloud, compute, storage, node, volume):
    path = f"servers/{node.id}/os-volume_attachments"
    compute("POST", path, {"volumeAttachment": {"volumeId": volume.id}}, {200})
    cloud.settled(volume, "in-use")
    (attachment,) = storage("GET", f"volumes/{volume.id}")["volume"]["attachments"]
    assert (attachment["server_id"], attachment["volume_id"]) == (node.id, volume.id) and attachment["device"]
    compute("DELETE", f"{path}/{volume.id}", expect={202})
    cloud.settled(volume)
    assert storage("GET", f"volumes/{volume.id}")["volume"]["attachments"] == []


def test_a_second_attachment_to_the_node_is_refused(cloud, compute, node, volume):
    path, body = f"servers/{node.id}/os-volume_attachments", {"volumeAttachment": {"volumeId": volume.id}}
    compute("POST", path, body, {200})
    cloud.settled(volume, "in-use")
    with pytest.raises(Answer) as refused:
        compute("POST", path, body, {200})
    assert refused.value.status in (400, 409)


def test_a_stopped_node_lets_its_volume_go(cloud, compute, node, volume):
    compute("POST", f"servers/{node.id}/os-volume_attachments", {"volumeAttachment": {"volumeId": volume.id}}, {200})
    cloud.settled(volume, "in-use")
    compute.action(f"servers/{node.id}", {"os-stop": None})
    compute("DELETE", f"servers/{node.id}/os-volume_attachments/{volume.id}", expect={202})
    cloud.settled(volume)


def test_an_attached_volume_grows_from_3_42(cloud, compute, storage, node, volume):
    compute("POST", f"servers/{node.id}/os-volume_attachments", {"volumeAttachment": {"volumeId": volume.id}}, {200})
    cloud.settled(volume, "in-use")
    with pytest.raises(Answer) as refused:
        storage.action(f"volumes/{volume.id}", {"os-extend": {"new_size": 2}}, {202})
    assert refused.value.status == 400
    storage.at("3.42").action(f"volumes/{volume.id}", {"os-extend": {"new_size": 2}}, {202})
    cloud.settled(volume, "in-use")
    assert volume.size == 2


def test_snapshots_of_the_csi_driver(cloud, storage, volume):
    wanted = {"name": "snap-1", "volume_id": volume.id, "metadata": {"k": "v"}, "force": True, "description": "csi"}
    made = storage("POST", "snapshots", {"snapshot": wanted}, {202})["snapshot"]["id"]
    until(
        lambda: None, lambda: storage("GET", f"snapshots/{made}")["snapshot"]["status"] in ("available", "backing-up")
    )
    (found,) = storage("GET", f"snapshots?name=snap-1&volume_id={volume.id}")["snapshots"]
    assert found["size"] == 1 and found["created_at"]
    with pytest.raises(Answer) as refused:
        storage("DELETE", f"volumes/{volume.id}")
    assert refused.value.status == 400
    storage("DELETE", f"snapshots/{made}", expect={202})


def test_quotas_of_the_project_and_zones(cloud, compute, storage):
    project = cloud.session().get_project_id()
    assert compute("GET", "limits")["limits"]["absolute"]["maxTotalInstances"] == 10
    assert storage("GET", "limits")["limits"]["absolute"]["maxTotalVolumes"] == 10
    assert compute("GET", f"os-quota-sets/{project}")["quota_set"]["id"] == project
    assert compute("GET", "os-availability-zone")["availabilityZoneInfo"][0]["zoneState"] == {"available": True}
    assert storage("GET", "os-availability-zone")["availabilityZoneInfo"]


def test_a_machine_of_cluster_api(cloud, compute, storage):
    """Tagged, in a server group, on its own root volume, found again by name and tags, gone with its volume."""
    group = compute.at("2.64")(
        "POST", "os-server-groups", {"server_group": {"name": "cp", "policy": "soft-anti-affinity"}}, {200}
    )["server_group"]["id"]
    root = cloud.volume_of(name="root", imageRef=IMAGE)
    cloud.cinder("3.71").volumes.set_bootable(root, True)
    device = {"source_type": "volume", "uuid": root.id, "destination_type": "volume", "boot_index": 0}
    body = {
        "name": "cp-1",
        "imageRef": "",
        "flavorRef": TINY,
        "networks": [{"uuid": NETWORK}],
        "tags": ["cluster"],
        "metadata": {"cluster": "c"},
        "block_device_mapping_v2": [device | {"delete_on_termination": True}],
    }
    newer = compute.at("2.60")
    made = newer("POST", "servers", {"server": body, "os:scheduler_hints": {"group": group}}, {202})["server"]["id"]
    (found,) = newer("GET", "servers/detail?name=%5Ecp-1%24&tags=cluster")["servers"]
    assert (found["id"], found["status"]) == (made, "ACTIVE")
    assert found["flavor"]["original_name"] == "m1.tiny" and "id" not in found["flavor"]
    assert newer("GET", f"servers/{made}/os-volume_attachments")["volumeAttachments"][0]["volumeId"] == root.id
    newer("DELETE", f"servers/{made}")
    until(lambda: None, lambda: storage.gone(f"volumes/{root.id}"))


def test_a_machine_that_cannot_be_built_says_why_and_leaves_nothing(cloud, compute, storage):
    body = {"name": "big", "imageRef": IMAGE, "flavorRef": "5", "networks": [{"uuid": NETWORK}]}
    made = compute("POST", "servers", {"server": body}, {202})["server"]["id"]
    found = compute("GET", f"servers/{made}")["server"]
    assert found["status"] == "ERROR" and found["fault"]["code"] == 500 and "No valid host" in found["fault"]["message"]
    compute("DELETE", f"servers/{made}")
    assert compute.gone(f"servers/{made}")
    assert cloud.compute.clients.neutron.list_ports(device_id=made) == []
