"""The programs of oslo.policy with our namespaces, as an operator runs them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from keel_common.policy import defaults

TOOLS = Path(sys.executable).parent
NAMES = [("nova", "compute"), ("cinder", "volume"), ("openkeel-compute", "compute"), ("openkeel-volume", "volume")]
RULE = "os_compute_api:servers:create"


def run(tool, *words):
    return subprocess.run([str(TOOLS / f"oslopolicy-{tool}"), *words], capture_output=True, text=True, timeout=60)


@pytest.fixture
def conf(tmp_path):
    """A configuration file and the policy file that it names."""
    policies = tmp_path / "policy.yaml"
    file = tmp_path / "nova.conf"
    file.write_text(f"[oslo_policy]\npolicy_file = {policies}\n")
    return file, policies


@pytest.mark.parametrize(("namespace", "suite"), NAMES)
def test_a_sample_has_every_rule(namespace, suite):
    done = run("sample-generator", "--namespace", namespace)
    assert done.returncode == 0, done.stderr
    for rule in defaults(suite):
        assert f'#"{rule.name}": "{rule.check_str}"' in done.stdout, rule.name


@pytest.mark.parametrize(("namespace", "suite"), NAMES)
def test_the_effective_policy_is_the_file_over_the_defaults(namespace, suite, conf):
    file, policies = conf
    changed = defaults(suite)[-1].name
    policies.write_text(f'"{changed}": "role:boss"\n')
    done = run("policy-generator", "--namespace", namespace, "--config-file", str(file))
    assert done.returncode == 0, done.stderr
    assert f'"{changed}": "role:boss"' in done.stdout
    assert done.stdout.count("\n") == len(defaults(suite))


def test_rules_that_change_nothing_are_listed(conf):
    file, policies = conf
    policies.write_text(f'"{RULE}": "rule:project_member_or_admin"\n"os_compute_api:limits": "role:boss"\n')
    done = run("list-redundant", "--namespace", "nova", "--config-file", str(file))
    assert done.returncode == 0, done.stderr
    assert RULE in done.stdout and "os_compute_api:limits" not in done.stdout


@pytest.mark.parametrize(("text", "good"), [
    (f'"{RULE}": "role:boss"\n', True),
    ('"os_compute_api:no-such-rule": "role:boss"\n', False),
    (f'"{RULE}": "rule:nothing"\n', False),
    (f'"{RULE}": "role:boss or"\n', False),
])  # fmt: skip
def test_a_policy_file_is_validated(conf, text, good):
    file, policies = conf
    policies.write_text(text)
    done = run("validator", "--namespace", "nova", "--config-file", str(file))
    assert (done.returncode == 0) == good, done.stdout + done.stderr


def test_a_token_is_checked_against_a_policy_file(tmp_path):
    policies, access, target = (tmp_path / name for name in ("policy.yaml", "access.json", "target.json"))
    done = run("policy-generator", "--namespace", "nova", "--output-file", str(policies))
    assert done.returncode == 0, done.stderr
    user = {"id": "u", "name": "u", "domain": {"id": "default", "name": "Default"}}
    project = {"id": "p", "name": "p", "domain": {"id": "default", "name": "Default"}}
    token = {"user": user, "project": project, "roles": [{"id": "r", "name": "reader"}]}
    access.write_text(json.dumps({"token": token}))
    target.write_text(json.dumps({"project_id": "p", "user_id": "u"}))
    words = ["--policy", str(policies), "--access", str(access), "--target", str(target)]
    done = run("checker", *words)
    assert done.returncode == 0, done.stderr
    assert "passed: os_compute_api:servers:show\n" in done.stdout
    assert f"failed: {RULE}\n" in done.stdout
