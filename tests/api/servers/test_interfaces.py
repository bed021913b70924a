from keel_common.db import add, schema
from keel_contract.errors import RemoteFault

from .rows import START, vif


def path(uuid, port=None):
    return f"/servers/{uuid}/os-interface" + (f"/{port}" if port else "")


def test_ports_are_listed_and_shown(cloud):
    uuid = cloud.server()
    port = cloud.neutron.add_port(device_id=uuid)
    table = schema.nova_cell.tables["virtual_interfaces"]
    row = {"instance_uuid": uuid, "uuid": port, "tag": "nic", "address": "m", "network_id": 0, "created_at": START}
    cloud.cell.run(add, table, row)
    (listed,) = cloud.api.get(path(uuid), version="2.70").ok.body["interfaceAttachments"]
    assert set(listed) == {"net_id", "port_id", "mac_addr", "port_state", "fixed_ips", "tag"}
    assert listed["tag"] == "nic" and listed["fixed_ips"][0]["ip_address"] == "10.0.0.9"
    shown = cloud.api.get(path(uuid, port)).ok.body["interfaceAttachment"]
    assert shown == {key: value for key, value in listed.items() if key != "tag"}
    stranger = cloud.neutron.add_port(device_id="somebody")
    assert cloud.api.get(path(uuid, stranger)).status == 404
    assert cloud.api.get(path(uuid, "00000000-0000-4000-8000-000000000000")).status == 404


def test_attaching_an_interface_waits_for_the_host(cloud):
    uuid = cloud.server()
    port = cloud.neutron.add_port(device_id=uuid)
    cloud.api.bus.answers["attach_interface"] = {"id": port}
    body = {"interfaceAttachment": {"port_id": port, "tag": "nic"}}
    reply = cloud.api.post(path(uuid), body, version="2.49")
    assert reply.status == 200 and reply.body["interfaceAttachment"]["port_id"] == port
    ((method, sent),) = cloud.api.bus.sent
    assert (method, sent["port_id"], sent["tag"], sent["network_id"]) == ("attach_interface", port, "nic", None)


def test_what_forbids_attaching_an_interface(cloud):
    uuid, one = cloud.server(), "00000000-0000-4000-8000-000000000001"

    def attach(**values):
        return cloud.api.post(path(uuid), {"interfaceAttachment": values}).status

    assert attach(port_id=one, net_id=one) == 400
    assert attach(fixed_ips=[{"ip_address": "10.0.0.1"}]) == 400
    for name, code in (("PortInUse", 409), ("NetworkNotFound", 404), ("NotImplementedError", 501)):
        cloud.api.bus.answers["attach_interface"] = RemoteFault(name, "no")
        assert attach(net_id=one) == code
    uuid = cloud.server(2, vm_state="suspended")
    assert attach(net_id=one) == 409


def test_detaching_an_interface_tells_the_host(cloud):
    uuid = cloud.server(vifs=[{**vif(), "id": "p1"}])
    assert cloud.api.delete(path(uuid, "p2")).status == 404 and cloud.api.bus.sent == []
    assert cloud.api.delete(path(uuid, "p1")).status == 202
    ((method, sent),) = cloud.api.bus.sent
    assert (method, sent["port_id"]) == ("detach_interface", "p1")
    assert cloud.api.delete(path(cloud.server(2, task_state="rebooting"), "p1")).status == 409


def test_cached_addresses_by_network(cloud):
    uuid = cloud.server(vifs=[vif("10.0.0.5"), vif("192.0.2.9", label="other")])
    found = cloud.api.get(f"/servers/{uuid}/ips").ok.body["addresses"]
    assert found == {
        "private": [{"version": 4, "addr": "10.0.0.5"}],
        "other": [{"version": 4, "addr": "192.0.2.9"}],
    }
    assert cloud.api.get(f"/servers/{uuid}/ips/other").ok.body == {"other": found["other"]}
    assert cloud.api.get(f"/servers/{uuid}/ips/nope").status == 404
