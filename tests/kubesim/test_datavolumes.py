"""DataVolumes and populators: imports that really read a URL, uploads, clones, blanks, and how they fail."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from keel_dev.disk_images import qcow2

DV, PVC = "datavolumes", "persistentvolumeclaims"
IMAGE = bytes(range(256)) * 4096
QCOW2 = qcow2(5 << 30, IMAGE[: 1 << 20])


@pytest.fixture(scope="module")
def images() -> Iterator[str]:
    """An image server that wants a token for /secret."""
    files = {"/image": IMAGE, "/secret": IMAGE, "/large.qcow2": QCOW2, "/image.gz": gzip.compress(IMAGE)}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            allowed = self.path != "/secret" or self.headers.get("X-Auth-Token") == "abc"
            code = 404 if self.path not in files else (200 if allowed else 401)
            body = files.get(self.path, b"") if code == 200 else b""
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def volume(source: dict, /, name: str = "dv1", size: str = "2Gi", **spec) -> dict:
    storage = {"accessModes": ["ReadWriteMany"], "volumeMode": "Block", "resources": {"requests": {"storage": size}}}
    given = {"source": source, "storage": storage, **spec}
    return {"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", "metadata": {"name": name}, "spec": given}


def phases(client, made: dict, last: str) -> list[str]:
    """The phases a new object passes, from its creation on."""
    name, version = made["metadata"]["name"], made["metadata"]["resourceVersion"]
    seen: list[str] = []
    for event in client.watch(DV, fieldSelector=f"metadata.name={name}", resourceVersion=version):
        phase = event["object"].get("status", {}).get("phase", "")
        if phase and phase not in seen:
            seen.append(phase)
        if phase == last:
            break
    return seen


def content(client, claim: str) -> dict:
    return client.sim_call("GET", "volumes")[client.read(PVC, claim)["spec"]["volumeName"]]


def test_an_import_reads_the_url_and_binds_the_claim_at_the_end(client, images):
    made = client.made(DV, volume({"http": {"url": f"{images}/image"}}))
    assert phases(client, made, "Succeeded") == ["Pending", "ImportScheduled", "ImportInProgress", "Succeeded"]
    found = client.read(DV, "dv1")
    assert found["status"]["progress"] == "100.0%" and found["status"]["claimName"] == "dv1"
    conditions = {row["type"]: row["status"] for row in found["status"]["conditions"]}
    assert conditions == {"Bound": "True", "Ready": "True", "Running": "False"}
    claim = client.read(PVC, "dv1")
    assert claim["status"]["phase"] == "Bound" and claim["metadata"]["ownerReferences"][0]["kind"] == "DataVolume"
    assert content(client, "dv1")["sha256"] == hashlib.sha256(IMAGE).hexdigest()
    client.wait(lambda: len(client.get(PVC).json()["items"]) == 1)
    client.delete(DV, "dv1")
    client.wait_gone(PVC, "dv1")


def test_the_claim_stays_pending_while_the_import_runs(client, images):
    client.sim_call("POST", "importers/dv1", {"outcome": "stalls"})
    client.made(DV, volume({"http": {"url": f"{images}/image"}}))
    client.wait_phase(DV, "dv1", "ImportInProgress")
    assert client.read(PVC, "dv1")["status"]["phase"] == "Pending"
    names = sorted(item["metadata"]["name"] for item in client.get(PVC).json()["items"])
    assert names == ["dv1", f"prime-{client.read(PVC, 'dv1')['metadata']['uid']}"]


def test_extra_headers_come_from_a_secret(client, images):
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "headers"},
        "stringData": {"one": "X-Auth-Token: abc"},
    }
    client.made("secrets", secret)
    client.made(DV, volume({"http": {"url": f"{images}/secret", "secretExtraHeaders": ["headers"]}}))
    client.wait_phase(DV, "dv1", "Succeeded")


def failing(client, source: dict, size: str = "2Gi") -> str:
    client.made(DV, volume(source, size=size))

    def restarted():
        found = client.read(DV, "dv1").get("status", {})
        return found if found.get("restartCount", 0) >= 1 else None

    status = client.wait(restarted)
    assert status["phase"] == "ImportInProgress"
    row = next(row for row in status["conditions"] if row["type"] == "Running")
    assert (row["status"], row["reason"]) == ("False", "Error")
    return row["message"]


def test_a_source_that_refuses_is_an_error_that_repeats(client, images):
    assert "expected status code 200, got 401" in failing(client, {"http": {"url": f"{images}/secret"}})


def test_a_wrong_checksum_is_an_error(client, images):
    source = {"http": {"url": f"{images}/image", "checksum": "sha256:" + "0" * 64}}
    assert "checksum mismatch" in failing(client, source)


def test_a_right_checksum_is_accepted(client, images):
    digest = hashlib.sha512(IMAGE).hexdigest()
    client.made(DV, volume({"http": {"url": f"{images}/image", "checksum": f"sha512:{digest}"}}))
    client.wait_phase(DV, "dv1", "Succeeded")


def test_an_image_larger_than_the_claim_is_an_error(client, images):
    message = failing(client, {"http": {"url": f"{images}/large.qcow2"}})
    assert message == (
        f"Unable to process data: Virtual image size {5 << 30} is larger than the reported "
        f"available storage {2 << 30}. "
        "A larger PVC is required."
    )


def test_a_qcow2_and_a_gzip_image_are_measured_by_what_they_hold(client, images):
    client.made(DV, volume({"http": {"url": f"{images}/large.qcow2"}}, size="6Gi"))
    client.made(DV, volume({"http": {"url": f"{images}/image.gz"}}, "dv2"))
    client.wait_phase(DV, "dv1", "Succeeded")
    client.wait_phase(DV, "dv2", "Succeeded")
    assert content(client, "dv1")["virtualSize"] == 5 << 30
    assert content(client, "dv2")["virtualSize"] == len(IMAGE)


def test_a_claim_with_an_import_source_needs_no_data_volume(client, images, claim):
    source = {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "VolumeImportSource",
        "metadata": {"name": "src"},
        "spec": {"source": {"http": {"url": f"{images}/image"}}},
    }
    client.made("volumeimportsources", source)
    reference = {"apiGroup": "cdi.kubevirt.io", "kind": "VolumeImportSource", "name": "src"}
    client.made(PVC, claim(dataSourceRef=reference))
    client.wait_phase(PVC, "claim1", "Bound")
    assert content(client, "claim1")["bytes"] == len(IMAGE)


def test_blank_and_clones(client, images):
    client.made(DV, volume({"blank": {}}, "empty"))
    client.made(DV, volume({"http": {"url": f"{images}/image"}}, "full"))
    client.wait_phase(DV, "empty", "Succeeded")
    client.wait_phase(DV, "full", "Succeeded")
    made = client.made(DV, volume({"pvc": {"name": "full", "namespace": client.namespace}}, "copy"))
    assert phases(client, made, "Succeeded")[-2:] == ["CSICloneInProgress", "Succeeded"]
    assert content(client, "copy")["sha256"] == content(client, "full")["sha256"]


def test_a_late_class_waits_for_the_machine_that_uses_it(client, images, machine):
    body = volume({"http": {"url": f"{images}/image"}})
    body["spec"]["storage"]["storageClassName"] = "late"
    client.made(DV, body)
    client.wait_phase(DV, "dv1", "PendingPopulation")
    vm = machine()
    vm["spec"]["template"]["spec"]["domain"]["devices"]["disks"] = [{"name": "root", "disk": {"bus": "virtio"}}]
    vm["spec"]["template"]["spec"]["volumes"] = [{"name": "root", "dataVolume": {"name": "dv1"}}]
    client.made("virtualmachines", vm)
    client.sub("vm1", "start")
    client.wait_phase("virtualmachineinstances", "vm1", "Running")
    assert client.read(DV, "dv1")["status"]["phase"] == "Succeeded"


def test_a_template_is_provisioned_before_the_machine_starts(client, images, machine):
    vm = machine()
    template = volume({"http": {"url": f"{images}/image"}}, "root")
    vm["spec"]["dataVolumeTemplates"] = [{"metadata": template["metadata"], "spec": template["spec"]}]
    vm["spec"]["template"]["spec"]["domain"]["devices"]["disks"] = [{"name": "root", "disk": {"bus": "virtio"}}]
    vm["spec"]["template"]["spec"]["volumes"] = [{"name": "root", "dataVolume": {"name": "root"}}]
    client.sim_call("POST", "importers/root", {"outcome": "stalls"})
    client.made("virtualmachines", vm)
    client.sub("vm1", "start")
    client.wait(
        lambda: client.read("virtualmachines", "vm1").get("status", {}).get("printableStatus") == "Provisioning"
    )
    assert client.get("virtualmachineinstances", "vm1").status_code == 404
    client.sim_call("POST", "importers/root", {"outcome": "real"})
    client.wait_phase("virtualmachineinstances", "vm1", "Running")
    client.delete("virtualmachines", "vm1")
    client.wait_gone(DV, "root")
    client.wait_gone(PVC, "root")


def test_an_upload_takes_the_bytes_with_a_token(client):
    client.made(DV, volume({"upload": {}}))
    client.wait_phase(DV, "dv1", "UploadReady")
    asked = {
        "apiVersion": "upload.cdi.kubevirt.io/v1beta1",
        "kind": "UploadTokenRequest",
        "metadata": {"name": "dv1"},
        "spec": {"pvcName": "dv1"},
    }
    token = client.made("uploadtokenrequests", asked)["status"]["token"]
    url = f"{client.sim.url}/v1beta1/upload"
    refused = client.http.post(url, data=IMAGE, headers={"Authorization": "Bearer wrong"}, timeout=10)
    assert refused.status_code == 401
    taken = client.http.post(url, data=IMAGE, headers={"Authorization": f"Bearer {token}"}, timeout=10)
    assert taken.status_code == 200
    client.wait_phase(DV, "dv1", "Succeeded")
    assert content(client, "dv1")["sha256"] == hashlib.sha256(IMAGE).hexdigest()
    assert client.get("uploadtokenrequests").status_code == 405


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"source": {}}, "Missing Data volume source"),
        ({"source": {"blank": {}, "upload": {}}}, "Multiple Data volume sources"),
        ({"storage": None}, "Missing Data volume PVC"),
        (
            {"pvc": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
            "both target storage and target pvc",
        ),
        ({"storage": {"resources": {"requests": {"storage": "0"}}}}, "PVC size"),
        ({"storage": {"resources": {"requests": {"storage": "5Ki"}}}}, "PVC size can't be less than 1Mi"),
    ],
)
def test_a_data_volume_is_refused(client, images, change, text):
    answer = client.create(DV, volume({"http": {"url": f"{images}/image"}}, **change))
    assert answer.status_code == 422 and text in answer.json()["message"]


def test_specs_are_fixed_and_claims_are_not_taken_over(client, claim, images):
    client.made(DV, volume({"blank": {}}))
    answer = client.patch(DV, "dv1", {"spec": {"source": {"blank": None, "upload": {}}}})
    assert answer.status_code == 422 and "Cannot update DataVolume Spec" in answer.json()["message"]
    client.made(PVC, claim("taken"))
    answer = client.create(DV, volume({"blank": {}}, "taken"))
    assert f"Destination PVC {client.namespace}/taken already exists" in answer.json()["message"]
