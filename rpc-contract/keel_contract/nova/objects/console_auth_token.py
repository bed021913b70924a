"""ConsoleAuthToken (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects.base import REGISTRY, NovaObject, Timestamped
from keel_contract.objects import signatures, since


@REGISTRY.register
class ConsoleAuthToken(Timestamped, NovaObject):
    """A token that opens the console of a server."""

    VERSION = "1.3"
    fields = {
        "access_url_base": f.StringField(nullable=True),
        "console_type": f.StringField(),
        "expires": since("1.2", f.IntegerField()),
        "host": f.StringField(),
        "id": f.IntegerField(),
        "instance_uuid": f.UUIDField(),
        "internal_access_path": f.StringField(nullable=True),
        "port": f.IntegerField(),
        "tls_port": since("1.3", f.IntegerField(nullable=True)),
        "token": f.StringField(),
    }
    actions = signatures("authorize(ttl)")
    class_actions = signatures(
        "clean_console_auths_for_instance(context, instance_uuid)",
        "clean_expired_console_auths(context)",
        "clean_expired_console_auths_for_host(context, host)",
        "validate(context, token)",
    )
