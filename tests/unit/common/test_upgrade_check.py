"""keel-status upgrade check answers as the recorded nova-status and cinder-status do."""

import http.server
import json
import threading

import pytest
from fakes.deployment import API, CELL, Deployment

from keel_common.db import CELL0, add
from keel_common.status import cinder_checks, nova_checks

NODE = dict.fromkeys(("vcpus", "memory_mb", "local_gb", "vcpus_used", "memory_mb_used", "local_gb_used"), 1)


@pytest.fixture
def bare(tmp_path, capsys):
    return Deployment(tmp_path, capsys)


@pytest.fixture
def cloud(bare):
    bare.map("cell0", CELL0)
    bare.map("cell1", "cell1-uuid")
    bare.map("cell2", "cell2-uuid")
    return bare


@pytest.mark.parametrize(
    ("suite", "names"),
    [
        (
            "nova",
            [
                "Cells v2",
                "Placement API",
                "Cinder API",
                "Policy File JSON to YAML Migration",
                "Older than N-1 computes",
                "hw_machine_type unset",
                "Service User Token Configuration",
            ],
        ),
        (
            "cinder",
            [
                "Backup Driver Path",
                "Use of Policy File",
                "Removed Drivers",
                "Periodic Interval Use",
                "Service UUIDs",
                "Attachment specs",
                "Use of Nested Quota Driver",
            ],
        ),
    ],
)
def test_checks_have_the_recorded_names_and_order(suite, names):
    checks = {"nova": nova_checks, "cinder": cinder_checks}[suite].CHECKS
    assert [check.name for check in checks] == names


# What the real commands answered to the same configuration (0 success, 1 warning, 2 failure).
@pytest.mark.parametrize(
    ("name", "text", "result"),
    [
        ("Backup Driver Path", "", 0),
        ("Backup Driver Path", "[DEFAULT]\nbackup_driver = cinder.backup.drivers.swift", 2),
        ("Backup Driver Path", "[DEFAULT]\nbackup_driver = cinder.backup.drivers.swift.SwiftBackupDriver", 0),
        ("Use of Policy File", "[oslo_policy]\npolicy_file = other.yaml", 1),
        ("Use of Policy File", "[oslo_policy]\npolicy_file = policy.yaml", 0),
        (
            "Removed Drivers",
            "[DEFAULT]\nenabled_backends = x\n[x]\nvolume_driver = cinder.volume.drivers.windows.smbfs.X",
            2,
        ),
        (
            "Removed Drivers",
            "[DEFAULT]\nenabled_backends = x\n[x]\nvolume_driver = cinder.volume.drivers.lvm.Driver",
            0,
        ),
        ("Removed Drivers", "[x]\nvolume_driver = cinder.volume.drivers.windows.smbfs.X", 0),
        ("Periodic Interval Use", "[DEFAULT]\nperiodic_interval = 30", 1),
        ("Periodic Interval Use", "", 0),
        ("Use of Nested Quota Driver", "[DEFAULT]\nquota_driver = cinder.quota.NestedDbQuotaDriver", 2),
        ("Use of Nested Quota Driver", "", 0),
    ],
)
def test_checks_of_the_configuration_of_cinder(bare, name, text, result):
    bare.configure(text)
    assert bare.check("cinder", name)[0] == result


def test_an_old_policy_file_of_cinder_is_told_unless_it_is_named(bare):
    (bare.folder / "policy.json").write_text("{}")
    assert bare.check("cinder", "Use of Policy File")[0] == 1
    bare.configure("[oslo_policy]\npolicy_file = policy.json")
    assert bare.check("cinder", "Use of Policy File")[0] == 0


def test_checks_of_the_rows_of_cinder(bare):
    def execute(statement):
        with bare.cinder.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
            connection.exec_driver_sql(statement)
            connection.commit()

    assert bare.say("cinder", "upgrade", "check")[0] == 0
    execute("INSERT INTO services (host, binary, report_count, deleted) VALUES ('h', 'cinder-volume', 1, 0)")
    assert bare.check("cinder", "Service UUIDs")[0] == 2
    execute("UPDATE services SET deleted = 1")
    assert bare.check("cinder", "Service UUIDs")[0] == 0
    assert bare.check("cinder", "Attachment specs")[0] == 0
    execute("INSERT INTO attachment_specs (attachment_id, key, deleted) VALUES ('a', 'k', 0)")
    assert bare.check("cinder", "Attachment specs")[0] == 2
    execute("UPDATE attachment_specs SET deleted = 1")
    assert bare.check("cinder", "Attachment specs")[0] == 0


@pytest.mark.parametrize(
    ("text", "result"),
    [("", 2), ("[service_user]\nsend_service_user_token = true", 0), ("[service_user]\nauth_type = password", 2)],
)
def test_nova_must_send_its_service_token(cloud, text, result):
    cloud.configure(text)
    assert cloud.check("nova", "Service User Token Configuration")[0] == result


def test_a_policy_file_in_json_is_a_failure_for_nova_when_it_is_read(cloud):
    name = "Policy File JSON to YAML Migration"
    (cloud.folder / "policy.json").write_text("{}")
    assert cloud.check("nova", name)[0] == 0
    cloud.configure("[oslo_policy]\npolicy_file = policy.json")
    assert cloud.check("nova", name)[0] == 2
    (cloud.folder / "policy.json").unlink()
    assert cloud.check("nova", name)[0] == 0


@pytest.mark.parametrize(("version", "result"), [(71, 2), (72, 0), (74, 0), (99, 0)])
def test_old_computes_are_a_failure(cloud, version, result):
    cloud.service("cell1", "new", 74)
    cloud.service("cell2", "other", version)
    found, details = cloud.check("nova", "Older than N-1 computes")
    assert found == result
    assert result == 0 or "other" in details


def test_cells_must_be_there_and_own_every_compute(bare):
    def node(cell):
        row = NODE | {"hypervisor_type": "q", "hypervisor_version": 1, "cpu_info": "", "mapped": 0, "host": "c1"}
        bare.cells[cell].run(add, CELL["compute_nodes"], {**row, "uuid": "n", "hypervisor_hostname": "c1"})

    assert bare.check("nova", "Cells v2")[0] == 2
    bare.map("cell0", CELL0)
    assert bare.check("nova", "Cells v2")[0] == 2
    bare.map("cell1", "cell1-uuid")
    result, details = bare.check("nova", "Cells v2")
    assert result == 0 and "discover_hosts" in details
    node("cell1")
    assert bare.check("nova", "Cells v2")[0] == 2
    bare.api.run(add, API["host_mappings"], {"cell_id": 2, "host": "c1"})
    assert bare.check("nova", "Cells v2") == (0, None)


def test_servers_without_a_machine_type_are_a_warning(cloud):
    cell, name = cloud.cells["cell2"], "hw_machine_type unset"
    assert cloud.check("nova", name) == (0, None)
    cell.run(add, CELL["instances"], {"uuid": "server-1", "deleted": 0})
    result, details = cloud.check("nova", name)
    assert result == 1 and "server-1" in details
    row = {"instance_uuid": "server-1", "key": "image_hw_machine_type", "value": "q35"}
    cell.run(add, CELL["instance_system_metadata"], row)
    assert cloud.check("nova", name) == (0, None)


class _Versions(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802
        body = json.dumps({"versions": [{"id": "v1.0", self.server.key: self.server.newest}]}).encode()
        self.send_response(300 if self.server.key == "version" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def peer():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Versions)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("newest", "result"), [("1.39", 0), ("1.36", 0), ("1.9", 2)])
def test_placement_must_be_new_enough(cloud, peer, newest, result):
    peer.key, peer.newest = "max_version", newest
    url = f"http://127.0.0.1:{peer.server_port}"
    cloud.configure(f"[placement]\nauth_type = none\nendpoint = {url}\nendpoint_override = {url}")
    assert cloud.check("nova", "Placement API")[0] == result


@pytest.mark.parametrize("text", ["", "[placement]\nauth_type = none\nendpoint_override = http://127.0.0.1:1"])
def test_placement_that_cannot_be_asked_is_a_failure(cloud, text):
    cloud.configure(text)
    assert cloud.check("nova", "Placement API")[0] == 2


@pytest.mark.parametrize(("newest", "result"), [("3.71", 0), ("3.44", 0), ("3.9", 2)])
def test_cinder_must_be_new_enough(cloud, peer, newest, result):
    peer.key, peer.newest = "version", newest
    url = f"http://127.0.0.1:{peer.server_port}/v3/project"
    cloud.configure(f"[cinder]\nauth_type = none\nendpoint = {url}")
    assert cloud.check("nova", "Cinder API")[0] == result


def test_cinder_is_not_asked_where_nova_has_no_credentials_for_it(cloud):
    assert cloud.check("nova", "Cinder API") == (0, None)
    cloud.configure("[cinder]\nauth_type = none\nendpoint = http://127.0.0.1:1/v3/x")
    assert cloud.check("nova", "Cinder API")[0] == 1


def test_the_exit_code_is_the_worst_result_and_both_forms_tell_the_same(bare):
    bare.configure("[DEFAULT]\nperiodic_interval = 30")
    code, text = bare.say("cinder", "upgrade", "check")
    assert code == 1
    lines = [line[2:-2].rstrip() for line in text.splitlines() if line.startswith("|")]
    assert lines[0] == "Upgrade Check Results"
    code, text = bare.say("cinder", "upgrade", "check", "--json")
    assert code == 1
    named = {0: "Success", 1: "Warning", 2: "Failure"}
    for one in json.loads(text)["checks"]:
        assert lines[lines.index(f"Check: {one['check']}") + 1] == f"Result: {named[one['result']]}"


def test_a_database_that_is_not_there_is_255(bare):
    bare.cinder_conf.write_text("[database]\nconnection = sqlite:////nonexistent/folder/x.db\n")
    assert bare.say("cinder", "pins")[0] == 255
    assert bare.say("cinder", "upgrade", "check")[0] == 255


def test_wrong_arguments_are_2(bare):
    with pytest.raises(SystemExit) as ended:
        bare.say("nova", "upgrade")
    assert ended.value.code == 2
