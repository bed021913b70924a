"""What may not join: a compute older than the release before."""

import pytest
import sqlalchemy as sa

from keel_dev.console import CloudError
from keel_dev.settings import Settings
from tests.interop.cells import FOREIGN_COMPUTE, NOVA, Cell, process_name
from tests.interop.deployment import Deployment
from tests.interop.report import Report

TOO_OLD = "32"


def test_compute_32_refused(settings: Settings, deployment: Deployment, report: Report) -> None:
    """Our conductor refuses to record it, it ends with the reason in its log, and nothing of it is kept."""
    line = report.line(FOREIGN_COMPUTE, "compute-32-refused", TOO_OLD)
    deployment.become(Cell("compute-32-refused", FOREIGN_COMPUTE, computes=(NOVA,)))
    with pytest.raises(CloudError, match="ServiceTooOld"):
        deployment.cloud.change(Cell("", "", computes=(NOVA, TOO_OLD)).mixture)
    line.marks["boot"] = "refused"
    engine = sa.create_engine(settings.database_url("nova_cell1"), poolclass=sa.NullPool)
    with engine.connect() as connection:
        for table in ("services", "compute_nodes"):
            query = sa.text(f"select count(*) from {table} where host = :host")
            assert connection.execute(query, {"host": process_name("nova-compute", TOO_OLD)}).scalar() == 0
    line.marks["leftovers"] = "none"
