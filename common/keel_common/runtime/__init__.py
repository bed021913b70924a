"""What every process has: parts, signals, health, pools, periodic work."""

from keel_common.runtime.health import HealthServer, verdict
from keel_common.runtime.logs import setup_logging
from keel_common.runtime.part import CannotStart, Check, Part, StartCheck, left
from keel_common.runtime.periodic import Periodic
from keel_common.runtime.process import Process, run
from keel_common.runtime.workers import Stopping, Workers
from keel_common.runtime.wsgi import WsgiServer

__all__ = [
    "CannotStart",
    "Check",
    "HealthServer",
    "Part",
    "Periodic",
    "Process",
    "StartCheck",
    "Stopping",
    "Workers",
    "WsgiServer",
    "left",
    "run",
    "setup_logging",
    "verdict",
]
