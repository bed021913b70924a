"""Quotas: limits, counters, reservations (source: cinder 29.0.0 quota rules).

A reservation is taken (`reserve`), then either comes true (`commit`) or is given back (`rollback`). Work that is
finished in the
same transaction uses `take`: the same rows stand in the database afterwards, with three statements instead of nine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import quota_counts
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, every, insert_many, new_id, now, update
from keel_common.domain.volume import quotas as rules
from keel_common.domain.volume.quotas import Usage


@dataclass(frozen=True)
class Settings:
    """The quota options of one deployment. `defaults`: resource -> limit of the option."""

    defaults: Mapping[str, int]
    expire_seconds: int = 86400
    until_refresh: int = 0
    max_age_seconds: int = 0
    snapshot_sizes_count: bool = True
    default_class: bool = True

    @classmethod
    def of(cls, conf: Any) -> Settings:
        """Read the options of cinder.conf."""
        declared = {**rules.RESOURCES, **rules.GROUP_RESOURCES}
        return cls(
            defaults={name: getattr(conf, resource.option) for name, resource in declared.items()},
            expire_seconds=conf.reservation_expire,
            until_refresh=conf.until_refresh,
            max_age_seconds=conf.max_age,
            snapshot_sizes_count=not conf.no_snapshot_gb_quota,
            default_class=conf.use_default_quota_class,
        )

    def default(self, resource: str) -> int:
        """Limit of a resource nobody set anything for."""
        return self.defaults.get(resource, rules.UNLIMITED)


def limits(
    conn: sa.Connection,
    settings: Settings,
    project_id: str | None,
    resources: Iterable[str],
    quota_class: str | None = None,
) -> dict[str, int]:
    """Limit of each resource: of the project, else of its class, else of the class `default`, else of the option.

    One statement. project_id None: the limits of a class alone.
    """
    names = list(resources)
    project, classes = TABLES["quotas"], TABLES["quota_classes"]
    wanted = [quota_class] if quota_class else []
    if settings.default_class and rules.DEFAULT_CLASS not in wanted:
        wanted.append(rules.DEFAULT_CLASS)
    of_class = sa.select(sa.literal("class").label("source"), classes.c.class_name.label("owner"), classes.c.resource,
                         classes.c.hard_limit).where(classes.c.class_name.in_(wanted), alive(classes))  # fmt: skip
    of_project = sa.select(sa.literal("project").label("source"), project.c.project_id.label("owner"),
    project.c.resource,
                           project.c.hard_limit).where(project.c.project_id == project_id, alive(project))  # fmt: skip
    parts = [part for part, used in ((of_project, project_id is not None), (of_class, bool(wanted))) if used]
    found: dict[tuple[str, str], dict[str, int]] = {}
    if parts:
        for source, owner, resource, limit in conn.execute(sa.union_all(*parts)):
            found.setdefault((source, owner), {})[resource] = limit
    order = [("project", project_id or ""), *(("class", name) for name in wanted)]
    result = {}
    for name in names:
        held = [found[key][name] for key in order if name in found.get(key, {}) and found[key][name] is not None]
        result[name] = held[0] if held else settings.default(name)
    return result


def usages(conn: sa.Connection, project_id: str, resources: Iterable[str] | None = None) -> dict[str, Usage]:
    """Counters of a project as they stand (a resource without a row counts nothing). One statement."""
    table = TABLES["quota_usages"]
    query = sa.select(table.c.resource, table.c.in_use, table.c.reserved).where(
        table.c.project_id == project_id, alive(table)
    )
    found = {name: Usage(in_use, reserved) for name, in_use, reserved in conn.execute(query)}
    wanted = found if resources is None else resources
    return {name: found.get(name, Usage(0, 0)) for name in wanted}


def reserve(
    conn: sa.Connection, settings: Settings, project_id: str, deltas: Mapping[str, int], limit: Mapping[str, int]
) -> list[str]:
    """Promise these amounts (negative: announce that they will come back); returns the reservation uuids.

    Locks the counters of the project in one order. Raises OverQuota or UsageOverflow and changes nothing then.
    """
    counters = _locked(conn, settings, project_id, deltas)
    rules.check(deltas, limit, _as_usages(counters))
    taken = {name: delta for name, delta in deltas.items() if delta > 0}
    _shift(conn, counters, reserved=taken)
    return _write_reservations(conn, settings, project_id, deltas, counters)


def take(
    conn: sa.Connection, settings: Settings, project_id: str, deltas: Mapping[str, int], limit: Mapping[str, int]
) -> list[str]:
    """Reserve and commit at once, inside the transaction that makes the work true; returns the reservation uuids.

    Afterwards the rows are those of a committed reservation. Raises as `reserve` does.
    """
    counters = _locked(conn, settings, project_id, deltas)
    rules.check(deltas, limit, _as_usages(counters))
    change = {name: max(delta, -counters[name]["in_use"]) for name, delta in deltas.items()}
    _shift(conn, counters, in_use=change)
    return _write_reservations(conn, settings, project_id, deltas, counters, done=True)


def give_back(conn: sa.Connection, settings: Settings, project_id: str, deltas: Mapping[str, int]) -> None:
    """Take back amounts that were in use (deltas negative). Never refused; a counter never falls below zero."""
    take(conn, settings, project_id, deltas, {})


def commit(conn: sa.Connection, uuids: Iterable[str]) -> None:
    """Make reservations true: promised becomes used. Unknown or finished reservations are ignored."""
    _finish(conn, uuids, come_true=True)


def rollback(conn: sa.Connection, uuids: Iterable[str]) -> None:
    """Give reservations back. Unknown or finished reservations are ignored."""
    _finish(conn, uuids, come_true=False)


def expire(conn: sa.Connection, at: datetime | None = None) -> int:
    """Give back every reservation whose time has passed; returns how many."""
    table = TABLES["reservations"]
    query = sa.select(table.c.uuid).where(table.c.expire < (at or now()), alive(table))
    uuids = list(conn.execute(query).scalars())
    rollback(conn, uuids)
    return len(uuids)


def own_limits(conn: sa.Connection, project_id: str) -> dict[str, int]:
    """The limits somebody set for this project."""
    table = TABLES["quotas"]
    query = sa.select(table.c.resource, table.c.hard_limit).where(table.c.project_id == project_id, alive(table))
    return dict(conn.execute(query).tuples().all())


def set_limits(conn: sa.Connection, project_id: str, values: Mapping[str, int]) -> None:
    """Write limits of a project."""
    _write_limits(conn, TABLES["quotas"], "project_id", project_id, values)


def set_class_limits(conn: sa.Connection, class_name: str, values: Mapping[str, int]) -> None:
    """Write limits of a class."""
    _write_limits(conn, TABLES["quota_classes"], "class_name", class_name, values)


def delete_limits(conn: sa.Connection, project_id: str) -> None:
    """Forget the limits of a project; its counters stay."""
    table = TABLES["quotas"]
    bury(conn, table, [table.c.project_id == project_id])


def rename_type(conn: sa.Connection, old: str, new: str) -> None:
    """Carry the per-type limits and counters of a renamed volume type over to its new name."""
    for kind in rules.PER_TYPE:
        for name in ("quotas", "quota_classes", "quota_usages"):
            table = TABLES[name]
            refresh = {"until_refresh": 1} if name == "quota_usages" else {}
            update(conn, table, [table.c.resource == f"{kind}_{old}"], {"resource": f"{kind}_{new}", **refresh})


def _write_limits(conn: sa.Connection, table: sa.Table, key: str, owner: str, values: Mapping[str, int]) -> None:
    mine = [table.c[key] == owner, alive(table)]
    have = set(conn.execute(sa.select(table.c.resource).where(*mine)).scalars())
    for name, limit in values.items():
        if name in have:
            update(conn, table, [*mine, table.c.resource == name], {"hard_limit": limit})
    new = [{key: owner, "resource": name, "hard_limit": limit} for name, limit in values.items() if name not in have]
    insert_many(conn, table, new)


def _as_usages(counters: Mapping[str, dict[str, Any]]) -> dict[str, Usage]:
    return {name: Usage(row["in_use"], row["reserved"]) for name, row in counters.items()}


def _locked(
    conn: sa.Connection, settings: Settings, project_id: str, names: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """The counters of these resources, locked in the order of their ids, made or counted anew where needed."""
    wanted = list(names)
    rows = _select_locked(conn, project_id, wanted)
    missing = [name for name in wanted if name not in rows]
    if missing:
        _make_counters(conn, settings, project_id, missing)
        rows = _select_locked(conn, project_id, wanted)
    stale = [name for name in wanted if name not in missing and _is_stale(rows[name], settings)]
    if stale:
        _recount(conn, settings, project_id, rows, stale)
    _count_down(conn, [row for name, row in rows.items() if name not in missing and name not in stale])
    return rows


def _make_counters(conn: sa.Connection, settings: Settings, project_id: str, names: list[str]) -> None:
    """Count what the project has; somebody who was faster with the same counters is as good.

    No savepoint: a deadlock ends the whole transaction on MySQL, and going back to a savepoint that is gone would hide
    that it can be done again."""
    counted = quota_counts.count(conn, project_id, names, settings.snapshot_sizes_count)
    common = {"project_id": project_id, "reserved": 0, "until_refresh": settings.until_refresh or None}
    fresh = [{**common, "resource": name, "in_use": counted[name], "race_preventer": True} for name in names]
    statement = TABLES["quota_usages"].insert().prefix_with("IGNORE", dialect="mysql")
    made = {"created_at": now(), "deleted": False}
    conn.execute(statement.prefix_with("OR IGNORE", dialect="sqlite").values([{**made, **row} for row in fresh]))


def _count_down(conn: sa.Connection, rows: list[dict[str, Any]]) -> None:
    """One use less until these counters are counted anew (only those that are told to)."""
    ids = [row["id"] for row in rows if row["until_refresh"] is not None]
    if ids:
        table = TABLES["quota_usages"]
        update(conn, table, [table.c.id.in_(ids)], {"until_refresh": table.c.until_refresh - 1})


def _select_locked(conn: sa.Connection, project_id: str, names: list[str]) -> dict[str, dict[str, Any]]:
    table = TABLES["quota_usages"]
    query = (
        sa.select(table)
        .where(table.c.project_id == project_id, table.c.resource.in_(names), alive(table))
        .order_by(table.c.id)
        .with_for_update()
    )
    return {row["resource"]: row for row in every(conn, query)}


def _is_stale(row: Mapping[str, Any], settings: Settings) -> bool:
    if row["in_use"] < 0:
        return True
    if row["until_refresh"] is not None and row["until_refresh"] <= 1:
        return True
    if settings.max_age_seconds and row["updated_at"]:
        return (now() - row["updated_at"]).total_seconds() >= settings.max_age_seconds
    return False


def _recount(conn: sa.Connection, settings: Settings, project_id: str, rows: dict, names: list[str]) -> None:
    table = TABLES["quota_usages"]
    counted = quota_counts.count(conn, project_id, names, settings.snapshot_sizes_count)
    for name in names:
        values = {"in_use": counted[name], "until_refresh": settings.until_refresh or None}
        update(conn, table, [table.c.id == rows[name]["id"]], values)
        rows[name].update(values)


def _shift(
    conn: sa.Connection,
    counters: Mapping[str, dict[str, Any]],
    in_use: Mapping[str, int] | None = None,
    reserved: Mapping[str, int] | None = None,
) -> None:
    """Add amounts to locked counters, all of them with one statement."""
    table = TABLES["quota_usages"]
    values: dict[str, Any] = {}
    touched: set[int] = set()
    for column, amounts in (("in_use", in_use), ("reserved", reserved)):
        by_id = {counters[name]["id"]: amount for name, amount in (amounts or {}).items() if amount}
        if by_id:
            values[column] = table.c[column] + sa.case(by_id, value=table.c.id, else_=0)
            touched.update(by_id)
    if touched:
        update(conn, table, [table.c.id.in_(sorted(touched))], values)


def _write_reservations(
    conn: sa.Connection,
    settings: Settings,
    project_id: str,
    deltas: Mapping[str, int],
    counters: Mapping[str, dict[str, Any]],
    done: bool = False,
) -> list[str]:
    ends = now() + timedelta(seconds=settings.expire_seconds)
    rows = [
        {"uuid": new_id(), "usage_id": counters[name]["id"], "project_id": project_id, "resource": name, "delta": delta,
         "expire": ends, "deleted": done, "deleted_at": now() if done else None}
        for name, delta in deltas.items()
    ]  # fmt: skip
    insert_many(conn, TABLES["reservations"], rows)
    return [row["uuid"] for row in rows]


def _finish(conn: sa.Connection, uuids: Iterable[str], come_true: bool) -> None:
    wanted = list(uuids or ())
    if not wanted:
        return
    held, usage = TABLES["reservations"], TABLES["quota_usages"]
    query = (
        sa.select(held.c.uuid, held.c.delta, usage.c.id, usage.c.in_use, usage.c.reserved)
        .join(usage, usage.c.id == held.c.usage_id)
        .where(held.c.uuid.in_(wanted), alive(held))
        .order_by(usage.c.id)
        .with_for_update()
    )
    counters: dict[str, dict[str, Any]] = {}
    in_use: dict[str, int] = {}
    reserved: dict[str, int] = {}
    done = []
    for row in every(conn, query):
        key = str(row["id"])
        counter = counters.setdefault(key, row)
        done.append(row["uuid"])
        promised = counter["reserved"] + reserved.get(key, 0)
        if row["delta"] > 0:
            reserved[key] = reserved.get(key, 0) - min(row["delta"], promised)
        if come_true:
            used = counter["in_use"] + in_use.get(key, 0)
            in_use[key] = in_use.get(key, 0) + max(row["delta"], -used)
    if done:
        _shift(conn, counters, in_use=in_use, reserved=reserved)
        bury(conn, held, [held.c.uuid.in_(done)])
