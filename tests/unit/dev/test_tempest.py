"""The verdict on a run of Tempest, and its lists."""

import json
import re
from pathlib import Path

import pytest

from keel_dev.console import CloudError
from keel_dev.tempest import verdict
from keel_dev.tempest.verdict import FAILED, LISTED, PASSED, SKIPPED, Known, Result, judge, last_line
from keel_dev.tempest.ways import BACKENDS, COMPUTES, way

LISTS = Path(__file__).parents[2] / "tempest"
WAYS = [f"{compute}+{backend}" for compute in COMPUTES for backend in BACKENDS]
TEST = "tempest.api.compute.servers.test_servers.ServersTestJSON.test_create"
PAUSE = Known(r"test_pause", "cannot pause", ("kubevirt",))


def state(result_state: str, name: str = TEST, way_name: str = "kubevirt+csi", baseline=(), known=(PAUSE,)) -> str:
    [judged] = judge([Result(f"{name}[id-1,smoke]", result_state)], way_name, frozenset(baseline), known)
    return judged.state


def test_a_failure_that_nobody_expects_fails() -> None:
    assert state(FAILED) == FAILED


def test_a_failure_that_is_listed_for_the_way_is_forgiven_in_that_way_only() -> None:
    assert state(FAILED, "a.test_pause") == LISTED
    assert state(FAILED, "a.test_pause", "nova+cinder") == FAILED


def test_a_test_that_passes_counts_as_passed_even_when_it_is_listed() -> None:
    assert state(PASSED, "a.test_pause") == PASSED


def test_a_skipped_test_fails_when_it_passes_against_the_real_services_and_nobody_says_why_it_is_skipped() -> None:
    assert state(SKIPPED) == SKIPPED
    assert state(SKIPPED, baseline=[TEST]) == FAILED
    assert state(SKIPPED, "a.test_pause", baseline=["a.test_pause"]) == LISTED


def test_a_line_may_speak_of_a_whole_way_or_of_one_part() -> None:
    for ways, covered in ((("nova+cinder",), True), (("nova",), True), (("cinder",), True), (("kubevirt",), False)):
        assert Known("x", "why", ways).covers("nova+cinder", "x") is covered


def test_the_last_line_has_all_four_counts() -> None:
    results = [Result("a", PASSED), Result("b.test_pause", FAILED), Result("c", FAILED), Result("d", SKIPPED)]
    assert last_line(judge(results, "kubevirt+csi", frozenset(), [PAUSE])) == (
        "1 passed, 1 failed, 1 skipped, 1 listed"
    )


def test_a_test_that_ran_twice_counts_once() -> None:
    lines = [json.dumps({"id": TEST, "state": each, "reason": "", "seconds": 1}) for each in (FAILED, PASSED)]
    assert [result.state for result in verdict.read_results(lines)] == [PASSED]


@pytest.mark.parametrize(
    ("name", "area"),
    [
        (TEST, "compute.servers"),
        ("tempest.api.compute.test_quotas.QuotasTestJSON.test_get", "compute"),
        ("setUpClass (tempest.api.compute.admin.test_agents.AgentsTest)", "compute.admin"),
        ("tempest.api.volume.admin.test_backups.Backups.test_one", "volume.admin"),
    ],
)
def test_the_table_has_a_row_for_each_folder_of_tests(name: str, area: str) -> None:
    assert Result(name, PASSED).area == area


def test_an_unknown_compute_is_refused() -> None:
    with pytest.raises(CloudError, match="kubevirt, nova"):
        way("libvirt", "csi")


def test_each_line_of_the_list_is_a_pattern_with_a_reason_for_ways_that_exist() -> None:
    parts = {*COMPUTES, *BACKENDS, *WAYS}
    for known in verdict.read_known(LISTS / "known.json"):
        re.compile(known.pattern)
        assert known.reason and known.ways and set(known.ways) <= parts


def test_a_line_without_a_reason_is_refused(tmp_path: Path) -> None:
    (tmp_path / "known.json").write_text('[{"tests": ["x"], "reason": " ", "ways": ["nova"]}]')
    with pytest.raises(ValueError, match="no reason"):
        verdict.read_known(tmp_path / "known.json")
