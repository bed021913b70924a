"""Client of Placement: providers, inventories, candidates and allocations.

Microversions and bodies as Nova sends them (nova 34.0.0 scheduler report client).
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any
from urllib.parse import urlencode

from keel_common.clients import errors
from keel_common.clients.session import Service

CANDIDATES = "1.36"
CONSUMER_GENERATION = "1.28"
PROVIDER = "1.20"
INVENTORY = "1.26"
TRAITS = "1.6"
AGGREGATES = "1.19"
_CLAIM_ATTEMPTS = 4


class Placement:
    """Requests to Placement as our service user; generations are handled here."""

    def __init__(self, service: Service):
        self._service = service

    def newest_version(self) -> str:
        """The highest microversion that is offered. Raises Unreachable."""
        return self._service.newest_version()

    # Scheduling

    def candidates(self, query: list[tuple[str, str]]) -> tuple[list[dict], dict[str, dict]]:
        """Allocation requests and provider summaries for a query of (key, value) pairs."""
        path = "/allocation_candidates?" + urlencode(sorted(query))
        body = self._service.json("GET", path, microversion=CANDIDATES)
        return body["allocation_requests"], body["provider_summaries"]

    def claim(self, consumer: str, request: dict, project: str, user: str) -> bool:
        """Allocate one candidate to a consumer; False when the resources are gone.

        A new consumer needs one request. Where the consumer already holds
        something, it is kept and the claim is added to it.
        """
        generation: int | None = None
        held: dict[str, dict] = {}
        for _ in range(_CLAIM_ATTEMPTS):
            body = {
                "allocations": _merged(held, request["allocations"]),
                "mappings": request.get("mappings", {}),
                "project_id": project,
                "user_id": user,
                "consumer_generation": generation,
            }
            try:
                self._service.request("PUT", f"/allocations/{consumer}", json=body, microversion=CANDIDATES)
                return True
            except errors.Conflict as conflict:
                if "generation" not in conflict.message.lower() and "concurrent" not in conflict.message.lower():
                    return False
                current = self.get_allocations(consumer)
                generation = current.get("consumer_generation")
                held = {uuid: {"resources": a["resources"]} for uuid, a in current["allocations"].items()}
                if _contains(held, request["allocations"]):
                    return True
        return False

    def get_allocations(self, consumer: str) -> dict:
        """{"allocations": {provider: {"resources", "generation"}}, "consumer_generation"?, "project_id"?}."""
        return self._service.json("GET", f"/allocations/{consumer}", microversion=CONSUMER_GENERATION)

    def put_allocations(self, consumer: str, body: dict) -> None:
        """Replace what a consumer holds; Conflict when its generation moved."""
        self._service.request("PUT", f"/allocations/{consumer}", json=body, microversion=CONSUMER_GENERATION)

    def delete_allocations(self, consumer: str) -> bool:
        """Give everything back; False when nothing was held."""
        try:
            self._service.request("DELETE", f"/allocations/{consumer}")
        except errors.NotFound:
            return False
        return True

    def move_allocations(self, source: str, target: str) -> bool:
        """Give what one consumer holds to another, in one request; False when it holds nothing.

        What the target held before is replaced. Conflict when both keep changing.
        """
        for attempt in range(_CLAIM_ATTEMPTS):
            held, other = self.get_allocations(source), self.get_allocations(target)
            if not held["allocations"]:
                return False
            owner = {"project_id": held["project_id"], "user_id": held["user_id"]}
            given = {uuid: {"resources": each["resources"]} for uuid, each in held["allocations"].items()}
            body = {
                source: {**owner, "allocations": {}, "consumer_generation": held["consumer_generation"]},
                target: {**owner, "allocations": given, "consumer_generation": other.get("consumer_generation")},
            }
            try:
                self._service.request("POST", "/allocations", json=body, microversion=CONSUMER_GENERATION)
                return True
            except errors.Conflict:
                if attempt == _CLAIM_ATTEMPTS - 1:
                    raise
        return False

    def provider_allocations(self, provider: str) -> dict[str, dict]:
        """{consumer: {"resources": ...}} held on one provider."""
        return self._service.json("GET", f"/resource_providers/{provider}/allocations")["allocations"]

    def usages(self, project: str, user: str | None = None) -> dict[str, int]:
        """Resources in use by a project (and user)."""
        query = {"project_id": project} | ({"user_id": user} if user else {})
        return self._service.json("GET", "/usages?" + urlencode(query), microversion="1.9")["usages"]

    # Providers

    def ensure_provider(self, uuid: str, name: str) -> dict:
        """Find or create a root provider; its body with the generation."""
        try:
            return self._service.json("GET", f"/resource_providers/{uuid}", microversion="1.14")
        except errors.NotFound:
            pass
        body = {"uuid": uuid, "name": name}
        try:
            return self._service.json("POST", "/resource_providers", json=body, microversion=PROVIDER)
        except errors.Conflict:
            # Made by another replica meanwhile, or the name is taken by another uuid: the read tells which.
            return self._service.json("GET", f"/resource_providers/{uuid}", microversion="1.14")

    def delete_provider(self, uuid: str) -> bool:
        """Remove a provider without allocations; False when it is not there."""
        try:
            self._service.request("DELETE", f"/resource_providers/{uuid}")
        except errors.NotFound:
            return False
        return True

    def inventories(self, uuid: str) -> dict[str, dict]:
        """The inventories of a provider by resource class."""
        return self._service.json("GET", f"/resource_providers/{uuid}/inventories", microversion=INVENTORY)[
            "inventories"
        ]

    def set_inventory(self, uuid: str, inventories: dict[str, dict]) -> bool:
        """Make the inventories of a provider as given; False when they were so already."""
        return self._update(uuid, "inventories", inventories, INVENTORY)

    def traits(self, uuid: str) -> set[str]:
        """The traits of a provider; NotFound."""
        return set(self._service.json("GET", f"/resource_providers/{uuid}/traits", microversion=TRAITS)["traits"])

    def set_traits(self, uuid: str, add: Set[str], remove: Set[str] = frozenset()) -> bool:
        """Add and remove our traits of a provider, leaving those of others alone."""
        path = f"/resource_providers/{uuid}/traits"
        for attempt in range(_CLAIM_ATTEMPTS):
            current = self._service.json("GET", path, microversion=TRAITS)
            wanted = (set(current["traits"]) - remove) | add
            if wanted == set(current["traits"]):
                return False
            body = {
                "traits": sorted(wanted),
                "resource_provider_generation": current["resource_provider_generation"],
            }
            try:
                self._service.request("PUT", path, json=body, microversion=TRAITS)
                return True
            except errors.Conflict:
                if attempt == _CLAIM_ATTEMPTS - 1:
                    raise
        return False

    def ensure_traits(self, names: set[str]) -> None:
        """Create custom traits that Placement does not know yet."""
        for name in sorted(n for n in names if n.startswith("CUSTOM_")):
            self._service.request("PUT", f"/traits/{name}", microversion=TRAITS)

    def set_aggregates(self, uuid: str, aggregates: set[str]) -> None:
        """Make the aggregates of a provider as given."""
        self._write_aggregates(uuid, lambda current: aggregates)

    def change_aggregates(self, uuid: str, add: Set[str] = frozenset(), remove: Set[str] = frozenset()) -> None:
        """Put a provider into aggregates and take it out of others; those it is in besides stay."""
        self._write_aggregates(uuid, lambda current: (current | add) - remove)

    def _write_aggregates(self, uuid: str, wanted: Callable[[set[str]], Set[str]]) -> None:
        path = f"/resource_providers/{uuid}/aggregates"
        for attempt in range(_CLAIM_ATTEMPTS):
            current = self._service.json("GET", path, microversion=AGGREGATES)
            body = {
                "aggregates": sorted(wanted(set(current["aggregates"]))),
                "resource_provider_generation": current["resource_provider_generation"],
            }
            try:
                self._service.request("PUT", path, json=body, microversion=AGGREGATES)
                return
            except errors.Conflict:
                if attempt == _CLAIM_ATTEMPTS - 1:
                    raise

    def _update(self, uuid: str, what: str, wanted: dict[str, Any], microversion: str) -> bool:
        path = f"/resource_providers/{uuid}/{what}"
        for attempt in range(_CLAIM_ATTEMPTS):
            current = self._service.json("GET", path, microversion=microversion)
            if _covers(current[what], wanted):
                return False
            body = {what: wanted, "resource_provider_generation": current["resource_provider_generation"]}
            try:
                self._service.request("PUT", path, json=body, microversion=microversion)
                return True
            except errors.Conflict:
                if attempt == _CLAIM_ATTEMPTS - 1:
                    raise
        return False


def _merged(held: dict, wanted: dict) -> dict:
    """Allocations of both, the amounts of a shared provider and class taken from the new claim."""
    result = {uuid: {"resources": dict(a["resources"])} for uuid, a in held.items()}
    for uuid, allocation in wanted.items():
        result.setdefault(uuid, {"resources": {}})["resources"].update(allocation["resources"])
    return result


def _contains(held: dict, wanted: dict) -> bool:
    """Whether an earlier attempt of the same claim has won already (its answer was lost)."""
    return all(
        held.get(uuid, {}).get("resources", {}).get(name) == amount
        for uuid, allocation in wanted.items()
        for name, amount in allocation["resources"].items()
    )


def _covers(current: dict, wanted: dict) -> bool:
    """Whether every wanted inventory value stands already and no other class does."""
    return set(current) == set(wanted) and all(
        current[name].get(field) == value for name, fields in wanted.items() for field, value in fields.items()
    )
