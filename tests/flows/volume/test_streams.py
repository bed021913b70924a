"""Bytes of volumes out of the cluster and into it: whole, bounded pieces, begun again after a death, nothing left."""

import hashlib
import shutil

import pytest

from keel_common.kube import DATAVOLUME, EXPORT, POD, PVC, SECRET, SNAPSHOT, Conflict, names
from keel_dev.disk_images import qcow2
from keel_volume.csi import naming, streams
from keel_volume.flows.refusals import Refused

MIB = 1 << 20
GIB = 1 << 30


@pytest.fixture(scope="module")
def life(world):
    return world.life()


@pytest.fixture(scope="module")
def volume(world):
    """With something at its start, in its middle and at its end."""
    found = world.volume()
    claim = naming.claim(world.suite.row(found))
    world.shrink(claim, "16Mi")
    for place in (0, 3 * MIB + 7, 16 * MIB - 5):
        world.suite.sim.write(claim, place, b"data!", world.suite.namespace)
    return found


@pytest.fixture
def row(world, volume):
    return world.suite.row(volume)


def purpose(row):
    return streams.Purpose("volume", row["id"], row["project_id"])


def digest(stream):
    found, largest, count = hashlib.sha256(), 0, 0
    for piece in stream:
        found.update(piece)
        largest, count = max(largest, len(piece)), count + len(piece)
    assert largest <= MIB
    assert count == stream.size
    return found.hexdigest()


def left(world):
    """Objects in the cluster that a stream has made."""
    kinds = (EXPORT, DATAVOLUME, PVC, SNAPSHOT, SECRET)
    items = [item for kind in kinds for item in world.kube.list(kind, world.suite.namespace, {streams.STREAM: None})]
    return [item["metadata"]["name"] for item in items if not item["metadata"].get("deletionTimestamp")]


def checksum(world, claim):
    return world.suite.sim.checksum(claim, world.suite.namespace)


def use(world, claim, name="guest"):
    """A pod that mounts the claim."""
    volumes = [{"name": "disk", "persistentVolumeClaim": {"claimName": claim}}]
    spec = {"containers": [{"name": "c", "image": "i", "resources": {}}], "volumes": volumes}
    world.kube.create(POD, POD.body(name, world.suite.namespace, spec=spec))


def test_a_volume_is_read_whole(world, life, row):
    claim = naming.claim(row)
    with streams.reading(life.backend, claim, purpose(row)) as stream:
        assert stream.size == 16 * MIB
        assert digest(stream) == checksum(world, claim)
    assert left(world) == []


def test_a_volume_that_a_pod_uses_is_read_through_a_snapshot(world, life, row):
    claim = naming.claim(row)
    use(world, claim)
    try:
        with streams.reading(life.backend, claim, purpose(row)) as stream:
            before = checksum(world, claim)
            world.suite.sim.write(claim, 0, b"later", world.suite.namespace)
            assert digest(stream) == before
        assert left(world) == []
    finally:
        world.kube.delete(POD, "guest", world.suite.namespace)
        world.suite.sim.write(claim, 0, b"data!", world.suite.namespace)
        world.suite.until(lambda: world.kube.find(POD, "guest", world.suite.namespace) is None, "the pod is gone")


def test_a_snapshot_is_read_as_it_was(world, life, row):
    claim, before = naming.claim(row), checksum(world, naming.claim(row))
    cut = world.snapshot(row["id"])
    world.suite.sim.write(claim, 0, b"later", world.suite.namespace)
    with streams.reading(life.backend, claim, purpose(row), snapshot=names.snapshot(cut)) as stream:
        assert digest(stream) == before
    assert left(world) == []
    world.suite.sim.write(claim, 0, b"data!", world.suite.namespace)


def test_a_claim_that_waits_for_its_first_pod_holds_zeros(world, life):
    row = world.suite.row(world.volume(pool="late"))
    with streams.reading(life.backend, naming.claim(row), purpose(row)) as stream:
        assert (stream.size, digest(stream)) == (GIB, hashlib.sha256(bytes(GIB)).hexdigest())
    assert left(world) == []


def test_a_snapshot_of_a_late_class_is_read_through_a_claim_that_waits_for_no_pod(world, life):
    row = world.suite.row(world.volume(pool="late"))
    claim = naming.claim(row)
    use(world, claim, "first")
    world.suite.until(lambda: _phase(world, claim) == "Bound", "the claim is bound")
    world.shrink(claim, "16Mi")
    world.suite.sim.write(claim, 3, b"late", world.suite.namespace)
    with streams.reading(life.backend, claim, purpose(row)) as stream:
        assert digest(stream) == checksum(world, claim)
    assert left(world) == []
    world.kube.delete(POD, "first", world.suite.namespace)


def _phase(world, claim):
    return world.kube.get(PVC, claim, world.suite.namespace)["status"]["phase"]


def test_what_a_dead_process_has_begun_is_begun_anew(world, life, row):
    claim = naming.claim(row)
    broken = streams.reading(life.backend, claim, purpose(row))
    broken.__enter__()  # and never left
    assert left(world) != []
    with streams.reading(life.backend, claim, purpose(row)) as stream:
        assert digest(stream) == checksum(world, claim)
    assert left(world) == []


def test_the_audit_takes_away_what_nobody_reads_any_more(world, life, row):
    broken = streams.reading(life.backend, naming.claim(row), purpose(row))
    broken.__enter__()
    life.reconciler.audit()
    assert left(world) == []


def test_the_audit_leaves_what_another_deployment_reads(world, life):
    other = streams.Purpose("volume", "00000000-0000-4000-8000-000000000009", None)
    secret = SECRET.body(other.name, world.suite.namespace)
    secret["metadata"]["labels"] = other.labels()
    world.kube.create(SECRET, secret)
    world.life().reconciler.audit()
    assert left(world) == [other.name]
    streams.remove(life.backend, other)


def test_a_volume_that_a_dead_process_was_reading_can_be_deleted(world, life):
    """The server pod of the export holds the claim."""
    row = world.suite.row(world.volume())
    broken = streams.reading(life.backend, naming.claim(row), purpose(row))
    broken.__enter__()
    world.delete(row["id"])
    assert left(world) == []


def test_a_claim_that_is_not_there_is_refused(world, life, row):
    with pytest.raises(Refused, match="no claim nothing"), streams.reading(life.backend, "nothing", purpose(row)):
        pass


@pytest.mark.parametrize(("code", "error"), [(403, Refused), (422, Refused), (409, Conflict)])
def test_a_no_of_the_cluster_and_a_bad_moment_are_told_apart(world, life, row, code, error):
    refusing = world.suite.failing(code=code, verb="patch", resource="virtualmachineexports")
    with refusing, pytest.raises(error), streams.reading(life.backend, naming.claim(row), purpose(row)):
        pass
    assert left(world) == []


def test_a_claim_is_written_and_is_what_was_written(world, life, row):
    made = {**row, "provider_location": "new-claim"}
    data = b"\x01" * MIB
    with streams.writing(life.backend, "new-claim", made, purpose(row)) as sink:
        assert sink.size == GIB
        sink.skip(5 * MIB)
        sink.write(data)
    wanted = hashlib.sha256(bytes(5 * MIB) + data + bytes(GIB - 6 * MIB)).hexdigest()
    assert streams.is_written(life.backend, "new-claim")
    assert checksum(world, "new-claim") == wanted
    claim = world.kube.get(PVC, "new-claim", world.suite.namespace)
    assert claim["metadata"]["labels"][names.VOLUME] == row["id"]
    _drop(world, "new-claim")


@pytest.mark.skipif(not shutil.which("qemu-img"), reason="the simulated cluster cannot convert without qemu-img")
def test_a_disk_that_looks_like_an_image_is_written_as_it_is(world, life, row):
    """Its guest has written the header of a qcow2 with a backing file."""
    trap = qcow2(5 * GIB, backing_file="/etc/passwd")
    with streams.writing(life.backend, "trap", row, purpose(row)) as sink:
        sink.write(trap)
        sink.skip(sink.size - len(trap) - 3)
        sink.write(b"end")
    claim = world.kube.get(PVC, "trap", world.suite.namespace)
    assert claim["status"]["capacity"]["storage"] == "1Gi"
    assert world.suite.sim.read("trap", 0, len(trap), world.suite.namespace) == trap
    assert world.suite.sim.read("trap", GIB - 5, 5, world.suite.namespace) == b"\0\0end"
    _drop(world, "trap")


def test_a_broken_writing_is_begun_anew(world, life, row):
    with pytest.raises(ZeroDivisionError), streams.writing(life.backend, "half", row, purpose(row)) as sink:
        sink.write(b"half of it")
        raise ZeroDivisionError
    assert not streams.is_written(life.backend, "half")
    with streams.writing(life.backend, "half", row, purpose(row)) as sink:
        sink.write(b"all")
    assert world.suite.sim.read("half", 0, 12, world.suite.namespace) == b"all" + bytes(9)
    _drop(world, "half")


def test_a_claim_of_somebody_else_is_not_written_over(world, life, row):
    with pytest.raises(Refused, match="already"), streams.writing(life.backend, naming.claim(row), row, purpose(row)):
        pass


def test_no_more_than_the_claim_holds(world, life, row):
    with pytest.raises(Refused, match="more than"), streams.writing(life.backend, "small", row, purpose(row)) as sink:
        sink.skip(GIB)
        sink.write(b"x")
    _drop(world, "small")


def _drop(world, name):
    for kind in (DATAVOLUME, PVC):
        world.kube.delete(kind, name, world.suite.namespace)
