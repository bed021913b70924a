"""Policies: recorded defaults, overrides, memory."""

import time

import pytest

from keel_common.config import load
from keel_common.context import Context
from keel_common.policy import Policies, defaults


def policies(suite, tmp_path, text=None):
    path = tmp_path / "policy.yaml"
    if text is not None:
        path.write_text(text)
    conf = load(suite, [])
    made = Policies(conf, suite)
    conf.set_override("policy_file", str(path), "oslo_policy")
    return Policies(conf, suite) if text is not None else made


def who(found, *roles, project="p", **more):
    context = Context("u", project, roles, **more)
    context.is_admin = found.is_admin(context)
    return context


@pytest.mark.parametrize(("suite", "count"), [("compute", 214), ("volume", 167)])
def test_every_recorded_rule_is_there(suite, count, tmp_path):
    assert len(defaults(suite)) == count
    assert len(policies(suite, tmp_path).names()) == count


@pytest.mark.parametrize(
    ("roles", "rule", "project", "allowed"),
    [
        (("admin",), "os_compute_api:os-hypervisors:list", "other", True),
        (("member", "reader"), "os_compute_api:servers:create", "p", True),
        (("reader",), "os_compute_api:servers:create", "p", False),
        (("reader",), "os_compute_api:servers:show", "p", True),
        (("reader",), "os_compute_api:servers:show", "other", False),
        (("service",), "os_compute_api:os-server-external-events:create", "other", True),
        (("member",), "compute:servers:resize:cross_cell", "p", False),
    ],
)
def test_the_personas_of_the_compute_api(tmp_path, roles, rule, project, allowed):
    found = policies("compute", tmp_path)
    assert found.allows(rule, who(found, *roles), {"project_id": project}) == allowed


def test_a_system_token_is_of_the_wrong_scope(tmp_path):
    found = policies("compute", tmp_path)
    context = who(found, "admin", project=None, system_scope="all")
    assert not found.allows("os_compute_api:servers:show", context, {"project_id": "p"})


def test_without_a_target_the_caller_is_his_own_target_and_an_empty_one_matches_nobody(tmp_path):
    found = policies("compute", tmp_path)
    member = who(found, "member", "reader")
    assert found.allows("os_compute_api:servers:show", member)
    assert not found.allows("os_compute_api:servers:show", member, {})


def test_a_rule_that_does_not_exist_is_a_mistake_of_ours(tmp_path):
    found = policies("compute", tmp_path)
    with pytest.raises(KeyError):
        found.allows("os_compute_api:zz", who(found, "admin"))


def test_the_operator_overrides_rules_and_changes_are_seen(tmp_path):
    rule = "os_compute_api:os-hypervisors:list"
    found = policies("compute", tmp_path, f'"{rule}": "role:watcher"\n')
    assert found.allows(rule, who(found, "watcher"))
    assert not found.allows(rule, who(found, "admin"))
    time.sleep(0.05)
    (tmp_path / "policy.yaml").write_text(f'"{rule}": "role:other"\n')
    deadline = time.monotonic() + 5
    while found.allows(rule, who(found, "watcher")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not found.allows(rule, who(found, "watcher"))


def test_who_is_an_administrator_is_a_rule_too(tmp_path):
    found = policies("volume", tmp_path, '"context_is_admin": "role:boss"\n')
    assert who(found, "boss").is_admin
    assert not who(found, "admin").is_admin
