"""The bytes of volumes: kept through imports, clones and snapshots, and read out through VirtualMachineExports."""

from __future__ import annotations

import base64
import gzip
import hashlib
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from keel_dev.disk_images import qcow2
from keel_dev.kubesim import KubeSim

from .conftest import GROUPS, Client

PVC, EXPORT, POD = "persistentvolumeclaims", "virtualmachineexports", "pods"
GROUPS["virtualmachineexports"] = "apis/export.kubevirt.io/v1"
MIB = 1 << 20
EMPTY = hashlib.sha256(bytes(16 * MIB)).hexdigest()


def export(client: Client, claim: str = "claim1", name: str = "out", token: str | None = "s3cret", **spec) -> dict:
    given = {"source": {"apiGroup": "", "kind": "PersistentVolumeClaim", "name": claim}, **spec}
    if token:
        data = {"token": base64.b64encode(token.encode()).decode()}
        client.made("secrets", {"metadata": {"name": f"{name}-token"}, "data": data})
        given["tokenSecretRef"] = f"{name}-token"
    body = {"apiVersion": "export.kubevirt.io/v1", "kind": "VirtualMachineExport", "metadata": {"name": name}}
    return client.made(EXPORT, {**body, "spec": given})


def links(found: dict, side: str = "external") -> dict[str, str]:
    formats = found["status"]["links"][side]["volumes"][0]["formats"]
    return {row["format"]: row["url"] for row in formats}


def fetch(client: Client, url: str, token: str = "s3cret", **headers: str) -> requests.Response:
    given = {"x-kubevirt-export-token": token, **headers}
    with requests.Session() as session:
        session.trust_env = False
        return session.get(url, headers=given, verify=str(client.sim.ca_file), timeout=20)


@pytest.fixture
def bound(client, claim):
    client.made(PVC, claim(size="16Mi"))
    client.wait_phase(PVC, "claim1", "Bound")


def test_a_claim_is_read_with_the_token_of_its_export(client, sim, bound):
    sim.write("claim1", 5 * MIB, b"from the guest", client.namespace)
    export(client)
    found = client.wait_phase(EXPORT, "out", "Ready")
    assert found["status"]["links"]["external"]["cert"] == sim.ca_file.read_text()
    assert links(found, "internal")["raw"].startswith(f"https://virt-export-out.{client.namespace}.svc/")
    raw = fetch(client, links(found)["raw"])
    assert (raw.status_code, len(raw.content)) == (200, 16 * MIB)
    assert raw.content[5 * MIB : 5 * MIB + 14] == b"from the guest"
    assert hashlib.sha256(raw.content).hexdigest() == sim.checksum("claim1", client.namespace)
    assert gzip.decompress(fetch(client, links(found)["gzip"]).content) == raw.content
    assert fetch(client, links(found)["raw"], token="other").status_code == 401
    assert fetch(client, links(found)["raw"] + "x").status_code == 404
    # No ranges: always the whole of it.
    assert len(fetch(client, links(found)["raw"], Range="bytes=0-9").content) == 16 * MIB


def test_a_token_is_made_when_none_is_named(client, bound):
    export(client, token=None)
    found = client.wait_phase(EXPORT, "out", "Ready")
    assert found["status"]["tokenSecretRef"] == "export-token-out"
    data = client.read("secrets", "export-token-out")["data"]["token"]
    assert fetch(client, links(found)["raw"], base64.b64decode(data).decode()).status_code == 200


def test_an_export_waits_for_the_pod_that_uses_the_claim(client, running):
    running(claims=("claim1",))
    export(client)

    def waits():
        found = client.read(EXPORT, "out")
        reasons = {row["type"]: row["reason"] for row in found.get("status", {}).get("conditions", ())}
        return found if reasons.get("Ready") == "InUse" else None

    found = client.wait(waits)
    assert found["status"]["phase"] == "Pending"
    assert "links" not in found["status"]
    assert client.sub("vm1", "stop").status_code == 202
    client.wait_phase(EXPORT, "out", "Ready")


def test_an_export_holds_its_claim_and_ends_with_its_time(client, bound):
    export(client, ttlDuration="90s")
    client.wait_phase(EXPORT, "out", "Ready")
    client.delete(PVC, "claim1")
    assert client.read(PVC, "claim1")["metadata"]["deletionTimestamp"]
    client.sim_call("POST", "clock", {"advance": 100})
    client.wait_gone(EXPORT, "out")
    client.wait_gone(POD, "virt-export-out")
    client.wait_gone(PVC, "claim1")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ({"kind": "Pod", "name": "x"}, "invalid kind"),
        ({"apiGroup": "v1", "kind": "PersistentVolumeClaim", "name": "x"}, "invalid apiGroup"),
        ({"apiGroup": "", "kind": "PersistentVolumeClaim", "name": ""}, "name must not be empty"),
        ({"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "x"}, "claims only"),
    ],
)
def test_what_cannot_be_exported_is_refused(client, source, text):
    body = {"apiVersion": "export.kubevirt.io/v1", "kind": "VirtualMachineExport", "metadata": {"name": "out"}}
    answer = client.create(EXPORT, {**body, "spec": {"source": source}})
    assert answer.status_code == 422
    assert text in answer.json()["message"]


def test_what_an_export_is_of_cannot_be_changed(client, bound):
    export(client)
    answer = client.patch(EXPORT, "out", {"spec": {"ttlDuration": "1h"}})
    assert (answer.status_code, "immutable" in answer.json()["message"]) == (422, True)


def test_copies_share_their_content_until_one_is_written(client, sim, bound, claim):
    place = client.namespace
    sim.write("claim1", 0, b"first", place)
    snapshot = {"metadata": {"name": "cut"}, "spec": {"source": {"persistentVolumeClaimName": "claim1"}}}
    client.made("volumesnapshots", {"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot", **snapshot})
    client.wait(lambda: client.read("volumesnapshots", "cut").get("status", {}).get("readyToUse"))
    sim.write("claim1", 0, b"later", place)
    of_snapshot = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "cut"}
    client.made(PVC, claim("restored", size="16Mi", dataSource=of_snapshot))
    client.made(PVC, claim("clone", size="16Mi", dataSource={"kind": "PersistentVolumeClaim", "name": "claim1"}))
    for name in ("restored", "clone"):
        client.wait_phase(PVC, name, "Bound")
    sim.write("clone", 5, b" still", place)
    assert sim.read("claim1", 0, 12, place) == b"later" + bytes(7)
    assert sim.read("restored", 0, 12, place) == b"first" + bytes(7)
    assert sim.read("clone", 0, 12, place) == b"later still\0"


def test_a_new_volume_reads_as_zeros_and_a_deleted_one_leaves_nothing(client, sim, bound):
    assert sim.checksum("claim1", client.namespace) == EMPTY
    sim.write("claim1", 9, b"x", client.namespace)
    volume = client.read(PVC, "claim1")["spec"]["volumeName"]
    kept = client.sim_call("POST", f"volumes/{volume}", {"offset": 8, "length": 3})
    assert base64.b64decode(kept["data"]) == b"\0x\0"
    client.delete(PVC, "claim1")
    client.wait_gone("persistentvolumes", volume)
    client.wait(lambda: volume not in client.sim_call("GET", "volumes"))


def upload(client: Client, sim: KubeSim, data: bytes, size: str = "16Mi") -> requests.Response:
    storage = {"accessModes": ["ReadWriteMany"], "volumeMode": "Block", "resources": {"requests": {"storage": size}}}
    body = {"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", "metadata": {"name": "up"}}
    client.made("datavolumes", {**body, "spec": {"source": {"upload": {}}, "pvc": storage}})
    client.wait_phase("datavolumes", "up", "UploadReady")
    request = {"apiVersion": "upload.cdi.kubevirt.io/v1beta1", "kind": "UploadTokenRequest"}
    wanted = {**request, "metadata": {"name": "up"}, "spec": {"pvcName": "up"}}
    token = client.made("uploadtokenrequests", wanted)["status"]["token"]
    headers = {"Authorization": f"Bearer {token}"}
    return requests.post(f"{sim.url}/v1beta1/upload", data=data, headers=headers, verify=str(sim.ca_file), timeout=20)


def test_an_upload_is_what_is_read(client, sim):
    data = bytes(3 * MIB) + b"end of a raw disk"
    assert upload(client, sim, data).status_code == 200
    client.wait_phase("datavolumes", "up", "Succeeded")
    assert sim.checksum("up", client.namespace) == hashlib.sha256(data.ljust(16 * MIB, b"\0")).hexdigest()


@pytest.mark.skipif(not shutil.which("qemu-img"), reason="qemu-img is not installed")
def test_a_qcow2_image_becomes_a_raw_disk(client, sim):
    assert upload(client, sim, qcow2(16 * MIB, b"inside")).status_code == 200
    client.wait_phase("datavolumes", "up", "Succeeded")
    assert sim.read("up", 0, 8, client.namespace) == b"inside\0\0"


def test_without_a_converter_only_the_origin_is_known_and_an_export_is_refused(client, sim, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert upload(client, sim, qcow2(16 * MIB, b"inside")).status_code == 200
    client.wait_phase("datavolumes", "up", "Succeeded")
    source = {"apiGroup": "", "kind": "PersistentVolumeClaim", "name": "up"}
    body = {"apiVersion": "export.kubevirt.io/v1", "kind": "VirtualMachineExport", "metadata": {"name": "out"}}
    answer = client.create(EXPORT, {**body, "spec": {"source": source}})
    assert answer.status_code == 422
    assert "no qemu-img" in answer.json()["message"]


def test_contents_survive_a_restart(tmp_path):
    body = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "kept"},
        "spec": {"accessModes": ["ReadWriteMany"], "volumeMode": "Block", "storageClassName": "standard",
                 "resources": {"requests": {"storage": "16Mi"}}},
    }  # fmt: skip
    with KubeSim(tmp_path, speed=40) as sim:
        client = Client(sim, sim.namespace)
        client.made(PVC, body)
        client.wait_phase(PVC, "kept", "Bound")
        sim.write("kept", 4, b"data")
        before = sim.checksum("kept")
    with KubeSim(tmp_path, speed=40) as sim:
        assert sim.read("kept", 4, 4) == b"data"
        assert sim.checksum("kept") == before


def test_what_comes_for_a_claim_that_is_gone_is_forgotten(client, sim):
    asked, go_on = threading.Event(), threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            asked.set()
            go_on.wait(10)
            self.send_response(200)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"image")

        def log_message(self, *_):
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sizes = {"requests": {"storage": "16Mi"}}
        storage = {"accessModes": ["ReadWriteMany"], "volumeMode": "Block", "resources": sizes}
        body = {"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", "metadata": {"name": "in"}}
        source = {"http": {"url": f"http://127.0.0.1:{server.server_address[1]}/image"}}
        client.made("datavolumes", {**body, "spec": {"source": source, "pvc": storage}})
        assert asked.wait(10)
        kept = []
        keep = sim.cluster.contents.keep
        sim.cluster.contents.keep = lambda key, *rest: (kept.append(key), keep(key, *rest))
        try:
            client.delete("datavolumes", "in")
            client.wait_gone(PVC, "in")
            go_on.set()
            client.wait(lambda: kept and sim.cluster.store.recall(kept[0]) is None)
        finally:
            sim.cluster.contents.keep = keep
            server.shutdown()
