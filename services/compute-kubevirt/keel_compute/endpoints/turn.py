"""One operation on one server at a time, with its outcome recorded."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from keel_common.kube import Stopped
from keel_compute.endpoints.journal import recorded
from keel_compute.endpoints.refused import Unbuilt
from keel_compute.errors import Gone, text
from keel_compute.scope import Scope
from keel_contract.context import Context
from keel_contract.errors import ExpectedFault

LOG = logging.getLogger(__name__)


class Turns(Unbuilt):
    """What every method that acts on a server begins with."""

    @contextlib.contextmanager
    def _turn(self, context: Context, instance: Any, method: str, answer: str | None = None) -> Iterator[Scope]:
        """The server's turn, its outcome recorded. `answer` names the exception class that a caller gets."""
        with self.site.flights.enter(instance.uuid, method) as flight:
            whole = self.site.records.whole(context, instance)
            with self._outcome(context, whole, method, answer):
                yield Scope(self.site, self.place, context, whole, flight)

    @contextlib.contextmanager
    def _outcome(self, context: Context, instance: Any, method: str, answer: str | None = None) -> Iterator[None]:
        try:
            with recorded(self.site, self.place.name, context, instance, method):
                yield
        except Gone:
            LOG.info("%s of server %s ends: it is being deleted", method, instance.uuid)
        except (ExpectedFault, Stopped):
            raise
        except Exception as error:
            if answer:
                raise ExpectedFault(answer, text(error)) from error
            raise
