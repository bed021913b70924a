"""What of a server forbids an action, method by method (nova 34.0.0 action_preconditions, guard_outcomes)."""

import pytest

from keel_common.domain.server import hindrances

ACCELERATED = {"flavor": {"extra_specs": {"accel:device_profile": "p"}}}
PORT = {"network_info": [{"profile": {"arq_uuid": "a"}}]}
VTPM = {"flavor": {"extra_specs": {"hw:tpm_version": "2.0"}}}
IMAGE_VTPM = {"system_metadata": {"image_hw_tpm_version": "2.0"}}
HELD_BY_HOST = {"flavor": {"extra_specs": {"hw:tpm_version": "2.0", "hw:tpm_secret_security": "host"}}}
SECRET_MEMORY = {"system_metadata": {"image_hw_mem_encryption": "True"}}
SHARES = {"shares": True}

REFUSED = [
    ("evacuate", SHARES, 409),
    ("live_migrate", SHARES, 409),
    ("shelve", SHARES, 409),
    ("suspend", SHARES, 409),
    ("rebuild", SHARES, 400),
    *[(name, PORT, 400) for name in ("evacuate", "live_migrate", "resize", "shelve", "shelve_offload", "suspend")],
    *[(name, ACCELERATED, 400) for name in ("live_migrate", "resize", "suspend")],
    *[(name, VTPM, 400) for name in ("evacuate", "live_migrate", "rebuild", "rescue", "shelve")],
    ("evacuate", IMAGE_VTPM, 400),
    *[(name, SECRET_MEMORY, 400) for name in ("live_migrate", "suspend")],
]
FINE = [
    ("live_migrate", HELD_BY_HOST),
    ("evacuate", ACCELERATED),
    ("rebuild", ACCELERATED),
    ("shelve", ACCELERATED),
    ("rescue", SHARES),
    ("resize", VTPM),
    ("pause", {**ACCELERATED, **PORT, **SHARES}),
]


def check(method, facts):
    server = {"uuid": "u", "flavor": {"extra_specs": {}}, "network_info": [], "system_metadata": {}, **facts}
    hindrances.check(method, server, bool(facts.get("shares")))


@pytest.mark.parametrize(("method", "facts", "code"), REFUSED)
def test_a_hindrance_has_the_recorded_code(method, facts, code):
    with pytest.raises(hindrances.Hindrance) as found:
        check(method, facts)
    assert found.value.code == code and method in str(found.value)


@pytest.mark.parametrize(("method", "facts"), FINE)
def test_what_does_not_matter_to_an_action(method, facts):
    check(method, facts)


def test_shares_win_over_what_comes_later():
    with pytest.raises(hindrances.Hindrance) as found:
        check("evacuate", {**SHARES, **VTPM})
    assert found.value.code == 409
