"""Quotas and QuotasNoOp (objects of nova)."""
# mypy: disable-error-code="arg-type"

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import signatures


@REGISTRY.register
class Quotas(NovaObject):
    """Quota limits of a project."""

    VERSION = "1.3"
    fields = {
        "project_id": f.StringField(default=None, nullable=True),
        "reservations": f.ListOfStringsField(default=[], nullable=True),
        "user_id": f.StringField(default=None, nullable=True),
    }
    actions = signatures(
        "commit()",
        "reserve(expire=None, project_id=None, user_id=None, **deltas)",
        "rollback()",
    )
    class_actions = signatures(
        "check_deltas(context, deltas, *count_args, **count_kwargs)",
        "count(context, resource, *args, **kwargs)",
        "count_as_dict(context, resource, *args, **kwargs)",
        "create_limit(context, project_id, resource, limit, user_id=None)",
        "limit_check(context, project_id=None, user_id=None, **values)",
        "limit_check_project_and_user(context, project_values=None, user_values=None, project_id=None, user_id=None)",
        "update_limit(context, project_id, resource, limit, user_id=None)",
    )


@REGISTRY.register
class QuotasNoOp(NovaObject):
    """Quotas that limit nothing."""

    VERSION = "1.3"
    fields = {
        "project_id": f.StringField(default=None, nullable=True),
        "reservations": f.ListOfStringsField(default=[], nullable=True),
        "user_id": f.StringField(default=None, nullable=True),
    }
    class_actions = signatures(
        "count(context, resource, *args, **kwargs)",
        "count_as_dict(context, resource, *args, **kwargs)",
        "create_limit(context, project_id, resource, limit, user_id=None)",
        "limit_check(context, project_id=None, user_id=None, **values)",
        "limit_check_project_and_user(context, project_values=None, user_values=None, project_id=None, user_id=None)",
        "update_limit(context, project_id, resource, limit, user_id=None)",
    )
