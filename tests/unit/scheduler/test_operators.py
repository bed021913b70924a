"""Operators of extra specs answer as recorded (cinder 29.0.0 scheduler operators)."""

import json
from pathlib import Path

import pytest

from keel_scheduler.operators import satisfies

PROBES = json.loads((Path(__file__).parent / "operator_probes.json").read_text())


@pytest.mark.parametrize(("value", "wanted", "verdict"), PROBES)
def test_operator(value, wanted, verdict):
    assert satisfies(value, wanted) is verdict
