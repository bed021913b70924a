"""Attaching a volume to a server that is on a host (nova 34.0.0 flows 11)."""

import logging
from typing import Any

from keel_common.clients.errors import ClientError, Unreachable
from keel_common.db.stores.nova import actions, bdms
from keel_conductor.flows.records import action_row
from keel_conductor.flows.reschedule import cell_of
from keel_conductor.peers import Peers
from keel_contract.context import Context

LOG = logging.getLogger(__name__)


def attach_volume(
    peers: Peers,
    context: Context,
    instance: Any,
    volume: dict[str, Any],
    device: str | None,
    disk_bus: str | None,
    device_type: str | None,
    tag: str | None,
    multiattach: bool,
    delete_on_termination: bool,
) -> str | None:
    """Has the compute name the device, reserves the volume, starts the action and hands over; the device name.

    When anything fails the block device row and the reservation are gone again and the error is raised. While Cinder
    does not answer nobody knows that: the row stays then, so that `Unattached` takes both away.
    """
    cell = cell_of(peers, instance.uuid)
    compute = peers.compute(cell)
    device_object = compute.send(
        context,
        "reserve_block_device_name",
        instance=instance,
        device=device,
        volume_id=volume["id"],
        disk_bus=disk_bus,
        device_type=device_type,
        tag=tag,
        multiattach=multiattach,
    )
    attachment = None
    try:
        attachment = peers.clients.cinder.create_attachment(context, volume["id"], instance.uuid)
        device_object.attachment_id = attachment["id"]
        device_object.delete_on_termination = delete_on_termination
        values = {"attachment_id": attachment["id"], "delete_on_termination": delete_on_termination}
        cell.db.run(_reserve, device_object.id, values, instance.uuid, action_row(context, "attach_volume"))
        device_object.obj_reset_changes()
        compute.send(context, "attach_volume", instance=instance, bdm=device_object)
    except Exception as error:
        LOG.warning("Volume %s could not be attached to %s", volume["id"], instance.uuid)
        free = not isinstance(error, Unreachable) if attachment is None else _release(peers, context, attachment["id"])
        if free:
            cell.db.run(bdms.destroy, device_object.id)
        raise
    return device_object.device_name


def _release(peers: Peers, context: Context, attachment: str) -> bool:
    """Give the volume back; False when Cinder did not."""
    try:
        peers.clients.cinder.delete_attachment(context, attachment)
    except ClientError as left:
        LOG.warning("Attachment %s is left behind for now: %s", attachment, left)
        return False
    return True


def _reserve(conn: Any, device_id: int, values: dict[str, Any], uuid: str, action: dict[str, Any]) -> None:
    bdms.update(conn, device_id, values)
    actions.start(conn, uuid, action)
