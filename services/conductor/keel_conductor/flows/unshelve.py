"""Unshelve: a server that kept its host is started there, an offloaded one gets a new host (nova 34.0.0 flows 10.6)."""

import logging
from typing import Any

from keel_common.clients import errors
from keel_common.db.stores.nova import instances_save
from keel_common.wire.image import image_dict, image_meta
from keel_conductor.flows import bury, moves, schedule
from keel_conductor.flows.reschedule import cell_of
from keel_conductor.peers import Peers
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault

LOG = logging.getLogger(__name__)


def unshelve(peers: Peers, context: Context, instance: Any, spec: Any) -> None:
    """Casts `start_instance` or `unshelve_instance`. When nothing fits the server stays offloaded without a task and
    the error is raised; without its image it goes into ERROR."""
    cell = cell_of(peers, instance.uuid)
    if instance.vm_state == "shelved":
        changes = instances_save.Changes(values={"task_state": "powering-on"})
        cell.db.run(instances_save.save, instance.uuid, changes, expected_task_state=["unshelving"])
        instance.task_state = "powering-on"
        instance.obj_reset_changes(["task_state"])
        peers.compute(cell).send(context, "start_instance", instance=instance)
        return
    if instance.vm_state != "shelved_offloaded":
        raise ExpectedFault(
            "UnshelveException",
            f"Server {instance.uuid} is not shelved: {instance.vm_state}",
            instance_id=instance.uuid,
        )
    image = _image(peers, context, cell, instance)
    try:
        chosen = _schedule(peers, context, cell, instance, spec, image)
    except Exception as error:
        LOG.warning("Server %s stays shelved: %s", instance.uuid, error)
        moves.settle(peers, cell, instance, error, {"task_state": None}, expected=["unshelving"])
        raise
    try:
        moves.zone(peers, instance, chosen)
        _send(peers, context, cell, instance, spec, image, chosen)
    except Exception as error:
        bury.give_back_claim(peers, instance.uuid)
        moves.settle(peers, cell, instance, error, {"task_state": None}, expected=["unshelving"])
        raise


def _image(peers: Peers, context: Context, cell: Any, instance: Any) -> dict[str, Any] | None:
    """The image the server was shelved into; None for a server that boots from a volume."""
    image_id = instance.system_metadata.get("shelved_image_id")
    if not image_id:
        return None
    try:
        with moves.event(peers, cell, context, instance.uuid, "get_image_info"):
            return image_dict(peers.clients.glance.show(context, image_id))
    except errors.NotFound as error:
        moves.settle(peers, cell, instance, error, {"vm_state": "error", "task_state": None})
        raise ExpectedFault(
            "UnshelveException",
            f"Server {instance.uuid} cannot be unshelved: its image {image_id} is gone",
            instance_id=instance.uuid,
            reason=f"image {image_id} not found",
        ) from error


def _schedule(peers: Peers, context: Context, cell: Any, instance: Any, spec: Any, image: dict[str, Any] | None) -> Any:
    with moves.event(peers, cell, context, instance.uuid, "schedule_instances"):
        if image is not None:
            spec.image = image_meta(image)
        moves.note_port_resources(peers, instance)
        moves.forget_force(spec)
        moves.stay_in_cell(cell, spec)
        return schedule.select(peers, context, spec, [instance.uuid], alternates=False)[0][0]


def _send(peers: Peers, context: Context, cell: Any, instance: Any, spec: Any, image: Any, chosen: Any) -> None:
    properties: dict[str, Any] = {}
    schedule.next_attempt(peers.conf.scheduler.max_attempts, properties, instance.uuid)
    schedule.note_host(properties, chosen)
    peers.compute(cell).send(
        context,
        "unshelve_instance",
        server=chosen.service_host,
        instance=instance,
        image=image,
        filter_properties=properties,
        node=chosen.nodename,
        request_spec=spec,
        accel_uuids=[],
    )
