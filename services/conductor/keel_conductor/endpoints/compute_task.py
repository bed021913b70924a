"""ComputeTaskManager 1.26: the long operations on servers."""

from collections.abc import Mapping
from typing import Any

from keel_common.clients.errors import ClientError
from keel_conductor.endpoints.objects import answered
from keel_conductor.flows import attach, build, reschedule
from keel_conductor.peers import Peers
from keel_contract import errors
from keel_contract.context import Context
from keel_contract.nova import objects

NOT_BUILT = (
    "cache_images",
    "confirm_snapshot_based_resize",
    "live_migrate_instance",
    "migrate_server",
    "rebuild_instance",
    "revert_snapshot_based_resize",
    "unshelve_instance",
)


class TaskEndpoint:
    """Building servers and attaching volumes. The operations of NOT_BUILT answer with an error that says so."""

    def __init__(self, peers: Peers) -> None:
        self._peers = peers

    def __getattr__(self, name: str) -> Any:
        if name not in NOT_BUILT:
            raise AttributeError(name)

        def refuse(_context: Context, **_args: Any) -> None:
            raise errors.UndeclaredMethod(f"compute_task.{name} is not done by this conductor yet")

        return refuse

    def schedule_and_build_instances(
        self,
        context: Context,
        build_requests: Any,
        request_specs: Any,
        image: Any,
        admin_password: str | None,
        injected_files: Any,
        requested_networks: Any,
        block_device_mapping: Any,
        tags: Any = None,
    ) -> None:
        order = build.Order(image, admin_password, injected_files, requested_networks, _names(tags))
        wanted = build.wanted_servers(build_requests, request_specs, block_device_mapping)
        build.build(self._peers, context, wanted, order)

    def build_instances(
        self,
        context: Context,
        instances: Any,
        image: Any,
        filter_properties: Mapping[str, Any],
        admin_password: str | None,
        injected_files: Any,
        requested_networks: Any,
        security_groups: Any,
        request_spec: Any = None,
        host_lists: Any = None,
        block_device_mapping: Any = None,
        legacy_bdm: bool = True,
    ) -> None:
        if request_spec is None:
            raise errors.BadArguments("build_instances needs a request_spec: older computes are not served")
        order = build.Order(image, admin_password, injected_files, requested_networks, ())
        for number, instance in enumerate(instances):
            request = objects.BuildRequest(instance=instance, instance_uuid=instance.uuid)
            server = build.Wanted(request, request_spec, None, instance=instance)
            alternates = host_lists[number] if host_lists is not None else None
            reschedule.rebuild_elsewhere(self._peers, context, server, order, dict(filter_properties), alternates)

    def attach_volume(
        self,
        context: Context,
        instance: Any,
        volume: Mapping[str, Any],
        device: str | None,
        disk_bus: str | None,
        device_type: str | None,
        tag: str | None = None,
        supports_multiattach: bool = False,
        delete_on_termination: bool = False,
    ) -> str | None:
        try:
            return answered(
                attach.attach_volume, self._peers, context, instance, dict(volume), device, disk_bus, device_type, tag,
                bool(volume.get("multiattach")), delete_on_termination,
            )  # fmt: skip
        except ClientError as refused:
            if refused.status == 400:
                raise errors.ExpectedFault("InvalidVolume", str(refused), reason=refused.message, code=400) from refused
            raise


def _names(tags: Any) -> list[str]:
    return [tag.tag for tag in tags.objects] if tags is not None else []
