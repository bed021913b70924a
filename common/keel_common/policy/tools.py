"""What the oslopolicy-* programs find of OpenKeel: the entry points of ``oslo.policy.policies`` and
``oslo.policy.enforcer`` (oslo.policy 6)."""

from __future__ import annotations

import argparse
import sys

from oslo_config import cfg
from oslo_policy import opts, policy

from keel_common.config import load
from keel_common.policy.enforce import enforcer
from keel_common.policy.rules import defaults


def compute_rules() -> list[policy.RuleDefault]:
    """Every rule of the compute API."""
    return defaults("compute")


def volume_rules() -> list[policy.RuleDefault]:
    """Every rule of the volume API."""
    return defaults("volume")


def compute_enforcer() -> policy.Enforcer:
    """An enforcer of the compute API with the policy file that the configuration named on the command line names."""
    return _enforcer("compute")


def volume_enforcer() -> policy.Enforcer:
    """The same of the volume API."""
    return _enforcer("volume")


def _enforcer(suite: str) -> policy.Enforcer:
    named = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    named.add_argument("--config-file", action="append", default=[])
    named.add_argument("--config-dir", action="append", default=[])
    told = named.parse_known_args(sys.argv[1:])[0]
    files = [f"--config-file={name}" for name in told.config_file]
    folders = [f"--config-dir={name}" for name in told.config_dir]
    conf = load(suite, argv=files + folders)
    made = enforcer(conf, suite)
    # oslopolicy-validator opens the file that the global configuration names, whatever the enforcer has
    name = conf.oslo_policy.policy_file
    opts.set_defaults(cfg.CONF, policy_file=conf.find_file(name) or name)
    return made
