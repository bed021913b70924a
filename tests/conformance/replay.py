"""Replays one scenario against a deployment and judges every answer."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from conformance import scenario as recorded
from conformance.compare import Comparer
from conformance.requests import Clock, Message, message
from conformance.tokens import Bindings, Mismatch, kinds, split

_REQUEST_IDS = ("x-openstack-request-id", "x-compute-request-id")
_A_SECOND, _A_LOOK = 1.1, 0.05


@dataclass(frozen=True)
class Answer:
    """`headers` with names in small letters."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Deployment(Protocol):
    """What is replayed against. `patience`: seconds that what a request started may take to show."""

    patience: float

    def reset(self, scenario: dict[str, Any]) -> None:
        """Be empty but for the environment, with the configuration of the scenario."""

    def send(self, request: Message) -> Answer:
        """Answer one request."""


@dataclass
class Outcome:
    """Of one exchange. `result`: pass, fail, "not built" (501 where something else was recorded), unjudged."""

    seq: int
    operation: str
    result: str
    why: str = ""
    soft: list[str] = field(default_factory=list)


@dataclass
class Result:
    """Of one scenario. `verdict`: pass, fail, "not built" (failed, and met an operation that is not built)."""

    id: str
    verdict: str = "pass"
    outcomes: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def first(self) -> Outcome | None:
        """What went wrong first."""
        return next((each for each in self.outcomes if each.result in ("fail", "not built")), None)


def replay(scenario: dict[str, Any], deployment: Deployment, ids: set[str]) -> Result:
    """Send the requests of a scenario in order. `ids`: those of the environment."""
    result, began = Result(scenario["id"]), time.monotonic()
    deployment.reset(scenario)
    bound = Bindings(recorded.fixed_tokens(scenario, ids), recorded.said(scenario))
    clock = Clock(scenario.get("recorded_at"))
    for prelude in scenario.get("prelude", ()):
        answer = deployment.send(message(prelude, bound, clock))
        if answer.status // 100 != 2:
            result.outcomes.append(Outcome(-1, prelude["path"], "fail", f"prelude: {_said(answer)}"))
    dated = bool(scenario.get("recorded_at")) and _mentions(scenario, scenario["recorded_at"][:10])
    for exchange in recorded.to_send(scenario):
        if dated and result.outcomes:
            time.sleep(_A_SECOND)  # the dates have a resolution of a second
        result.outcomes.append(_exchange(exchange, deployment, bound, clock))
    found = {each.result for each in result.outcomes}
    result.verdict = next((each for each in ("not built", "fail") if each in found), "pass")
    result.seconds = time.monotonic() - began
    return result


def _mentions(scenario: dict[str, Any], day: str) -> bool:
    return any(day in each["query"] for each in scenario["exchanges"])


def _exchange(exchange: dict[str, Any], deployment: Deployment, bound: Bindings, clock: Clock) -> Outcome:
    wanted = recorded.expected(exchange)
    outcome = Outcome(exchange["seq"], exchange["operation"], "pass" if wanted else "unjudged")
    request, until = message(exchange, bound, clock), time.monotonic() + deployment.patience
    while True:
        answer, trial = deployment.send(request), bound.copy()
        try:
            outcome.soft = judge(exchange, wanted or exchange["response"], answer, trial)
            bound.take(trial)
            return outcome
        except Mismatch as wrong:
            if time.monotonic() < until and _may_change(exchange, answer):
                time.sleep(_A_LOOK)
                continue
            if wanted:
                unbuilt = answer.status == 501 and wanted["status"] != 501
                outcome.result, outcome.why = "not built" if unbuilt else "fail", str(wrong)
            _learn(exchange["response"], answer, bound)
            return outcome


def _may_change(exchange: dict[str, Any], answer: Answer) -> bool:
    """Whether the answer may be another one once the work of earlier requests has ended."""
    if answer.status == 501:
        return False
    early = answer.status in (400, 409) and answer.status != exchange["response"]["status"]
    return exchange["method"] == "GET" or early


def _said(answer: Answer) -> str:
    return f"{answer.status} {answer.data[:200].decode('utf-8', 'replace')}"


def judge(exchange: dict[str, Any], wanted: dict[str, Any], answer: Answer, bound: Bindings) -> list[str]:
    """Compare status, body and headers; binds the ids seen and returns the differences that were let pass."""
    if answer.status != wanted["status"]:
        raise Mismatch("status", f"expected {wanted['status']}, got {_said(answer)}")
    collection = recorded.collection(exchange["template"])
    comparer = Comparer(bound, exchange["operation"], recorded.ordered(exchange), collection)
    if "body" in wanted:
        try:
            body = json.loads(answer.data)
        except ValueError:
            raise Mismatch("body", f"not JSON: {answer.data[:80]!r}") from None
        comparer.value(wanted["body"], body, "")
    elif wanted.get("body_text") is not None:
        comparer.text(wanted["body_text"], answer.data.decode("utf-8", "replace"), "body")
    elif answer.data:
        raise Mismatch("body", f"expected an empty body, got {answer.data[:80]!r}")
    problems = [
        problem
        for name, value in (wanted.get("headers") or {}).items()
        if (problem := _header(name, value, answer.headers, comparer))
    ]
    if problems:
        raise Mismatch("headers", "; ".join(problems))
    return comparer.soft


def _header(name: str, value: str, headers: Mapping[str, str], comparer: Comparer) -> str | None:
    low = name.lower()
    actual = headers.get(low)
    if actual is None:
        return f"{name} missing"
    if low in _REQUEST_IDS:
        if not re.fullmatch(r"req-[0-9a-f-]{36}", actual):
            return f"{name}: {actual}"
        comparer.bound.forward.setdefault(value, actual)
    elif low == "content-type":
        if actual.split(";")[0].strip() != value.split(";", maxsplit=1)[0].strip():
            return f"{name}: {actual}"
    elif low == "vary":
        have = {each.strip().lower() for each in actual.split(",")}
        lacking = [each for each in value.split(",") if each.strip().lower() not in have]
        return f"Vary lacks {lacking}" if lacking else None
    else:
        try:
            comparer.text(value, actual, name)
        except Mismatch as wrong:
            return str(wrong)
    return None


def _learn(wanted: dict[str, Any], answer: Answer, bound: Bindings) -> None:
    """Bind what can be bound of a wrong answer, so that later requests still make sense."""
    with contextlib.suppress(ValueError):  # no JSON, nothing to learn
        _walk(wanted.get("body"), json.loads(answer.data), bound)
    headers = {name.lower(): value for name, value in (wanted.get("headers") or {}).items()}
    for name in _REQUEST_IDS:
        if name in headers and name in answer.headers:
            bound.forward.setdefault(headers[name], answer.headers[name])
    if "location" in headers and "location" in answer.headers:
        _walk(headers["location"], answer.headers["location"], bound)


def _walk(left: Any, right: Any, bound: Bindings) -> None:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in left.keys() & right.keys():
            _walk(left[key], right[key], bound)
    elif isinstance(left, list) and isinstance(right, list):
        for one, other in zip(left, right, strict=False):
            _walk(one, other, bound)
    elif isinstance(left, str) and isinstance(right, str):
        old, new = split(left), split(right)
        if kinds(old) != kinds(new):
            return
        for (kind, was), (_, now) in zip(old, new, strict=True):
            known = was in bound.fixed or was in bound.forward or now in bound.back
            if kind in ("uuid", "hex") and not known:
                bound.forward[was], bound.back[now] = now, was
