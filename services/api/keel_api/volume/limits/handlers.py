"""GET /limits: what a project may have and has (source: cinder 29.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import settings
from keel_common.db.stores.cinder import quotas

#: resource -> (name of its limit, name of its use).
_SHOWN = {
    "volumes": ("maxTotalVolumes", "totalVolumesUsed"),
    "gigabytes": ("maxTotalVolumeGigabytes", "totalGigabytesUsed"),
    "snapshots": ("maxTotalSnapshots", "totalSnapshotsUsed"),
    "backups": ("maxTotalBackups", "totalBackupsUsed"),
    "backup_gigabytes": ("maxTotalBackupGigabytes", "totalBackupGigabytesUsed"),
}


@handles("GET /limits")
def index(req: Request) -> dict[str, Any]:
    """Limits and, where policy allows it, what is used and promised. Administrators may name a project from 3.39 on."""
    project = req.context.project_id
    if req.at_least(3, 39) and req.context.is_admin and req.query.get("project_id"):
        project = req.query.get("project_id")
    quota_class = req.context.quota_class if project == req.context.project_id else None

    def work(conn: Any) -> tuple[dict, dict]:
        limits = quotas.limits(conn, settings.quotas(req), project, _SHOWN, quota_class)
        return limits, quotas.usages(conn, project, _SHOWN)

    limits, used = req.services.db.read(work)
    absolute = {_SHOWN[name][0]: limit for name, limit in limits.items()}
    if req.can("limits_extension:used_limits"):
        absolute.update({_SHOWN[name][1]: usage.total for name, usage in used.items()})
    return {"limits": {"rate": [], "absolute": absolute}}
