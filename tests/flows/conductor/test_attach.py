"""Attaching a volume: the device is named by its compute, the volume reserved, all handed over; or nothing stays."""

import datetime
import uuid

import pytest

from keel_common.clients import errors as client_errors
from keel_common.db import now, schema
from keel_conductor.flows.unattached import Unattached
from keel_contract.errors import RemoteFault
from keel_contract.nova.interfaces import COMPUTE_TASK

BDMS = schema.nova_cell.tables["block_device_mapping"]
INSTANCES = schema.nova_cell.tables["instances"]


@pytest.fixture
def server(cloud):
    requests, specs, devices = cloud.asked()
    cloud.build(requests, specs, devices)
    cloud.until(lambda: cloud.compute.built)
    instance = cloud.compute.built[0][1]["instance"]
    instance.host, instance.node, instance.compute_id = "node-1", "node-1", 1
    cloud.remote.action(cloud.context(is_admin=True), instance, "save")
    return instance


def attach(cloud, server, context, volume, **more):
    client = cloud.bus.client(COMPUTE_TASK)
    args = {"instance": server, "volume": {"id": volume}, "device": None, "disk_bus": None, "device_type": None, **more}
    return client.send(context, "attach_volume", **args)


def volume_rows(cloud):
    return [row for row in cloud.rows("block_device_mapping", deleted=0) if row["volume_id"]]


def test_a_volume_is_reserved_recorded_and_handed_to_the_compute(cloud, server):
    volume, context = cloud.cinder.add(), cloud.context()
    assert attach(cloud, server, context, volume, tag="data", delete_on_termination=True) == "/dev/vdb"
    cloud.until(lambda: cloud.compute.attached)
    _context, instance, bdm = cloud.compute.attached[0]
    (row,) = volume_rows(cloud)
    (attachment,) = cloud.cinder.attachments
    assert (instance.uuid, bdm.id, bdm.attachment_id, bdm.tag) == (server.uuid, row["id"], attachment, "data")
    assert (row["attachment_id"], row["delete_on_termination"]) == (attachment, True)
    (action,) = cloud.rows("instance_actions", action="attach_volume")
    assert action["request_id"] == context.request_id


def test_a_volume_that_cannot_be_reserved_leaves_no_device(cloud, server):
    def refuse(*_args):
        raise client_errors.BadRequest(400, "status must be available", "cinder")

    cloud.cinder.create_attachment = refuse
    with pytest.raises(RemoteFault) as caught:
        attach(cloud, server, cloud.context(), str(uuid.uuid4()))
    assert caught.value.class_name == "InvalidVolume"
    assert volume_rows(cloud) == []
    assert cloud.compute.attached == []


@pytest.mark.parametrize("does", [True, False])
def test_a_reservation_whose_answer_was_lost_is_taken_back_later(cloud, server, does):
    volume = cloud.cinder.add()
    change = INSTANCES.update().values(vm_state="active", task_state=None)
    cloud.cell.db.run(lambda conn: conn.execute(change))
    reserve = cloud.cinder.create_attachment

    def dies(*args):
        """Cinder does what it is asked, or not, and is gone before it answers."""
        if does:
            reserve(*args)
        raise client_errors.Unreachable(0, "connection refused", "cinder")

    cloud.cinder.create_attachment = dies
    with pytest.raises(RemoteFault):
        attach(cloud, server, cloud.context(), volume)
    assert len(cloud.cinder.attachments) == does
    past = BDMS.update().values(created_at=now() - datetime.timedelta(hours=1), updated_at=None)
    cloud.cell.db.run(lambda conn: conn.execute(past))
    Unattached(cloud.peers).run()
    assert (volume_rows(cloud), cloud.cinder.attachments) == ([], {})


def test_a_server_without_a_cell_is_refused(cloud):
    with pytest.raises(RemoteFault):
        attach(cloud, cloud.instance(host="node-1"), cloud.context(), cloud.cinder.add())
    assert cloud.cinder.attachments == {}


@pytest.fixture
def at_rest(cloud, server):
    """The server, and a way to leave a device of it behind as a conductor does that dies."""
    change = INSTANCES.update().values(vm_state="active", task_state=None)
    cloud.cell.db.run(lambda conn: conn.execute(change))

    def leave(reserved=True, age=601, **values):
        volume = cloud.cinder.add()
        attach(cloud, server, cloud.context(), volume)
        cloud.until(lambda: cloud.compute.attached)
        if not reserved:
            values["attachment_id"] = None
            cloud.cinder.attachments.clear()
            cloud.cinder.volumes[volume]["status"] = "available"
        past = now() - datetime.timedelta(seconds=age)
        row = BDMS.update().where(BDMS.c.volume_id == volume)
        cloud.cell.db.run(lambda conn: conn.execute(row.values(created_at=past, updated_at=None, **values)))
        return volume

    return leave


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("reserved", [True, False])
def test_an_attachment_that_died_with_its_conductor_is_taken_back(cloud, at_rest, reserved, stored):
    volume = at_rest(reserved, **({} if stored else {"attachment_id": None}))
    Unattached(cloud.peers).run()
    assert volume_rows(cloud) == []
    assert cloud.cinder.attachments == {}
    assert cloud.cinder.volumes[volume]["status"] == "available"


def test_an_attachment_that_goes_on_is_left_alone(cloud, at_rest):
    at_rest(age=10)
    Unattached(cloud.peers).run()
    assert len(volume_rows(cloud)) == len(cloud.cinder.attachments) == 1


@pytest.mark.parametrize("touched", ["attaching", "attached"])
def test_an_attachment_that_a_compute_has_begun_with_is_left_to_it(cloud, at_rest, touched):
    at_rest()
    for attachment in cloud.cinder.attachments.values():
        attachment["status"] = touched
    Unattached(cloud.peers).run()
    assert len(volume_rows(cloud)) == 1


def test_volumes_that_are_attached_or_of_a_busy_server_are_left_alone(cloud, at_rest):
    at_rest(connection_info="{}")
    Unattached(cloud.peers).run()
    assert len(volume_rows(cloud)) == 1
    cloud.cell.db.run(lambda conn: conn.execute(BDMS.update().values(connection_info=None)))
    cloud.cell.db.run(lambda conn: conn.execute(INSTANCES.update().values(task_state="spawning")))
    Unattached(cloud.peers).run()
    assert len(volume_rows(cloud)) == 1
