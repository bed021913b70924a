"""Log levels of running processes (3.32; source: cinder 29.0.0)."""

from __future__ import annotations

import logging
import socket
from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, process_rpc
from keel_api.volume.answers import bare
from keel_common.db.stores.cinder import services
from keel_contract.errors import RemoteFault, RpcTimeout

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
_RULE = "volume_extension:services:update"
_API = "cinder-api"
_BINARIES = ("cinder-scheduler", "cinder-volume", "cinder-backup")
_LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")


@handles("PUT /os-services/get-log")
def get_log(req: Request) -> Row:
    """Levels of the loggers below a prefix, in this process and in those that were asked for."""
    req.must(_RULE, {})
    wanted, prefix = _processes(req), req.body.get("prefix")
    found = [_shown(socket.gethostname(), _API, _levels(prefix))] if _api_too(req) else []
    for row in wanted:
        try:
            levels = process_rpc.get_log_levels(req, row, prefix)
        except RemoteFault as error:
            raise faults.of_peer(error) from None
        except RpcTimeout:
            LOG.warning("%s on %s did not tell its log levels", row["binary"], row["host"])
            continue
        found.append(_shown(row["host"], row["binary"], {one.prefix: one.level for one in levels}))
    return {"log_levels": found}


def _shown(host: str, binary: str, levels: dict[str, str]) -> Row:
    return {"host": host, "binary": binary, "levels": levels}


@handles("PUT /os-services/set-log")
def set_log(req: Request) -> Response:
    """Change the level of the loggers below a prefix: 202."""
    req.must(_RULE, {})
    level = str(req.body.get("level") or "").upper()
    if level not in _LEVELS:
        raise faults.invalid_input(f"{req.body.get('level')} is not a valid log level.")
    prefix = req.body.get("prefix")
    if _api_too(req):
        for name in _levels(prefix):
            logging.getLogger(name).setLevel(level)
    for row in _processes(req):
        process_rpc.set_log_levels(req, row, prefix, level)
    return bare()


def _api_too(req: Request) -> bool:
    """Whether this process is meant: the API has no row."""
    return req.body.get("binary") in (None, "", "*", _API) and req.body.get("server") in (
        None,
        "",
        socket.gethostname(),
    )


def _processes(req: Request) -> list[Row]:
    """Rows of the processes that are up and meant."""
    binary, server = req.body.get("binary") or "*", req.body.get("server") or None
    rows = req.services.db.read(services.listing, None if binary == "*" else binary, server)
    seconds = req.services.conf.service_down_time
    return [row for row in rows if row["binary"] in _BINARIES and services.is_up(row, seconds)]


def _levels(prefix: str | None) -> dict[str, str]:
    """Level of every logger of this process below a prefix; the root is the empty name."""
    known = [name for name in logging.Logger.manager.loggerDict if name.startswith(prefix or "")]
    return {name: logging.getLevelName(logging.getLogger(name).getEffectiveLevel()) for name in sorted(known)}
