"""InstanceAction, InstanceActionEvent and InstanceFault."""

from typing import Any

from keel_common.db.refusals import Refused, not_found
from keel_common.db.stores.nova import action_records as records
from keel_common.db.stores.nova import actions as store
from keel_common.db.stores.nova import faults
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action


def new_action(call: Call, name: str) -> dict[str, Any]:
    """The row of an action that this request starts."""
    context = call.context
    who = {"user_id": context.user_id, "project_id": context.project_id, "request_id": context.request_id}
    return {"action": name, "start_time": context.timestamp.replace(microsecond=0), **who}


@class_action("InstanceAction", "action_start")
def action_start(call: Call, instance_uuid: str, action_name: str, want_result: bool = True) -> Any:
    call.db.run(store.start, instance_uuid, new_action(call, action_name))
    return get_by_request_id(call, instance_uuid, call.context.request_id) if want_result else None


@class_action("InstanceAction", "action_finish")
def action_finish(call: Call, instance_uuid: str, want_result: bool = True) -> Any:
    row = call.db.run(store.finish, instance_uuid, call.context.request_id)
    return wire.record("InstanceAction", row) if want_result else None


@class_action("InstanceAction", "get_by_request_id")
def get_by_request_id(call: Call, instance_uuid: str, request_id: str) -> Any:
    row = call.db.read(store.by_request, instance_uuid, request_id)
    return None if row is None else wire.record("InstanceAction", row)


@class_action("InstanceActionEvent", "event_start")
def event_start(
    call: Call, instance_uuid: str, event_name: str, want_result: bool = True, host: str | None = None
) -> Any:
    row = call.db.run(store.start_event, instance_uuid, call.context.request_id, event_name, host, **_who(call))
    row = dict.fromkeys(("finish_time", "result", "traceback", "details", "updated_at", "deleted_at"), None) | row
    return wire.record("InstanceActionEvent", {"deleted": 0} | row) if want_result else None


@class_action("InstanceActionEvent", "event_finish")
def event_finish(call: Call, instance_uuid: str, event_name: str, want_result: bool = True) -> Any:
    return event_finish_with_failure(call, instance_uuid, event_name, want_result=want_result)


@class_action("InstanceActionEvent", "event_finish_with_failure")
def event_finish_with_failure(
    call: Call,
    instance_uuid: str,
    event_name: str,
    exc_val: str | None = None,
    exc_tb: str | None = None,
    want_result: bool | None = None,
) -> Any:
    about = instance_uuid, call.context.request_id, event_name
    row = call.db.run(store.finish_event, *about, exc_val, exc_tb, **_who(call))
    return wire.record("InstanceActionEvent", row) if want_result else None


def _who(call: Call) -> dict[str, Any]:
    """A context without project is a service on its own."""
    return {"has_project": call.context.project_id is not None}


ACTION, EVENT = "InstanceAction", "InstanceActionEvent"


@action(ACTION, "create")
def create_action(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The action exists.", action="create", reason="already created")
    return Done(wire.fields(ACTION, call.db.run(records.create, obj.instance_uuid, wire.changed(obj))))


@action(ACTION, "finish")
def finish_action(call: Call, obj: Any) -> Done:
    """Ends the action of this request, now."""
    row = call.db.run(store.finish, obj.instance_uuid, call.context.request_id)
    return Done(wire.fields(ACTION, row))


@class_action("InstanceActionList", "get_by_instance_uuid")
def get_actions(
    call: Call,
    instance_uuid: str,
    limit: int | None = None,
    marker: str | None = None,
    filters: dict[str, Any] | None = None,
) -> Any:
    """Newest first; filters: changes-since, changes-before (moments)."""
    moments = {name: wire.moment(value) for name, value in (filters or {}).items()}
    rows = call.db.read(records.of_server, instance_uuid, limit, marker, moments)
    if rows is None:
        raise not_found("MarkerNotFound", f"Action of request {marker}", marker=marker)
    return wire.listed("InstanceActionList", rows, ACTION)


@action(EVENT, "create")
def create_event(call: Call, obj: Any, instance_uuid: str, request_id: str) -> Done:
    values = wire.changed(obj)
    row = call.db.run(records.create_event, instance_uuid, request_id, values, **_who(call))
    return Done(wire.fields(EVENT, row))


@action(EVENT, "finish")
def finish_event(call: Call, obj: Any) -> Done:
    return finish_event_with_failure(call, obj, None, None)


@action(EVENT, "finish_with_failure")
def finish_event_with_failure(call: Call, obj: Any, exc_val: str | None, exc_tb: str | None) -> Done:
    """By the row of the event: an object that was never created has none and cannot end."""
    if not obj.is_set("id"):
        raise Refused("ObjectActionError", "The event was not created.", action="finish", reason="not created")
    row = call.db.run(records.finish_event_row, obj.id, exc_val, exc_tb)
    if row is None:
        facts = {"action_id": obj.get("action_id"), "event": obj.get("event")}
        raise not_found("InstanceActionEventNotFound", f"Event {obj.id}", **facts)
    return Done(wire.fields(EVENT, row))


@class_action(EVENT, "get_by_id")
def get_event(call: Call, action_id: int, event_id: int) -> Any:
    row = call.db.read(records.event, action_id, event_id)
    if row is None:
        facts = {"action_id": action_id, "event": event_id}
        raise not_found("InstanceActionEventNotFound", f"Event {event_id} of action {action_id}", **facts)
    return wire.record(EVENT, row)


@class_action("InstanceActionEventList", "get_by_action")
def get_events(call: Call, action_id: int) -> Any:
    return wire.listed("InstanceActionEventList", call.db.read(records.events, action_id), EVENT)


@action("InstanceFault", "create")
def create_fault(call: Call, obj: Any) -> Done:
    if obj.is_set("id"):
        raise Refused("ObjectActionError", "The fault exists.", action="create", reason="already created")
    row = call.db.run(faults.create, wire.changed(obj))
    return Done(wire.fields("InstanceFault", row))


@class_action("InstanceFault", "get_latest_for_instance")
def latest_fault(call: Call, instance_uuid: str) -> Any:
    row = call.db.read(faults.latest, instance_uuid)
    return None if row is None else wire.record("InstanceFault", row)


@class_action("InstanceFaultList", "get_by_instance_uuids")
def faults_of_servers(call: Call, instance_uuids: list[str]) -> Any:
    return wire.listed("InstanceFaultList", call.db.read(records.faults, instance_uuids), "InstanceFault")


@class_action("InstanceFaultList", "get_latest_by_instance_uuids")
def latest_faults_of_servers(call: Call, instance_uuids: list[str]) -> Any:
    return wire.listed("InstanceFaultList", call.db.read(records.faults, instance_uuids, latest=True), "InstanceFault")
