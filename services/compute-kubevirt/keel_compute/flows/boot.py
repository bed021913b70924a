"""Boot: from build_and_run_instance to ACTIVE (nova 34.0.0 flow boot).

One message a step to the conductor: event, claim, one a port, info cache, spawning, active, event.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from keel_common.clients.errors import ClientError
from keel_common.kube import KubeError, Stopped
from keel_compute.errors import DELETING, OTHERWISE, BuildAbort, BuildFailed, Gone, Refused, is_fault, text
from keel_compute.kubevirt import state
from keel_compute.kubevirt.disks import volume_disk
from keel_compute.kubevirt.errors import Unsupported
from keel_compute.records import now
from keel_compute.scope import Scope, run
from keel_compute.steps import disks, machine, network, volumes
from keel_contract.errors import BusError
from keel_contract.nova import objects

LOG = logging.getLogger(__name__)

EVENT = "compute__do_build_and_run_instance"
"""Name of the row in instance_actions_events."""


@dataclass
class Boot(Scope):
    """A build with what the request carries; all of it goes on to the next host when this one cannot do it."""

    request_spec: Any = None
    filter_properties: dict[str, Any] = field(default_factory=dict)
    requested_networks: Any = None
    security_groups: Sequence[str] = ()
    admin_password: str | None = None
    injected_files: Any = None
    host_list: Any = None


def claim(scope: Boot) -> None:
    """Say in the records that this host builds the server."""
    if scope.injected_files:
        raise BuildAbort("Files cannot be injected into a server on this cluster; use user data")
    instance, place = scope.instance, scope.place
    kept = dict(instance.get("system_metadata") or {})
    kept["boot_roles"] = ",".join(scope.context.roles)
    scope.site.records.save(
        scope.context,
        instance,
        expected=("scheduling", None),
        # A build that was delivered twice must not fall upon the server that the first one made.
        expected_vm_state="building",
        vm_state="building",
        task_state="networking",
        host=place.name,
        node=place.name,
        compute_id=place.compute_id,
        launched_on=place.name,
        system_metadata=kept,
    )


def begin_disks(scope: Boot) -> None:
    """Let CDI fetch the image while the rest is prepared. Nobody here can check who signed it."""
    certificates = scope.instance.get("trusted_certs")
    if certificates is not None and certificates.ids:
        raise BuildAbort("Trusted image certificates were asked for, and this host cannot validate certificates.")
    volumes.name_devices(scope)
    try:
        disks.begin(scope)
    except Unsupported as refused:
        raise BuildAbort(str(refused)) from refused


def networks(scope: Boot) -> None:
    """Ports at Neutron, their rows, the info cache."""
    own = network.given(scope, scope.requested_networks)
    if own and not network.cached(scope):
        # Known to be the user's before they are bound: whoever takes this build back must not delete them.
        scope.vifs = network.describe(scope, own, [port["id"] for port in own])
        scope.site.records.save_network(scope.context, scope.instance, scope.vifs)
    allocation = network.allocate(scope, scope.requested_networks, scope.security_groups)
    scope.vifs = network.describe(scope, allocation.ports, allocation.kept)
    for vif in scope.vifs:
        tag = allocation.tags.get(vif["id"])
        scope.site.records.create_interface(scope.context, scope.server, vif["id"], vif["address"], tag)
    if scope.vifs:
        scope.site.records.save_network(scope.context, scope.instance, scope.vifs)


def block_devices(scope: Boot) -> None:
    """Cinder volumes: made where asked, connected, complete. Local disks only save their device name."""
    ours = [each for each in scope.mappings if each.destination_type == "volume"]
    if ours:
        scope.site.records.save(
            scope.context,
            scope.instance,
            expected=("networking", "block_device_mapping"),
            task_state="block_device_mapping",
        )
    for mapping in ours:
        volumes.provide(scope, mapping)
        try:
            info = volumes.connect(scope, mapping)
            volumes.save_connection(scope, mapping, info)
            volumes.complete(scope, mapping)
        except Refused as refused:
            raise BuildAbort(str(refused)) from refused
    for mapping in scope.mappings:
        if mapping.destination_type == "local":
            scope.site.records.save_mapping(scope.context, mapping)


def local_disks(scope: Boot) -> None:
    """Wait for the image, then know all disks of the machine."""
    disks.wait(scope)
    gather(scope)


def gather(scope: Scope) -> None:
    """List every disk of the machine: local ones and attached volumes. Raises BuildAbort for what is unsupported."""
    from_records = []
    try:
        for mapping in scope.mappings:
            if mapping.destination_type == "volume" and mapping.connection_info:
                info = volumes.connection(mapping)
                from_records.append(volume_disk(mapping, info, scope.properties, root=mapping.boot_index == 0))
        scope.disks = disks.local(scope) + from_records
    except Unsupported as refused:
        raise BuildAbort(str(refused)) from refused


def spawning(scope: Boot) -> None:
    """From here on the machine is made."""
    root = next((each.device_name for each in scope.mappings if each.boot_index == 0), None)
    scope.site.records.save(
        scope.context,
        scope.instance,
        expected=("networking", "block_device_mapping", "spawning"),
        task_state="spawning",
        root_device_name=root or scope.instance.get("root_device_name"),
    )


def spawn(scope: Scope) -> None:
    """The machine is applied and started; then its ports must come up and its guest must run."""
    conf = scope.site.conf
    machine.apply(scope)
    waiting = [vif for vif in scope.vifs if not vif["active"]] if conf.vif_plugging_timeout else []
    with scope.site.arrivals.expect(scope.server, [f"network-vif-plugged-{vif['id']}" for vif in waiting]) as events:
        machine.start(scope)
        machine.running(scope)
        network.plugged(scope, waiting, events)


def active(scope: Scope) -> None:
    """The server is ACTIVE."""
    vmi = scope.site.instances.get(scope.machine)
    scope.site.records.settle(
        scope.context, scope.instance, "spawning", "active", state.power_state(vmi) or state.RUNNING, launched_at=now()
    )


def tell_scheduler(scope: Scope) -> None:
    """Let the schedulers count the server at once."""
    if scope.site.conf.filter_scheduler.track_instance_changes:
        known = objects.InstanceList(objects=[scope.instance])
        scope.site.scheduler.send(
            scope.context.elevated(), "update_instance_info", host_name=scope.place.name, instance_info=known
        )


PHASES: tuple[Callable[[Any], None], ...] = (
    claim,
    begin_disks,
    networks,
    block_devices,
    local_disks,
    spawning,
    spawn,
    active,
    tell_scheduler,
)


def boot(scope: Boot) -> None:
    """Run the build and deal with every way it can end. Nothing is raised: the outcome stands in the records."""
    try:
        run(scope, PHASES)
    except Stopped:
        LOG.warning("Build of server %s is left to who takes host %s over", scope.server, scope.place.name)
    except Exception as error:
        if isinstance(error, Gone) or is_fault(error, *DELETING):
            LOG.info("Server %s was deleted while it was built", scope.server)
            _clean(scope)
        elif is_fault(error, *OTHERWISE):
            # Another message of the same build was faster; what it does is not ours to undo.
            LOG.warning("Build of server %s stopped: %s", scope.server, error)
        elif isinstance(error, BuildAbort | Unsupported):
            LOG.warning("Build of server %s aborted: %s", scope.server, error)
            _bury(scope, error)
        elif isinstance(error, BuildFailed | Refused | KubeError | ClientError | BusError):
            LOG.warning("Build of server %s failed on %s: %s", scope.server, scope.place.name, error)
            _hand_on(scope, error)
        else:
            LOG.exception("Build of server %s failed on %s", scope.server, scope.place.name)
            _hand_on(scope, error)


def _clean(scope: Scope) -> list[str]:
    """Take back all this host made; answers what could not be taken back, for the log and the fault."""
    left = []
    for step in (machine.remove, _release_ports, _release_volumes):
        try:
            step(scope)
        except Exception as error:
            LOG.exception("Server %s: %s left something over", scope.server, step.__name__)
            left.append(text(error))
    return left


def _release_ports(scope: Scope) -> None:
    network.release(scope, [each["id"] for each in scope.vifs if each.get("preserve_on_delete")])
    scope.site.records.delete_interfaces(scope.context, scope.server)


def _release_volumes(scope: Scope) -> None:
    for mapping in scope.mappings:
        if mapping.destination_type == "volume" and mapping.volume_id:
            volumes.disconnect(scope, mapping)


def _bury(scope: Scope, error: Exception) -> None:
    """No host can build it: ERROR with a fault, nothing left over."""
    left = _clean(scope)
    reason = f"Build of instance {scope.server} aborted: {text(error)}"
    if left:
        reason += f" (left over: {'; '.join(left)})"
    fault = BuildAbort(reason).with_traceback(error.__traceback__)
    records = scope.site.records
    records.fault(scope.context, scope.server, scope.place.name, fault)
    _let_go(scope, ports_left=bool(left), vm_state="error", task_state=None)
    scope.site.clients.placement.delete_allocations(scope.server)


def _hand_on(scope: Boot, error: Exception) -> None:
    """Another host may build it: the conductor takes the next alternate. Without a retry it is buried here."""
    retry = scope.filter_properties.get("retry")
    if not retry:
        _bury(scope, error)
        return
    left = _clean(scope)
    if left:
        # The next host would stumble over the same names; better one clear end than two half machines.
        _bury(scope, error)
        return
    retry.update(exc=[str(text(error))], exc_reason=text(error))
    try:
        _let_go(scope, task_state="scheduling")
        scope.site.clients.placement.delete_allocations(scope.server)
        _ask_conductor(scope)
    except Exception as broken:
        LOG.warning("Server %s could not be handed on: %s", scope.server, text(broken))
        _bury(scope, error)


def _ask_conductor(scope: Boot) -> None:
    scope.site.conductor.send(
        scope.context,
        "build_instances",
        instances=[scope.instance],
        image=scope.image,
        filter_properties=scope.filter_properties,
        admin_password=scope.admin_password,
        injected_files=scope.injected_files,
        requested_networks=scope.requested_networks,
        security_groups=scope.security_groups,
        block_device_mapping=objects.BlockDeviceMappingList(objects=scope.mappings),
        request_spec=scope.request_spec,
        host_lists=[scope.host_list],
    )


def give_up(scope: Scope, error: Exception) -> None:
    """A build that an earlier process began and this one cannot finish: ERROR with a fault, nothing left over."""
    scope.mappings = scope.mappings or scope.site.records.mappings(scope.context, scope.server)
    _bury(scope, error)
    end_event(scope, error)


def end_event(scope: Scope, error: Exception | None = None) -> None:
    """Finish the build's event row; there is none when the build ended before it began or the server is gone."""
    try:
        scope.site.records.end_event(scope.context, scope.server, EVENT, error)
    except Exception as refused:
        LOG.info("Server %s: the event of its build is not there to be finished: %s", scope.server, refused)


def _let_go(scope: Scope, ports_left: bool = False, **changes: Any) -> None:
    """The server is on no host any more. With `ports_left` its info cache stays: it alone says which of the ports are
    the user's and must outlive the server.
    """
    cache = scope.instance.get("info_cache")
    if cache is not None and not ports_left:
        cache.network_info = []
    nowhere: dict[str, Any] = dict.fromkeys(("host", "node", "compute_id", "launched_on", "availability_zone"))
    try:
        scope.site.records.save(scope.context, scope.instance, **nowhere, **changes)
    except Exception as error:
        if not is_fault(error, *DELETING):
            raise
        LOG.info("Server %s was deleted meanwhile", scope.server)
