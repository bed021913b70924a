"""ComputeTaskManager 1.26: the long operations on servers."""

from collections.abc import Mapping
from typing import Any

from keel_common.clients.errors import ClientError
from keel_conductor.endpoints.objects import answered
from keel_conductor.flows import (
    attach,
    build,
    cache_images,
    cold_migrate,
    live_migrate,
    moves,
    rebuild,
    reschedule,
    unshelve,
)
from keel_conductor.peers import Peers
from keel_contract import errors
from keel_contract.context import Context
from keel_contract.nova import objects

NOT_BUILT = ("confirm_snapshot_based_resize", "revert_snapshot_based_resize")


class TaskEndpoint:
    """Building servers, moving them and attaching volumes. The operations of NOT_BUILT, which belong to resizes from
    one cell to another, answer with an error that says so."""

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

    def migrate_server(
        self,
        context: Context,
        instance: Any,
        scheduler_hint: Any,
        live: bool,
        rebuild: bool,
        flavor: Any,
        block_migration: bool | None,
        disk_over_commit: bool | None,
        reservations: Any = None,
        clean_shutdown: bool = True,
        request_spec: Any = None,
        host_list: Any = None,
    ) -> None:
        event = "conductor_migrate_server"
        if live and not rebuild:
            order = _live_order(scheduler_hint, block_migration, disk_over_commit, request_spec)
            answered(live_migrate.live_migrate, self._peers, context, instance, order, event)
        elif not live and not rebuild and flavor is not None:
            answered(self._cold, context, instance, flavor, request_spec, scheduler_hint, clean_shutdown, host_list)
        else:
            raise errors.ExpectedFault("NotImplementedError", "neither a live migration nor a resize")

    def _cold(self, context: Context, instance: Any, *order: Any) -> None:
        cell = reschedule.cell_of(self._peers, instance.uuid)
        with moves.event(self._peers, cell, context, instance.uuid, "conductor_migrate_server"):
            cold_migrate.migrate(self._peers, context, instance, *order)

    def live_migrate_instance(
        self,
        context: Context,
        instance: Any,
        scheduler_hint: Any,
        block_migration: bool | None,
        disk_over_commit: bool | None,
        request_spec: Any,
    ) -> None:
        order = _live_order(scheduler_hint, block_migration, disk_over_commit, request_spec)
        answered(live_migrate.live_migrate, self._peers, context, instance, order, "conductor_live_migrate_instance")

    def rebuild_instance(
        self,
        context: Context,
        instance: Any,
        orig_image_ref: str | None,
        image_ref: str | None,
        injected_files: Any,
        new_pass: str | None,
        orig_sys_metadata: Any,
        bdms: Any,
        recreate: bool = False,
        on_shared_storage: bool | None = False,
        preserve_ephemeral: bool = False,
        host: str | None = None,
        request_spec: Any = None,
        reimage_boot_volume: bool = False,
        target_state: str | None = None,
    ) -> None:
        asked = rebuild.Rebuild(
            orig_image_ref=orig_image_ref,
            image_ref=image_ref,
            injected_files=injected_files,
            new_pass=new_pass,
            orig_sys_metadata=orig_sys_metadata,
            bdms=bdms,
            recreate=recreate,
            on_shared_storage=on_shared_storage,
            preserve_ephemeral=preserve_ephemeral,
            host=host,
            request_spec=request_spec,
            reimage_boot_volume=reimage_boot_volume,
            target_state=target_state,
        )
        answered(rebuild.rebuild, self._peers, context, instance, asked)

    def unshelve_instance(self, context: Context, instance: Any, request_spec: Any = None) -> None:
        answered(unshelve.unshelve, self._peers, context, instance, request_spec)

    def cache_images(self, context: Context, aggregate: Any, image_ids: list[str]) -> None:
        cache_images.cache_images(self._peers, context, list(aggregate.hosts), image_ids)

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


def _live_order(hint: Any, block_migration: Any, disk_over_commit: Any, spec: Any) -> live_migrate.Order:
    return live_migrate.Order((hint or {}).get("host"), block_migration, disk_over_commit, spec)


def _names(tags: Any) -> list[str]:
    return [tag.tag for tag in tags.objects] if tags is not None else []
