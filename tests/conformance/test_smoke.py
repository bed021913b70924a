"""A few recorded scenarios of operations that are built, in every `make test`; all of them: `make conformance`."""

import re

import pytest

from conformance.__main__ import CLOUDS, chosen, run
from conformance.scenario import DATA

#: Patterns of scenario ids: one life of each main resource, at an old and at a new microversion.
HELD = {
    "compute": (
        r"test_servers\.ServersSampleJsonTest\.test_servers_(post|get|list|details)\(v2_1\)",
        r"ServersSampleJson219Test\.test_servers_(get|details)\(v2_19\)",
        r"test_keypairs\.KeyPairsSampleJsonTest\.[^(]*\(v2_1\)",
        r"VolumeAttachmentsSampleV2101\.test_attach_volume_to_server",
        r"test_server_external_events\..*\(v2_1\)",
    ),
    "volume": (r"functional\.test_volumes\.VolumesTest\.test_(?!manage)", r"VolumesSampleJsonTest\."),
}


@pytest.mark.parametrize("api", sorted(CLOUDS))
def test_recorded_answers_of_main_operations_are_given(api):
    scenarios = chosen(DATA / f"{api}.jsonl.gz", "|".join(HELD[api]))
    found = [pattern for pattern in HELD[api] if any(re.search(pattern, each["id"]) for each in scenarios)]
    assert found == list(HELD[api]), "a pattern names no scenario"
    wrong = {each.id: each.first for each in run(api, scenarios) if each.verdict != "pass"}
    assert wrong == {}
