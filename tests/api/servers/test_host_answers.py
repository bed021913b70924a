"""What hosts are asked and the API waits for: consoles, tokens, diagnostics, passwords; and the topology."""

import json
import uuid as uuids

import pytest

from keel_common.db.stores.nova import console_tokens
from keel_contract.errors import RemoteFault
from keel_contract.nova import objects

from .moves import TABLES, act, actions, only, row, system
from .rows import nova

URL = "http://console?token=t"
ANSWER = {"access_url": URL, "token": "t", "host": "h", "port": 1, "internal_access_path": None}


@pytest.mark.parametrize(
    ("version", "protocol", "kind", "method"),
    [
        ("2.6", "vnc", "novnc", "get_vnc_console"),
        ("2.6", "serial", "serial", "get_serial_console"),
        ("2.8", "mks", "webmks", "get_mks_console"),
        ("2.98", "spice", "spice-html5", "get_spice_console"),
        ("2.99", "spice", "spice-direct", "get_spice_console"),
    ],
)
def test_consoles_by_protocol(cloud, version, protocol, kind, method):
    cloud.api.bus.answers[method] = ANSWER
    asked = {"protocol": protocol, "type": kind}
    reply = cloud.api.post(f"/servers/{cloud.server()}/remote-consoles", {"remote_console": asked}, version=version)
    assert reply.ok.body == {"remote_console": {**asked, "url": URL}}
    assert only(cloud)[0] == method and only(cloud)[1]["console_type"] == kind


@pytest.mark.parametrize(
    ("action", "kind", "method"),
    [
        ("os-getVNCConsole", "novnc", "get_vnc_console"),
        ("os-getSPICEConsole", "spice-html5", "get_spice_console"),
        ("os-getSerialConsole", "serial", "get_serial_console"),
    ],
)
def test_consoles_as_actions(cloud, action, kind, method):
    cloud.api.bus.answers[method] = ANSWER
    reply = act(cloud, cloud.server(), action, {"type": kind}, "2.5")
    assert reply.ok.body == {"console": {"type": kind, "url": URL}}
    assert act(cloud, cloud.server(), action, {"type": kind}, "2.6").status == 404


def test_the_older_actions_check_the_right_before_the_server(cloud, reader):
    nobody = "00000000-0000-4000-8000-00000000dead"
    assert act(cloud, nobody, "os-getVNCConsole", {"type": "novnc"}, "2.1", who=reader).status == 403
    assert act(cloud, nobody, "os-getVNCConsole", {"type": "novnc"}, "2.1").status == 404


@pytest.mark.parametrize(("protocol", "kind"), [("rdp", "rdp-html5")])
def test_rdp_is_no_more(cloud, protocol, kind):
    body = {"remote_console": {"protocol": protocol, "type": kind}}
    assert cloud.api.post(f"/servers/{cloud.server()}/remote-consoles", body, version="2.104").status == 400
    assert cloud.api.bus.sent == []


@pytest.mark.parametrize(
    ("exception", "code"),
    [
        ("InstanceNotFound", 404),
        ("InstanceNotReady", 409),
        ("ConsoleTypeInvalid", 400),
        ("ConsoleTypeUnavailable", 400),
        ("ImageSerialPortNumberInvalid", 400),
        ("SocketPortRangeExhaustedException", 400),
        ("NotImplementedError", 501),
        ("NovaException", 500),
    ],
)
def test_what_a_host_says_of_consoles(cloud, exception, code):
    cloud.api.bus.answers["get_vnc_console"] = RemoteFault(exception, "because", "")
    body = {"remote_console": {"protocol": "vnc", "type": "novnc"}}
    assert cloud.api.post(f"/servers/{cloud.server()}/remote-consoles", body, version="2.104").status == code


def test_a_token_opens_its_console(cloud, admin):
    token, uuid = str(uuids.uuid4()), cloud.server()
    values = {"host": "h", "port": 5900, "console_type": "novnc", "instance_uuid": uuid, "tls_port": 5901}
    cloud.cell.run(console_tokens.authorize, token, 60, {**values, "access_url_base": "http://c"})
    path = f"/os-console-auth-tokens/{token}"
    assert cloud.api.get(path, version="2.31").status == 403
    assert cloud.api.get(path, who=admin, version="2.30").status == 400
    shown = cloud.api.get(path, who=admin, version="2.31").ok.body["console"]
    assert shown == {"instance_uuid": uuid, "host": "h", "port": 5900, "internal_access_path": None}
    assert cloud.api.get(path, who=admin, version="2.99").ok.body["console"]["tls_port"] == 5901


def test_tokens_end(cloud, admin):
    values = {"host": "h", "port": 1, "console_type": "novnc", "instance_uuid": cloud.server()}
    cloud.cell.run(console_tokens.authorize, "gone", -1, {**values, "access_url_base": "http://c"})
    for token in ("gone", "never"):
        assert cloud.api.get(f"/os-console-auth-tokens/{token}", who=admin, version="2.99").status == 404


# -- diagnostics


def test_diagnostics_are_the_drivers_own_below_2_48(cloud, admin):
    cloud.api.bus.answers["get_diagnostics"] = {"cpu0_time": 1}
    uuid = cloud.server()
    assert cloud.api.get(f"/servers/{uuid}/diagnostics", who=admin, version="2.47").ok.body == {"cpu0_time": 1}
    assert cloud.api.get(f"/servers/{uuid}/diagnostics", version="2.47").status == 403


def test_diagnostics_have_one_form_from_2_48(cloud, admin):
    found = objects.Diagnostics(
        driver="libvirt",
        state="running",
        config_drive=False,
        num_cpus=1,
        cpu_details=[objects.CpuDiagnostics(id=0, time=5)],
        memory_details=objects.MemoryDiagnostics(maximum=512),
    )
    cloud.api.bus.answers["get_instance_diagnostics"] = found
    shown = cloud.api.get(f"/servers/{cloud.server()}/diagnostics", who=admin, version="2.48").ok.body
    assert shown["cpu_details"] == [{"id": 0, "time": 5, "utilisation": None}]
    assert shown["memory_details"] == {"maximum": 512, "used": None}
    assert (shown["disk_details"], shown["uptime"], shown["num_cpus"]) == ([], None, 1)


@pytest.mark.parametrize(
    ("exception", "code"), [("InstanceInvalidState", 409), ("NotImplementedError", 501), ("NovaException", 500)]
)
def test_what_a_host_says_of_diagnostics(cloud, admin, exception, code):
    for version, method in (("2.1", "get_diagnostics"), ("2.48", "get_instance_diagnostics")):
        cloud.api.bus.answers[method] = RemoteFault(exception, "because", "")
        assert cloud.api.get(f"/servers/{cloud.server()}/diagnostics", who=admin, version=version).status == code
    assert cloud.api.get(f"/servers/{cloud.server(host=None)}/diagnostics", who=admin).status == 409


# -- passwords


def test_changing_the_password_waits_for_the_host(cloud):
    uuid = cloud.server()
    assert act(cloud, uuid, "changePassword", {"adminPass": "p"}).status == 202
    assert only(cloud)[1]["new_pass"] == "p" and actions(cloud) == ["changePassword"]


@pytest.mark.parametrize(
    ("exception", "code"),
    [
        ("InstancePasswordSetFailed", 409),
        ("SetAdminPasswdNotSupported", 409),
        ("InstanceAgentNotEnabled", 409),
        ("NotImplementedError", 501),
        ("NovaException", 500),
    ],
)
def test_what_a_host_says_of_passwords(cloud, exception, code):
    cloud.api.bus.answers["set_admin_password"] = RemoteFault(exception, "because", "")
    assert act(cloud, cloud.server(), "changePassword", {"adminPass": "p"}).status == code


def test_the_password_a_guest_left(cloud):
    uuid = cloud.server()
    assert cloud.api.get(f"/servers/{uuid}/os-server-password").ok.body == {"password": ""}
    system(cloud, uuid, password_1="b" * 5, password_0="a" * 255)
    assert cloud.api.get(f"/servers/{uuid}/os-server-password").ok.body == {"password": "a" * 255 + "b" * 5}
    assert cloud.api.delete(f"/servers/{uuid}/os-server-password").status == 204
    assert cloud.api.get(f"/servers/{uuid}/os-server-password").ok.body == {"password": ""}
    assert "image_os_type" in row(cloud, uuid, "system_metadata")


# -- topology


def test_the_topology_shows_the_host_to_those_who_may(cloud, admin):
    uuid = cloud.server()
    path = f"/servers/{uuid}/topology"
    assert cloud.api.get(path, version="2.78").ok.body == {"nodes": [], "pagesize_kb": None}
    cell = {"id": 1, "cpuset": [0, 1], "pcpuset": [2, 3], "memory": 1024, "pagesize": 4, "cpu_pinning_raw": {"2": 5}}
    cell["cpu_topology"] = nova("VirtCPUTopology", "1.0", {"cores": 1, "sockets": 2, "threads": 2})
    stored = nova("InstanceNUMATopology", "1.3", {"cells": [nova("InstanceNUMACell", "1.6", cell)]})
    extra = TABLES["instance_extra"]
    change = extra.update().where(extra.c.instance_uuid == uuid).values(numa_topology=json.dumps(stored))
    cloud.cell.run(lambda conn: conn.execute(change))
    plain = {"vcpu_set": [0, 1, 2, 3], "siblings": [[0, 1], [2, 3]], "memory_mb": 1024}
    assert cloud.api.get(path, version="2.78").ok.body == {"nodes": [plain], "pagesize_kb": 4}
    seen = cloud.api.get(path, who=admin, version="2.78").ok.body["nodes"]
    assert seen == [{**plain, "host_node": 1, "cpu_pinning": {"2": 5}}]
