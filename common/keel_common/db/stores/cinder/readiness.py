"""What must be so before an upgrade, counted in the database of Cinder (cinder 29.0.0 cli, upgrade check)."""

from __future__ import annotations

import sqlalchemy as sa

from keel_common.db.stores.cinder.rows import TABLES, alive


def services_without_uuid(conn: sa.Connection) -> int:
    """How many living services have no uuid, and how many living volumes belong to none though they have a host."""
    services, volumes = TABLES["services"], TABLES["volumes"]
    nameless = sa.select(sa.func.count()).select_from(services).where(services.c.uuid.is_(None), alive(services))
    lost = (
        sa.select(sa.func.count())
        .select_from(volumes)
        .where(volumes.c.service_uuid.is_(None), volumes.c.host.is_not(None), alive(volumes))
    )
    return conn.execute(nameless).scalar_one() + conn.execute(lost).scalar_one()


def attachment_specs(conn: sa.Connection) -> int:
    """How many living rows a table has that nothing writes any more."""
    table = TABLES["attachment_specs"]
    return conn.execute(sa.select(sa.func.count()).select_from(table).where(alive(table))).scalar_one()
