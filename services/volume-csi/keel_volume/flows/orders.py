"""What is to be done with a volume and an image: kept in the cluster, with the user's token, until it is done.

One Secret for each volume, the same that an import reads its token from. A process that takes over finds all it needs
there: what was asked for, since when, how often it was tried, and how it ended.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from keel_common.context import Context
from keel_common.kube import SECRET
from keel_volume.backend import Backend
from keel_volume.csi import claims, streams

#: Annotation of the secret (JSON).
ORDER = "openstack.org/image-order"
_HEADER = "X-Auth-Token: "


@dataclass(frozen=True)
class Order:
    """``verb`` upload or reimage with its ``facts``; ``outcome`` is None until it has ended."""

    verb: str
    facts: Mapping[str, Any]
    token: str
    since: datetime
    tries: int
    outcome: str | None

    def age(self) -> timedelta:
        """Since it was asked for."""
        return datetime.now(UTC) - self.since

    def context(self, row: Mapping[str, Any]) -> Context | None:
        """To ask Glance as the user did; None where only our own token is left."""
        if not self.token:
            return None
        return Context(
            user_id=row["user_id"], project_id=row["project_id"], roles=[], auth_token=self.token, overwrite=False
        )


def keep(backend: Backend, row: Mapping[str, Any], verb: str, facts: Mapping[str, Any], token: str) -> None:
    """Write it down. Raises KubeError."""
    order = {"verb": verb, "facts": dict(facts), "since": datetime.now(UTC).isoformat(), "tries": 0, "outcome": None}
    body = claims.image_secret(row, backend.namespace, token)
    body["metadata"]["labels"] |= streams.Purpose("volume", row["id"], row["project_id"]).labels()
    body["metadata"]["annotations"] = {ORDER: orjson.dumps(order).decode()}
    backend.kube.apply(SECRET, body)


def read(backend: Backend, row: Mapping[str, Any], verb: str) -> Order | None:
    """The order of that kind that stands for a volume. Raises KubeError."""
    found = backend.kube.find(SECRET, claims.image_secret_name(row["id"]), backend.namespace)
    text = ((found or {}).get("metadata", {}).get("annotations") or {}).get(ORDER)
    if found is None or not text:
        return None
    kept = orjson.loads(text)
    if kept["verb"] != verb:
        return None
    header = base64.b64decode((found.get("data") or {}).get("token", "")).decode()
    since = datetime.fromisoformat(kept["since"])
    return Order(verb, kept["facts"], header.removeprefix(_HEADER), since, kept["tries"], kept["outcome"])


def note(backend: Backend, row: Mapping[str, Any], order: Order, facts: Mapping[str, Any], token: str) -> None:
    """Add to what is known of it."""
    header = base64.b64encode(f"{_HEADER}{token}".encode()).decode()
    _change(backend, row, order, facts={**order.facts, **facts}, data={"token": header})


def tried(backend: Backend, row: Mapping[str, Any], order: Order) -> None:
    """One more try begins."""
    _change(backend, row, order, tries=order.tries + 1)


def ended(backend: Backend, row: Mapping[str, Any], order: Order, outcome: str) -> None:
    """Before the row says so: how it ended. The token is not needed any more."""
    _change(backend, row, order, outcome=outcome, data=None)


def forget(backend: Backend, row: Mapping[str, Any]) -> None:
    """After the row says so. (The audit does it for one who died in between: it has the label of a stream.)"""
    backend.kube.delete(SECRET, claims.image_secret_name(row["id"]), backend.namespace)


def _change(backend: Backend, row: Mapping[str, Any], order: Order, **changed: Any) -> None:
    kept = {
        "verb": order.verb,
        "facts": dict(changed.get("facts", order.facts)),
        "since": order.since.isoformat(),
        "tries": changed.get("tries", order.tries),
        "outcome": changed.get("outcome"),
    }
    patch: dict[str, Any] = {"metadata": {"annotations": {ORDER: orjson.dumps(kept).decode()}}}
    if "data" in changed:
        patch["data"] = changed["data"]
    backend.kube.patch(SECRET, claims.image_secret_name(row["id"]), backend.namespace, patch)
