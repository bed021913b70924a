"""ConductorManager 3.0: computes load and save their objects here."""

from collections.abc import Callable, Mapping
from typing import Any

from keel_common.db import Cells
from keel_common.db.refusals import Refused
from keel_conductor.objects import MODULES
from keel_conductor.objects.registry import Call, perform, perform_class
from keel_contract import errors
from keel_contract.context import Context
from keel_contract.nova.objects import NovaObject
from keel_contract.nova.remote import at_versions

assert MODULES  # imported for the table they fill


def answered(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Runs `fn`; what a store refuses becomes the recorded exception."""
    try:
        return fn(*args, **kwargs)
    except Refused as refused:
        raise errors.ExpectedFault(refused.name, str(refused), code=refused.code, **refused.facts) from refused


class ObjectEndpoint:
    """object_action, object_class_action_versions and object_backport_versions (nova 34.0.0 rpc_server conductor)."""

    def __init__(self, conf: Any, cells: Cells) -> None:
        self._conf = conf
        self._cells = cells

    def object_action(
        self, context: Context, objinst: Any, objmethod: str, args: Any, kwargs: Mapping[str, Any]
    ) -> list[Any]:
        """[updated fields in wire form, result]."""
        if not isinstance(objinst, NovaObject):
            raise errors.BadArguments(f"object_action needs an object, not {type(objinst).__name__}")
        updates, result = answered(perform, self._call(context), objinst, objmethod, args, kwargs)
        return [updates, result]

    def object_class_action_versions(
        self,
        context: Context,
        objname: str,
        objmethod: str,
        object_versions: Mapping[str, str],
        args: Any,
        kwargs: Mapping[str, Any],
    ) -> Any:
        """The result; an object comes in the version the caller names."""
        result = answered(perform_class, self._call(context), objname, objmethod, args, kwargs)
        if isinstance(result, NovaObject):
            return at_versions(result, object_versions)
        return result

    def object_backport_versions(self, context: Context, objinst: Any, object_versions: Mapping[str, str]) -> Any:
        """The wire form of an object in older versions."""
        return at_versions(objinst, object_versions)

    def provider_fw_rule_get_all(self, context: Context) -> list[Any]:
        """A leftover of networking long gone: always empty."""
        return []

    def _call(self, context: Context) -> Call:
        return Call(context, self._cells, self._conf)
