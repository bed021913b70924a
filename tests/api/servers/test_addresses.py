"""Addresses and security groups of a server: addFixedIp ... removeFloatingIp, addSecurityGroup and their list."""

import pytest

from .moves import act, only, row
from .rows import vif

FLOATING = "192.0.2.7"


def server(cloud, **values):
    port = vif("10.0.0.5")
    uuid = cloud.server(vifs=[port], **values)
    ips = [{"ip_address": "10.0.0.5", "subnet_id": "s"}]
    cloud.neutron.add_port(id=port["id"], device_id=uuid, fixed_ips=ips, security_groups=["old"])
    return uuid


@pytest.mark.parametrize(
    ("action", "args", "method", "sent"),
    [
        ("addFixedIp", {"networkId": "n"}, "add_fixed_ip_to_instance", {"network_id": "n"}),
        ("removeFixedIp", {"address": "10.0.0.5"}, "remove_fixed_ip_from_instance", {"address": "10.0.0.5"}),
    ],
)
def test_fixed_addresses_are_the_hosts_work(cloud, action, args, method, sent):
    uuid = server(cloud)
    assert act(cloud, uuid, action, args, "2.43").status == 202
    assert only(cloud)[0] == method and sent.items() <= only(cloud)[1].items()
    assert act(cloud, uuid, action, args, "2.44").status == 404


def floating(cloud, uuid):
    (port,) = row(cloud, uuid, "network_info")
    return [ip["address"] for ip in port["network"]["subnets"][0]["ips"][0]["floating_ips"]]


@pytest.mark.parametrize("fixed", [None, "10.0.0.5"])
def test_a_floating_ip_leads_to_the_server_and_no_longer(cloud, fixed):
    uuid, key = server(cloud), cloud.neutron.add_floating_ip(FLOATING)
    args = {"address": FLOATING} | ({"fixed_address": fixed} if fixed else {})
    assert act(cloud, uuid, "addFloatingIp", args, "2.43").status == 202
    assert cloud.neutron.floating[key]["fixed_ip_address"] == "10.0.0.5" and floating(cloud, uuid) == [FLOATING]
    shown = cloud.api.get(f"/servers/{uuid}").ok.body["server"]["addresses"]["private"]
    assert [ip["OS-EXT-IPS:type"] for ip in shown] == ["fixed", "floating"]
    assert act(cloud, uuid, "removeFloatingIp", {"address": FLOATING}, "2.43").status == 202
    assert cloud.neutron.floating[key]["port_id"] is None and floating(cloud, uuid) == []


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({"address": "192.0.2.99"}, 404),
        ({"address": FLOATING, "fixed_address": "10.0.0.99"}, 400),
    ],
)
def test_floating_ips_that_do_not_go(cloud, args, code):
    cloud.neutron.add_floating_ip(FLOATING)
    assert act(cloud, server(cloud), "addFloatingIp", args, "2.43").status == code


def test_a_server_without_a_suitable_address(cloud):
    cloud.neutron.add_floating_ip(FLOATING)
    assert act(cloud, cloud.server(), "addFloatingIp", {"address": FLOATING}, "2.43").status == 400
    assert (
        act(cloud, cloud.server(vifs=[vif("2001:db8::5")]), "addFloatingIp", {"address": FLOATING}, "2.43").status
        == 400
    )


def test_only_the_servers_own_floating_ips_go(cloud):
    cloud.neutron.add_floating_ip(FLOATING)
    uuid = server(cloud)
    assert act(cloud, uuid, "removeFloatingIp", {"address": FLOATING}, "2.43").status == 409
    assert act(cloud, uuid, "removeFloatingIp", {"address": "192.0.2.99"}, "2.43").status == 404
    cloud.neutron.add_floating_ip(FLOATING)
    assert act(cloud, uuid, "removeFloatingIp", {"address": FLOATING}, "2.43").status == 409


# -- security groups


def groups(cloud, uuid):
    return [port["security_groups"] for port in cloud.neutron.ports.values() if port["device_id"] == uuid]


def test_groups_come_and_go_by_name_or_id(cloud):
    uuid = server(cloud)
    web, ssh = cloud.neutron.add_group("web"), cloud.neutron.add_group("ssh")
    for name in ("web", ssh, "web"):
        assert act(cloud, uuid, "addSecurityGroup", {"name": name}).status == 202
    assert groups(cloud, uuid) == [["old", web, ssh]]
    listed = cloud.api.get(f"/servers/{uuid}/os-security-groups").ok.body["security_groups"]
    assert sorted(group["name"] for group in listed) == ["ssh", "web"]
    assert act(cloud, uuid, "removeSecurityGroup", {"name": web}).status == 202
    assert groups(cloud, uuid) == [["old", ssh]]
    assert act(cloud, uuid, "removeSecurityGroup", {"name": "web"}).status == 404


@pytest.mark.parametrize("action", ["addSecurityGroup", "removeSecurityGroup"])
@pytest.mark.parametrize(("name", "code"), [("unknown", 404), ("twice", 409), (" ", 400)])
def test_groups_that_do_not_go(cloud, action, name, code):
    cloud.neutron.add_group("twice")
    cloud.neutron.add_group("twice")
    uuid = server(cloud)
    assert act(cloud, uuid, action, {"name": name}).status == code and groups(cloud, uuid) == [["old"]]


def test_ports_that_take_no_groups(cloud):
    cloud.neutron.add_group("web")
    uuid = cloud.server()
    assert act(cloud, uuid, "addSecurityGroup", {"name": "web"}).status == 404
    cloud.neutron.add_port(device_id=uuid, port_security_enabled=False)
    assert act(cloud, uuid, "addSecurityGroup", {"name": "web"}).status == 400
    assert cloud.api.get(f"/servers/{cloud.server()}/os-security-groups").ok.body == {"security_groups": []}
