"""The service's side of attachments: who may connect, and what happens when requests cross each other."""

import threading
import uuid

import pytest

from keel_common.db.stores.cinder import attachments
from keel_contract.errors import RemoteFault

from .conftest import CONNECTOR


@pytest.fixture
def volume(suite):
    # Bound at once: a claim that waits for a pod cannot grow before.
    found = suite.create(kind=suite.kind(pool_name="standard"))
    suite.reach(found, "available")
    return found


def attach(suite, volume_id, server):
    return suite.volume_service.send(
        suite.context,
        "attach_volume",
        server=suite.row(volume_id)["host"],
        volume_id=volume_id,
        instance_uuid=server,
        host_name=None,
        mountpoint="/dev/vdb",
        mode="rw",
        volume=suite.full(volume_id),
    )


def detach(suite, volume_id, attachment_id=None):
    suite.volume_service.send(
        suite.context,
        "detach_volume",
        server=suite.row(volume_id)["host"],
        volume_id=volume_id,
        attachment_id=attachment_id,
        volume=suite.full(volume_id),
    )


def held(suite, volume_id):
    return suite.db.read(attachments.of_volume, volume_id)


def test_of_many_servers_that_attach_at_once_one_wins(suite, volume):
    answers = []

    def one():
        try:
            answers.append(attach(suite, volume, str(uuid.uuid4())))
        except RemoteFault as fault:
            answers.append(fault.class_name)

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count("InvalidVolume") == 5
    assert len(held(suite, volume)) == 1
    assert suite.row(volume)["status"] == "in-use"


def test_attaching_again_is_the_same_attachment(suite, volume):
    server = str(uuid.uuid4())
    assert attach(suite, volume, server).id == attach(suite, volume, server).id
    detach(suite, volume)
    assert held(suite, volume) == []
    assert suite.row(volume)["status"] == "available"


@pytest.mark.parametrize("status", ["deleting", "error_deleting", "extending", "creating"])
def test_a_volume_somebody_works_on_is_not_attached_and_a_detach_leaves_it_alone(suite, status):
    # The row alone: nothing of it is in the cluster, and no backend of ours works on it.
    row, _ = suite.new_row()
    suite.set_status(row["id"], host="host1@elsewhere#standard", status=status)
    volume_id = row["id"]
    with pytest.raises(RemoteFault) as refusal:
        suite.volume_service.send(
            suite.context,
            "attach_volume",
            server="host1@cluster",
            volume_id=volume_id,
            instance_uuid=str(uuid.uuid4()),
            host_name=None,
            mountpoint="/dev/vdb",
            mode="rw",
            volume=suite.full(volume_id),
        )
    assert refusal.value.class_name == "InvalidVolume"
    suite.volume_service.send(
        suite.context,
        "detach_volume",
        server="host1@cluster",
        volume_id=volume_id,
        attachment_id=None,
        volume=suite.full(volume_id),
    )
    assert suite.row(volume_id)["status"] == status


def test_connecting_an_attachment_that_went_meanwhile_leaves_the_volume_alone(suite, volume):
    with pytest.raises(RemoteFault) as refusal:
        suite.volume_service.send(
            suite.context,
            "attachment_update",
            server=suite.row(volume)["host"],
            vref=suite.full(volume),
            connector=CONNECTOR,
            attachment_id=str(uuid.uuid4()),
        )
    assert refusal.value.class_name == "VolumeAttachmentNotFound"
    assert suite.row(volume)["status"] == "available"


def test_an_attachment_cannot_be_connected_between_look_and_write(suite, volume):
    made = suite.db.run(attachments.create, volume, {"attach_status": "reserved", "connection_info": {}})
    row = suite.row(volume)
    suite.db.run(attachments.finish_detach, row, made["id"])
    assert not suite.db.run(attachments.mark_attaching, volume, made["id"], {"connector": CONNECTOR})
    assert not suite.db.run(attachments.mark_attached, volume, made["id"])
    assert suite.row(volume)["status"] == "available"


def test_growing_outlasts_a_detach(suite, volume):
    attach(suite, volume, str(uuid.uuid4()))
    knobs = suite.sim.cluster.knobs
    knobs.paused.add("*")
    try:
        suite.extend(volume, 2)
        detach(suite, volume)
        assert suite.row(volume)["status"] == "extending"
    finally:
        knobs.paused.clear()
        suite.sim.cluster.engine.poke()
    row = suite.reach(volume, "available")
    assert (row["size"], row["attach_status"]) == (2, "detached")
