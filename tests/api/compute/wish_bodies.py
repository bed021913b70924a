"""The bodies, queries and path parameters of wishes.py, by operation."""

from __future__ import annotations

import json
from typing import Any

from fakes.api import OTHER, PROJECT

from api.compute import world

_NEW = {"name": "new", "imageRef": "{image}", "flavorRef": "small", "networks": "none"}
_BOOT = {"boot_index": 0, "uuid": "{image}", "source_type": "image", "destination_type": "volume", "volume_size": 20}
_RULE = {"parent_group_id": "{web}", "ip_protocol": "tcp", "from_port": 1, "to_port": 2, "cidr": "192.0.2.0/24"}
_GROUP = {"security_group": {"name": "new", "description": "d"}}
_INFO = {"snapshot_id": "{snapshot}", "type": "qcow2", "new_file": "f"}

BODIES: dict[str, Any] = {
    "POST /flavors": {"flavor": {"name": "new", "ram": 1, "vcpus": 1, "disk": 1}},
    "POST /flavors/{flavor_id}/os-extra_specs": {"extra_specs": {"hw:cpu_policy": "shared"}},
    "PUT /flavors/{flavor_id}/os-extra_specs/{id}": {"hw:cpu_policy": "dedicated"},
    "PUT /flavors/{id}": {"flavor": {"description": "d"}},
    "POST /flavors/{id}/action #addTenantAccess": {"addTenantAccess": {"tenant": OTHER}},
    "POST /flavors/{id}/action #removeTenantAccess": {"removeTenantAccess": {"tenant": PROJECT}},
    "POST /images/{image_id}/metadata": {"metadata": {"a": "b"}},
    "PUT /images/{image_id}/metadata": {"metadata": {"a": "b"}},
    "PUT /images/{image_id}/metadata/{id}": {"meta": {"k": "w"}},
    "POST /os-aggregates": {"aggregate": {"name": "new"}},
    "PUT /os-aggregates/{id}": {"aggregate": {"name": "newer"}},
    "POST /os-aggregates/{id}/action #add_host": {"add_host": {"host": world.LATER}},
    "POST /os-aggregates/{id}/action #remove_host": {"remove_host": {"host": world.HOST}},
    "POST /os-aggregates/{id}/action #set_metadata": {"set_metadata": {"metadata": {"a": "b"}}},
    "POST /os-aggregates/{id}/images": {"cache": [{"id": "{image}"}]},
    "POST /os-assisted-volume-snapshots": {"snapshot": {"volume_id": "{volume}", "create_info": _INFO}},
    "POST /os-baremetal-nodes": {"node": {}},
    "POST /os-floating-ips": {"pool": "public"},
    "PUT /os-hosts/{id}": {"status": "enable"},
    "POST /os-keypairs": {"keypair": {"name": "new", "public_key": "{public_key}"}},
    "PUT /os-quota-class-sets/{id}": {"quota_class_set": {"cores": 9}},
    "PUT /os-quota-sets/{id}": {"quota_set": {"cores": 99}},
    "POST /os-security-group-rules": {"security_group_rule": _RULE},
    "POST /os-security-groups": _GROUP,
    "PUT /os-security-groups/{id}": _GROUP,
    "POST /os-server-external-events": {"events": [{"name": "network-changed", "server_uuid": "{server}"}]},
    "POST /os-server-groups": {"server_group": {"name": "new", "policy": "affinity"}},
    "PUT /os-services/{id}": {"status": "disabled"},
    "POST /os-snapshots": {"snapshot": {"volume_id": "{volume}"}},
    "POST /os-volumes": {"volume": {"size": 1}},
    "POST /os-volumes_boot": {"server": _NEW},
    "PUT /os-volumes_boot/{id}": {"server": {"name": "newer"}},
    "POST /servers": {"server": _NEW},
    "PUT /servers/{id}": {"server": {"name": "newer"}},
    "POST /servers/{server_id}/metadata": {"metadata": {"a": "b"}},
    "PUT /servers/{server_id}/metadata": {"metadata": {"a": "b"}},
    "PUT /servers/{server_id}/metadata/{id}": {"meta": {"k": "w"}},
    "POST /servers/{server_id}/os-interface": {"interfaceAttachment": {"port_id": "{port}"}},
    "POST /servers/{server_id}/os-volume_attachments": {"volumeAttachment": {"volumeId": "{free_volume}"}},
    "PUT /servers/{server_id}/os-volume_attachments/{id}": {
        "volumeAttachment": {"volumeId": "{volume}", "delete_on_termination": True}
    },
    "POST /servers/{server_id}/remote-consoles": {"remote_console": {"protocol": "vnc", "type": "novnc"}},
    "POST /servers/{server_id}/shares": {"share": {"share_id": "{new_share}"}},
    "PUT /servers/{server_id}/tags": {"tags": ["other"]},
}
#: Values under the key of an action on a server; None for the others.
ACTIONS: dict[str, Any] = {
    "addFixedIp": {"networkId": "{network}"},
    "addFloatingIp": {"address": world.FREE_FLOATING},
    "addSecurityGroup": {"name": "db"},
    "changePassword": {"adminPass": "p"},
    "createBackup": {"name": "b", "backup_type": "daily", "rotation": 1},
    "createImage": {"name": "i"},
    "evacuate": {},
    "lock": {},
    "os-getConsoleOutput": {},
    "os-getSPICEConsole": {"type": "spice-html5"},
    "os-getSerialConsole": {"type": "serial"},
    "os-getVNCConsole": {"type": "novnc"},
    "os-migrateLive": {"host": None, "block_migration": "auto"},
    "os-resetState": {"state": "active"},
    "reboot": {"type": "HARD"},
    "rebuild": {"imageRef": "{image}"},
    "removeFixedIp": {"address": world.PORT_ADDRESS},
    "removeFloatingIp": {"address": world.FLOATING},
    "removeSecurityGroup": {"name": "web"},
    "rescue": {},
    "resize": {"flavorRef": "large"},
}
#: Which server an operation or action is asked of; the active one when none is named.
SERVER_OF = {
    "confirmResize": "{resized}",
    "evacuate": "{stranded}",
    "os-start": "{stopped}",
    "restore": "{soft_deleted}",
    "resume": "{suspended}",
    "revertResize": "{resized}",
    "shelveOffload": "{shelved}",
    "unlock": "{locked}",
    "unpause": "{paused}",
    "unrescue": "{rescued}",
    "unshelve": "{offloaded}",
    **dict.fromkeys(
        (
            "GET /servers/{server_id}/migrations",
            "GET /servers/{server_id}/migrations/{id}",
            "DELETE /servers/{server_id}/migrations/{id}",
            "POST /servers/{server_id}/migrations/{id}/action #force_complete",
        ),
        "{moving}",
    ),
    **dict.fromkeys(
        (
            f"{method} /servers/{{server_id}}/shares{rest}"
            for method in ("GET", "POST", "DELETE")
            for rest in ("", "/{id}")
        ),
        "{stopped}",
    ),
}
#: Path parameters by operation, path or collection.
VALUES: dict[str, dict[str, str]] = {
    "/extensions": {"id": "os-hosts"},
    "/versions": {"id": "v2.1"},
    "/flavors": {"id": "small", "flavor_id": "small"},
    "/flavors/{flavor_id}/os-extra_specs/{id}": {"flavor_id": "small", "id": "hw:cpu_policy"},
    "/flavors/{flavor_id}/os-flavor-access": {"flavor_id": "private"},
    "/flavors/{id}/action": {"id": "private"},
    "/images": {"id": "{image}", "image_id": "{image}"},
    "/images/{image_id}/metadata/{id}": {"image_id": "{image}", "id": "k"},
    "/os-aggregates": {"id": "{aggregate}"},
    "DELETE /os-aggregates/{id}": {"id": "{empty}"},
    "/os-assisted-volume-snapshots": {"id": "{snapshot}"},
    "/os-baremetal-nodes": {"id": "{node}"},
    "/os-console-auth-tokens": {"id": world.TOKEN},
    "/os-floating-ips": {"id": "{floating}"},
    "/os-hosts": {"id": world.HOST},
    "/os-hypervisors": {"id": "{node}"},
    "/os-hypervisors/{id}/search": {"id": "node"},
    "/os-hypervisors/{id}/servers": {"id": "node"},
    "/os-hypervisors/{id}/uptime": {"id": "{node}"},
    "/os-instance_usage_audit_log": {"id": "2026-02-02 00:00:00"},
    "/os-keypairs": {"id": "mine"},
    "/os-networks": {"id": "{network}"},
    "/os-tenant-networks": {"id": "{network}"},
    "/os-quota-class-sets": {"id": "default"},
    "/os-quota-sets": {"id": PROJECT},
    "/os-security-group-rules": {"id": "{rule}"},
    "/os-security-groups": {"id": "{web}"},
    "/os-server-groups": {"id": "{group}"},
    "/os-services": {"id": "{service}"},
    "/os-simple-tenant-usage": {"id": PROJECT},
    "/os-snapshots": {"id": "{snapshot}"},
    "/os-volumes": {"id": "{volume}"},
    "/servers/{server_id}/ips/{id}": {"id": "{network_name}"},
    "/servers/{server_id}/metadata/{id}": {"id": "k"},
    "/servers/{server_id}/migrations/{id}": {"id": "{moving_move}"},
    "/servers/{server_id}/migrations/{id}/action": {"id": "{moving_move}"},
    "/servers/{server_id}/os-instance-actions/{id}": {"id": world.REQUEST_ID},
    "/servers/{server_id}/os-interface/{id}": {"id": "{port}"},
    "/servers/{server_id}/os-volume_attachments/{id}": {"id": "{volume}"},
    "/servers/{server_id}/shares/{id}": {"id": "{share}"},
    "/servers/{server_id}/tags/{id}": {"id": "tag"},
    "PUT /servers/{server_id}/tags/{id}": {"id": "another"},
}
QUERIES = {"DELETE /os-assisted-volume-snapshots/{id}": f"delete_info={json.dumps({'volume_id': '{volume}'})}"}


def _server(**values: Any) -> dict[str, Any]:
    return {"server": {**_NEW, **values}}


def _creates(versions: str) -> list[dict[str, Any]]:
    """POST of a server under each condition that another rule belongs to."""
    attached = {"block_device_mapping_v2": [_BOOT]}
    certs = ["0b5d2c72-12cc-4ba6-a8d7-3ff5cc1d8cb8"]
    return [
        {},
        {
            "name": "trusted certificates",
            "body": _server(trusted_image_certificates=certs),
            "holds": ["body has trusted_image_certificates, not empty"],
        },
        {
            "name": "forced host",
            "body": _server(availability_zone=f"nova:{world.HOST}"),
            "holds": ["availability_zone given as zone:host:node with host or node"],
        },
        {
            "name": "destination",
            "body": _server(host=world.HOST),
            "holds": ["body has host or hypervisor_hostname"],
        },
        {"name": "volume", "body": _server(**attached), "holds": ["a block device mapping is given"]},
        {
            "name": "network",
            "body": _server(networks=[{"uuid": "{network}"}]),
            "holds": ['networks given, not empty and not "none"'],
        },
    ]


def _rebuilds() -> list[dict[str, Any]]:
    certs = {"rebuild": {"imageRef": "{image}", "trusted_image_certificates": None}}
    return [
        {},
        {
            "name": "trusted certificates",
            "body": certs,
            "holds": [">= 2.63 and body has trusted_image_certificates (null included)"],
        },
    ]


def _images() -> list[dict[str, Any]]:
    return [{}, {"name": "volume backed", "values": {"id": "{bootable}"}, "holds": ["server is volume backed"]}]


#: What changes in the wishes of an operation: the first is the plain one.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "GET /limits": [{}, {"name": "other", "query": f"tenant_id={PROJECT}", "holds": ["query has tenant_id"]}],
    "GET /os-migrations": [
        {"holds": ["query has no project_id or another project than the caller's"]},
    ],
    "GET /os-server-groups": [
        {},
        {"name": "all", "query": "all_projects=1", "holds": ["query has all_projects and caller is_admin"]},
    ],
    "PUT /os-services/{id}": [
        {},
        {
            "name": "2.52",
            "version": "2.52",
            "values": {"id": "disable"},
            "body": {"host": "spare", "binary": "nova-compute"},
        },
    ],
    "DELETE /os-services/{id}": [{}, {"name": "2.52", "version": "2.52", "values": {"id": "{old_service}"}}],
    "GET /servers": [{}, {"name": "all", "query": "all_tenants=1", "holds": ["all_tenants is true"]}],
    "GET /servers/detail": [{}, {"name": "all", "query": "all_tenants=1", "holds": ["all_tenants is true"]}],
    "GET /os-volumes_boot": [{}, {"name": "all", "query": "all_tenants=1", "holds": ["all_tenants is true"]}],
    "GET /os-volumes_boot/detail": [{}, {"name": "all", "query": "all_tenants=1", "holds": ["all_tenants is true"]}],
    "POST /servers": _creates("2.104"),
    "POST /os-volumes_boot": _creates("2.102"),
    "POST /servers/{id}/action #createImage": _images(),
    "POST /os-volumes_boot/{id}/action #createImage": _images(),
    "POST /servers/{id}/action #rebuild": _rebuilds(),
    "POST /os-volumes_boot/{id}/action #rebuild": _rebuilds(),
    "POST /servers/{id}/action #migrate": [
        {"holds": ["body has no host"]},
        {"name": "host", "body": {"migrate": {"host": world.LATER}}, "holds": ["body has a host (>= 2.56)"]},
    ],
    "POST /servers/{id}/action #os-migrateLive": [
        {"holds": ["body has no host"]},
        {
            "name": "host",
            "body": {"os-migrateLive": {"host": world.LATER, "block_migration": "auto"}},
            "holds": ["body has a host"],
        },
    ],
    "POST /servers/{id}/action #unlock": [
        {},
        {"name": "another's", "values": {"id": "{admins}"}, "holds": ["caller is not the one who locked"]},
    ],
    "POST /servers/{id}/action #unshelve": [
        {},
        {"name": "host", "body": {"unshelve": {"host": world.HOST}}, "holds": ["body has a host"]},
    ],
    "PUT /servers/{server_id}/os-volume_attachments/{id}": [
        {"holds": [">= 2.85 and volumeId in body equals the path id"]},
        {
            "name": "swap",
            "body": {"volumeAttachment": {"volumeId": "{free_volume}"}},
            "holds": ["< 2.85 or volumeId in body differs from the path id"],
        },
    ],
}
