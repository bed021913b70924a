"""Is this answer the recorded one? Values are compared one by one; what may differ is named in `rules`."""

from __future__ import annotations

import json
from typing import Any

from conformance import rules
from conformance.tokens import Bindings, Mismatch, kinds, plain_time, split, time_class


def short(value: Any, length: int = 90) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= length else text[:length] + "..."


def _differ(where: str, recorded: Any, actual: Any) -> Mismatch:
    return Mismatch(where, f"expected {short(recorded)}, got {short(actual)}")


class Comparer:
    """Compares one answer; ids that appear for the first time are bound in `bound`. `soft` collects what was let pass.

    `ordered`: lists must have the recorded order. `collection`: whose integer ids these are.
    """

    def __init__(self, bound: Bindings, operation: str = "", ordered: bool = True, collection: str = ""):
        self.bound, self.ordered, self.collection = bound, ordered, collection
        self.driver = any(part in operation for part in rules.DRIVER_OPERATIONS)
        self.soft: list[str] = []

    def value(self, recorded: Any, actual: Any, where: str, key: str | None = None) -> None:
        """Raise Mismatch when `actual` is not what was recorded."""
        if self.driver and key in rules.DRIVER_KEYS and not isinstance(recorded, dict | list):
            return
        if recorded is None or isinstance(recorded, bool):
            if type(actual) is not type(recorded) or actual != recorded:
                raise _differ(where, recorded, actual)
        elif isinstance(recorded, dict):
            self._object(recorded, actual, where)
        elif isinstance(recorded, list):
            self._list(recorded, actual, where, key)
        elif isinstance(recorded, str):
            self._text(recorded, actual, where, key)
        else:
            self._number(recorded, actual, where, key)

    # -- objects

    def _object(self, recorded: dict, actual: Any, where: str) -> None:
        if not isinstance(actual, dict):
            raise Mismatch(where, f"expected an object, got {short(actual)}")
        missing, extra = sorted(set(recorded) - set(actual)), sorted(set(actual) - set(recorded))
        if missing and len(missing) == len(extra) and (renamed := self._id_keys(missing, extra, where)):
            recorded = {renamed.get(key, key): value for key, value in recorded.items()}
            missing, extra = [], []
        if missing or extra:
            raise Mismatch(where, f"keys: missing {missing}, unexpected {extra}")
        status = recorded.get("status")
        late = isinstance(status, str) and status in rules.TRANSIENT
        # A backup fails soon where no backup service runs.
        ends = {*rules.TRANSIENT[status], *(["error"] if "fail_reason" in recorded else [])} if late else set()
        done = late and actual.get("status") in ends
        if done:
            self.soft.append(f"{where}/status: {actual['status']} instead of {status}")
        for key in sorted(recorded):
            if done and key == "status":
                continue
            if late and key in rules.LATE_KEYS and (done or recorded[key] is None or actual[key] is None):
                continue
            self.value(recorded[key], actual[key], f"{where}/{key}", key)

    def _id_keys(self, missing: list[str], extra: list[str], where: str) -> dict[str, str] | None:
        """Objects keyed by ids: recorded key -> actual key, None when they do not pair."""
        left, out = list(extra), {}
        for key in missing:
            if kinds(split(key)) not in (["uuid"], ["hex"]):
                return None
            for candidate in left:
                trial = self.bound.copy()
                try:
                    Comparer(trial).text(key, candidate, where)
                except Mismatch:
                    continue
                self.bound.take(trial)
                out[key] = candidate
                left.remove(candidate)
                break
            else:
                return None
        return out

    # -- lists

    def _list(self, recorded: list, actual: Any, where: str, key: str | None) -> None:
        if not isinstance(actual, list):
            raise Mismatch(where, f"expected a list, got {short(actual)}")
        if len(recorded) != len(actual):
            raise Mismatch(where, f"expected {len(recorded)} items, got {len(actual)}")
        saved, count = self.bound.copy(), len(self.soft)
        try:
            for index, (left, right) in enumerate(zip(recorded, actual, strict=True)):
                self.value(left, right, f"{where}/{index}", key)
        except Mismatch as first:
            self.bound.take(saved)
            del self.soft[count:]
            if self.ordered or len(recorded) == 1:
                raise
            self._as_set(recorded, list(actual), where, key, first)

    def _as_set(self, recorded: list, left: list, where: str, key: str | None, first: Mismatch) -> None:
        for index, item in enumerate(recorded):
            for candidate in left:
                trial = self.bound.copy()
                other = Comparer(trial, "", False, self.collection)
                other.driver = self.driver
                try:
                    other.value(item, candidate, f"{where}/{index}", key)
                except Mismatch:
                    continue
                self.bound.take(trial)
                left.remove(candidate)
                break
            else:
                raise first

    # -- strings

    def _text(self, recorded: str, actual: Any, where: str, key: str | None) -> None:
        if key in rules.RANDOM_KEYS and isinstance(actual, str):
            self._random(recorded, actual, where, key)
        elif key == "message" and where.count("/") == 2 and isinstance(actual, str):
            self._sentence(recorded, actual, where)
        elif isinstance(actual, str) and recorded != actual and recorded[:1] in "{[" and actual[:1] in "{[":
            try:
                inner = json.loads(recorded), json.loads(actual)
            except ValueError:
                self.text(recorded, actual, where)
            else:
                self.value(*inner, f"{where}(json)", key)
        else:
            self.text(recorded, actual, where)

    def _random(self, recorded: str, actual: str, where: str, key: str | None) -> None:
        """Generated keys and passwords: any value, but always the same one, and the client's own if it sent one."""
        imported = any(text.startswith(("ssh-", "-----BEGIN")) for text in self.bound.said)
        if recorded in self.bound.said or (key == "fingerprint" and imported):
            if recorded != actual:
                raise _differ(where, recorded, actual)
            return
        if self.bound.whole.setdefault((key, recorded), actual) != actual:
            raise Mismatch(where, f"differs from the {key} shown before")
        if key == "public_key" and recorded.split(maxsplit=1)[0] != (actual.split() or [""])[0]:
            raise Mismatch(where, "another kind of key")

    def _sentence(self, recorded: str, actual: str, where: str) -> None:
        """The text of a fault: other words are noted, not refused."""
        trial = self.bound.copy()
        try:
            Comparer(trial).text(recorded, actual, where)
        except Mismatch as other:
            self.soft.append(str(other))
        else:
            self.bound.take(trial)

    def text(self, recorded: str, actual: Any, where: str) -> None:
        """Compare two strings token by token."""
        if recorded == actual and recorded not in self.bound.forward:
            self._note(recorded)
            return
        if not isinstance(actual, str):
            raise Mismatch(where, f"expected a string {short(recorded)}, got {short(actual)}")
        left, right = split(recorded), split(actual)
        if kinds(left) != kinds(right):
            raise _differ(where, recorded, actual)
        for (kind, one), (_, other) in zip(left, right, strict=True):
            if kind == "lit":
                same = one == other or rules.random_tail(one) == rules.random_tail(other)
                if not same:
                    raise _differ(where, recorded, actual)
            else:
                self._token(kind, one, other, where)

    def _note(self, text: str) -> None:
        for kind, token in split(text):
            if kind == "time":
                self.bound.times.setdefault(plain_time(token), plain_time(token))
            elif kind in ("uuid", "hex") and token not in self.bound.fixed:
                self.bound.match(token, token, "")

    def _token(self, kind: str, recorded: str, actual: str, where: str) -> None:
        if kind == "time":
            if time_class(recorded) != time_class(actual):
                raise Mismatch(where, f"time format differs: {recorded} / {actual}")
            self.bound.times.setdefault(plain_time(recorded), plain_time(actual))
        elif kind in ("req", "res", "inst", "mac"):
            self.bound.same(recorded, actual, where)
        elif kind == "hex" and len(recorded) != len(actual):
            raise Mismatch(where, f"length of {recorded} / {actual}")
        elif kind != "url":
            self.bound.match(recorded, actual, where)

    # -- numbers

    def _number(self, recorded: float, actual: Any, where: str, key: str | None) -> None:
        if isinstance(actual, bool) or not isinstance(actual, int | float):
            raise Mismatch(where, f"expected the number {recorded}, got {short(actual)}")
        if key in rules.CLOCK_NUMBERS or key in rules.RANDOM_KEYS:
            return
        if key == "id" and isinstance(recorded, int):
            known = self.bound.numbers.setdefault((self.collection, recorded), int(actual))
            if known != actual:
                raise Mismatch(where, f"expected {known}, got {actual}")
        elif recorded != actual:
            raise _differ(where, recorded, actual)
