"""What oslo.policy by itself says of the recorded rules, and the answer that follows for a wish."""

from __future__ import annotations

from typing import Any

from fakes.api import PROJECT, Identity
from oslo_config import cfg
from oslo_policy import opts, policy

from api.compute import recorded, world
from api.compute.wishes import Wish

OWNER = {"project_id": PROJECT, "user_id": world.USER}
#: what the recording calls the owner of something -> the owner in the world
_OWNERS = ("instance.", "server.", "im.", "sg.")


class Oracle:
    """oslo.policy with the recorded rules and, where one is named, a policy file over them."""

    def __init__(self, policy_file: str = "none-of-this-name.yaml", new_defaults: bool = True):
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        opts.set_defaults(conf)
        conf.set_override("enforce_new_defaults", new_defaults, "oslo_policy")
        self._enforcer = policy.Enforcer(conf, policy_file=policy_file)
        self._enforcer.suppress_deprecation_warnings = True
        self._enforcer.register_defaults([_default(row) for row in recorded.policies()])
        self._enforcer.load_rules()

    def allows(self, rule: str, who: Identity, target: dict[str, Any]) -> bool:
        """Whether the caller passes; a token of the wrong scope does not."""
        credentials: dict[str, Any] = {"roles": list(who.roles), "user_id": who.user, "project_id": who.project}
        scope = who.more.get("HTTP_OPENSTACK_SYSTEM_SCOPE")
        if scope:
            credentials |= {"system_scope": scope, "system": scope}
        credentials = {key: value for key, value in credentials.items() if value is not None}
        credentials["is_admin"] = bool(self._enforcer.enforce("context_is_admin", {}, credentials))
        try:
            return bool(self._enforcer.enforce(rule, target, credentials))
        except policy.InvalidScope:
            return False


def _default(row: dict[str, Any]) -> policy.RuleDefault:
    about: dict[str, Any] = {"scope_types": row["scope_types"]}
    if "deprecated" in row:
        old = row["deprecated"]
        about["deprecated_rule"] = policy.DeprecatedRule(
            old["name"], old["check"], deprecated_reason="recorded", deprecated_since=old["since"]
        )
    return policy.RuleDefault(row["name"], row["check"], **about)


def target(row: dict[str, Any], who: Identity) -> dict[str, Any]:
    """The target of a recorded check in the world."""
    own = {"project_id": who.project, "user_id": who.user}
    told = row.get("target", {})
    if isinstance(told, str):
        return own
    return {name: _value(name, text, own) for name, text in told.items()}


def _value(name: str, text: str, own: dict[str, Any]) -> Any:
    if text.startswith(_OWNERS):
        return OWNER[name]
    if text in ("id", "tenant_id"):  # the project that the path names
        return PROJECT
    return own.get(name)


def refuses(oracle: Oracle, wish: Wish, who: Identity) -> str | None:
    """The first recorded rule that refuses the wish, or None."""
    for row in wish.rules():
        if row["fatal"] and not _only_for_admins(row, who) and not oracle.allows(row["rule"], who, target(row, who)):
            return row["rule"]
    return None


def _only_for_admins(row: dict[str, Any], who: Identity) -> bool:
    """A check that is not made of others."""
    return any("caller is_admin" in condition for condition in row.get("when", ())) and "admin" not in who.roles


def hides(wish: Wish, who: Identity, made: dict[str, str]) -> str | None:
    """Why the wish reaches nothing: "at once" or, when policy is asked first, "later"; None for what is reached.

    A server or server group of another project exists for administrators only. Most operations look for it before they
    ask policy; those that look for its mapping first, or ask for a console, ask policy before.
    """
    if "admin" in who.roles or who.project == PROJECT:
        return None
    names = [name for name in [*world.SERVERS, "group"] if made[name] in wish.request(made)[1]]
    looked = recorded.live()[wish.op_id].get("lookups", [])
    if any(each in ("server", "server group") for each in looked) or wish.op_id.partition(" ")[2].startswith(
        _OTHER_NAME
    ):
        return "at once" if names else None
    return "later" if names else None


#: Another name of servers; its look-ups are those of servers (nova 34.0.0 http summary).
_OTHER_NAME = "/os-volumes_boot/{id}"
