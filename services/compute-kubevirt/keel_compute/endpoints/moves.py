"""Resize and cold migration."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from keel_compute.endpoints.journal import recorded
from keel_compute.endpoints.turn import Turns
from keel_compute.errors import text
from keel_compute.flows import move, resize, revert
from keel_compute.flows.move import Move
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault


class Moves(Turns):
    """Both sides of a move: this host is the source in some methods, the destination in others."""

    def prep_resize(
        self,
        context: Context,
        image: Any,
        instance: Any,
        flavor: Any,
        request_spec: Any,
        filter_properties: Mapping[str, Any],
        node: str | None,
        clean_shutdown: bool,
        migration: Any,
        host_list: Any,
    ) -> None:
        """This host is to be the destination; when it cannot be, the conductor is asked for another one."""
        with self._move(context, instance, "prep_resize", migration, request_spec) as scope:
            try:
                resize.prepare(scope, image, flavor, clean_shutdown)
            except resize.TROUBLE as refused:
                move.give_back_claim(scope)
                # A shrinking disk is refused by every host.
                tried = not isinstance(refused, resize.Refused) and resize.hand_on(
                    scope, refused, flavor, filter_properties, clean_shutdown, host_list
                )
                if not tried:
                    move.note(scope, status="error")
                    raise

    def resize_instance(
        self,
        context: Context,
        instance: Any,
        image: Any,
        migration: Any,
        flavor: Any,
        clean_shutdown: bool,
        request_spec: Any,
    ) -> None:
        """This host lets the server go."""
        with self._move(context, instance, "resize_instance", migration, request_spec) as scope:
            resize.leave(scope, image, flavor, clean_shutdown)

    def finish_resize(
        self, context: Context, disk_info: str, image: Any, instance: Any, migration: Any, request_spec: Any
    ) -> None:
        """The server arrives."""
        with self._move(context, instance, "finish_resize", migration, request_spec) as scope:
            resize.arrive(scope)

    def confirm_resize(self, context: Context, instance: Any, migration: Any) -> None:
        """Give up the way back to this host."""
        fresh = self.site.remote.class_action(context.elevated(), "Migration", "get_by_id", migration.id)
        with self._move(context, instance, "confirm_resize", fresh) as scope:
            resize.confirm(scope)

    def revert_resize(self, context: Context, instance: Any, migration: Any, request_spec: Any) -> None:
        """The server leaves this host for the one it came from."""
        with self._move(context, instance, "revert_resize", migration, request_spec) as scope:
            revert.leave(scope)

    def finish_revert_resize(self, context: Context, instance: Any, migration: Any, request_spec: Any) -> None:
        """The server comes back to this host."""
        with self._move(context, instance, "finish_revert_resize", migration, request_spec) as scope:
            revert.arrive(scope)

    @contextlib.contextmanager
    def _move(
        self, context: Context, instance: Any, method: str, migration: Any, request_spec: Any = None
    ) -> Iterator[Move]:
        site = self.site
        with site.flights.enter(instance.uuid, method) as flight:
            whole = site.records.whole(context, instance)
            try:
                with recorded(site, self.place.name, context, whole, method, migration):
                    yield Move(site, self.place, context, whole, flight, migration=migration, request_spec=request_spec)
            except resize.NotSupported as refused:
                raise ExpectedFault("NotImplementedError", text(refused), module="builtins") from refused
