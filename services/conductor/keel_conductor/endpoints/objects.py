"""ConductorManager 3.0: computes load and save their objects here."""

from collections.abc import Callable, Mapping
from typing import Any

from keel_common.db import Cells
from keel_common.db.refusals import Refused
from keel_common.db.violations import DBAPIError, violated
from keel_conductor.objects import MODULES
from keel_conductor.objects.registry import Call, perform, perform_class
from keel_contract import errors, versions
from keel_contract.context import Context
from keel_contract.nova.objects import NovaObject
from keel_contract.nova.remote import at_versions

assert MODULES  # imported for the table they fill


def answered(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Runs `fn`; what a store refuses becomes the recorded exception."""
    try:
        return fn(*args, **kwargs)
    except Refused as refused:
        raise _told(refused) from refused
    except errors.BadArguments as bad:
        raise errors.ExpectedFault("TypeError", str(bad), module="builtins") from bad
    except DBAPIError as error:
        raise _told(violated(error)) from error


def _told(refused: Refused) -> errors.ExpectedFault:
    module = getattr(refused, "module", None)
    facts = {"code": refused.code, **refused.facts} if module is None else refused.facts
    return errors.ExpectedFault(refused.name, str(refused), module=module, **facts)


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
        if not isinstance(result, NovaObject):
            return result
        if objname not in object_versions:
            raise errors.ExpectedFault("KeyError", repr(objname), module="builtins")
        # As a real conductor: what is within goes at older versions only when the object itself has to.
        if versions.understands(object_versions[objname], result.VERSION):
            return result
        return result.to_primitive(object_versions[objname], object_versions)

    def object_backport_versions(self, context: Context, objinst: Any, object_versions: Mapping[str, str]) -> Any:
        """The wire form of an object in older versions."""
        if objinst.obj_name() not in object_versions:
            raise errors.ExpectedFault("KeyError", repr(objinst.obj_name()), module="builtins")
        return at_versions(objinst, object_versions)

    def provider_fw_rule_get_all(self, context: Context) -> list[Any]:
        """A leftover of networking long gone: always empty."""
        return []

    def _call(self, context: Context) -> Call:
        return Call(context, self._cells, self._conf)
