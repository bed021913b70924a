"""Actions on a volume that its owner or an administrator takes: grow, mark, reset, image metadata."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, lists, lookup, rpc, settings
from keel_api.volume.answers import bare
from keel_api.volume.volumes import delete as deletion
from keel_common.db.stores.cinder import attachments, metadata, quotas, transitions, types, volumes, workers
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume import sizes
from keel_common.domain.volume.states import TRANSITIONS, Transition

LOG = logging.getLogger(__name__)
_ACTION = "POST /volumes/{id}/action #"


@handles(_ACTION + "os-extend")
def extend(req: Request) -> Response:
    """Grow a volume; an attached one from 3.42 on. 202, the scheduler looks for room."""
    new_size = int(req.args["new_size"])
    try:
        row, type_row, reservations = req.services.db.run(_extend, req, new_size)
    except quota_rules.OverQuota as error:
        raise faults.over_extend(error, next(iter(error.deltas.values()))) from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        rpc.extend_volume(req, row, type_row, new_size, reservations)
    except Exception:
        LOG.exception("Extension of volume %s could not be handed to the scheduler", row["id"])
        req.services.db.run(_give_up_extend, row, reservations)
        raise
    return Response()


def _extend(conn: Any, req: Request, new_size: int) -> tuple[dict, dict | None, list[str]]:
    row = lookup.volume(conn, req, req.path["id"], full=True)
    attached = req.at_least(3, 42) and row["status"] == "in-use"
    req.must("volume:extend_attached_volume" if attached else "volume:extend", lookup.target(row))
    if new_size <= row["size"]:
        raise faults.invalid_input(f"New size must be greater than the current {row['size']}GB but is {new_size}GB.")
    type_row = types.get(conn, row["volume_type_id"])
    reason = sizes.type_refusal(new_size, type_row["extra_specs"]) if type_row else None
    if reason:
        raise faults.invalid_input(reason)
    transition = TRANSITIONS["extend attached" if attached else "extend"]
    values = {"previous_status": row["status"]}
    if not transitions.apply(conn, transition, row["id"], values):
        wanted = transition.expected["status"][0]
        raise faults.refused_transition(transition, f"to be extended it must be {wanted} but it is {row['status']}")
    reservations = _reserve_growth(conn, req, row, type_row, new_size)
    return {**row, **values, "status": "extending"}, type_row, reservations


def _reserve_growth(conn: Any, req: Request, row: dict, type_row: dict | None, new_size: int) -> list[str]:
    options, project = settings.quotas(req), row["project_id"]
    name = type_row["name"] if type_row else None
    deltas = quota_rules.extend_volume(new_size - row["size"], name)
    quota_class = req.context.quota_class if project == req.context.project_id else None
    limits = quotas.limits(conn, options, project, [*deltas, "per_volume_gigabytes"], quota_class)
    single = limits.pop("per_volume_gigabytes")
    if 0 <= single < new_size:
        raise faults.size_above_limit(new_size, single)
    return quotas.reserve(conn, options, project, deltas, limits)


def _give_up_extend(conn: Any, row: dict, reservations: list[str]) -> None:
    quotas.rollback(conn, reservations)
    transitions.apply(conn, TRANSITIONS["extend rollback"], row["id"], {"status": row["previous_status"]})


@handles(_ACTION + "os-force_delete")
def force_delete(req: Request) -> Response:
    """Delete in any state (administrators): 202."""
    rule = "volume_extension:volume_admin_actions:force_delete"
    deletion.delete(req, req.path["id"], rule, force=True, cascade=False)
    return Response()


@handles(_ACTION + "os-reset_status")
def reset_status(req: Request) -> Response:
    """Write states an operator knows to be true: 202. `detached` takes every attachment away."""
    asked = {key: value.lower() for key, value in req.args.items() if value}
    if "migration_status" in asked and asked["migration_status"] == "none":
        asked["migration_status"] = None
    req.services.db.run(_reset, req, asked)
    return Response()


def _reset(conn: Any, req: Request, asked: dict[str, Any]) -> None:
    lookup.volume(conn, req, req.path["id"], None)
    req.must("volume_extension:volume_admin_actions:reset_status", {})
    if asked.get("status") == "deleting":
        raise Fault(400, "Status 'deleting' can not be set by hand.")
    row = volumes.lock(conn, req.path["id"])
    if row is None:
        raise faults.not_found("Volume", req.path["id"])
    held = attachments.of_volume(conn, row["id"])
    if asked.get("status") == "in-use" and not held:
        raise Fault(400, "A volume without attachments can not be 'in-use'.")
    if asked.get("attach_status") == "detached":
        for attachment in held:
            attachments.finish_detach(conn, row, attachment["id"])
    transitions.apply(conn, Transition("reset", "volumes", on_mismatch=None), row["id"], asked)
    workers.remove(conn, "Volume", row["id"])


@handles(_ACTION + "os-set_bootable")
def set_bootable(req: Request) -> Response:
    """Say whether a server can boot from the volume: 200."""
    bootable = lists.boolean("bootable", req.args["bootable"])

    def work(conn: Any) -> None:
        row = lookup.volume(conn, req, req.path["id"])
        req.must("volume:update", lookup.target(row))
        if row["status"] == "maintenance":
            raise faults.invalid_volume("a volume in maintenance cannot be changed")
        volumes.change(conn, row["id"], {"bootable": bootable})

    req.services.db.run(work)
    return Response()


@handles(_ACTION + "os-update_readonly_flag")
def update_readonly_flag(req: Request) -> Response:
    """Make later attachments read-only, or not: 202. The volume has to be available."""
    readonly = lists.boolean("readonly", req.args["readonly"])

    def work(conn: Any) -> None:
        row = lookup.volume(conn, req, req.path["id"])
        req.must("volume:update_readonly_flag", lookup.target(row))
        if row["status"] != "available":
            raise faults.invalid_volume(f"to change its readonly flag it must be available but it is {row['status']}")
        metadata.merge(conn, metadata.ADMIN, row["id"], {"readonly": str(readonly)})

    req.services.db.run(work)
    return Response()


@handles(_ACTION + "os-show_image_metadata")
def show_image_metadata(req: Request) -> dict[str, Any]:
    """What is known of the image the volume was made from."""

    def work(conn: Any) -> dict[str, str | None]:
        row = lookup.volume(conn, req, req.path["id"])
        req.must("volume:get_volume_metadata", lookup.target(row))
        return metadata.read(conn, metadata.IMAGE, [row["id"]])[row["id"]]

    return {"metadata": req.services.db.read(work)}


@handles(_ACTION + "os-set_image_metadata")
def set_image_metadata(req: Request) -> dict[str, Any]:
    """Add pairs to the image metadata; answers all of them."""
    rules = ("volume_extension:volume_image_metadata:set", "volume:update_volume_metadata")

    def work(conn: Any) -> dict[str, str | None]:
        row = _image_changeable(conn, req, rules)
        return metadata.merge(conn, metadata.IMAGE, row["id"], req.args["metadata"])

    return {"metadata": req.services.db.run(work)}


@handles(_ACTION + "os-unset_image_metadata")
def unset_image_metadata(req: Request) -> Response:
    """Take one pair of the image metadata away; 404 without it."""
    rules = ("volume_extension:volume_image_metadata:remove", "volume:delete_volume_metadata")

    def work(conn: Any) -> None:
        row = _image_changeable(conn, req, rules)
        if not metadata.remove(conn, metadata.IMAGE, row["id"], req.args["key"]):
            raise Fault(404, f"Metadata item was not found: {req.args['key']}")

    req.services.db.run(work)
    return bare()


def _image_changeable(conn: Any, req: Request, rules: tuple[str, ...]) -> dict[str, Any]:
    row = lookup.volume(conn, req, req.path["id"])
    for rule in rules:
        req.must(rule, lookup.target(row))
    if row["status"] in ("maintenance", "uploading"):
        raise faults.invalid_volume(f"image metadata of a volume in status {row['status']} cannot be changed")
    return row
