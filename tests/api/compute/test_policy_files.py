"""The operator's policy file over the recorded rules: each decides where it is recorded, by its name or an older."""

import json

import pytest
from fakes.api import OTHER, PROJECT, Identity
from oslo_policy import opts

from api.compute import recorded, wishes, world
from api.compute.oracle import Oracle
from keel_common.config import load
from keel_common.context import Context
from keel_common.policy import Policies

WISHES = wishes.all_wishes()
RULES = sorted(rule["name"] for rule in recorded.policies() if ":" in rule["name"])
#: Rule -> the one role that passes it in the file of these tests.
ROLES = {name: f"may-{number}" for number, name in enumerate(RULES)}
#: Wishes that only administrators reach: the recording makes the check for them alone.
ADMINS_OWN = ("GET /os-server-groups (all)",)
#: Old rule names -> the rules that took their place.
OLDER = {}
for _rule in recorded.policies():
    if "deprecated" in _rule and _rule["deprecated"]["name"] != _rule["name"] and ":" in _rule["name"]:
        OLDER.setdefault(_rule["deprecated"]["name"], []).append(_rule["name"])


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write a policy file; its name."""

    def write(rules):
        file = tmp_path_factory.mktemp("policy") / "policy.yaml"
        file.write_text("".join(f"{json.dumps(name)}: {json.dumps(check)}\n" for name, check in rules.items()))
        return str(file)

    return write


@pytest.fixture(scope="module")
def ruled(_whole, written):
    """The API under the file that gives every rule a role of its own."""
    _whole.api.set("policy_file", written({name: f"role:{role}" for name, role in ROLES.items()}), "oslo_policy")
    _whole.api.with_handlers({})
    _whole.restore()
    yield _whole
    _whole.api.conf.clear_override("policy_file", "oslo_policy")
    _whole.api.with_handlers({})


def holder(rules):
    """The owner of everything with the roles of some rules and no other."""
    return Identity(world.USER, PROJECT, tuple(ROLES[rule] for rule in rules))


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.id)
def test_each_rule_that_is_recorded_decides_and_no_other_does(ruled, wish):
    fatal = [row["rule"] for row in wish.rules() if row["fatal"]]
    if wish.id not in ADMINS_OWN:
        for missing in fatal:
            reply = ruled.ask(wish, holder([rule for rule in fatal if rule != missing]))
            assert reply.status == 403, f"without {missing}: {reply.status} {reply.raw[:200]!r}"
            assert reply.message == f"Policy doesn't allow {missing} to be performed."
    reply = ruled.ask(wish, holder(fatal))
    ruled.restore()
    assert reply.status not in (401, 403) or not reply.message.startswith("Policy"), reply.raw[:200]


SOFT = sorted(
    {(row["rule"], wish.id) for wish in WISHES for row in wish.rules() if not row["fatal"]}
    - {("os_compute_api:servers:show:host_status", "POST /servers/{id}/action #rebuild (trusted certificates)")}
)
#: What shows in no answer of the world: see the tests below and those of the operations themselves.
UNSEEN = {
    "compute:server:topology:host:index",
    "compute:servers:resize:cross_cell",
    "os_compute_api:servers:allow_all_filters",
    "os_compute_api:servers:create:zero_disk_flavor",
}


@pytest.mark.parametrize("rule", sorted({rule for rule, _ in SOFT if rule not in UNSEEN}))
def test_a_rule_that_shapes_an_answer_shapes_it(ruled, rule):
    """With and without the role of the rule some answer, or what is sent to a peer, differs."""
    by_id = {wish.id: wish for wish in WISHES}
    seen = []
    for each, name in SOFT:
        if each != rule:
            continue
        wish = by_id[name]
        others = {row["rule"] for row in wish.rules()} - {rule}
        if rule.endswith("unknown-only"):
            others -= {rule.removesuffix(":unknown-only")}
        answers = []
        for rules in ([*others, rule], others):
            reply = ruled.ask(wish, holder(rules))
            answers.append((reply.status, sorted(_keys(reply.body)), repr([sent for _, sent in ruled.api.bus.sent])))
            ruled.restore()
        seen.append(answers[0] != answers[1])
    assert any(seen)


def test_who_may_use_all_filters_may_ask_for_a_host(ruled):
    rule, index = "os_compute_api:servers:allow_all_filters", "os_compute_api:servers:index"
    for rules, count in (([index, rule], 0), ([index], len(world.SERVERS) - 1)):  # one is soft-deleted
        assert len(ruled.api.get("/servers?host=nowhere", who=holder(rules)).ok.body["servers"]) == count


def test_who_may_resize_to_another_cell_is_allowed_to_be_put_there(ruled):
    rule, resize = "compute:servers:resize:cross_cell", "os_compute_api:servers:resize"
    wish = next(wish for wish in WISHES if wish.op_id == "POST /servers/{id}/action #resize")
    for rules, allowed in (([resize, rule], True), ([resize], False)):
        assert ruled.ask(wish, holder(rules)).status == 202
        (sent,) = [sent for method, sent in ruled.api.bus.sent if method == "migrate_server"]
        ruled.restore()
        assert sent["request_spec"].requested_destination.allow_cross_cell_move is allowed


def _keys(value, place=""):
    """Every place in a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{place}.{key}"
            yield from _keys(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for inner in value[:1]:
            yield from _keys(inner, place)
    elif isinstance(value, str | None):
        yield f"{place} {'none' if value is None else 'some'}"


WHO = {
    "nobody": Identity("u", PROJECT, ()),
    "other role": Identity("u", PROJECT, ("_member_",)),
    "reader": Identity("u", PROJECT, ("reader",)),
    "member": Identity("u", PROJECT, ("member", "reader")),
    "manager": Identity("u", PROJECT, ("manager", "member", "reader")),
    "admin": Identity("u", PROJECT, ("admin", "member", "reader")),
    "admin of another project": Identity("v", OTHER, ("admin",)),
    "member of another project": Identity("v", OTHER, ("member", "reader")),
    "service": Identity("s", OTHER, ("service",)),
    "system admin": Identity("u", None, ("admin",), {"HTTP_OPENSTACK_SYSTEM_SCOPE": "all"}),
    "system reader": Identity("u", None, ("reader",), {"HTTP_OPENSTACK_SYSTEM_SCOPE": "all"}),
}
TARGETS = ({}, {"project_id": PROJECT, "user_id": "u"}, {"project_id": PROJECT, "user_id": "w"}, {"user_id": "u"})


def configuration(**options):
    """A configuration with options of [oslo_policy]."""
    conf = load("compute", [])
    opts.set_defaults(conf)
    for name, value in options.items():
        conf.set_override(name, value, "oslo_policy")
    return conf


def compared(policies, oracle, names=None):
    """How often the two say the same; fails where they do not."""
    count = 0
    for caller, who in WHO.items():
        scope = who.more.get("HTTP_OPENSTACK_SYSTEM_SCOPE")
        context = Context(who.user, who.project, list(who.roles), system_scope=scope)
        context.is_admin = policies.is_admin(context)
        for rule in names or policies.names():
            for target in TARGETS:
                expected = oracle.allows(rule, who, target)
                assert policies.allows(rule, context, target) == expected, (caller, rule, target)
                count += 1
    return count


@pytest.mark.parametrize("new", [True, False], ids=["new defaults", "old defaults beside the new"])
def test_every_rule_says_what_oslo_policy_says_of_the_recorded_one(new):
    """With the defaults of both generations; `enforce_scope` is no option any more, the scope always counts."""
    conf = configuration(enforce_new_defaults=new)
    assert compared(Policies(conf, "compute"), Oracle(new_defaults=new)) == 214 * len(WHO) * len(TARGETS)


@pytest.mark.parametrize("new", [True, False], ids=["new defaults", "old defaults beside the new"])
@pytest.mark.parametrize("older", sorted(OLDER))
def test_an_older_name_in_the_file_stands_for_the_rules_that_took_its_place(written, older, new):
    file = written({older: "role:reader and user_id:%(user_id)s"})
    conf = configuration(enforce_new_defaults=new, policy_file=file)
    compared(Policies(conf, "compute"), Oracle(policy_file=file, new_defaults=new), OLDER[older])


def test_scope_counts_whatever_an_older_file_says(tmp_path):
    """`enforce_scope` was an option once; today's oslo.policy has none, and a token of the system is always refused."""
    file = tmp_path / "nova.conf"
    file.write_text("[oslo_policy]\nenforce_scope = false\n")
    conf = load("compute", [], config_files=[str(file)])
    context = Context("u", None, ["admin"], system_scope="all")
    policies = Policies(conf, "compute")
    context.is_admin = policies.is_admin(context)
    for rule in RULES:
        assert not policies.allows(rule, context, {}), rule


def test_a_token_of_the_system_does_nothing(whole):
    who = WHO["system admin"]
    for wish in WISHES:
        if any(row["fatal"] for row in wish.rules()):
            assert whole.ask(wish, who).status in (400, 403, 404), wish.id
