"""terraform-provider-openstack: what `apply`, `plan` and `destroy` of its compute and block storage resources send."""

import base64

import pytest

from clients.deployment import IMAGE, NETWORK, TINY, until
from clients.gophercloud import Answer, Gophercloud

FIELDS = set(
    "accessIPv4 accessIPv6 addresses config_drive created flavor hostId id image key_name links metadata name status"
    " tenant_id updated user_id progress security_groups OS-DCF:diskConfig OS-EXT-AZ:availability_zone"
    " OS-EXT-STS:power_state OS-EXT-STS:task_state OS-EXT-STS:vm_state OS-SRV-USG:launched_at"
    " OS-SRV-USG:terminated_at os-extended-volumes:volumes_attached".split()
)


@pytest.fixture
def compute(cloud):
    return Gophercloud(cloud, "compute")


@pytest.fixture
def storage(cloud):
    return Gophercloud(cloud, "block-storage")


def _boot(compute, **more):
    body = {
        "name": "tf",
        "flavorRef": TINY,
        "imageRef": IMAGE,
        "networks": [{"uuid": NETWORK}],
        "security_groups": [{"name": "default"}],
        "config_drive": True,
        "metadata": {"managed": "terraform"},
        "user_data": base64.b64encode(b"#cloud-config\n").decode(),
        **more,
    }
    made = compute("POST", "servers", {"server": body}, {200, 201, 202})["server"]
    assert set(made) >= {"id", "links", "adminPass", "security_groups", "OS-DCF:diskConfig"}
    return made["id"]


def _volume(cloud, storage, **more):
    made = storage("POST", "volumes", {"volume": {"size": 1, "name": "tf", **more}}, {202})["volume"]["id"]
    _reach(storage, f"volumes/{made}", "volume", "available")
    return made


def _reach(client, path, key, status):
    until(lambda: None, lambda: client("GET", path)[key]["status"] == status, lambda: client("GET", path))


def test_instance_resource(compute):
    server = _boot(compute)
    shown = compute("GET", f"servers/{server}")["server"]
    assert set(shown) >= FIELDS and shown["status"] == "ACTIVE"
    assert shown["flavor"]["id"] == TINY and shown["image"]["id"] == IMAGE
    (network,) = shown["addresses"].values()
    assert {"addr", "version", "OS-EXT-IPS-MAC:mac_addr", "OS-EXT-IPS:type"} <= set(network[0])
    ports = compute("GET", f"servers/{server}/os-interface")["interfaceAttachments"]
    assert {"fixed_ips", "mac_addr", "net_id", "port_id", "port_state"} <= set(ports[0])
    assert compute("GET", f"flavors/{TINY}")["flavor"]["vcpus"] == 1
    compute("PUT", f"servers/{server}", {"server": {"name": "renamed"}}, {200})
    compute("POST", f"servers/{server}/metadata", {"metadata": {"a": "b"}}, {200})
    compute("DELETE", f"servers/{server}/metadata/managed")
    assert compute("GET", f"servers/{server}/metadata")["metadata"] == {"a": "b"}
    compute("DELETE", f"servers/{server}")
    assert compute.gone(f"servers/{server}")


def test_a_deletion_of_what_is_gone_is_not_found(compute):
    server = _boot(compute)
    compute("DELETE", f"servers/{server}")
    with pytest.raises(Answer) as missing:
        compute("DELETE", f"servers/{server}")
    assert missing.value.status == 404


@pytest.mark.parametrize(("power", "status"), [("shutoff", "SHUTOFF"), ("paused", "PAUSED"), ("shelved", "SHELVED")])
def test_power_state(compute, power, status):
    to, back = {
        "shutoff": ({"os-stop": None}, {"os-start": None}),
        "paused": ({"pause": None}, {"unpause": None}),
        "shelved": ({"shelve": None}, {"unshelve": None}),
    }[power]
    server = f"servers/{_boot(compute)}"
    compute.action(server, to)
    found = compute("GET", server)["server"]["status"]
    assert found in (status, "SHELVED_OFFLOADED") if power == "shelved" else found == status
    compute.action(server, back)
    assert compute("GET", server)["server"]["status"] == "ACTIVE"


def test_a_flavor_is_changed_by_resize_and_confirm(cloud, compute):
    server = f"servers/{_boot(compute)}"
    compute.action(server, {"resize": {"flavorRef": "2"}})
    assert compute("GET", server)["server"]["status"] == "VERIFY_RESIZE"
    compute.action(server, {"confirmResize": None}, {201, 202, 204})
    found = compute("GET", server)["server"]
    assert (found["status"], found["flavor"]["id"]) == ("ACTIVE", "2")


@pytest.mark.parametrize(
    "body",
    [
        {"reboot": {"type": "SOFT"}},
        {"reboot": {"type": "HARD"}},
        {"rebuild": {"imageRef": IMAGE}},
        {"changePassword": {"adminPass": "new"}},
        {"createImage": {"name": "cut", "metadata": {}}},
        {"lock": None},
        {"suspend": None},
        {"rescue": {}},
        {"os-getConsoleOutput": {}},
        {"forceDelete": ""},
    ],
    ids=lambda body: next(iter(body)),
)
def test_an_action_as_gophercloud_words_it(compute, body):
    compute.action(f"servers/{_boot(compute)}", body)


def test_tags_of_an_instance(compute):
    new = compute.at("2.52")
    server = _boot(new, tags=["a", "b"])
    assert sorted(new("GET", f"servers/{server}")["server"]["tags"]) == ["a", "b"]
    new("PUT", f"servers/{server}/tags", {"tags": ["c"]}, {200})
    assert new("GET", f"servers/{server}/tags")["tags"] == ["c"]
    assert [each["id"] for each in new("GET", "servers/detail?tags=c")["servers"]] == [server]
    assert new("GET", "servers/detail?tags=a")["servers"] == []


def test_an_instance_that_boots_from_a_volume_it_makes(cloud, compute, storage):
    device = {"source_type": "image", "uuid": IMAGE, "destination_type": "volume", "volume_size": 2, "boot_index": 0}
    server = _boot(compute, imageRef="", block_device_mapping_v2=[device | {"delete_on_termination": True}])
    shown = compute("GET", f"servers/{server}")["server"]
    assert shown["image"] == "" and shown["status"] == "ACTIVE"
    (volume,) = shown["os-extended-volumes:volumes_attached"]
    assert storage("GET", f"volumes/{volume['id']}")["volume"]["size"] == 2
    compute("DELETE", f"servers/{server}")
    until(lambda: None, lambda: storage.gone(f"volumes/{volume['id']}"))


def test_volume_attach_resource(cloud, compute, storage):
    server, volume = _boot(compute), _volume(cloud, storage)
    path = f"servers/{server}/os-volume_attachments"
    made = compute("POST", path, {"volumeAttachment": {"volumeId": volume}}, {200})["volumeAttachment"]
    assert set(made) == {"id", "volumeId", "serverId", "device"}
    assert compute("GET", f"{path}/{made['id']}")["volumeAttachment"]["volumeId"] == volume
    _reach(storage, f"volumes/{volume}", "volume", "in-use")
    tagged = compute.at("2.79")("GET", path)["volumeAttachments"][0]
    assert set(tagged) == {"id", "volumeId", "serverId", "device", "tag", "delete_on_termination"}
    compute("DELETE", f"{path}/{made['id']}", expect={202})
    until(lambda: None, lambda: compute.gone(f"{path}/{made['id']}"))
    _reach(storage, f"volumes/{volume}", "volume", "available")


def test_a_volume_in_use_is_no_deletion(cloud, compute, storage):
    server, volume = _boot(compute), _volume(cloud, storage)
    compute("POST", f"servers/{server}/os-volume_attachments", {"volumeAttachment": {"volumeId": volume}}, {200})
    with pytest.raises(Answer) as refused:
        storage("DELETE", f"volumes/{volume}")
    assert refused.value.status == 400


def test_interface_attach_resource(compute):
    server = _boot(compute)
    path = f"servers/{server}/os-interface"
    made = compute("POST", path, {"interfaceAttachment": {"net_id": NETWORK}}, {200})["interfaceAttachment"]
    assert compute("GET", f"{path}/{made['port_id']}")["interfaceAttachment"]["net_id"] == NETWORK
    compute("DELETE", f"{path}/{made['port_id']}", expect={202})
    until(lambda: None, lambda: compute.gone(f"{path}/{made['port_id']}"))


def test_keypair_resource(cloud, compute):
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGWsOqz5TqLQkWqbF4z2kLwVLJRYrk0YwK0r0cC3Cq2 me"
    made = compute("POST", "os-keypairs", {"keypair": {"name": "tf", "public_key": key}}, {200, 201})["keypair"]
    assert set(made) >= {"name", "public_key", "fingerprint", "user_id"}
    assert compute("GET", "os-keypairs/tf")["keypair"]["fingerprint"] == made["fingerprint"]
    compute("DELETE", "os-keypairs/tf")
    assert compute.gone("os-keypairs/tf")


def test_server_group_resource(compute):
    made = compute("POST", "os-server-groups", {"server_group": {"name": "g", "policies": ["anti-affinity"]}}, {200})
    group = made["server_group"]["id"]
    server = _boot(compute)
    newer = compute.at("2.64")
    wanted = {"name": "n", "policy": "anti-affinity", "rules": {"max_server_per_host": 2}}
    ruled = newer("POST", "os-server-groups", {"server_group": wanted}, {200})["server_group"]
    assert ruled["policy"] == "anti-affinity" and ruled["rules"] == {"max_server_per_host": 2}
    soft = {"server_group": {"name": "s", "policies": ["soft-affinity"]}}
    assert compute.at("2.15")("POST", "os-server-groups", soft, {200})["server_group"]["policies"] == ["soft-affinity"]
    body = {"name": "tf", "flavorRef": TINY, "imageRef": IMAGE, "networks": [{"uuid": NETWORK}]}
    body = {"server": body, "os:scheduler_hints": {"group": group}}
    inside = compute("POST", "servers", body, {202})["server"]["id"]
    assert compute("GET", f"os-server-groups/{group}")["server_group"]["members"] == [inside] and server != inside
    compute("DELETE", f"os-server-groups/{group}")
    assert compute.gone(f"os-server-groups/{group}")


def test_flavor_resource(cloud):
    admin = Gophercloud(cloud, "compute", who="admin")
    wanted = {"name": "tf", "ram": 512, "vcpus": 1, "disk": 1, "swap": 0, "rxtx_factor": 1, "id": None}
    wanted |= {"os-flavor-access:is_public": False, "OS-FLV-EXT-DATA:ephemeral": 0}
    made = admin("POST", "flavors", {"flavor": wanted}, {200, 201})["flavor"]["id"]
    admin("POST", f"flavors/{made}/os-extra_specs", {"extra_specs": {"hw:cpu_policy": "shared"}}, {200})
    admin("PUT", f"flavors/{made}/os-extra_specs/hw:cpu_policy", {"hw:cpu_policy": "dedicated"}, {200})
    assert admin("GET", f"flavors/{made}/os-extra_specs")["extra_specs"] == {"hw:cpu_policy": "dedicated"}
    admin("DELETE", f"flavors/{made}/os-extra_specs/hw:cpu_policy", expect={200})
    access = {"addTenantAccess": {"tenant": cloud.session().get_project_id()}}
    assert admin.action(f"flavors/{made}", access, {200})["flavor_access"]
    described = {"flavor": {"description": "by terraform"}}
    assert admin.at("2.55")("PUT", f"flavors/{made}", described, {200})["flavor"]["description"] == "by terraform"
    assert made in [each["id"] for each in admin("GET", "flavors/detail?is_public=none")["flavors"]]
    admin("DELETE", f"flavors/{made}", expect={202})
    assert admin.gone(f"flavors/{made}")


def test_quota_resource(cloud):
    admin = Gophercloud(cloud, "compute", who="admin")
    project = cloud.session().get_project_id()
    assert admin("PUT", f"os-quota-sets/{project}", {"quota_set": {"cores": 40}}, {200})["quota_set"]["cores"] == 40
    assert admin("GET", f"os-quota-sets/{project}/detail")["quota_set"]["cores"]["limit"] == 40
    admin("DELETE", f"os-quota-sets/{project}", expect={202})
    storage = Gophercloud(cloud, "block-storage", who="admin")
    assert storage("PUT", f"os-quota-sets/{project}", {"quota_set": {"volumes": 5}}, {200})["quota_set"]["volumes"] == 5
    assert storage("GET", f"os-quota-sets/{project}?usage=true")["quota_set"]["volumes"]["limit"] == 5


def test_aggregate_resource(cloud):
    admin = Gophercloud(cloud, "compute", who="admin")
    made = admin("POST", "os-aggregates", {"aggregate": {"name": "tf", "availability_zone": "z1"}}, {200})["aggregate"]
    path = f"os-aggregates/{made['id']}"
    admin.action(path, {"set_metadata": {"metadata": {"ssd": "true"}}}, {200})
    admin.action(path, {"add_host": {"host": "host2"}}, {200})
    assert admin("GET", path)["aggregate"]["hosts"] == ["host2"]
    zones = admin("GET", "os-availability-zone")["availabilityZoneInfo"]
    assert {"z1", "nova"} <= {each["zoneName"] for each in zones}
    admin.action(path, {"remove_host": {"host": "host2"}}, {200})
    admin("DELETE", path, expect={200})
    assert admin.gone(path)


def test_hypervisor_data_source(cloud):
    admin = Gophercloud(cloud, "compute", who="admin")
    found = admin("GET", "os-hypervisors/detail")["hypervisors"]
    assert isinstance(found[0]["id"], int) and isinstance(found[0]["cpu_info"], str | dict)
    assert {"hypervisor_hostname", "vcpus", "memory_mb", "local_gb", "host_ip"} <= set(found[0])
    late = admin.at("2.88")("GET", "os-hypervisors/detail")["hypervisors"][0]
    assert "cpu_info" not in late and "uptime" in late


def test_volume_resource(cloud, storage):
    volume = _volume(cloud, storage, description="by terraform", metadata={"a": "b"})
    storage("PUT", f"volumes/{volume}", {"volume": {"name": "renamed", "metadata": {"c": "d"}}}, {200})
    storage.action(f"volumes/{volume}", {"os-extend": {"new_size": 2}}, {202})
    _reach(storage, f"volumes/{volume}", "volume", "available")
    shown = storage("GET", f"volumes/{volume}")["volume"]
    assert (shown["name"], shown["size"], shown["metadata"]) == ("renamed", 2, {"c": "d"})
    storage.action(f"volumes/{volume}", {"os-set_bootable": {"bootable": True}}, {200})
    storage("DELETE", f"volumes/{volume}?cascade=true", expect={202})
    until(lambda: None, lambda: storage.gone(f"volumes/{volume}"))


def test_snapshot_data_source_and_volume_of_a_snapshot(cloud, storage):
    volume = _volume(cloud, storage)
    wanted = {"volume_id": volume, "name": "cut", "force": False, "metadata": {}}
    snapshot = storage("POST", "snapshots", {"snapshot": wanted}, {202})["snapshot"]["id"]
    _reach(storage, f"snapshots/{snapshot}", "snapshot", "available")
    (found,) = storage("GET", f"snapshots?name=cut&status=available&volume_id={volume}")["snapshots"]
    assert found["id"] == snapshot
    copy = _volume(cloud, storage, snapshot_id=snapshot)
    assert storage("GET", f"volumes/{copy}")["volume"]["snapshot_id"] == snapshot
    storage("DELETE", f"snapshots/{snapshot}", expect={202})
    until(lambda: None, lambda: storage.gone(f"snapshots/{snapshot}"))


def test_volume_type_and_qos_resources(cloud):
    admin = Gophercloud(cloud, "block-storage", who="admin")
    wanted = {"name": "tf", "description": "", "os-volume-type-access:is_public": True, "extra_specs": {"a": "b"}}
    kind = admin("POST", "types", {"volume_type": wanted}, {200})["volume_type"]["id"]
    specs = admin("POST", "qos-specs", {"qos_specs": {"name": "q", "consumer": "front-end", "iops": "9"}}, {200})
    qos = specs["qos_specs"]["id"]
    admin("GET", f"qos-specs/{qos}/associate?vol_type_id={kind}", expect={202})
    assert admin("GET", f"types/{kind}")["volume_type"]["qos_specs_id"] == qos
    admin("GET", f"qos-specs/{qos}/disassociate?vol_type_id={kind}", expect={202})
    admin("DELETE", f"qos-specs/{qos}", expect={202})
    admin("DELETE", f"types/{kind}", expect={202})
    assert admin.gone(f"types/{kind}")


def test_volume_attach_resource_of_block_storage(cloud, storage):
    volume = _volume(cloud, storage)
    admin = Gophercloud(cloud, "block-storage", who="admin")
    connector = {"host": "desk", "initiator": "iqn.x", "ip": "192.0.2.9", "multipath": False, "os_type": "linux"}
    attach = {"os-attach": {"mountpoint": "/dev/vdc", "mode": "rw", "host_name": "desk"}}
    storage.action(f"volumes/{volume}", attach, {202})
    _reach(storage, f"volumes/{volume}", "volume", "in-use")
    found = storage.action(f"volumes/{volume}", {"os-initialize_connection": {"connector": connector}}, {200, 201, 202})
    assert set(found["connection_info"]) >= {"driver_volume_type", "data"}
    storage.action(f"volumes/{volume}", {"os-terminate_connection": {"connector": connector}}, {202})
    attachment = storage("GET", f"volumes/{volume}")["volume"]["attachments"][0]["attachment_id"]
    admin.action(f"volumes/{volume}", {"os-detach": {"attachment_id": attachment}}, {202})
    _reach(storage, f"volumes/{volume}", "volume", "available")


def test_versions_are_discovered_at_the_endpoint(compute, storage):
    found = compute("GET", "")["version"]
    assert (found["id"], found["min_version"], found["version"]) == ("v2.1", "2.1", "2.104")
