"""InstanceAction, InstanceActionEvent and InstanceFault."""

from typing import Any

from keel_common.db.stores.nova import actions as store
from keel_common.db.stores.nova import faults
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, action, class_action


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
    return wire.record("InstanceActionEvent", row) if want_result else None


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
    """A context without project is a service on its own; moving the action is dated by the request."""
    moment = call.context.timestamp.replace(microsecond=0)
    return {"has_project": call.context.project_id is not None, "when": moment}


@action("InstanceFault", "create")
def create_fault(call: Call, obj: Any) -> tuple[dict[str, Any], Any]:
    row = call.db.run(faults.create, wire.changed(obj))
    return wire.fields("InstanceFault", row), None


@class_action("InstanceFault", "get_latest_for_instance")
def latest_fault(call: Call, instance_uuid: str) -> Any:
    row = call.db.read(faults.latest, instance_uuid)
    return None if row is None else wire.record("InstanceFault", row)
