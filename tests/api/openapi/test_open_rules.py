"""However open an operator's rules are: a caller of another project reaches nothing that is a project's.

Every rule of both suites is "anybody may", but those that say who is an administrator. What a stranger then asks of
things of another project must not change one row of it, tell a peer, or show a text of it.
"""

import json

import pytest
from fakes.api import OTHER, PROJECT, Identity

from api.compute import recorded as compute_recorded
from api.openapi.targets import MARK, TARGETS
from api.volume import recorded as volume_recorded
from api.volume.test_authorization import owned

STRANGER = Identity("stranger", OTHER, ("member", "reader"))
_ADMINS = {"context_is_admin", "admin_api"}
RULES = {
    "compute": [rule["name"] for rule in compute_recorded.policies()],
    "volume": list(volume_recorded.policies()),
}
#: Lists of the whole deployment: who may use them sees every project, by what they are.
WIDE = {
    "GET /os-hosts/{id}",
    "GET /os-hypervisors/{id}/servers",
    "GET /os-migrations",
    "GET /os-simple-tenant-usage",
    "GET /os-simple-tenant-usage/{id}",
    "GET /servers (all)",
    "GET /servers/detail (all)",
    "GET /os-volumes_boot (all)",
    "GET /os-volumes_boot/detail (all)",
}
_OF_PROJECTS = ("/servers/", "/os-volumes_boot/", "/os-server-groups/")


def of_a_project(suite, name):
    """Whether an operation reaches what is a project's, or lists what may be."""
    if suite == "volume":
        return owned(name) and name not in ("PUT /os-quota-sets/{id}", "DELETE /os-quota-sets/{id}")
    return name not in WIDE and (name.startswith("GET") or name.partition(" ")[2].startswith(_OF_PROJECTS))


@pytest.fixture(scope="module")
def opened(_compute_tables, _volume_tables, tmp_path_factory):
    """Both APIs under files that let everybody do everything."""
    made = {}
    for suite, tables in (("compute", _compute_tables), ("volume", _volume_tables)):
        target = made[suite] = TARGETS[suite](tables)
        file = tmp_path_factory.mktemp(suite) / "policy.yaml"
        rules = [rule for rule in RULES[suite] if rule not in _ADMINS]
        file.write_text("".join(f'{json.dumps(rule)}: "@"\n' for rule in rules))
        target.api.set("policy_file", str(file), "oslo_policy")
        target.api.with_handlers({})
    yield made
    for target in made.values():
        target.api.conf.clear_override("policy_file", "oslo_policy")
        target.api.close()


@pytest.mark.parametrize("suite", ["compute", "volume"])
def test_a_stranger_changes_and_reads_nothing(opened, suite):
    target, wrong = opened[suite], []
    target.restore()
    before = target.rows()
    for name, method, path, body, version in target.requests():
        if not of_a_project(suite, name):
            continue
        reply = target.api.call(method, path, body, who=STRANGER, version=version, checked=False)
        assert reply.status < 500 or reply.status in (501, 502, 503), (name, reply.raw)
        if MARK.encode() in reply.raw:
            wrong.append(f"{name} shows it: {reply.status} {reply.raw[:200]!r}")
        after = target.rows()
        lost, new = before - after, [row for row in after - before if PROJECT in row]
        if lost or new:
            wrong.append(f"{name} changes it: {reply.status} {reply.raw[:200]!r} {[*lost, *new][:1]}")
        target.restore()
    assert wrong == [], "\n".join(wrong)
