import sqlalchemy as sa
from fakes.api import CELL1

from keel_common.clients import errors
from keel_common.db import CELL0, count_statements, schema
from keel_common.db.stores.nova import servers, servers_create

from .rows import vif

DELETE_BUDGET = 10


def mapping(cloud, uuid):
    table = schema.nova_api.tables["instance_mappings"]
    query = table.select().where(table.c.instance_uuid == uuid)
    return cloud.api.cells.api.read(lambda conn: conn.execute(query).mappings().first())


def actions(cloud, cell=CELL1):
    table = schema.nova_cell.tables["instance_actions"]
    db = cloud.api.cells.get(cell).db
    return db.read(lambda conn: [(r.action, r.request_id) for r in conn.execute(table.select())])


def test_a_server_on_a_living_host_is_deleted_by_it(cloud):
    cloud.service()
    uuid = cloud.server(volumes=["v1"])
    with count_statements() as seen:
        reply = cloud.api.delete(f"/servers/{uuid}")
    assert reply.status == 204 and reply.raw == b""
    assert len(seen) <= DELETE_BUDGET, seen
    ((method, sent),) = cloud.api.bus.sent
    assert method == "terminate_instance"
    assert sent["instance"].task_state == "deleting" and sent["instance"].host == "node-1"
    assert [d.volume_id for d in sent["bdms"].objects] == ["v1"]
    assert mapping(cloud, uuid)["queued_for_delete"]
    ((action, request_id),) = actions(cloud)
    assert action == "delete" and request_id == reply.headers["X-OpenStack-Request-ID"]
    assert cloud.api.get(f"/servers/{uuid}").body["server"]["OS-EXT-STS:task_state"] == "deleting"

    assert cloud.api.delete(f"/servers/{uuid}").status == 204
    assert len(cloud.api.bus.sent) == 1


def test_a_server_that_no_cell_has_goes_with_its_build_request(cloud, wish):
    volume = cloud.cinder.add()
    device = {"source_type": "volume", "uuid": volume, "destination_type": "volume", "boot_index": -1}
    uuid = cloud.create(wish(block_device_mapping_v2=[device]))["server"]["id"]
    assert cloud.cinder.volumes[volume]["status"] == "reserved"
    assert cloud.api.delete(f"/servers/{uuid}").status == 204
    assert cloud.cinder.volumes[volume]["status"] == "available"
    assert cloud.api.get(f"/servers/{uuid}").status == 404
    assert cloud.api.get("/servers").body["servers"] == []


def test_what_a_dead_conductor_had_claimed_for_a_build_is_given_back(cloud, wish):
    uuid = cloud.create(wish())["server"]["id"]
    assert cloud.api.delete(f"/servers/{uuid}").status == 204
    assert cloud.placement.deleted == [uuid]


def test_a_server_that_a_host_takes_over_in_this_moment_is_deleted_by_it(cloud):
    """Nothing is done here any more: two would take the same things back, and nobody would end the guest."""
    cloud.service()
    uuid = cloud.server(host=None, task_state="scheduling", vm_state="building")

    @sa.event.listens_for(cloud.cell.engine, "before_cursor_execute")
    def taken_first(_connection, cursor, statement, *_rest):
        if statement.startswith("UPDATE instances") and not taken:
            taken.append(statement)
            cursor.execute(f"UPDATE instances SET host='node-1', task_state='networking' WHERE uuid='{uuid}'")

    taken = []
    assert cloud.api.delete(f"/servers/{uuid}").status == 204
    assert cloud.api.bus.methods() == ["terminate_instance"]
    assert cloud.neutron.deleted == [] and cloud.placement.deleted == []


def test_a_server_buried_in_cell0_is_deleted_here(cloud):
    uuid = cloud.server(cell=CELL0, vm_state="error", host=None, node=None)
    assert cloud.api.delete(f"/servers/{uuid}").status == 204
    assert cloud.api.get(f"/servers/{uuid}").status == 404
    assert cloud.placement.deleted == [uuid] and cloud.api.bus.sent == []
    assert actions(cloud, CELL0)[0][0] == "delete"


def test_a_server_on_a_dead_host_is_deleted_here_with_all_it_held(cloud):
    cloud.service(forced_down=True)
    kept, made = cloud.neutron.add_port(), cloud.neutron.add_port()
    volume = cloud.cinder.add(status="in-use")
    uuid = cloud.server(
        vifs=[{**vif(), "id": kept, "preserve_on_delete": True}, {**vif(), "id": made}], volumes=[volume]
    )
    for port in (kept, made):
        cloud.neutron.ports[port]["device_id"] = uuid
    assert cloud.api.delete(f"/servers/{uuid}").status == 204
    assert cloud.neutron.deleted == [made] and cloud.neutron.ports[kept]["device_id"] == ""
    assert cloud.placement.deleted == [uuid]
    row = cloud.cell.read(servers.one, uuid, ["vm_state", "terminated_at"], deleted=True)
    assert row["vm_state"] == "deleted" and row["terminated_at"]
    assert mapping(cloud, uuid)["queued_for_delete"]


def test_a_delete_that_broke_off_goes_on(cloud):
    uuid = cloud.server(host=None)
    cloud.placement.delete_allocations = _unreachable
    assert cloud.api.delete(f"/servers/{uuid}").status == 409
    del cloud.placement.delete_allocations
    assert cloud.api.delete(f"/servers/{uuid}").status == 204
    assert cloud.api.get(f"/servers/{uuid}").status == 404


def _unreachable(consumer):
    raise errors.Unreachable(0, "no answer", "placement")


def test_a_message_that_cannot_leave_undoes_the_task_state(cloud):
    cloud.service()
    uuid = cloud.server()
    cloud.api.bus.answers["terminate_instance"] = ConnectionError("no broker")
    assert cloud.api.delete(f"/servers/{uuid}").status == 500
    assert cloud.cell.read(servers.one, uuid, ["task_state"])["task_state"] is None


def test_a_locked_server_is_deleted_by_administrators_only(cloud, admin):
    cloud.service()
    uuid = cloud.server(locked=True, locked_by="owner")
    reply = cloud.api.delete(f"/servers/{uuid}")
    assert (reply.status, reply.message) == (409, f"Instance {uuid} is locked")
    assert cloud.api.delete(f"/servers/{uuid}", who=admin).status == 204


def test_with_a_reclaim_interval_the_host_only_puts_it_aside(cloud):
    cloud.service()
    cloud.api.set("reclaim_instance_interval", 60)
    assert cloud.api.delete(f"/servers/{cloud.server()}").status == 204
    assert cloud.api.delete(f"/servers/{cloud.server(2, launched_at=None)}").status == 204
    assert cloud.api.bus.methods() == ["soft_delete_instance", "terminate_instance"]


def test_unknown_and_foreign_servers_are_the_same(cloud, other):
    for uuid in (cloud.server(), "00000000-0000-4000-8000-000000000000"):
        assert cloud.api.delete(f"/servers/{uuid}", who=other).message == f"Instance {uuid} could not be found."


def test_a_build_request_is_deleted_once(cloud, wish):
    uuid = cloud.create(wish())["server"]["id"]
    assert cloud.api.cells.api.run(servers_create.delete_build, uuid)
    assert not cloud.api.cells.api.run(servers_create.delete_build, uuid)
    assert cloud.api.delete(f"/servers/{uuid}").status == 404
