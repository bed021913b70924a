"""Methods that are not built: refused as a Nova driver without the ability refuses, with the same records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keel_compute.endpoints.journal import recorded
from keel_compute.endpoints.methods import RECORDS
from keel_compute.errors import NotSupported
from keel_compute.scope import Place
from keel_compute.site import Site
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault


class Unbuilt:
    """Every method of the table answers NotImplementedError until a subclass defines it."""

    def __init__(self, site: Site, place: Place) -> None:
        self.site = site
        self.place = place


def _refuse(method: str) -> Callable[..., Any]:
    def refuse(self: Unbuilt, context: Context, **args: Any) -> None:
        words = f"{method} is not supported by the KubeVirt driver"
        instance = args.get("instance")
        try:
            if instance is None or not hasattr(instance, "uuid"):
                raise NotSupported(words)
            with recorded(self.site, self.place.name, context, instance, method, args.get("migration")):
                raise NotSupported(words)
        except NotSupported as refused:
            raise ExpectedFault("NotImplementedError", words, module="builtins") from refused

    refuse.__name__ = method
    refuse.__doc__ = f"{method}: not built, answers NotImplementedError."
    return refuse


for _method in RECORDS:
    setattr(Unbuilt, _method, _refuse(_method))
