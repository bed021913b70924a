"""End a RabbitMQ listener without losing messages.

oslo.messaging acknowledges a request the moment it arrives, and takes its consumers back only when the connection is
closed, after the last handler has ended. A request that the broker sends in between is acknowledged and never handled.
So the consumers are taken back first, by the thread that reads the connection, which then hands over what had arrived.
"""

from __future__ import annotations

import logging
from typing import Any

from oslo_messaging.server import MessageHandlingServer

LOG = logging.getLogger(__name__)


def let_go_in_time(server: MessageHandlingServer) -> None:
    """Make a started server take its consumers back as soon as it is stopped; for other brokers nothing changes."""
    listener: Any = getattr(server.listener, "_poll_style_listener", None)
    connection = getattr(listener, "conn", None)
    if connection is None or not hasattr(connection, "_consumers"):
        return
    poll = listener.poll
    held = True

    def letting_go(*args: Any, **kwargs: Any) -> Any:
        nonlocal held
        if held and listener._shutdown.is_set():
            held = False
            _cancel(connection)
        return poll(*args, **kwargs)

    listener.poll = letting_go


def _cancel(connection: Any) -> None:
    """Take the consumers back; what the broker sent before it answers is received meanwhile."""
    for consumer, tag in list(connection._consumers.items()):
        try:
            consumer.cancel(tag)
        except connection.connection.recoverable_connection_errors as lost:
            # A broken connection has no consumers any more.
            LOG.debug("consumer %s went with its connection: %s", tag, lost)
            return
