"""InstanceAction and InstanceActionEvent (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class InstanceAction(Persistent, NovaObject):
    """What a user did to a server."""

    VERSION = "1.2"
    fields = {
        "action": f.StringField(nullable=True),
        "finish_time": f.DateTimeField(nullable=True),
        "id": f.IntegerField(),
        "instance_uuid": f.UUIDField(nullable=True),
        "message": f.StringField(nullable=True),
        "project_id": f.StringField(nullable=True),
        "request_id": f.StringField(nullable=True),
        "start_time": f.DateTimeField(nullable=True),
        "user_id": f.StringField(nullable=True),
    }
    actions = signatures(
        "create()",
        "finish()",
    )
    class_actions = signatures(
        "action_finish(context, instance_uuid, want_result=True)",
        "action_start(context, instance_uuid, action_name, want_result=True)",
        "get_by_request_id(context, instance_uuid, request_id)",
    )


@REGISTRY.register
class InstanceActionEvent(Persistent, NovaObject):
    """One step of an action, with its outcome."""

    VERSION = "1.4"
    fields = {
        "action_id": f.IntegerField(nullable=True),
        "details": since("1.4", f.StringField(nullable=True)),
        "event": f.StringField(nullable=True),
        "finish_time": f.DateTimeField(nullable=True),
        "host": since("1.2", f.StringField(nullable=True)),
        "id": f.IntegerField(),
        "result": f.StringField(nullable=True),
        "start_time": f.DateTimeField(nullable=True),
        "traceback": f.StringField(nullable=True),
    }
    actions = signatures(
        "create(instance_uuid, request_id)",
        "finish()",
        "finish_with_failure(exc_val, exc_tb)",
    )
    class_actions = signatures(
        "event_finish(context, instance_uuid, event_name, want_result=True)",
        "event_finish_with_failure(context, instance_uuid, event_name, exc_val=None, exc_tb=None, want_result=None)",
        "event_start(context, instance_uuid, event_name, want_result=True, host=None)",
        "get_by_id(context, action_id, event_id)",
    )


@REGISTRY.register
class InstanceActionEventList(NovaList):
    """A list of InstanceActionEvent."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("InstanceActionEvent"),
    }
    class_actions = signatures("get_by_action(context, action_id)")


@REGISTRY.register
class InstanceActionList(NovaList):
    """A list of InstanceAction."""

    VERSION = "1.1"
    fields = {
        "objects": f.ListOfObjectsField("InstanceAction"),
    }
    class_actions = signatures("get_by_instance_uuid(context, instance_uuid, limit=None, marker=None, filters=None)")
