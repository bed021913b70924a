"""The questions of ``cinder-status upgrade check`` (cinder 29.0.0 cli)."""

from __future__ import annotations

from typing import Any

from keel_common.config.backends import backends
from keel_common.db import Database
from keel_common.db.stores.cinder import readiness
from keel_common.status import policy_files
from keel_common.status.upgrade import OK, Check, Result, failure, warning

#: Words in the names of drivers that releases have left out.
REMOVED_DRIVERS = ("coprhd", "drbdmanage", "disco", "hgst", "hpe_lefthand", "sheepdog", "zfssa", "windows")
NESTED_QUOTAS = "cinder.quota.NestedDbQuotaDriver"
PERIODIC_INTERVAL = 60


def backup_driver(conf: Any) -> Result:
    """A class, not its module: modules are named in small letters."""
    name = conf.backup_driver.rpartition(".")[2]
    if not name.islower():
        return OK
    return failure(f"backup_driver = {conf.backup_driver} names a module; it must name the class of the driver")


def policy_file(conf: Any) -> Result:
    """An old policy.json that nothing names is not read any more."""
    named = policy_files.named(conf)
    if named == "policy.yaml":
        old = policy_files.found(conf, policy_files.OLD_NAME)
        if old is None:
            return OK
        return warning(
            f"{old} is not read unless [oslo_policy]policy_file names it: what differs from the defaults "
            "belongs into policy.yaml"
        )
    if named and policy_files.configured(conf) is None:
        return warning(f"[oslo_policy]policy_file = {named} is not there: the default policies count")
    return OK


def removed_drivers(conf: Any) -> Result:
    drivers = {section.volume_driver for section in backends(conf)}
    gone = sorted(driver for driver in drivers if any(word in driver for word in REMOVED_DRIVERS))
    if not gone:
        return OK
    return failure(f"{', '.join(gone)}: no release has this driver any more; move its volumes to another backend first")


def periodic_interval(conf: Any) -> Result:
    if conf.periodic_interval == PERIODIC_INTERVAL:
        return OK
    return warning(
        f"periodic_interval = {conf.periodic_interval}: since Train some of what it ruled has options of its own, "
        "such as backend_stats_polling_interval"
    )


def service_uuids(conf: Any) -> Result:
    if _any(conf, readiness.services_without_uuid):
        return failure(
            "there are services or volumes without the uuid of a service: run the online data migrations of Queens"
        )
    return OK


def attachment_specs(conf: Any) -> Result:
    if _any(conf, readiness.attachment_specs):
        return failure("the table attachment_specs must be empty: run the online data migrations of Queens")
    return OK


def nested_quotas(conf: Any) -> Result:
    if conf.quota_driver == NESTED_QUOTAS:
        return failure(f"quota_driver = {NESTED_QUOTAS} is gone since Wallaby")
    return OK


def _any(conf: Any, count: Any) -> bool:
    db = Database(conf.database.connection, conf.database)
    try:
        return db.read(count) > 0
    finally:
        db.close()


CHECKS = (
    Check("Backup Driver Path", backup_driver),
    Check("Use of Policy File", policy_file),
    Check("Removed Drivers", removed_drivers),
    Check("Periodic Interval Use", periodic_interval),
    Check("Service UUIDs", service_uuids),
    Check("Attachment specs", attachment_specs),
    Check("Use of Nested Quota Driver", nested_quotas),
)
