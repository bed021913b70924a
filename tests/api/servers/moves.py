"""What tests of the actions of servers share: asking for one, what it left in the records."""

import json

from fakes.api import Identity

from keel_common.db import add, schema
from keel_common.db.stores.nova import placed, servers

from .rows import FLAVOR, add_server, nova

LARGE = {**FLAVOR, "id": 2, "name": "m1.large", "flavorid": "large", "vcpus": 2, "memory_mb": 4096, "root_gb": 40}
TABLES = schema.nova_cell.tables


def act(cloud, uuid, action, args=None, version="2.104", **how):
    return cloud.api.post(f"/servers/{uuid}/action", {action: args}, version=version, **how)


def only(cloud):
    """The one message that was sent: method and arguments."""
    ((method, sent),) = cloud.api.bus.sent
    return method, sent


def actions(cloud):
    table = TABLES["instance_actions"]
    return cloud.cell.read(lambda conn: [row.action for row in conn.execute(table.select().order_by(table.c.id))])


def events(cloud):
    table = TABLES["instance_actions_events"]
    return cloud.cell.read(lambda conn: [(row.event, row.result) for row in conn.execute(table.select())])


def row(cloud, uuid, *columns):
    found = cloud.cell.read(servers.one, uuid, columns)
    return found[columns[0]] if len(columns) == 1 else tuple(found[name] for name in columns)


def migrations(cloud):
    table = TABLES["migrations"]
    return cloud.cell.read(lambda conn: [dict(each) for each in conn.execute(table.select()).mappings()])


def flavor(cloud, values):
    """A flavor one can resize to."""
    table = schema.nova_api.tables["flavors"]
    kept = {key: value for key, value in values.items() if key in table.c and not key.endswith("_at")}

    def write(conn):
        add(conn, table, kept)
        specs = values["extra_specs"] if values["extra_specs"] is not FLAVOR["extra_specs"] else {}
        for key, value in specs.items():
            add(
                conn,
                schema.nova_api.tables["flavor_extra_specs"],
                {"flavor_id": kept["id"], "key": key, "value": value},
            )

    cloud.api.cells.api.run(write)


def flavors_of(cloud, uuid, current, old=None):
    """The flavors a server has and had."""
    stored = {"cur": nova("Flavor", "1.2", current), "old": old and nova("Flavor", "1.2", old), "new": None}
    table = TABLES["instance_extra"]
    change = table.update().where(table.c.instance_uuid == uuid).values(flavor=json.dumps(stored))
    cloud.cell.run(lambda conn: conn.execute(change))


def migration(cloud, uuid, **values):
    """A migration of a server; its id."""
    made = {"instance_uuid": uuid, "status": "finished", "migration_type": "resize", "source_compute": "node-1"}
    made |= {"source_node": "node-1", "dest_compute": "node-2", "dest_node": "node-2", "hidden": False}
    made |= {
        "cross_cell_move": False,
        "project_id": "p",
        "user_id": "u",
        "uuid": f"4a2f6f2e-0f2b-4d4a-9d0b-{len(migrations(cloud)):012d}",
        **values,
    }
    return cloud.cell.run(add, TABLES["migrations"], made)


def system(cloud, uuid, **pairs):
    """What a server remembers in its system metadata."""
    table = TABLES["instance_system_metadata"]

    def write(conn):
        for key, value in pairs.items():
            conn.execute(table.delete().where(table.c.instance_uuid == uuid, table.c.key == key))
            add(conn, table, {"instance_uuid": uuid, "key": key, "value": value})

    cloud.cell.run(write)


def spec(cloud, uuid):
    """The stored fields of the request spec."""
    return cloud.api.cells.api.read(placed.spec, uuid)["spec"]["nova_object.data"]


def share(cloud, uuid):
    made = {"uuid": "5b2f6f2e-0f2b-4d4a-9d0b-000000000001", "instance_uuid": uuid, "share_id": uuid, "status": "active"}
    cloud.cell.run(add, TABLES["share_mapping"], {**made, "tag": "t", "export_location": "x", "share_proto": "NFS"})


def node(cloud, host):
    """A compute node with its service."""
    cloud.service(host)
    columns = {"uuid": f"6b2f6f2e-0f2b-4d4a-9d0b-{abs(hash(host)) % 10**12:012d}", "host": host, "mapped": 1}
    columns |= {"hypervisor_hostname": f"{host}.local", "hypervisor_type": "KubeVirt", "hypervisor_version": 1}
    columns |= dict.fromkeys(("vcpus", "memory_mb", "local_gb", "vcpus_used", "memory_mb_used", "local_gb_used"), 1)
    cloud.cell.run(add, TABLES["compute_nodes"], {**columns, "cpu_info": "{}"})
    return columns["uuid"]


def boot_volume(cloud, uuid, **values):
    """Make a server one that boots from a volume; the id of the volume."""
    volume = cloud.cinder.add(status="in-use", bootable="true", **values)
    made = {"instance_uuid": uuid, "volume_id": volume, "source_type": "volume", "destination_type": "volume"}
    made |= {"boot_index": 0, "device_name": "/dev/vda", "volume_size": 1, "delete_on_termination": False}
    made |= {"uuid": volume, "encrypted": False, "attachment_id": uuid, "no_device": False}
    cloud.cell.run(add, TABLES["block_device_mapping"], made)
    return volume


def created(cloud, body, **values):
    """A server that was made by the API, so that it has a request spec, and has come to its cell since; its uuid."""
    uuid = cloud.create(body)["server"]["id"]
    cloud.cell.run(add_server, Identity.MEMBER.project, Identity.MEMBER.user, uuid=uuid, **values)
    mappings = schema.nova_api.tables["instance_mappings"]
    there = mappings.update().where(mappings.c.instance_uuid == uuid).values(cell_id=cloud.api.cell1.id)
    cloud.api.cells.api.run(lambda conn: conn.execute(there))
    cloud.api.bus.sent.clear()
    return uuid
