"""What counts as an answer of the cluster, and what is only a bad moment."""

from __future__ import annotations

from keel_common.clients.errors import ClientError
from keel_common.kube import KubeError

#: Codes of 4xx that pass: time-out, two that write at once (as claims under one ResourceQuota do), throttling.
_PASSING = (408, 409, 429)


class Refused(Exception):
    """The volume cannot be made here. ``retry``: another backend may be asked.

    ``action`` and ``detail`` name the user message.
    """

    def __init__(
        self,
        message: str,
        *,
        retry: bool,
        action: str = "CREATE_VOLUME_FROM_BACKEND",
        detail: str = "DRIVER_FAILED_CREATE",
    ):
        super().__init__(message)
        self.retry = retry
        self.action, self.detail = action, detail


def is_client_refusal(problem: ClientError) -> bool:
    """Whether another service said no, so that asking again is no use."""
    return 400 <= problem.status < 500 and problem.status not in _PASSING


def is_refusal(problem: KubeError) -> bool:
    """Whether the cluster said no (quota, policy, schema, not there) so that asking again is no use.

    A failing webhook, a conflict, throttling and silence (5xx, 408, 409, 429, no answer) pass.
    """
    return 400 <= problem.code < 500 and problem.code not in _PASSING
