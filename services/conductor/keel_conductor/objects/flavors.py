"""Flavor and FlavorList."""

from collections.abc import Iterable
from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import flavor_records as store
from keel_common.db.stores.nova import flavors
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

NAME = "Flavor"


def _absent(flavor_id: Any) -> Refused:
    return not_found("FlavorNotFound", f"Flavor {flavor_id}", flavor_id=flavor_id)


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    """Projects are read on demand only."""
    return _own(row) | {"extra_specs": row["extra_specs"]}


def _own(row: dict[str, Any]) -> dict[str, Any]:
    values = wire.fields(NAME, {name: value for name, value in row.items() if name not in ("extra_specs", "projects")})
    return values | {"deleted": False, "deleted_at": None, "vcpu_weight": row["vcpu_weight"] or 0}


def _object(row: dict[str, Any]) -> Any:
    return wire.read(wire.REGISTRY.classes[NAME], _fields(row))


@action(NAME, "create")
def create(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The flavor exists.", action="create", reason="already created")
    values = wire.changed(obj)
    specs, projects = values.pop("extra_specs", {}), values.pop("projects", [])
    try:
        row = call.api.run(store.create, values, specs, projects)
    except flavors.Taken as taken:
        raise _taken(taken) from taken
    specs_too = {"extra_specs": row["extra_specs"]} if obj.get("extra_specs") else {}
    return Done(_own(row) | specs_too | {"projects": row["projects"]})


def _taken(taken: flavors.Taken) -> Refused:
    if taken.column == "name":
        return Refused("FlavorExists", f"Flavor {taken.value} exists.", 409, name=taken.value)
    return Refused("FlavorIdExists", f"Flavor {taken.value} exists.", 409, flavor_id=taken.value)


@action(NAME, "destroy")
def destroy(call: Call, obj: Any) -> Done:
    """By the id of the row where the caller has it, else by the public one."""
    if obj.is_set("id"):
        key, equal = obj.id, {"id": obj.id}
    else:
        key, equal = obj.flavorid, {"flavorid": obj.flavorid}
    row = call.api.run(store.remove, **equal)
    if row is None:
        raise _absent(key)
    return Done(_own(row))


@action(NAME, "_load_projects")
def load_projects(call: Call, obj: Any) -> Done:
    if call.api.read(store.find, anyone=True, project_id=None, flavorid=obj.flavorid) is None:
        raise _absent(obj.flavorid)
    return Done({"projects": call.api.read(flavors.projects, obj.id)})


@action(NAME, "add_access")
def add_access(call: Call, obj: Any, project_id: str) -> Done:
    _no_open_projects(obj, "add_access")
    return Done({"projects": _share(call, obj, [project_id], [])})


@action(NAME, "remove_access")
def remove_access(call: Call, obj: Any, project_id: str) -> Done:
    _no_open_projects(obj, "remove_access")
    return Done({"projects": _share(call, obj, [], [project_id])})


def _no_open_projects(obj: Any, method: str) -> None:
    if "projects" in obj.obj_what_changed():
        text = "Projects of the flavor are not saved."
        raise Refused("ObjectActionError", text, action=method, reason="projects modified")


@action(NAME, "save_projects")
def save_projects(call: Call, obj: Any, to_add: Any = None, to_delete: Any = None) -> Done:
    if not to_add and not to_delete:
        return Done.untouched(obj)
    _share(call, obj, to_add or [], to_delete or [])
    return Done({}, None, set(obj.obj_what_changed()) - {"projects"})


def _share(call: Call, obj: Any, to_add: Iterable[str], to_delete: Iterable[str]) -> list[str]:
    """The projects afterwards. Each change is a transaction of its own, as at a real conductor."""
    facts = {"flavor_id": obj.id}
    for project in to_add:
        try:
            call.api.run(store.share, obj.id, project)
        except flavors.AccessExists as there:
            text = f"Project {project} has access to flavor {obj.id}."
            raise Refused("FlavorAccessExists", text, 409, **facts, project_id=project) from there
    for project in to_delete:
        if not call.api.run(flavors.unshare, obj.id, project):
            text = f"Access of project {project} to flavor {obj.id}"
            raise not_found("FlavorAccessNotFound", text, **facts, project_id=project)
    return call.api.read(flavors.projects, obj.id)


@action(NAME, "save_extra_specs")
def save_extra_specs(call: Call, obj: Any, to_add: Any = None, to_delete: Any = None) -> Done:
    if to_add:
        call.api.run(store.put_specs, obj.id, to_add)
    for key in to_delete or ():
        if not call.api.run(flavors.remove_extra_spec, obj.id, key):
            facts = {"flavor_id": obj.id, "extra_specs_key": key}
            raise not_found("FlavorExtraSpecsNotFound", f"Extra spec {key} of flavor {obj.id}", **facts)
    return Done({}, None, set(obj.obj_what_changed()) - {"extra_specs"})


def _get(call: Call, key: Any, /, **equal: Any) -> dict[str, Any] | None:
    """A private flavor is there for administrators and its projects alone."""
    anyone = bool(call.context.is_admin)
    return call.api.read(store.find, anyone=anyone, project_id=None if anyone else call.context.project_id, **equal)


@class_action(NAME, "get_by_id")
def get_by_id(call: Call, id: int) -> Any:
    row = _get(call, id, id=id)
    if row is None:
        raise _absent(id)
    return _object(row)


@class_action(NAME, "get_by_name")
def get_by_name(call: Call, name: str) -> Any:
    row = _get(call, name, name=name)
    if row is None:
        raise not_found("FlavorNotFoundByName", f"Flavor {name}", flavor_name=name)
    return _object(row)


@class_action(NAME, "get_by_flavor_id")
def get_by_flavor_id(call: Call, flavor_id: str, read_deleted: str | None = None) -> Any:
    """Flavors are deleted for real: `read_deleted` finds nothing more."""
    row = _get(call, flavor_id, flavorid=flavor_id)
    if row is None:
        raise _absent(flavor_id)
    return _object(row)


@class_action("FlavorList", "get_all")
def get_all(
    call: Call,
    inactive: bool = False,
    filters: dict[str, Any] | None = None,
    sort_key: str = "flavorid",
    sort_dir: str = "asc",
    limit: int | None = None,
    marker: str | None = None,
) -> Any:
    """`inactive` is of old times and changes nothing. Filters: min_memory_mb, min_root_gb, is_public, disabled."""
    order = sort_key, sort_dir
    found = call.api.read(store.listing, dict(filters or {}), call.context.project_id, order, marker, limit)
    if found is None:
        raise not_found("MarkerNotFound", f"Flavor {marker}", marker=marker)
    return wire.listed("FlavorList", [_object(row) for row in found])
