"""Our conductor's endpoint, asked with wire forms as a bus server would ask it."""

import json
from typing import Any

from oslo_messaging._drivers import common

from conductor_objects.driver import Fault
from keel_common.config import load
from keel_common.db import Cells
from keel_conductor.endpoints.objects import ObjectEndpoint
from keel_contract import errors
from keel_contract.nova.objects import REGISTRY
from keel_contract.serializer import Serializer


class Conductor:
    """:param config: its nova.conf"""

    def __init__(self, config: str) -> None:
        conf = load("compute", argv=[], config_files=[config])
        self._cells = Cells(conf)
        self._endpoint = ObjectEndpoint(conf, self._cells)
        self._serializer = Serializer("nova", REGISTRY)

    def __call__(self, wire_context: dict[str, Any], method: str, args: dict[str, Any]) -> Any:
        try:
            asked = self._serializer.deserialize_context(dict(wire_context))
            given = {key: self._serializer.deserialize_entity(asked, value) for key, value in args.items()}
            answer = getattr(self._endpoint, method)(asked, **given)
            return json.loads(json.dumps(self._serializer.serialize_entity(asked, answer)))
        except Exception as fault:
            raise _told(errors.wire_exception("nova", fault)) from fault

    def close(self) -> None:
        self._cells.close()


def _told(fault: Exception) -> Fault:
    """A failure as the caller is told of it."""
    failure = json.loads(common.serialize_remote_exception((type(fault), fault, None)))
    return Fault(failure["class"], failure["module"], failure["kwargs"], failure["message"])
