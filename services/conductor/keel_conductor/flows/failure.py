"""Why something failed, in the words that users and administrators get to read."""

import traceback
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.db import DatabaseError
from keel_common.db.refusals import Refused
from keel_contract import errors


class NoValidHost(Exception):
    """No host takes the server; the text says which reason the scheduler gave."""


class MaxRetriesExceeded(Exception):
    """Every host that was tried failed, or no alternative is left."""


class TooManyInstances(Exception):
    """The servers that are there now are more than the quota allows."""


class Expired(Exception):
    """Nobody went on with a build in time."""


_TELLING = (
    Expired, NoValidHost, MaxRetriesExceeded, TooManyInstances, ClientError, Refused, DatabaseError, errors.RpcTimeout,
    errors.ExpectedFault,
)  # fmt: skip


def message_of(error: BaseException) -> str:
    """One sentence for the owner of the server. Of errors that were not made for readers only the kind is told."""
    if isinstance(error, errors.RemoteFault):
        return error.message
    return str(error) if isinstance(error, _TELLING) else type(error).__name__


def traceback_of(error: BaseException) -> str:
    """The trace of an error, and of the peer's error where one was sent."""
    own = "".join(traceback.format_exception(error))
    return f"{error.traceback}\n{own}" if isinstance(error, errors.RemoteFault) and error.traceback else own


def fault_of(error: BaseException, host: str) -> dict[str, Any]:
    """The row of instance_faults for an error (without instance_uuid)."""
    code = error.code if isinstance(error, Refused) else 500
    return {"code": code, "message": message_of(error), "details": traceback_of(error), "host": host}


def event_of(error: BaseException, host: str, event: str) -> dict[str, Any]:
    """A finished event for an error, to go with an action."""
    texts = {"details": message_of(error), "traceback": traceback_of(error)}
    return {"event": event, "host": host, "result": "Error", **texts}
