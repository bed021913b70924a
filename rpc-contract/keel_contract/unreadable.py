"""One line for what arrives and is no message.

oslo.messaging throws such a message away, as it must, and logs the traceback of its own insides for each. A peer that
sends garbage could fill a disk with that.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from oslo_messaging.server import MessageHandlingServer

LOG = logging.getLogger(__name__)

_DRIVER = "oslo.messaging._drivers.impl_rabbit"  # as oslo.log names it
_THEIRS = "Failed to process message"


class OneLine(logging.Filter):
    """Changes the record of a message that was thrown away; lets every record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[0] is not None and str(record.msg).startswith(_THEIRS):
            record.msg = "Threw away a message that cannot be read: %s"
            record.args = (record.exc_info[0].__name__,)
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


_ONE_LINE = OneLine()


def throw_away_what_cannot_be_taken(server: MessageHandlingServer) -> None:
    """Make a started server throw away a message that its listener cannot take in (a context nested too deep, say).

    It has acknowledged the message by then. oslo.messaging would try to reject it as well, fail at that, and begin its
    connection anew after a pause, once for each such message. For other brokers nothing changes.
    """
    connection = getattr(getattr(server.listener, "_poll_style_listener", None), "conn", None)
    for consumer in list(getattr(connection, "_consumers", ())):
        consumer.callback = _careful(consumer.callback)


def _careful(take: Callable[[Any], None]) -> Callable[[Any], None]:
    def taking(message: Any) -> None:
        try:
            take(message)
        except Exception as fault:  # whatever a message can do to a listener
            LOG.warning("Threw away a message that cannot be taken: %s", type(fault).__name__)

    return taking


def log_in_one_line() -> None:
    """From now on in this process; a second call changes nothing."""
    logging.getLogger(_DRIVER).addFilter(_ONE_LINE)
