"""Runs cases against a conductor and notes what it answered and wrote. Standard library alone.

A case is {"name", "context": {...}, "steps": [step]}; a step is {"method": RPC method, "args": {...}, "as": label}.
Where the args hold {"<from>": label, "set": {...}}, the object an earlier step answered goes in, with fields set and
named as changed; "path" leads into a list object.
"""

import copy
from typing import Any

from conductor_objects.normal import Normal
from conductor_objects.stores import difference

SHORT = 2  # blanks
DATA, CHANGES = "nova_object.data", "nova_object.changes"


class Fault(Exception):
    """A conductor raised: the class and module that a caller is told, and the kwargs."""

    def __init__(self, name: str, module: str, kwargs: dict[str, Any], text: str) -> None:
        super().__init__(text)
        self.name, self.module, self.kwargs = name, module, kwargs


class Driver:
    """:param ask: (context, method, args) -> answer in wire form; raises Fault
    :param context: the wire form that every call has, before a case changes it
    """

    def __init__(self, ask: Any, databases: list[Any], normal: Normal, context: dict[str, Any]) -> None:
        self._ask, self._databases, self._normal, self._context = ask, databases, normal, context

    def run(self, case: dict[str, Any]) -> list[dict[str, Any]]:
        """What came of each step of a case, on databases as they were at first."""
        for database in self._databases:
            database.restore()
        context = {**self._context, **case.get("context", {})}
        held: dict[str, Any] = {}
        outcomes: list[dict[str, Any]] = []
        for step in case["steps"]:
            outcomes.append(self._step(context, step, held))
            if "as" in step and step["as"] not in held:
                break  # what the next steps act on is not there
        return outcomes

    def _step(self, context: dict[str, Any], step: dict[str, Any], held: dict[str, Any]) -> dict[str, Any]:
        before = {database.name: database.rows() for database in self._databases}
        outcome: dict[str, Any] = {}
        try:
            args = filled(step["args"], held)
            answer = self._ask(context, step["method"], args)
            if "as" in step:
                held[step["as"]] = kept(step["method"], args, answer)
            outcome["answer"] = self._normal.value(_without_ticks(step["method"], args, answer))
        except Fault as fault:
            kwargs = {key: _word(value) for key, value in fault.kwargs.items() if key != "code"}
            outcome["fault"] = self._normal.value({"class": fault.name, "module": fault.module, "kwargs": kwargs})
            outcome["said"] = str(fault)[:300]
        for database in self._databases:
            changed = difference(before[database.name], database.rows())
            if changed:
                outcome[database.name] = self._normal.value(changed)
        return outcome


def _without_ticks(method: str, args: dict[str, Any], answer: Any) -> Any:
    """An answer without times that moved within a day: a conductor whose clock counts in seconds may not tell them."""
    if method != "object_action":
        return answer
    held, updates = args["objinst"][DATA], dict(answer[0])
    for name in ("created_at", "updated_at"):
        if name in updates and str(updates[name])[:10] == str(held.get(name))[:10]:
            del updates[name]
    return [updates, answer[1]]


def _word(value: Any) -> Any:
    """A value of an exception; sentences are everybody's own and are only noted as such."""
    return "<sentence>" if isinstance(value, str) and value.count(" ") > SHORT else value


def filled(value: Any, held: dict[str, Any]) -> Any:
    """`value` with what earlier steps answered put in."""
    if isinstance(value, dict) and "<from>" in value:
        return _taken(held[value["<from>"]], value)
    if isinstance(value, dict):
        return {key: filled(one, held) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, held) for one in value]
    return copy.deepcopy(value)


def _taken(found: Any, how: dict[str, Any]) -> Any:
    for step in how.get("path", []):
        found = found[DATA]["objects"][step] if isinstance(step, int) else found[DATA][step]
    found = copy.deepcopy(found)
    if "set" in how:
        found[DATA].update(filled(how["set"], {}))
        found[CHANGES] = sorted({*found.get(CHANGES, []), *how["set"]})
    for name in how.get("unset", []):
        found[DATA].pop(name, None)
        found[CHANGES] = [one for one in found.get(CHANGES, []) if one != name]
    return found


def kept(method: str, args: dict[str, Any], answer: Any) -> Any:
    """What a caller holds afterwards: the object that was acted on with its updates, or the answer."""
    if method != "object_action":
        return answer
    obj, updates = copy.deepcopy(args["objinst"]), dict(answer[0])
    obj[CHANGES] = sorted(updates.pop("obj_what_changed", []))
    obj[DATA].update(updates)
    return obj
