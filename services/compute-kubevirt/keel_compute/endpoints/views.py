"""What a guest shows: its console."""

from __future__ import annotations

from typing import Any

from keel_common.kube import POD, VMI, KubeError
from keel_compute.endpoints.turn import Turns
from keel_compute.errors import text
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault

CONSOLE_CONTAINER = "guest-console-log"
"""Container of the launcher pod that prints the serial console (kubevirt 1.9 logSerialConsole)."""


class Views(Turns):
    """Questions that change nothing."""

    def get_console_output(self, context: Context, instance: Any, tail_length: int | str | None) -> str:
        """The last lines of the guest's serial console, from the log of its launcher pod."""
        site = self.site
        vmi = site.kube.find(VMI, f"nova-{instance.uuid}", site.namespace)
        if vmi is None:
            raise ExpectedFault("ConsoleNotAvailable", "Guest does not have a console available.")
        pods = site.kube.list(POD, site.namespace, {"kubevirt.io/created-by": vmi["metadata"]["uid"]})
        if not pods:
            raise ExpectedFault("ConsoleNotAvailable", "Guest does not have a console available.")
        newest = max(pods, key=lambda pod: pod["metadata"]["creationTimestamp"])["metadata"]["name"]
        query: dict[str, Any] = {"container": CONSOLE_CONTAINER}
        if tail_length not in (None, "", 0, -1):
            query["tailLines"] = int(tail_length)
        try:
            return site.kube.text(POD, newest, site.namespace, "log", query)
        except KubeError as refused:
            raise ExpectedFault("ConsoleNotAvailable", f"Guest does not have a console: {text(refused)}") from refused
