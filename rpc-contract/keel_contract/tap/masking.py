"""Secrets out of what is kept: a recorded corpus may be shown to anyone.

A value is masked by the name it stands under, at any depth, inside JSON that travels as text too. The kind of the value
stays (text, list, dict), so that what was recorded is still a message.
"""

from __future__ import annotations

import json
import re
from typing import Any

from oslo_utils import strutils

MASK = "***"
_SECRET = re.compile(
    r"(auth_?token|pass(word|wd|phrase)?$|passw|secret(?!_uuid)|credential|private_?key|fernet|keyring$|cephx|chap"
    r"|^token$|_token$|token_(?!id)|injected_?files|personality|user_?data|service_?catalog|auth_username"
    r"|^access_url$|encryption_key$|^key$|^pem$|x_auth|authorization|cookie)",
    re.IGNORECASE,
)
# Names that the rule above would take though nothing in them is secret.
_PLAIN = frozenset({"root_password_set", "password_validity"})
# Objects that are asked for by a secret, which stands without a name among the arguments.
_SECRET_ARGUMENTS = frozenset({"ConsoleAuthToken"})
_IN_URL = re.compile(r"(?i)\b((?:token|password|secret|signature)=)[^&\s\"']+")
_USER_IN_URL = re.compile(r"(\w+://[^\s/:@]*):[^\s/@]+@")


def masked(value: Any, name: str = "") -> Any:
    """``value`` as it may be kept; ``name`` is what it stands under."""
    if name and name not in _PLAIN and _SECRET.search(name):
        return _mask(value)
    if isinstance(value, dict):
        asked = value.get("objname")
        if isinstance(asked, str) and asked in _SECRET_ARGUMENTS and isinstance(value.get("args"), list):
            value = {**value, "args": [MASK] * len(value["args"])}
        return {key: masked(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [masked(inner) for inner in value]
    if isinstance(value, str):
        return _text(value)
    return value


def _mask(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, dict):
        return {}
    return [] if isinstance(value, list) else MASK


def _text(value: str) -> str:
    if value[:1] in ("{", "["):
        try:
            return json.dumps(masked(json.loads(value)))
        except (ValueError, RecursionError):
            pass
    return strutils.mask_password(_USER_IN_URL.sub(rf"\1:{MASK}@", _IN_URL.sub(rf"\1{MASK}", value)), MASK)
