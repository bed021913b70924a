"""Live migration between nodes of the cluster (nova 34.0.0 flows 8; KubeVirt 1.9 live migration).

The source leads: the destination prepares volumes and ports, KubeVirt moves the guest, the destination takes the
records over. Which node the guest goes to is said by the node selector of the running machine, because a migration
of KubeVirt chooses among the nodes that the selector allows.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.kube import NODE, VM, VMI, VMIM, Expired, KubeError, NotFound, names
from keel_compute.errors import Refused, is_fault, text
from keel_compute.flows import boot, move
from keel_compute.flows.move import Move
from keel_compute.flows.resize import TROUBLE
from keel_compute.kubevirt import state
from keel_compute.kubevirt.spec import HOSTNAME_LABEL
from keel_compute.steps import machine, network, volumes
from keel_contract.errors import ExpectedFault, RemoteFault
from keel_contract.nova import objects

LOG = logging.getLogger(__name__)

ENDED = ("Succeeded", "Failed")


class Cancelled(Exception):
    """Somebody asked for the migration to be given up."""


def cannot(reason: str) -> ExpectedFault:
    """The refusal after which a conductor asks the next host."""
    return ExpectedFault("MigrationPreCheckError", f"Migration pre-check error: {reason}", reason=reason)


# -- before: asked by the conductor


def check_destination(scope: Move, block_migration: bool | None, disk_over_commit: bool | None) -> Any:
    """At the destination: what the two sides tell each other, when the server can come. Raises
    MigrationPreCheckError."""
    if scope.instance.host == scope.place.name:
        raise ExpectedFault(
            "UnableToMigrateToSelf",
            f"Unable to migrate instance ({scope.server}) to current host ({scope.place.name}).",
            instance_id=scope.server,
            host=scope.place.name,
        )
    if scope.site.kube.find(VM, scope.machine, scope.site.namespace) is None:
        raise cannot(f"server {scope.server} is no VirtualMachine of this cluster")
    wish = {} if block_migration is None else {"block_migration": block_migration}
    data = objects.LibvirtLiveMigrateData(
        is_shared_block_storage=True,
        is_shared_instance_path=True,
        disk_over_commit=bool(disk_over_commit),
        wait_for_vif_plugged=False,
        **wish,
    )
    return scope.site.computes.send(
        scope.context, "check_can_live_migrate_source", instance=scope.instance, dest_check_data=data
    )


def check_source(scope: Move, data: Any) -> Any:
    """At the source: whether KubeVirt can move the guest as it runs. Raises MigrationPreCheckError."""
    vmi = scope.site.kube.find(VMI, scope.machine, scope.site.namespace)
    if state.is_off(vmi) or vmi is None:
        raise cannot("no guest runs")
    able = state.condition(vmi, "LiveMigratable")
    if able.get("status") != "True":
        raise cannot(able.get("message") or "KubeVirt does not say that the guest can be moved")
    copies = vmi.get("status", {}).get("migrationMethod") == "BlockMigration"
    if data.is_set("block_migration") and data.block_migration and not copies:
        raise cannot("block migration was asked for, but every disk is shared storage")
    data.block_migration = copies
    return data


# -- at the destination: asked by the source


def prepare(scope: Move, data: Any) -> Any:
    """Every volume gets an attachment of this host beside the one of the source."""
    scope.mappings = scope.site.records.mappings(scope.context, scope.server)
    old: dict[str, str] = {}
    for mapping in move.of_cinder(scope):
        if mapping.attachment_id:
            old[mapping.volume_id] = mapping.attachment_id
            volumes.connect_beside(scope, mapping)
    data.old_vol_attachment_ids = old
    return data


def take_over(scope: Move) -> None:
    """The guest runs here: ports, machine and record say so."""
    network.activate(scope, scope.place.name)
    scope.mappings = scope.site.records.mappings(scope.context, scope.server)
    scope.vifs = network.refresh(scope)
    scope.site.records.save_network(scope.context, scope.instance, scope.vifs)
    boot.gather(scope)
    machine.apply(scope)
    scope.site.records.save(
        scope.context,
        scope.instance,
        expected="migrating",
        host=scope.place.name,
        node=scope.place.name,
        compute_id=scope.place.compute_id,
        availability_zone=scope.instance.availability_zone,
        power_state=state.power_state(scope.site.kube.find(VMI, scope.machine, scope.site.namespace)) or state.RUNNING,
        progress=0,
        migration_context=None,
        task_state=None,
    )
    move.tell_schedulers(scope)


# -- at the source


def migrate(scope: Move, data: Any, is_cancelled: Any) -> None:
    """Move the guest. When it does not arrive everything is as before and the server has no task."""
    dest = scope.migration.dest_compute
    try:
        _unless(is_cancelled)
        move.note(scope, status="preparing")
        scope.site.computes.send(
            scope.context,
            "pre_live_migration",
            server=dest,
            instance=scope.instance,
            disk=None,
            migrate_data=data,
        )
        _unless(is_cancelled)
        move.note(scope, status="running")
        _transfer(scope)
    except Cancelled:
        LOG.info("Migration of server %s was cancelled", scope.server)
        roll_back(scope, "cancelled")
    except (*TROUBLE, RemoteFault, Expired) as failed:
        LOG.warning("Server %s did not reach %s: %s", scope.server, dest, text(failed))
        roll_back(scope, "failed")
        raise
    else:
        finish(scope, data)


def _unless(is_cancelled: Any) -> None:
    if is_cancelled():
        raise Cancelled()


def _transfer(scope: Move) -> None:
    """Point the running machine at the destination and let KubeVirt move it. Raises Refused, Cancelled."""
    point_at(scope, scope.migration.dest_node)
    body = VMIM.body(names.migration(scope.migration.uuid), scope.site.namespace, spec={"vmiName": scope.machine})
    body["metadata"]["labels"] = dict(scope.labels)
    scope.site.kube.ensure(VMIM, body)
    wait(scope)


def point_at(scope: Move, node: str) -> None:
    """The node selector of the machine, which KubeVirt copies to the running instance (live)."""
    wanted = {HOSTNAME_LABEL: _label_of(scope, node)}

    def build(template: Mapping[str, Any]) -> list[dict]:
        if template.get("nodeSelector") == wanted:
            return []
        return [{"op": "add", "path": "/spec/template/spec/nodeSelector", "value": wanted}]

    machine.patch(scope, build)

    def follows(vmi: dict | None) -> bool:
        if state.is_off(vmi):
            raise Refused(f"The guest of server {scope.server} ended")
        return ((vmi or {}).get("spec") or {}).get("nodeSelector") == wanted

    scope.site.instances.wait(scope.machine, follows, scope.site.conf.kubevirt.start_timeout)


def _label_of(scope: Move, node: str) -> str:
    found = scope.site.kube.find(NODE, node)
    if found is None:
        raise Refused(f"{node} is no node of this cluster: the guest cannot move there")
    return (found["metadata"].get("labels") or {}).get(HOSTNAME_LABEL) or node


def wait(scope: Move) -> None:
    """Until KubeVirt says how the migration ended; [kubevirt]migration_timeout seconds at most."""
    name, site = names.migration(scope.migration.uuid), scope.site

    def ended(vmi: dict | None) -> bool:
        return _ended(scope, name, vmi)

    timeout = site.conf.kubevirt.migration_timeout
    try:
        site.instances.wait(scope.machine, ended, timeout)
    except Expired as late:
        raise Refused(f"The guest of server {scope.server} did not move within {timeout} s") from late


def _ended(scope: Move, name: str, vmi: dict | None) -> bool:
    scope.flight.check()
    job = scope.site.kube.find(VMIM, name, scope.site.namespace)
    if arrived(scope, vmi):
        return True
    if job is None or job["metadata"].get("deletionTimestamp"):
        raise Cancelled()
    if job.get("status", {}).get("phase") == "Failed":
        told = (vmi or {}).get("status", {}).get("migrationState") or {}
        raise Refused(f"KubeVirt could not move the guest: {told.get('failureReason') or 'no reason was given'}")
    return False


def arrived(scope: Move, vmi: dict | None) -> bool:
    """Whether the guest runs on the destination."""
    if vmi is None or state.is_off(vmi):
        return False
    return vmi.get("status", {}).get("nodeName") == scope.migration.dest_node


def finish(scope: Move, data: Any = None) -> None:
    """The guest has arrived: the destination takes over, what the source had is given back.

    A destination that does not answer changes nothing of where the guest is: the record is written here then.
    """
    dest, source = scope.migration.dest_compute, scope.place.name
    block = bool(data is not None and data.is_set("block_migration") and data.block_migration)
    try:
        scope.site.computes.send(
            scope.context,
            "post_live_migration_at_destination",
            server=dest,
            instance=scope.instance,
            block_migration=block,
        )
    except Exception as failed:
        LOG.warning("Host %s did not take server %s over: %s", dest, scope.server, text(failed))
        _hand_over(scope)
    move.drop_other_attachments(scope)
    move.note(scope, status="completed")
    scope.site.clients.placement.delete_allocations(scope.migration.uuid)
    move.tell_schedulers(scope, gone_from=source)


def _hand_over(scope: Move) -> None:
    migration = scope.migration
    try:
        scope.site.records.save(
            scope.context,
            scope.instance,
            host=migration.dest_compute,
            node=migration.dest_node,
            compute_id=migration.dest_compute_id,
            task_state=None,
        )
    except Exception as refused:
        if not is_fault(refused, "InstanceNotFound"):
            raise


def roll_back(scope: Move, status: str) -> None:
    """Everything as before the migration; a step that fails is logged and the next one is taken all the same."""
    for step in (_stop_transfer, move.return_attachments, _unbind, move.give_back_claim):
        try:
            step(scope)
        except (*TROUBLE, RemoteFault, Expired) as left:
            LOG.warning("Server %s: %s left something over: %s", scope.server, step.__name__, text(left))
    move.note(scope, status=status)
    scope.site.records.save(
        scope.context, scope.instance, expected="migrating", task_state=None, migration_context=None, progress=0
    )


def _stop_transfer(scope: Move) -> None:
    scope.site.kube.delete(VMIM, names.migration(scope.migration.uuid), scope.site.namespace)
    try:
        point_at(scope, scope.place.name)
    except NotFound:
        LOG.info("Server %s has no machine any more", scope.server)


def _unbind(scope: Move) -> None:
    network.unbind_from(scope, scope.migration.dest_compute)


def abort(scope: Move) -> None:
    """Take KubeVirt's migration away; who waits for it sees that."""
    scope.site.kube.delete(VMIM, names.migration(scope.migration.uuid), scope.site.namespace)


def resume(scope: Move) -> None:
    """A migration that an earlier process of the source began: it goes on, or is taken back."""
    vmi = scope.site.kube.find(VMI, scope.machine, scope.site.namespace)
    job = scope.site.kube.find(VMIM, names.migration(scope.migration.uuid), scope.site.namespace)
    try:
        if not arrived(scope, vmi):
            if job is None or job.get("status", {}).get("phase") in ENDED:
                raise Refused(f"The migration of server {scope.server} was interrupted")
            wait(scope)
    except Cancelled:
        roll_back(scope, "cancelled")
    except (Refused, KubeError, ClientError):
        roll_back(scope, "error")
        raise
    else:
        finish(scope)
