"""The secret of a transfer between projects (source: cinder 29.0.0 transfers)."""

from __future__ import annotations

import hashlib
import hmac
import secrets

_SALT_LENGTH = 8
_KEY_LENGTH = 16


def new_secret() -> tuple[str, str, str]:
    """(auth_key, salt, hash). The key is told once and never kept."""
    auth_key, salt = secrets.token_hex(_KEY_LENGTH // 2), secrets.token_hex(_SALT_LENGTH // 2)
    return auth_key, salt, crypt_hash(salt, auth_key)


def crypt_hash(salt: str, auth_key: str) -> str:
    """Hex HMAC-SHA1 of the key under the salt: what a row keeps, also those Cinder wrote."""
    return hmac.new(salt.encode(), auth_key.encode(), hashlib.sha1).hexdigest()


def fits(salt: str, kept_hash: str, auth_key: str) -> bool:
    """Whether a key is the one the row was made with; takes the same time for every wrong one."""
    return hmac.compare_digest(crypt_hash(salt, auth_key), kept_hash)
