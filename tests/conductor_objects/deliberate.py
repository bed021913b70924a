"""Cases in which our conductor means to answer otherwise than the recorded one, each with the reason.

In all of them the recorded one ends in an exception of its own making, or leaves something behind.
"""

_TEXT_MOMENTS = "moments come as text over the bus: the recorded one wants a datetime and fails, ours reads them"
_DIES = "the recorded one fails in its own code (TypeError or AttributeError), ours answers"
_NOT_REMOTE = "the recorded one calls any attribute of an object, ours the declared methods alone"

DIFFERENT = {
    "read a server with its fault": _DIES,
    "create with tags": _DIES,
    "delete a metadata key": "the recorded one deletes the row and fails after that, ours answers",
    "delete an absent metadata key": _DIES,
    "delete metadata that was not read": "the recorded one deletes the row and fails after that, ours answers",
    "save a changed flavor": "the recorded one tells the flavor from before, ours what is stored",
    "list uuids by node": "the recorded answer is no JSON and never leaves the conductor",
    "filter: changes since": _TEXT_MOMENTS,
    "filter: changes before": _TEXT_MOMENTS,
    "migrations by changes": _TEXT_MOMENTS,
    "migrations before": _TEXT_MOMENTS,
    "actions that changed": _TEXT_MOMENTS,
    "actions before": _TEXT_MOMENTS,
    "actions after nobody": "the recorded fault does not name the marker that was asked for",
    "migrations by servers": "the recorded one passes a list to the database driver, which refuses it",
    "create a device without server": "the recorded one leaves a row without server behind and fails, ours writes none",
    "save an absent interface": _DIES,
    "disabled service by host and topic": _DIES,
    "service by a host of nobody and topic": _DIES,
    "create a new kind of service": "the recorded one cannot name it in its notification, after the row is written",
    "finish an event": _DIES,
    "finish an event that was created": _DIES,
    "fail an event": _DIES,
    "event by an absent id": _DIES,
    "event of another action": _DIES,
    "save the metadata of an aggregate": "the recorded one tells the metadata from before, ours what is stored",
    "a method that is not remotable": _NOT_REMOTE,
    "a private name": _NOT_REMOTE,
    "an action that is not remotable": _NOT_REMOTE,
}
