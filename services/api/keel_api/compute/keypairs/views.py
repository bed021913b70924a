"""How key pairs look (nova 34.0.0 response schemas)."""

from __future__ import annotations

from keel_api.http import Field, View
from keel_api.http.times import stamp

_SHORT = [
    Field("name", "name"),
    Field("public_key", "public_key"),
    Field("fingerprint", "fingerprint"),
    Field("type", "type", since="2.2"),
]
INDEX = View("keypairs", _SHORT)
CREATED = View("keypair created", [*_SHORT, Field("user_id", "user_id")])
SHOW = View(
    "keypair",
    [
        *_SHORT,
        Field("user_id", "user_id"),
        Field("id", "id"),
        Field("created_at", lambda row, _: stamp(row["created_at"]), columns=("created_at",)),
        Field("updated_at", lambda row, _: None),
        Field("deleted", lambda row, _: False),
        Field("deleted_at", lambda row, _: None),
    ],
)
