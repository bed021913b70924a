"""Every cell of the matrix: the life of servers and volumes with each kind of compute, and nothing left of it."""

import pytest

from keel_dev.settings import Settings
from tests.interop.cells import MATRIX, Cell
from tests.interop.deployment import Deployment, hosts_of
from tests.interop.leftovers import Leftovers
from tests.interop.logs import EXPECTED, Logs
from tests.interop.report import Line, Report
from tests.interop.visit import STEPS, Visit


@pytest.mark.parametrize("cell", MATRIX, ids=[cell.name for cell in MATRIX])
def test_cell(cell: Cell, settings: Settings, deployment: Deployment, report: Report) -> None:
    """All steps end as they should, nothing is left, and nobody's log complains."""
    logs = Logs(deployment.logs)
    lines = {kind: report.line(cell.row, cell.name, kind) for kind in cell.computes}
    deployment.become(cell)
    leftovers = Leftovers(settings, deployment.world)
    visits = []
    with deployment.zones(cell) as zones:
        for kind, line in lines.items():
            visit = Visit(deployment.world, kind, hosts_of([kind]), zones[kind])
            visits.append(visit)
            run(line, visit)
    last = list(lines.values())[-1]
    check(last, "leftovers", leftovers.of(visits))
    check(last, "logs", logs.findings(deployment.services))
    if cell.name == "all-real":
        assert {known for known in EXPECTED if known.always} <= logs.expected(deployment.services), "a line nobody says"
    failures = [failure for line in lines.values() for failure in line.failures]
    assert not failures, "\n".join(failures)


def run(line: Line, visit: Visit) -> None:
    """Do the steps up to the first that fails; what was made is deleted in any case."""
    with visit.world.tidy():
        all(line.do(name, lambda step=step: step(visit)) for name, step in STEPS.items())


def check(line: Line, column: str, found: list[str]) -> None:
    """Mark a column with what was found, which should be nothing."""
    line.marks[column] = "none"
    for text in found:
        line.fail(column, text)
