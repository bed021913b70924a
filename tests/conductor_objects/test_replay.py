"""Our conductor answers every remotable method as nova 34.0.0 did when it was asked the same."""

import pytest

from conductor_objects import golden, run, worlds
from conductor_objects.calls import methods
from conductor_objects.compare import differences
from conductor_objects.deliberate import DIFFERENT
from keel_contract.nova.objects import REGISTRY

DECLARED = {(name, method) for name, cls in REGISTRY.classes.items() for method in (*cls.actions, *cls.class_actions)}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conductor")
    return run.ours(worlds.sqlite(folder), folder, golden.CASES)


def test_every_remotable_method_is_asked(capsys):
    covered = methods(golden.CASES) & DECLARED
    with capsys.disabled():
        print(f"\nremotable methods of nova 34.0.0 in the replay: {len(covered)} of {len(DECLARED)}")
    assert DECLARED - covered == set()
    assert len(DECLARED) == 248


def test_every_case_has_a_name_of_its_own():
    assert len({case["name"] for case in golden.CASES}) == len(golden.CASES)
    assert set(golden.load()) == {case["name"] for case in golden.CASES}


def test_every_answer_fault_and_row_is_as_recorded(answers):
    lines = differences({name: one for name, one in golden.load().items() if name not in DIFFERENT}, answers)
    found = list(lines)
    assert not found, "\n".join(found[:50])


@pytest.mark.parametrize("name", sorted(DIFFERENT))
def test_what_we_mean_to_answer_otherwise_is_otherwise(answers, name):
    """An entry that is the same as recorded has to go."""
    assert list(differences({name: golden.load()[name]}, answers)), f"{name} is as recorded now"


def test_a_method_that_every_release_has_works_for_each_of_the_rest(answers):
    """What is meant to differ answers or refuses by a declared exception: nothing of our own leaks."""
    for name in DIFFERENT:
        for outcome in answers[name]:
            module = outcome.get("fault", {}).get("module", "")
            assert not module.startswith(("keel", "sqlalchemy")), (name, outcome["fault"])
