"""One line for what arrives and is no message.

oslo.messaging throws such a message away, as it must, and logs the traceback of its own insides for each. A peer that
sends garbage could fill a disk with that.
"""

from __future__ import annotations

import logging

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


def log_in_one_line() -> None:
    """From now on in this process; a second call changes nothing."""
    logging.getLogger(_DRIVER).addFilter(_ONE_LINE)
