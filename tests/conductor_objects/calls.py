"""How a case is written down."""

from typing import Any

from conductor_objects.things import wire
from keel_contract.nova.objects import REGISTRY

Case = dict[str, Any]
Step = dict[str, Any]


def case(name: str, *steps: Step, **context: Any) -> Case:
    """Steps on databases as seeded; `context` changes who asks."""
    return {"name": name, "context": context, "steps": list(steps)} if context else {"name": name, "steps": list(steps)}


def act(obj: Any, method: str, *args: Any, keep: str | None = None, **kwargs: Any) -> Step:
    """`method` of an object; what the caller holds afterwards is kept as `keep`."""
    asked = {"objinst": wire(obj), "objmethod": method, "args": wire(args), "kwargs": wire(kwargs)}
    return _step("object_action", asked, keep)


def ask(what: str, *args: Any, keep: str | None = None, **kwargs: Any) -> Step:
    """A class method, `what` is "Name.method"; the answer is kept as `keep`."""
    name, method = what.split(".")
    asked = {"objname": name, "objmethod": method, "object_versions": REGISTRY.manifest(name), "args": wire(args),
             "kwargs": wire(kwargs)}  # fmt: skip
    return _step("object_class_action_versions", asked, keep)


def backport(obj: Any, versions: dict[str, str]) -> Step:
    """object_backport_versions."""
    return _step("object_backport_versions", {"objinst": wire(obj), "object_versions": versions}, None)


def _step(method: str, args: dict[str, Any], keep: str | None) -> Step:
    return {"method": method, "args": args} | ({} if keep is None else {"as": keep})


def kept(label: str, *path: Any, unset: tuple[str, ...] = (), **changes: Any) -> dict[str, Any]:
    """What was kept as `label` (or what `path` leads to in it), changed since."""
    found: dict[str, Any] = {"<from>": label}
    if path:
        found["path"] = list(path)
    if changes:
        found["set"] = wire(changes)
    if unset:
        found["unset"] = list(unset)
    return found


def methods(cases: list[Case]) -> set[tuple[str, str]]:
    """(object, method) of every call in the cases; of an object that was kept, by what it was kept from."""
    found = set()
    for one in cases:
        names: dict[str, str] = {}
        for step in one["steps"]:
            if step["method"] == "object_backport_versions":
                continue
            name = step["args"].get("objname") or _name(step["args"]["objinst"], names)
            found.add((name, step["args"]["objmethod"]))
            if "as" in step:
                names[step["as"]] = name
    return found


def _name(obj: dict[str, Any], names: dict[str, str]) -> str:
    if "<from>" not in obj:
        return str(obj["nova_object.name"])
    name = names[obj["<from>"]]
    return name.removesuffix("List") if obj.get("path") else name
