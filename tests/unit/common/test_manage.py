"""keel-manage brings up databases and cells with the verbs and exit codes of nova-manage and cinder-manage."""

import pytest
from sqlalchemy import select

from keel_common.config import load
from keel_common.db import CELL0, Cells, Database, SchemaError, add, check, schema
from keel_common.db.cells import fill_template
from keel_common.manage.cells import cell0_url, mask
from keel_common.manage.main import main

NODES = schema.nova_cell.tables["compute_nodes"]
NODE = {
    "vcpus": 1,
    "memory_mb": 1,
    "local_gb": 1,
    "vcpus_used": 0,
    "memory_mb_used": 0,
    "local_gb_used": 0,
    "hypervisor_type": "kubevirt",
    "hypervisor_version": 1,
    "cpu_info": "",
    "mapped": 0,
}


@pytest.fixture
def nova(tmp_path):
    path = tmp_path / "nova.conf"
    path.write_text(
        "[DEFAULT]\ntransport_url = fake:/\n"
        f"[api_database]\nconnection = sqlite:///{tmp_path}/api.db\n"
        f"[database]\nconnection = sqlite:///{tmp_path}/nova.db\n"
    )
    return str(path)


def manage(config, *words):
    return main(["--config-file", config, *words])


def ready(config):
    assert manage(config, "api_db", "sync") == 0
    assert manage(config, "cell_v2", "map_cell0") == 0
    assert manage(config, "db", "sync") == 0
    assert manage(config, "cell_v2", "create_cell", "--name", "cell1") == 0
    return Cells(load("compute", config_files=[config]))


def add_node(cells, host):
    db = cells.working()[0].db
    db.run(add, NODES, NODE | {"host": host, "uuid": host, "hypervisor_hostname": host})
    return db


def test_documented_order_of_verbs_makes_a_deployment(nova, capsys):
    cells = ready(nova)
    check(cells.api, "nova_api")
    check(cells.cell0.db, "nova_cell")
    check(cells.local, "nova_cell")
    assert [(cell.name, cell.transport_url) for cell in cells.all()] == [("cell0", "none:///"), ("cell1", "fake:/")]
    assert cells.all()[0].uuid == CELL0
    assert manage(nova, "cell_v2", "map_cell0") == 0
    assert manage(nova, "db", "version") == 0
    assert "ab450ba04102" in capsys.readouterr().out


def test_a_second_cell_with_the_same_database_is_refused(nova):
    ready(nova)
    assert manage(nova, "cell_v2", "create_cell", "--name", "again") == 2


def test_db_sync_without_cell0_still_makes_the_cell_and_says_so(nova, capsys):
    assert manage(nova, "api_db", "sync") == 0
    assert manage(nova, "db", "sync") == 1
    assert "map_cell0" in capsys.readouterr().out
    check(Cells(load("compute", config_files=[nova])).local, "nova_cell")


def test_discovered_hosts_are_mapped_once(nova, capsys):
    cells = ready(nova)
    assert manage(nova, "cell_v2", "discover_hosts", "--strict") == 1
    db = add_node(cells, "node-1")
    assert manage(nova, "cell_v2", "discover_hosts", "--strict", "--verbose") == 0
    assert "node-1" in capsys.readouterr().out
    assert db.read(lambda conn: conn.execute(select(NODES.c.mapped)).scalar()) == 1
    assert manage(nova, "cell_v2", "discover_hosts", "--strict") == 1
    assert manage(nova, "cell_v2", "list_hosts") == 0
    assert "| node-1" in capsys.readouterr().out.replace("  ", " ").replace("|  ", "| ")
    assert manage(nova, "cell_v2", "list_hosts", "--cell_uuid", "nowhere") == 1


def test_simple_cell_setup_waits_for_a_first_host(nova):
    assert manage(nova, "api_db", "sync") == 0
    assert manage(nova, "db", "sync", "--local_cell") == 0
    assert manage(nova, "cell_v2", "simple_cell_setup") == 1
    cells = Cells(load("compute", config_files=[nova]))
    assert [cell.name for cell in cells.all()] == ["cell0", None]
    add_node(cells, "node-1")
    assert manage(nova, "cell_v2", "simple_cell_setup") == 0


def test_listed_urls_hide_passwords_unless_asked(nova, capsys):
    ready(nova)
    assert manage(nova, "cell_v2", "create_cell", "--transport-url", "rabbit://u:secret@h/", "--database_connection",
                  "mysql+pymysql://u:secret@h/nova") == 0  # fmt: skip
    manage(nova, "cell_v2", "list_cells")
    assert "secret" not in capsys.readouterr().out
    manage(nova, "cell_v2", "list_cells", "--verbose")
    assert "secret" in capsys.readouterr().out


def test_wrong_arguments_end_with_2_and_a_version_with_1(nova):
    with pytest.raises(SystemExit) as ended:
        manage(nova, "db", "nonsense")
    assert ended.value.code == 2
    assert manage(nova, "db", "sync", "16f1fbcab42b") == 1


def test_an_unknown_revision_ends_with_255_and_changes_nothing(nova, tmp_path, capsys):
    other = Database(f"sqlite:///{tmp_path}/api.db")
    other.run(lambda c: c.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
    other.run(lambda c: c.exec_driver_sql("INSERT INTO alembic_version VALUES ('beef')"))
    assert manage(nova, "api_db", "sync") == 255
    assert "beef" in capsys.readouterr().err
    with pytest.raises(SchemaError):
        check(other, "nova_api")


def test_cinder_sync_and_service_list(tmp_path, capsys):
    path = tmp_path / "cinder.conf"
    path.write_text(f"[database]\nconnection = sqlite:///{tmp_path}/cinder.db\n")
    for words in (["db", "sync"], ["db", "sync"], ["db", "version"], ["service", "list"]):
        assert main(["--suite", "cinder", "--config-file", str(path), *words]) == 0
    printed = capsys.readouterr().out
    assert "9c74c1c6971f" in printed
    assert "RPC Version" in printed
    assert main(["--config-file", str(path), "db", "sync", "--suite", "cinder"]) == 0


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("mysql+pymysql://u:p@h/nova?charset=utf8", "mysql+pymysql://u:p@h/nova_cell0?charset=utf8"),
        ("sqlite:////var/lib/nova.db", "sqlite:////var/lib/nova_cell0.db"),
        ("sqlite:////var/lib.d/nova", "sqlite:////var/lib.d/nova_cell0"),
    ],
)
def test_the_database_of_cell0_is_named_after_the_cell(url, wanted):
    assert cell0_url(url) == wanted


def test_url_templates_are_filled_from_the_configuration():
    base = "mysql+pymysql://u1:p1@h1:3306/nova?charset=utf8"
    assert fill_template("{scheme}://{username}:{password}@{hostname}:{port}/nova_cell2?{query}", base) == (
        "mysql+pymysql://u1:p1@h1:3306/nova_cell2?charset=utf8"
    )
    assert fill_template("rabbit://{username2}@{hostname2}/", "rabbit://a:b@h1:1,c:d@h2:2/v") == "rabbit://c@h2/"
    assert mask("mysql://u:p@h/n") == "mysql://u:****@h/n"
