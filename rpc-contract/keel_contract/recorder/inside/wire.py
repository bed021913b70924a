"""A transport that keeps what is sent instead of sending it."""

import json

from oslo_messaging.rpc import client
from oslo_messaging.transport import RPCTransport

# Time-outs that are told apart in a recording: seconds -> the option they come from.
RPC_RESPONSE_TIMEOUT = 77
LONG_RPC_TIMEOUT = 1777
TIMES = {RPC_RESPONSE_TIMEOUT: "rpc_response_timeout", LONG_RPC_TIMEOUT: "long_rpc_timeout"}


class Driver:
    """A driver of oslo.messaging for clients alone; every call is answered None."""

    def __init__(self, conf):
        self.conf = conf
        self.sent = []

    def require_features(self, requeue=False):
        """Nothing is refused."""

    def send(self, target, ctxt, message, wait_for_reply=None, timeout=None, call_monitor_timeout=None, **_more):
        """Keep the message with all that decides where it goes and how long its sender waits."""
        self.sent.append(
            {
                "mode": "call" if wait_for_reply else "cast",
                "topic": target.topic,
                "server": target.server,
                "fanout": bool(target.fanout),
                "namespace": message.get("namespace"),
                "version": message.get("version"),
                "method": message["method"],
                "timeout": TIMES.get(timeout, timeout),
                "monitor": TIMES.get(call_monitor_timeout, call_monitor_timeout),
                "args": plain(message["args"]),
            }
        )

    def cleanup(self):
        """Nothing is held."""


def transport(conf):
    """An RPC transport over a new Driver, its ``_driver``; ``conf`` gets time-outs that can be told apart."""
    conf.register_opts(client._client_opts)
    conf.set_override("rpc_response_timeout", RPC_RESPONSE_TIMEOUT)
    if "long_rpc_timeout" in conf:
        conf.set_override("long_rpc_timeout", LONG_RPC_TIMEOUT)
    return RPCTransport(Driver(conf))


def plain(value):
    """JSON of ``value`` as it travels; the fields an object names as changed are put in order, they have none."""
    return _ordered(json.loads(json.dumps(value, sort_keys=True, default=_sendable)))


def _sendable(value):
    """A set goes as a list; its order means nothing."""
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _ordered(value):
    if isinstance(value, dict):
        return {
            key: sorted(part) if key.endswith("object.changes") else _ordered(part)
            for key, part in sorted(value.items())
        }
    return [_ordered(part) for part in value] if isinstance(value, list) else value
