"""KeyPair and its list (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaList, NovaObject, Persistent
from keel_contract.objects import signatures, since


@REGISTRY.register
class KeyPair(Persistent, NovaObject):
    """A public key of a user."""

    VERSION = "1.4"
    fields = {
        "fingerprint": f.StringField(nullable=True),
        "id": f.IntegerField(),
        "name": f.StringField(),
        "public_key": f.StringField(nullable=True),
        "type": since("1.2", f.StringField()),
        "user_id": f.StringField(nullable=True),
    }
    actions = signatures(
        "create()",
        "destroy()",
    )
    class_actions = signatures(
        "destroy_by_name(context, user_id, name)",
        "get_by_name(context, user_id, name, localonly=False)",
    )


@REGISTRY.register
class KeyPairList(NovaList):
    """A list of KeyPair."""

    VERSION = "1.3"
    fields = {
        "objects": f.ListOfObjectsField("KeyPair"),
    }
    class_actions = signatures(
        "get_by_user(context, user_id, limit=None, marker=None)",
        "get_count_by_user(context, user_id)",
    )
