"""Who asks: the request context and its two wire forms.

Both suites put the context into every message, each under its own keys (nova 34.0.0 and cinder 29.0.0,
``rpc_context``). oslo.messaging adds the ``_context_`` prefix; this module knows the keys alone.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from oslo_context import context as oslo_context

from keel_contract import errors

READ_DELETED = ("no", "yes", "only")

# wire key -> attribute. user, project and user_identity are read by nobody, yet they are in every recorded message.
_SHARED = {
    "auth_token": "auth_token",
    "domain": "domain_id",
    "global_request_id": "global_request_id",
    "is_admin": "is_admin",
    "is_admin_project": "is_admin_project",
    "project": "project_id",
    "project_domain": "project_domain_id",
    "project_id": "project_id",
    "project_name": "project_name",
    "quota_class": "quota_class",
    "read_deleted": "read_deleted",
    "read_only": "read_only",
    "remote_address": "remote_address",
    "request_id": "request_id",
    "resource_uuid": "resource_uuid",
    "roles": "roles",
    "service_catalog": "service_catalog",
    "show_deleted": "show_deleted",
    "system_scope": "system_scope",
    "timestamp": "timestamp",
    "user": "user_id",
    "user_domain": "user_domain_id",
    "user_id": "user_id",
    "user_identity": "user_identity",
}
_KEYS = {
    "nova": {**_SHARED, "user_name": "user_name"},
    "cinder": {
        **_SHARED,
        "domain_id": "domain_id",
        "message_action": "message_action",
        "message_resource_id": "message_resource_id",
        "message_resource_type": "message_resource_type",
    },
}
_NOT_READ = {
    "nova": {"user", "project", "user_identity"},
    "cinder": {
        "user",
        "project",
        "user_identity",
        "domain",
        "system_scope",
        "is_admin_project",
        "read_only",
        "resource_uuid",
        "show_deleted",
    },
}
# Only these parts of the catalog travel; the rest would make every message heavy for nothing.
_CATALOG_TYPES = {
    "nova": {
        "accelerator",
        "block-storage",
        "image",
        "key-manager",
        "network",
        "placement",
        "sharev2",
        "volumev3",
    },
    "cinder": {"identity", "compute", "object-store", "image", "key-manager"},
}


class Context(oslo_context.RequestContext):
    """The identity, the roles and the request id behind an operation.

    A new Context becomes the current one of its thread, so that log lines carry its request id; copies made by
    ``elevated`` and ``admin`` do not.

    :param read_deleted: "no", "yes" or "only"; anything else raises ValueError.
    """

    def __init__(
        self,
        user_id: str | None = None,
        project_id: str | None = None,
        roles: Iterable[str] | None = None,
        request_id: str | None = None,
        *,
        is_admin: bool = False,
        auth_token: str | None = None,
        service_catalog: list[dict[str, Any]] | None = None,
        read_deleted: str = "no",
        remote_address: str | None = None,
        timestamp: datetime.datetime | str | None = None,
        quota_class: str | None = None,
        message_resource_id: str | None = None,
        message_resource_type: str | None = None,
        message_action: str | None = None,
        **identity: Any,
    ) -> None:
        if read_deleted not in READ_DELETED:
            raise ValueError(f"read_deleted is one of {READ_DELETED}, not {read_deleted!r}")
        super().__init__(
            user_id=user_id,
            project_id=project_id,
            roles=list(roles or ()),
            request_id=request_id,
            is_admin=is_admin,
            auth_token=auth_token,
            **identity,
        )
        self.service_catalog = list(service_catalog or ())
        self.read_deleted = read_deleted
        self.remote_address = remote_address
        self.timestamp = _moment(timestamp)
        self.quota_class = quota_class
        self.message_resource_id = message_resource_id
        self.message_resource_type = message_resource_type
        self.message_action = message_action

    @property
    def user_identity(self) -> str:
        """The five identities in the order of the log lines, "-" for an absent one."""
        parts = (self.user_id, self.project_id, self.domain_id, self.user_domain_id, self.project_domain_id)
        return " ".join(str(part) if part else "-" for part in parts)

    @classmethod
    def admin(cls, suite: str, read_deleted: str = "no") -> Context:
        """A context of the service itself: no user, administrator. Cinder's carries the role admin, Nova's none."""
        roles = ["admin"] if suite == "cinder" else []
        return cls(is_admin=True, roles=roles, read_deleted=read_deleted, overwrite=False)

    def elevated(self, read_deleted: str | None = None) -> Context:
        """A copy that is administrator: the role admin is appended when absent, the token is kept."""
        copy = self._copy()
        copy.is_admin = True
        if "admin" not in (role.lower() for role in copy.roles):
            copy.roles = [*copy.roles, "admin"]
        if read_deleted is not None:
            if read_deleted not in READ_DELETED:
                raise ValueError(f"read_deleted is one of {READ_DELETED}, not {read_deleted!r}")
            copy.read_deleted = read_deleted
        return copy

    def _copy(self) -> Context:
        copy = Context(request_id=self.request_id, overwrite=False)
        copy.__dict__.update({name: list(v) if isinstance(v, list) else v for name, v in self.__dict__.items()})
        return copy

    def to_wire(self, suite: str) -> dict[str, Any]:
        """The context as a message of ``suite`` ("nova" or "cinder") carries it, without the ``_context_`` prefix."""
        wire = {key: getattr(self, attribute) for key, attribute in _KEYS[suite].items()}
        kept = _CATALOG_TYPES[suite]
        wire["service_catalog"] = [entry for entry in self.service_catalog if entry.get("type") in kept]
        wire["roles"] = list(self.roles)
        if suite == "cinder":
            wire["timestamp"] = self.timestamp.isoformat()
            if self.is_admin and "admin" not in (role.lower() for role in self.roles):
                wire["roles"].append("admin")
        else:
            wire["timestamp"] = self.timestamp.strftime("%Y-%m-%dT%H:%M:%S.%f")
        return wire

    @classmethod
    def from_wire(cls, suite: str, wire: Mapping[str, Any]) -> Context:
        """The context of a received message. Unknown keys are ignored; absent ones take their recorded defaults.

        ``is_admin`` is taken as it stands: the sender decided, and the bus is trusted (nova 34.0.0 rpc_context).

        :raises Unreadable: a value is of a kind that no context has
        """
        try:
            return cls._from_wire(suite, wire)
        except Exception as fault:  # a value of a wrong kind can fail in any way
            raise errors.Unreadable(f"no context ({type(fault).__name__})") from fault

    @classmethod
    def _from_wire(cls, suite: str, wire: Mapping[str, Any]) -> Context:
        known = {
            attribute: wire[key]
            for key, attribute in _KEYS[suite].items()
            if key not in _NOT_READ[suite] and wire.get(key) is not None
        }
        kept = _CATALOG_TYPES[suite]
        known["service_catalog"] = [entry for entry in known.get("service_catalog", ()) if entry.get("type") in kept]
        return cls(**known)


def _moment(value: datetime.datetime | str | None) -> datetime.datetime:
    """A naive UTC moment from what a message carries; now when it carries nothing."""
    if value is None:
        return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    return value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
