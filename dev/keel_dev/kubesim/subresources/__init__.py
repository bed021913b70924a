"""The aggregated API subresources.kubevirt.io: what is done to machines and instances by PUT, not by spec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from .. import errors
from ..cluster import Cluster
from ..kinds import VM, VMI
from ..server import Answer, Request

GROUP, VERSION = "subresources.kubevirt.io", "v1"
# (plural, subresource) -> (method, handler); a handler gets the object and the parsed body.
Call = Callable[[dict[str, Any], dict[str, Any]], Answer]
Calls = dict[tuple[str, str], tuple[str, Call]]
KINDS = {"virtualmachines": VM, "virtualmachineinstances": VMI}


class Subresources:
    """Finds the object and the handler of a call; refuses what virt-api does not know."""

    def __init__(self, cluster: Cluster, calls: Calls):
        self._cluster, self._calls = cluster, calls

    def __call__(self, request: Request, segments: list[str]) -> Answer:
        rest = segments[3:]
        if segments[2:3] == [VERSION] and rest == ["healthz"]:
            return Answer({"apiserver": {"connectivity": "ok"}})
        if segments[2:3] == [VERSION] and rest == ["version"]:
            return Answer({"gitVersion": "v1.9.0", "gitCommit": "", "gitTreeState": "clean", "platform": "linux/amd64"})
        if segments[2:3] != [VERSION] or len(rest) < 5 or rest[0] != "namespaces" or rest[2] not in KINDS:
            raise errors.no_such_path()
        namespace, plural, name, sub = rest[1], rest[2], rest[3], "/".join(rest[4:])
        method, call = self._calls.get((plural, sub), ("", None))
        if call is None:
            raise errors.no_such_path()
        if request.method != method:
            raise errors.method_not_allowed()
        obj = self._cluster.get(KINDS[plural], namespace, name)
        if obj is None:
            if method == "GET" and sub in PLAIN_ERRORS:
                return Answer(f'{KINDS[plural]} "{name}" not found', 500)
            raise _not_found(plural, name)
        return call(obj, _parse(request.body))


PLAIN_ERRORS = ("guestosinfo", "userlist", "filesystemlist")


def _not_found(plural: str, name: str) -> errors.StatusError:
    singular = plural.removesuffix("s")
    details = {"name": name, "group": "kubevirt.io", "kind": singular}
    return errors.StatusError(404, "NotFound", f'{singular}.kubevirt.io "{name}" not found', details)


def _parse(body: bytes) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise errors.bad_request(f"Can not unmarshal Request body to struct, error: {error}") from error
    if not isinstance(found, dict):
        raise errors.bad_request(
            "Can not unmarshal Request body to struct, error: json: cannot unmarshal array into Go value"
        )
    return found


def is_dry(body: dict[str, Any]) -> bool:
    return "All" in (body.get("dryRun") or ())
