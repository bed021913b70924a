import pytest

from keel_common.domain.server.events import verdict
from keel_common.domain.server.hostnames import hostname_for, numbered


@pytest.mark.parametrize(
    ("name", "hostname"),
    [
        ("My_Server 1.example", "my-server-1-example"),
        ("--web--", "web"),
        ("überräschung!", "berrschung"),
        ("日本", "fallback"),
        ("a" * 70, "a" * 63),
    ],
)
def test_a_display_name_becomes_a_host_name(name, hostname):
    assert hostname_for(name, "fallback") == hostname


def test_servers_created_together_are_numbered_from_one():
    assert [numbered("web", i, 2) for i in range(2)] == ["web-1", "web-2"]
    assert numbered("web", 0, 1) == "web"


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (("network-changed", None, False, None), 404),
        (("volume-extended", None, True, None), 400),
        (("network-changed", None, True, None), 422),
        (("volume-reimaged", None, True, "h"), 200),
    ],
)
def test_each_event_has_its_own_code(event, code):
    assert verdict(*event) == code
