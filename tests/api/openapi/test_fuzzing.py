"""Requests that schemathesis makes of the emitted documents, fair and unfair ones, against both APIs in this process.

Whatever is asked: no server's fault, and nothing of another project. `make test` runs a few of each operation, the same
every time; `make fuzz-api` many.
"""

import os

import pytest
import schemathesis
from fakes.api import Identity
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from api.openapi.targets import MARK, PROJECT, TARGETS
from keel_api.openapi import document

LONG = os.environ.get("KEEL_FUZZ") == "long"
EXAMPLES = int(os.environ.get("KEEL_FUZZ_EXAMPLES", "200")) if LONG else 4
VERSIONS = {"compute": ["2.104", "2.1"][: 1 + LONG], "volume": ["3.71", "3.0"][: 1 + LONG]}
CALLERS = [Identity.OTHER, Identity.MEMBER, Identity.ADMIN]
#: Answers that are no fault of the server: not built, a peer does not answer.
FINE = {501, 502, 503}
_EASY = {"deadline": None, "suppress_health_check": list(HealthCheck), "phases": [Phase.generate]}


def operations(suite, version):
    schema = schemathesis.openapi.from_dict(document(suite, version))
    for found in schema.get_all_operations():
        operation = found.ok()
        if not operation.definition.raw.get("deprecated"):
            yield operation


PARAMETERS = [
    pytest.param(suite, operation, id=f"{suite} {version} {operation.label}")
    for suite, versions in VERSIONS.items()
    for version in versions
    for operation in operations(suite, version)
]


@pytest.fixture(scope="module")
def targets(_compute_tables, _volume_tables):
    made = {"compute": TARGETS["compute"](_compute_tables), "volume": TARGETS["volume"](_volume_tables)}
    yield made
    for target in made.values():
        target.api.close()


def cases(operation):
    modes = [operation.as_strategy(generation_mode=mode) for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)]
    return st.one_of(modes)


@pytest.mark.parametrize(("suite", "operation"), PARAMETERS)
def test_no_request_is_a_servers_fault_or_shows_what_is_anothers(targets, suite, operation):
    target = targets[suite]
    known = target.known(operation.method.upper(), operation.path)

    @settings(max_examples=EXAMPLES, derandomize=not LONG, database=None, **_EASY)
    @given(cases(operation), st.sampled_from(CALLERS), st.sampled_from([None, *known]))
    def run(case, who, path):
        reply = target.send(case, who, path or case.formatted_path)
        if reply.status < 400 and case.method != "GET":
            target.restore()
        assert reply.status < 500 or reply.status in FINE, f"{reply.status} {reply.raw[:300]!r}"
        if who is Identity.OTHER:
            assert MARK.encode() not in reply.raw
            asked = repr((path, case.path_parameters, case.query, case.body))
            assert PROJECT.encode() not in reply.raw or PROJECT in asked

    target.restore()
    run()
