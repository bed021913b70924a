"""``os-instance_usage_audit_log``: which hosts have told the usage of a period (nova 34.0.0)."""

from __future__ import annotations

import datetime
from typing import Any
from urllib.parse import unquote

from keel_api.compute.hosts import COMPUTE, in_cells
from keel_api.http import Fault, Request, handles
from keel_common.db import now
from keel_common.db.stores.nova import services, task_log
from keel_common.domain import audit_period

_RULE = "os_compute_api:os-instance-usage-audit-log"
_FORMAT = "%Y-%m-%d %H:%M:%S"
_SHORT = "%Y-%m-%d %H:%M:%S.%f"


@handles("GET /os-instance_usage_audit_log")
def index(req: Request) -> dict[str, Any]:
    """The last whole period."""
    req.must(f"{_RULE}:list", {})
    return {"instance_usage_audit_logs": _report(req, now())}


@handles("GET /os-instance_usage_audit_log/{id}")
def show(req: Request) -> dict[str, Any]:
    """The last whole period before a moment."""
    req.must(f"{_RULE}:show", {})
    text = unquote(req.path["id"])
    return {"instance_usage_audit_log": _report(req, _moment(text))}


def _moment(text: str) -> datetime.datetime:
    try:
        return datetime.datetime.strptime(text, _SHORT if "." in text else _FORMAT)
    except ValueError:
        raise Fault(400, f"Invalid timestamp for date {text}") from None


def _report(req: Request, before: datetime.datetime) -> dict[str, Any]:
    begin, end = audit_period.last_before(before, req.services.conf.instance_usage_audit_period)
    hosts: list[str] = []
    logs: list[dict[str, Any]] = []
    for cell, rows in in_cells(req, services.listing):
        hosts += [row["host"] for row in rows if row["binary"] == COMPUTE]
        logs += cell.db.read(task_log.listing, "instance_usage_audit", begin, end)
    done = [row for row in logs if row["state"] == "DONE"]
    running = [row for row in logs if row["state"] == "RUNNING"]
    missing = sorted(set(hosts) - {row["host"] for row in logs})
    failed = sum(row["errors"] or 0 for row in logs)
    return {
        "period_beginning": str(begin),
        "period_ending": str(end),
        "num_hosts": len(hosts),
        "num_hosts_done": len(done),
        "num_hosts_running": len(running),
        "num_hosts_not_run": len(missing),
        "hosts_not_run": missing,
        "total_instances": sum(row["task_items"] or 0 for row in logs),
        "total_errors": failed,
        "overall_status": f"{len(done)} of {len(hosts)} hosts done. {failed} errors.",
        "log": {row["host"]: _line(row) for row in logs},
    }


def _line(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "state": row["state"],
        "instances": row["task_items"],
        "errors": row["errors"],
        "message": row["message"],
    }
