import pytest

from keel_common.config import load
from keel_common.db import CELL0, Cells, Database, schema, sync

CELL1 = "c0000000-0000-4000-8000-000000000001"
PROJECT = "0123456789abcdef0123456789abcdef"
USER = "fedcba9876543210fedcba9876543210"


@pytest.fixture(scope="session")
def empty_databases(tmp_path_factory):
    """Three migrated SQLite files, made once and copied for every test."""
    folder = tmp_path_factory.mktemp("empty")
    for name, kind in (("api", "nova_api"), ("cell0", "nova_cell"), ("cell1", "nova_cell")):
        db = Database(f"sqlite:///{folder}/{name}.db")
        sync(db, kind)
        db.close()
    return folder


@pytest.fixture
def conf(tmp_path, empty_databases):
    for name in ("api", "cell0", "cell1"):
        (tmp_path / f"{name}.db").write_bytes((empty_databases / f"{name}.db").read_bytes())
    conf = load("compute", argv=[], config_files=[])
    conf.set_override("connection", f"sqlite:///{tmp_path}/api.db", "api_database")
    conf.set_override("connection", f"sqlite:///{tmp_path}/cell1.db", "database")
    return conf


@pytest.fixture
def cells(conf, tmp_path):
    cells = Cells(conf)

    def add_cells(conn):
        table = schema.nova_api.tables["cell_mappings"]
        for uuid, name, url in ((CELL0, "cell0", "none:///"), (CELL1, "cell1", "fake:/")):
            conn.execute(
                table.insert().values(
                    uuid=uuid,
                    name=name,
                    transport_url=url,
                    database_connection=f"sqlite:///{tmp_path}/{name}.db",
                    disabled=False,
                )
            )

    cells.api.run(add_cells)
    yield cells
    cells.close()
