"""How an operation on this host can end other than well."""

from __future__ import annotations

from keel_common.clients.errors import ClientError
from keel_common.kube import KubeError
from keel_compute.kubevirt.errors import Unsupported
from keel_contract.errors import RemoteFault


class BuildAbort(Exception):
    """The server cannot be built here or anywhere else: no other host is tried."""


class BuildFailed(Exception):
    """The server could not be built on this host; another one may do better."""


class Gone(Exception):
    """The server was deleted while something was done to it."""


class Refused(Exception):
    """The operation cannot be done in the present state of the server."""


class NotSupported(Exception):
    """The driver does not have the operation (NotImplementedError of a Nova driver)."""


DELETING = ("UnexpectedDeletingTaskStateError", "InstanceNotFound")
"""Classes of a conductor's refusal that mean: somebody deletes this server (nova 34.0.0)."""
OTHERWISE = ("UnexpectedTaskStateError", "UnexpectedVMStateError")
"""... or that it is in another state than the sender believed."""
MOVED_ON = (*OTHERWISE, *DELETING)
"""Either: nothing of it is ours to revert."""


def is_fault(error: BaseException, *names: str) -> bool:
    """True when the conductor answered with one of these exception classes."""
    return isinstance(error, RemoteFault) and error.class_name in names


def text(error: BaseException) -> str:
    """One sentence for the user; errors of peers say who answered what, secrets are never part of them."""
    if isinstance(error, RemoteFault | KubeError | ClientError | Unsupported):
        return getattr(error, "message", None) or str(error)
    return str(error) or type(error).__name__
