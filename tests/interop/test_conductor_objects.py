"""The object side of a conductor against a real nova-conductor, asked the same on equal databases.

KEEL_REFERENCE names the python of an environment with nova 34.0.0; without it the one of `keel-cloud` is used. It needs
no cloud and runs alone:

    KEEL_REFERENCE=.../bin/python python -m pytest tests/interop/test_conductor_objects.py
"""

import pytest
from conductor_objects import golden, run
from conductor_objects.compare import differences
from conductor_objects.deliberate import DIFFERENT

PYTHON = run.reference()
pytestmark = pytest.mark.skipif(not PYTHON, reason="there is no python with a real Nova (KEEL_REFERENCE)")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    return run.theirs(tmp_path_factory.mktemp("theirs"), golden.CASES, PYTHON)


def test_the_real_conductor_still_answers_as_recorded(theirs):
    found = list(differences(golden.load(), theirs))
    assert not found, "\n".join(found[:50])


def test_ours_answers_and_writes_the_same(theirs, tmp_path):
    ours = run.ours(tmp_path, golden.CASES)
    found = list(differences({name: one for name, one in theirs.items() if name not in DIFFERENT}, ours))
    assert not found, "\n".join(found[:50])
