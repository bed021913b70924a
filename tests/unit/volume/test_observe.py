"""What the cluster says about claims and imports, read without a cluster."""

import pytest

from keel_volume.csi import observe


def claim(phase="Pending", owner=None, **status):
    owners = [{"kind": owner}] if owner else []
    return {"metadata": {"ownerReferences": owners}, "spec": {}, "status": {"phase": phase, **status}}


def an_import(phase, restarts=0, message=""):
    conditions = [{"type": "Running", "status": "False", "message": message}]
    return {"metadata": {}, "status": {"phase": phase, "restartCount": restarts, "conditions": conditions}}


@pytest.mark.parametrize(
    ("data_volume", "ready", "failed"),
    [
        (an_import("ImportInProgress"), False, False),
        (an_import("ImportInProgress", restarts=2), False, False),
        (an_import("ImportInProgress", restarts=3, message="404"), False, True),
        (an_import("Failed"), False, True),
        (an_import("Succeeded", restarts=9), True, False),
    ],
)
def test_imports(data_volume, ready, failed):
    seen = observe.creation(claim("Bound"), data_volume, False, import_attempts=3)
    assert (seen.ready, seen.failed) == (ready, failed)


def test_a_claim_that_an_import_owns_tells_nothing_by_itself():
    assert observe.is_filled_by_import(claim("Bound", owner="DataVolume"))
    assert not observe.is_filled_by_import(claim("Bound"))
    assert not observe.is_filled_by_import(None)


@pytest.mark.parametrize(
    ("status", "attached", "ready", "failed"),
    [
        ({"capacity": {"storage": "2Gi"}}, False, True, False),
        ({"capacity": {"storage": "1Gi"}}, False, False, False),
        ({"allocatedResourceStatuses": {"storage": "ControllerResizeInProgress"}}, False, False, False),
        ({"allocatedResourceStatuses": {"storage": "ControllerResizeInfeasible"}}, False, False, True),
        # The node's part waits for a pod, which a volume that nobody uses does not have.
        ({"allocatedResourceStatuses": {"storage": "NodeResizePending"}}, False, True, False),
        ({"allocatedResourceStatuses": {"storage": "NodeResizePending"}}, True, False, False),
        ({"conditions": [{"type": "FileSystemResizePending", "status": "True"}]}, False, True, False),
        ({"conditions": [{"type": "FileSystemResizePending", "status": "True"}]}, True, False, False),
    ],
)
def test_extensions(status, attached, ready, failed):
    seen = observe.extension(claim("Bound", **status), 2, attached)
    assert (seen.ready, seen.failed) == (ready, failed)


def test_a_claim_that_is_gone_does_not_grow():
    assert observe.extension(None, 2).failed
