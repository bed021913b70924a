"""Who may do what: every operation for every kind of caller, against what oslo.policy says of the recorded rules.

data/verdicts.json holds what the real cinder-api 29.0.0 answered to the same requests on the same database, with no
peers behind it; what it answered with a server's fault is not there.
"""

import json
from pathlib import Path

import pytest
from fakes.api import OTHER, PROJECT, Identity
from oslo_config import cfg
from oslo_policy import policy

from api.volume import recorded, wishes

ROWS = {row["id"]: row for row in recorded.operations() if not row.get("always_400")}
CALLERS = {
    "other reader": Identity("other-user", OTHER, ("reader",)),
    "other member": Identity.OTHER,
    "reader": Identity.READER,
    "member": Identity.MEMBER,
    "admin": Identity.ADMIN,
    "service": Identity.SERVICE,
}
#: Collections whose members belong to a project.
_OWNED = {
    "attachments", "backups", "cgsnapshots", "consistencygroups", "group_snapshots", "groups", "messages",
    "os-quota-sets", "os-volume-transfer", "snapshots", "volume-transfers", "volumes",
}  # fmt: skip
#: Operations that name something of a project in their body.
_NAMING = {
    "POST /attachments", "POST /backups", "POST /cgsnapshots", "POST /consistencygroups/create_from_src",
    "POST /group_snapshots", "POST /groups/action #create-from-src", "POST /manageable_snapshots",
    "POST /os-snapshot-manage", "POST /os-volume-transfer", "POST /snapshots", "POST /volume-transfers",
}  # fmt: skip
#: Rules the original checks with its own rights: members pass although they are the administrators'.
_ELEVATED = {"volume:update_volume_admin_metadata"}
#: A transfer is accepted by whoever has its key.
_BY_KEY = {"POST /os-volume-transfer/{id}/accept", "POST /volume-transfers/{id}/accept"}


_VERDICTS = json.loads((Path(__file__).parent / "data" / "verdicts.json").read_bytes())
#: The original answers 400 with the words of a refusal.
_ODD = {("POST /groups/action #create-from-src", "reader")}


def measured(op_id, caller):
    """403 or 404 where the original refuses so, else None."""
    answers = dict(zip(_VERDICTS["callers"], _VERDICTS["answers"].get(op_id, ()), strict=False))
    return answers.get(caller) if answers.get(caller) in (403, 404) and (op_id, caller) not in _ODD else None


class Oracle:
    """oslo.policy by itself, with the recorded rules."""

    def __init__(self):
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        self._enforcer = policy.Enforcer(conf, use_conf=False)
        self._enforcer.set_rules(policy.Rules.from_dict(recorded.policies()), use_conf=False)

    def allows(self, rules, who, target):
        creds = {"roles": list(who.roles), "user_id": who.user, "project_id": who.project}
        creds |= {"is_admin": "admin" in who.roles, "is_admin_project": True}
        return all(self._enforcer.enforce(rule, target, creds) for rule in rules)


@pytest.fixture(scope="module")
def oracle():
    return Oracle()


def owned(op_id):
    """Whether the operation reaches something that is a project's."""
    parts = op_id.partition(" ")[2].partition(" #")[0].split("/")
    return op_id not in _BY_KEY and (op_id in _NAMING or (parts[1] in _OWNED and "{" in op_id))


def target(op_id, who):
    project = PROJECT if owned(op_id) else who.project
    return {"project_id": project, "user_id": "member-user" if owned(op_id) else who.user}


def test_nobody_without_a_token_does_anything(everything):
    volume, made = everything
    for op_id in ROWS:
        method, path, body = wishes.request(op_id, made)
        assert volume.call(method, path, body, who=None, version="3.71").status == 401, op_id


@pytest.mark.parametrize("op_id", ROWS)
def test_policy_decides(everything, restored, oracle, op_id):
    volume, made = everything
    method, path, body = wishes.request(op_id, made)
    for caller, who in CALLERS.items():
        restored()
        reply = volume.call(method, path, body, who=who, version="3.71")
        said = f"{caller}: {reply.status} {reply.raw.decode()}"
        assert reply.status in expected(oracle, op_id, who), said
        assert measured(op_id, caller) in (None, reply.status), f"{said}, not {measured(op_id, caller)}"


def expected(oracle, op_id, who):
    """The codes that fit. What policy refuses, or is another project's, is 403, or 404 where it is hidden."""
    if op_id == "PUT /os-hosts":
        return (400,)  # it names no host, whoever asks (as measured)
    sees = "admin" in who.roles or who.project == PROJECT or not owned(op_id)
    rules = [rule for rule in ROWS[op_id]["policies"] if rule not in _ELEVATED]
    if sees and oracle.allows(rules, who, target(op_id, who)):
        return {*range(200, 500)} - {401, 403}
    return (403, 404)


@pytest.mark.parametrize("op_id", [op_id for op_id in ROWS if owned(op_id)])
def test_a_stranger_changes_nothing(everything, op_id):
    """Whatever the answer is: no row of the project is another one, and nothing was sent to a peer."""
    volume, made = everything
    method, path, body = wishes.request(op_id, made)
    before = dump(volume.db)
    volume.call(method, path, body, who=CALLERS["other member"], version="3.71")
    assert dump(volume.db) == before
    assert volume.bus.sent == []


def dump(db):
    with db.engine.connect() as connection:
        driver = connection.connection.driver_connection
        return [line for line in driver.iterdump() if "INSERT" in line and '"quota_usages"' not in line]
