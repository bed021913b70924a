"""How server groups look (nova 34.0.0: one policy with rules from 2.64, a list of policies before)."""

from __future__ import annotations

from typing import Any

from keel_api.http import Field, View


def _policies(row: Any, _: Any) -> list[str]:
    return [row["policy"]] if row["policy"] else []


GROUP = View(
    "server group",
    [
        Field("id", "uuid"),
        Field("name", "name"),
        Field("policies", _policies, until="2.63", columns=("policy",)),
        Field("metadata", lambda row, _: {}, until="2.63"),
        Field("policy", "policy", since="2.64"),
        Field("rules", "rules", since="2.64"),
        Field("members", "members"),
        Field("project_id", "project_id", since="2.13"),
        Field("user_id", "user_id", since="2.13"),
    ],
)
