"""Logging as nova.conf and cinder.conf ask for it."""

from typing import Any

from oslo_log import log


def setup_logging(conf: Any, name: str) -> None:
    """Configures the root logger from the [DEFAULT] logging options (log_file, debug, use_json,
    default_log_levels...)."""
    log.setup(conf, name)
