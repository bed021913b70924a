"""The matrix of the interop lane says what it means, and its eyes on the logs are open."""

from pathlib import Path

import pytest

from keel_dev.services import expand, plan
from keel_dev.settings import Settings
from tests.interop import cells
from tests.interop.cells import MATRIX, OURS, Cell
from tests.interop.logs import Logs


def test_no_two_cells_have_a_name_or_all_processes_in_common() -> None:
    assert len({cell.name for cell in MATRIX}) == len(MATRIX)
    assert len({cell.mixture for cell in MATRIX}) == len(MATRIX)


@pytest.mark.parametrize("cell", MATRIX, ids=[cell.name for cell in MATRIX])
def test_a_cell_has_one_process_for_each_choice_and_no_other(tmp_path: Path, cell: Cell) -> None:
    services = plan(Settings(tmp_path, "services"), cell.mixture.real, cell.mixture.beside)
    left_out = expand(services, cell.mixture.without)
    names = [name for name, one in services.items() if one.kind in ("keel", "real") and name not in left_out]
    assert len(names) == len(cell.processes)
    assert len([name for name in names if name.startswith("keel-")]) == len(
        [choice for _, choice in cell.processes if choice == OURS]
    )


def test_single_swaps_differ_from_a_pure_deployment_in_one_place() -> None:
    known = {cell.name: dict(cell.processes) for cell in MATRIX}
    for row, pure in ((cells.OURS_AMONG_REAL, "all-real"), (cells.REAL_AMONG_OURS, "all-ours")):
        for cell in (cell for cell in MATRIX if cell.row == row):
            places = known[cell.name].items() - known[pure].items()
            nova = [program for program, _ in places if program.startswith("nova")]
            cinder = [program for program, _ in places if program in ("cinder-api", "cinder-scheduler")]
            assert len(nova) + len(cinder) == 1, cell.name


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        (
            "2026-12-01 03:05:53.613 15427 ERROR oslo_messaging.rpc.server [None req-1 - - - -] Exception: KeyError",
            True,
        ),
        ("2026-12-01 03:05:53.613 15427 WARNING nova.compute.manager [-] Something is odd.", True),
        ("Traceback (most recent call last):", True),
        ("2026-12-01 03:05:53.613 15427 INFO nova.compute.manager [-] All is well", False),
        ("2026-12-01 03:05:53.613 15427 ERROR oslo_messaging.rpc.server Traceback (most recent call last):", False),
        ("2026-12-01 03:05:53.613 15427 WARNING amqp [-] Received method (60, 30) during closing channel 1.", False),
    ],
)
def test_what_is_loud_and_not_expected_is_found(tmp_path: Path, line: str, is_found: bool) -> None:
    log = tmp_path / "nova-compute.log"
    log.write_text("2026-12-01 03:00:00.000 1 ERROR nova.service [-] before the cell\n")
    logs = Logs(tmp_path)
    with open(log, "a") as file:
        file.write(f"{line}\n")
    assert bool(logs.findings(["nova-compute"])) == is_found
