"""TaskLog, TaskLogList and VolumeUsage."""

from typing import Any

from keel_common.db.refusals import Refused
from keel_common.db.stores.nova import task_log as store
from keel_common.db.stores.nova import volume_usage
from keel_conductor.objects import wire
from keel_conductor.objects.registry import Call, Done, action, class_action

LOG, USAGE = "TaskLog", "VolumeUsage"
_KEY = ("task_name", "host", "period_beginning", "period_ending")


def _key(obj: Any) -> dict[str, Any]:
    return {name: wire.plain(getattr(obj, name)) for name in _KEY}


@action(LOG, "begin_task")
def begin_task(call: Call, obj: Any) -> Done:
    items, message = wire.value(obj, "task_items", 0), wire.value(obj, "message", "")
    if not call.db.run(store.begin, _key(obj), items, message):
        text = f"Task {obj.task_name} runs on {obj.host}."
        raise Refused("TaskAlreadyRunning", text, 500, task_name=obj.task_name, host=obj.host)
    return Done.untouched(obj)


@action(LOG, "end_task")
def end_task(call: Call, obj: Any) -> Done:
    if not call.db.run(store.end, _key(obj), wire.value(obj, "errors", 0), wire.value(obj, "message", "")):
        facts = {"task_name": obj.task_name, "host": obj.host}
        raise Refused("TaskNotRunning", f"Task {obj.task_name} does not run on {obj.host}.", 500, **facts)
    return Done.untouched(obj)


@class_action(LOG, "get")
def get(call: Call, task_name: str, period_beginning: Any, period_ending: Any, host: str, state: Any = None) -> Any:
    rows = _rows(call, task_name, period_beginning, period_ending, host, state)
    return wire.record(LOG, rows[0]) if rows else None


@class_action("TaskLogList", "get_all")
def get_all(
    call: Call, task_name: str, period_beginning: Any, period_ending: Any, host: Any = None, state: Any = None
) -> Any:
    rows = _rows(call, task_name, period_beginning, period_ending, host, state)
    return wire.listed("TaskLogList", rows, LOG)


def _rows(call: Call, name: str, begin: Any, end: Any, host: str | None, state: str | None) -> list[dict[str, Any]]:
    return call.db.read(store.listing, name, wire.moment(begin), wire.moment(end), host, state)


@action(USAGE, "save")
def save(call: Call, obj: Any, update_totals: bool = False) -> Done:
    return Done(wire.fields(USAGE, call.db.run(volume_usage.save, wire.changed(obj), update_totals)))
