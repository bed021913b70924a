"""The ``absolute`` limits by version (nova 34.0.0)."""

from __future__ import annotations

from keel_api.http import Field, View

ABSOLUTE = View(
    "limits",
    [
        Field("maxTotalInstances", "instances"),
        Field("maxTotalCores", "cores"),
        Field("maxTotalRAMSize", "ram"),
        Field("maxServerMeta", "metadata_items"),
        Field("maxImageMeta", "metadata_items", until="2.38"),
        Field("maxPersonality", "injected_files", until="2.56"),
        Field("maxPersonalitySize", "injected_file_content_bytes", until="2.56"),
        Field("maxTotalKeypairs", "key_pairs"),
        Field("maxServerGroups", "server_groups"),
        Field("maxServerGroupMembers", "server_group_members"),
        Field("maxTotalFloatingIps", "floating_ips", until="2.35"),
        Field("maxSecurityGroups", "security_groups", until="2.35"),
        Field("maxSecurityGroupRules", "security_group_rules", until="2.35"),
    ],
)
USED = View(
    "used limits",
    [
        Field("totalInstancesUsed", "instances"),
        Field("totalCoresUsed", "cores"),
        Field("totalRAMUsed", "ram"),
        Field("totalServerGroupsUsed", "server_groups"),
        Field("totalFloatingIpsUsed", lambda row, _: 0, until="2.35"),
        Field("totalSecurityGroupsUsed", lambda row, _: 0, until="2.35"),
    ],
)
