"""TaskLog and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures


@REGISTRY.register
class TaskLog(Persistent, NovaObject):
    """A run of the usage audit."""

    VERSION = "1.0"
    fields = {
        "errors": f.IntegerField(),
        "host": f.StringField(),
        "id": f.IntegerField(read_only=True),
        "message": f.StringField(),
        "period_beginning": f.DateTimeField(),
        "period_ending": f.DateTimeField(),
        "state": f.StringField(read_only=True),
        "task_items": f.IntegerField(),
        "task_name": f.StringField(),
    }
    actions = signatures(
        "begin_task()",
        "end_task()",
    )
    class_actions = signatures("get(context, task_name, period_beginning, period_ending, host, state=None)")


@REGISTRY.register
class TaskLogList(NovaList):
    """A list of TaskLog."""

    VERSION = "1.0"
    fields = {
        "objects": f.ListOfObjectsField("TaskLog"),
    }
    class_actions = signatures("get_all(context, task_name, period_beginning, period_ending, host=None, state=None)")
