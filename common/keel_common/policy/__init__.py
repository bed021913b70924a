"""Who may do what: the recorded rules of both suites and their enforcement."""

from keel_common.policy.enforce import Policies
from keel_common.policy.rules import defaults

__all__ = ["Policies", "defaults"]
