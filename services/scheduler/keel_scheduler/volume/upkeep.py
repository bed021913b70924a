"""What the volume scheduler tidies up: expired reservations and messages, requests that reached nobody."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from oslo_config import cfg
from oslo_log import log

from keel_common.db import Database
from keel_common.db.stores.cinder import messages, placement, quotas
from keel_common.db.stores.cinder.rows import now
from keel_common.runtime import Part, Periodic
from keel_scheduler.volume import backups

LOG = log.getLogger(__name__)
#: Seconds between two looks for volumes that nobody places.
_LOOK = 30.0


def parts(conf: cfg.ConfigOpts, db: Database) -> list[Part]:
    """The periodic work (cinder 29.0.0 scheduler: reservation_clean_interval, message_reap_interval)."""
    return [
        Periodic("expired-reservations", conf.reservation_clean_interval, partial(db.run, quotas.expire)),
        Periodic("expired-messages", conf.message_reap_interval, partial(db.run, messages.reap)),
        Periodic("lost-volumes", _LOOK, partial(end_lost, conf, db)),
        Periodic("lost-backups", _LOOK, partial(backups.end_lost, conf, db)),
    ]


def end_lost(conf: cfg.ConfigOpts, db: Database) -> None:
    """A volume whose request was lost before it had a place goes to error, with a message, after
    ``[keel]build_deadline``; a request that comes later than that finds it so and leaves it alone."""
    before = now() - timedelta(seconds=conf.keel.build_deadline)
    for row in db.read(placement.lost, before):
        if db.run(placement.lost_failed, row["id"]):
            LOG.error("volume %s: nobody looked for a place for it in %s s", row["id"], conf.keel.build_deadline)
            tell_no_backend(conf, db, row["project_id"], row["id"])


def tell_no_backend(
    conf: cfg.ConfigOpts,
    db: Database,
    project_id: str,
    volume_id: str,
    action: str = "SCHEDULE_ALLOCATE_VOLUME",
    request_id: str = "",
) -> None:
    """Leave the user message that no backend took the volume."""
    db.run(
        messages.create,
        project_id,
        request_id,
        action,
        ttl_seconds=conf.message_ttl,
        resource_uuid=volume_id,
        detail="NO_BACKEND_AVAILABLE",
    )
