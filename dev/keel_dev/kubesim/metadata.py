"""Rules of ObjectMeta: names, labels, what a client may set and what only the server writes."""

from __future__ import annotations

import random
import re
import uuid
from typing import Any

from .errors import bad_request, cause, conflict, invalid, invalid_field
from .kinds import Kind

_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
)
_SUFFIX = "bcdfghjklmnpqrstvwxz2456789"

SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
SERVER_FIELDS = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "selfLink",
)


def new_uid(seeded: random.Random) -> str:
    return str(uuid.UUID(int=seeded.getrandbits(128), version=4))


def suffix(seeded: random.Random) -> str:
    """The five characters behind a generateName."""
    return "".join(seeded.choice(_SUFFIX) for _ in range(5))


def is_dns_label(text: str) -> bool:
    return len(text) <= 63 and bool(_LABEL.fullmatch(text))


def check_envelope(kind: Kind, body: Any) -> None:
    """400 when the body is not an object of this type."""
    wanted = f"(must be of type {kind.kind})"
    if not isinstance(body, dict):
        raise bad_request(f"the object provided is unrecognized {wanted}: couldn't get version/kind; json parse error")
    version, name = body.setdefault("apiVersion", kind.api_version), body.setdefault("kind", kind.kind)
    if (version, name) != (kind.api_version, kind.kind):
        given = f"{name} in version {version}"
        raise bad_request(f"the object provided is unrecognized {wanted}: no match for {given}")
    if not isinstance(body.setdefault("metadata", {}), dict):
        raise bad_request(f"the object provided is unrecognized {wanted}: metadata is not an object")


def check_place(kind: Kind, body: dict[str, Any], namespace: str, name: str = "") -> None:
    """400 when body and URL disagree on namespace or name."""
    metadata = body["metadata"]
    if kind.namespaced and metadata.get("namespace") not in (None, "", namespace):
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    if name and metadata.get("name") not in (None, "", name):
        raise bad_request(f"the name of the object ({metadata['name']}) does not match the name on the URL ({name})")
    if kind.namespaced:
        metadata["namespace"] = namespace
    else:
        metadata.pop("namespace", None)
    if name:
        metadata["name"] = name


def check_metadata(kind: Kind, metadata: dict[str, Any]) -> None:
    """422 for a bad name, label, annotation or ownerReference."""
    name = metadata["name"]
    causes = []
    strict = kind.key == "namespaces"
    pattern, text = (_LABEL, LABEL_TEXT) if strict else (_SUBDOMAIN, SUBDOMAIN_TEXT)
    if not pattern.fullmatch(name):
        causes.append(cause("Invalid", "metadata.name", f'Invalid value: "{name}": {text}'))
    elif len(name) > (63 if strict else 253):
        limit = 63 if strict else 253
        causes.append(cause("Invalid", "metadata.name", f'Invalid value: "{name}": must be no more than {limit} bytes'))
    for field in ("labels", "annotations"):
        causes += _map_causes(field, metadata.get(field))
    for index, owner in enumerate(metadata.get("ownerReferences") or ()):
        for needed in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(needed):
                at = f"metadata.ownerReferences[{index}].{needed}"
                causes.append(cause("Invalid", at, f'Invalid value: "": {needed} must not be empty'))
    if causes:
        raise invalid(kind, name, causes)


def _map_causes(field: str, values: Any) -> list[dict[str, str]]:
    causes = []
    at = f"metadata.{field}"
    for key, value in (values or {}).items():
        if not _KEY.fullmatch(key) or len(key.rpartition("/")[2]) > 63:
            causes.append(
                cause("Invalid", at, f'Invalid value: "{key}": name part must consist of alphanumeric characters')
            )
        elif not isinstance(value, str):
            raise bad_request(
                f"unable to decode: json: cannot unmarshal into Go struct field ObjectMeta.{at} of type string"
            )
        elif field == "labels" and len(value) > 63:
            causes.append(cause("Invalid", at, f'Invalid value: "{value}": must be no more than 63 bytes'))
        elif field == "labels" and not _VALUE.fullmatch(value):
            causes.append(cause("Invalid", at, f'Invalid value: "{value}": {VALUE_TEXT}'))
    return causes


def name_it(kind: Kind, metadata: dict[str, Any], seeded: random.Random) -> None:
    """Fill metadata.name from generateName; 422 when there is neither."""
    if not metadata.get("name"):
        if not metadata.get("generateName"):
            text = "Required value: name or generateName is required"
            raise invalid_field(kind, "", "metadata.name", text, "Required")
        metadata["name"] = metadata["generateName"] + suffix(seeded)


def keep_server_fields(kind: Kind, new: dict[str, Any], old: dict[str, Any], must_have_version: bool) -> None:
    """Carry the server's fields over into a client's new content, and check its claim to be up to date.

    Raises Conflict for a stale resourceVersion or another uid; 422 where a version is demanded and absent.
    """
    metadata, before = new["metadata"], old["metadata"]
    name = before["name"]
    version = metadata.get("resourceVersion")
    if version and version != before["resourceVersion"]:
        raise conflict(kind, name)
    if not version and must_have_version:
        text = "Invalid value: 0: must be specified for an update"
        raise invalid_field(kind, name, "metadata.resourceVersion", text)
    if metadata.get("uid") and metadata["uid"] != before["uid"]:
        why = f"Precondition failed: UID in precondition: {metadata['uid']}, UID in object meta: {before['uid']}"
        raise conflict(kind, name, why)
    metadata["resourceVersion"] = before["resourceVersion"]
    for field in SERVER_FIELDS:
        if field in before:
            metadata[field] = before[field]
        else:
            metadata.pop(field, None)
    if "generateName" in before:
        metadata.setdefault("generateName", before["generateName"])
    metadata.pop("managedFields", None)
    if "managedFields" in before:
        metadata["managedFields"] = before["managedFields"]


def check_finalizers(kind: Kind, new: dict[str, Any], old: dict[str, Any]) -> None:
    """422 when a terminating object gains a finalizer."""
    if not old["metadata"].get("deletionTimestamp"):
        return
    added = [
        item
        for item in new["metadata"].get("finalizers") or ()
        if item not in (old["metadata"].get("finalizers") or ())
    ]
    if added:
        listed = ", ".join(f'"{item}"' for item in added)
        text = (
            "Forbidden: no new finalizers can be added if the object is being deleted, "
            f"found new finalizers []string{{{listed}}}"
        )
        raise invalid_field(kind, new["metadata"]["name"], "metadata.finalizers", text, "Forbidden")
