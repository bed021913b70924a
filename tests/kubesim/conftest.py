"""A simulated cluster per test module, a namespace per test, and a plain HTTP client for it."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from keel_dev.kubesim import KubeSim

GROUPS = {
    "virtualmachines": "apis/kubevirt.io/v1",
    "virtualmachineinstances": "apis/kubevirt.io/v1",
    "virtualmachineinstancemigrations": "apis/kubevirt.io/v1",
    "virtualmachineclusterinstancetypes": "apis/instancetype.kubevirt.io/v1beta1",
    "datavolumes": "apis/cdi.kubevirt.io/v1beta1",
    "volumeimportsources": "apis/cdi.kubevirt.io/v1beta1",
    "volumesnapshots": "apis/snapshot.storage.k8s.io/v1",
    "volumesnapshotclasses": "apis/snapshot.storage.k8s.io/v1",
    "volumesnapshotcontents": "apis/snapshot.storage.k8s.io/v1",
    "storageclasses": "apis/storage.k8s.io/v1",
    "volumeattributesclasses": "apis/storage.k8s.io/v1",
    "uploadtokenrequests": "apis/upload.cdi.kubevirt.io/v1beta1",
}
CLUSTER_WIDE = (
    "nodes", "namespaces", "persistentvolumes", "storageclasses", "volumesnapshotclasses", "volumesnapshotcontents",
    "volumeattributesclasses", "virtualmachineclusterinstancetypes",
)  # fmt: skip


class Client:
    """Verbs on (plural, name) in one namespace; every call gives the raw response."""

    def __init__(self, sim: KubeSim, namespace: str, token: str | None = None):
        self.sim, self.namespace = sim, namespace
        self.http = requests.Session()
        self.http.trust_env = False  # a CA bundle of the environment would win over the one given here
        self.http.verify = str(sim.ca_file)
        self.http.headers["Authorization"] = f"Bearer {token or sim.token}"
        self.http.headers["User-Agent"] = "test-agent/1.0"

    def url(self, plural: str, name: str = "", namespace: str | None = None) -> str:
        place = self.namespace if namespace is None else namespace
        where = "" if plural in CLUSTER_WIDE or not place else f"namespaces/{place}/"
        base = f"{self.sim.url}/{GROUPS.get(plural, 'api/v1')}/{where}{plural}"
        return f"{base}/{name}" if name else base

    def call(self, method: str, path: str, body: Any = None, **options: Any) -> requests.Response:
        return self.http.request(method, f"{self.sim.url}{path}", json=body, timeout=20, **options)

    def get(self, plural: str, name: str = "", namespace: str | None = None, **query: Any) -> requests.Response:
        return self.http.get(self.url(plural, name, namespace), params=query, timeout=20)

    def create(
        self, plural: str, body: dict[str, Any], namespace: str | None = None, **query: Any
    ) -> requests.Response:
        return self.http.post(self.url(plural, "", namespace), json=body, params=query, timeout=20)

    def put(self, plural: str, name: str, body: dict[str, Any], **query: Any) -> requests.Response:
        return self.http.put(self.url(plural, name), json=body, params=query, timeout=20)

    def patch(
        self, plural: str, name: str, body: Any, kind: str = "merge-patch+json", **query: Any
    ) -> requests.Response:
        headers = {"Content-Type": f"application/{kind}"}
        return self.http.patch(self.url(plural, name), data=json.dumps(body), headers=headers, params=query, timeout=20)

    def apply(
        self, plural: str, name: str, body: dict[str, Any], manager: str = "keel", **query: Any
    ) -> requests.Response:
        return self.patch(plural, name, body, "apply-patch+yaml", fieldManager=manager, **query)

    def delete(self, plural: str, name: str, body: Any = None, **query: Any) -> requests.Response:
        return self.http.delete(self.url(plural, name), json=body, params=query, timeout=20)

    def sub(
        self, name: str, sub: str, body: Any = None, plural: str = "virtualmachines", method: str = "PUT"
    ) -> requests.Response:
        path = f"/apis/subresources.kubevirt.io/v1/namespaces/{self.namespace}/{plural}/{name}/{sub}"
        return self.call(method, path, body)

    def sim_call(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.call(method, f"/sim/v1/{path}", body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def made(self, plural: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.create(plural, body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def read(self, plural: str, name: str) -> dict[str, Any]:
        answer = self.get(plural, name)
        return answer.json() if answer.status_code == 200 else {}

    def wait(self, what: Callable[[], Any], seconds: float = 15.0) -> Any:
        """Ask until the answer is truthy; fail with the last answer otherwise."""
        end = time.monotonic() + seconds
        while True:
            found = what()
            if found:
                return found
            assert time.monotonic() < end, f"not reached in {seconds} s"
            time.sleep(0.02)

    def wait_gone(self, plural: str, name: str) -> None:
        self.wait(lambda: self.get(plural, name).status_code == 404)

    def wait_phase(self, plural: str, name: str, phase: str) -> dict[str, Any]:
        def there() -> Any:
            found = self.read(plural, name)
            return found if found.get("status", {}).get("phase") == phase else None

        return self.wait(there)

    def events(self, name: str) -> dict[str, str]:
        """reason -> message of the events about an object."""
        listed = self.get("events", fieldSelector=f"involvedObject.name={name}").json()["items"]
        return {event["reason"]: event["message"] for event in listed}

    def watch(self, plural: str, **query: Any) -> Iterator[dict[str, Any]]:
        params = {"watch": "1", "timeoutSeconds": "10", **query}
        answer = self.http.get(self.url(plural), params=params, stream=True, timeout=20)
        assert answer.status_code == 200, answer.text
        return (json.loads(line) for line in answer.iter_lines(chunk_size=1))


@pytest.fixture(scope="module")
def sim() -> Iterator[KubeSim]:
    with KubeSim(speed=40, seed=7) as running:
        yield running


_numbers = itertools.count(1)


@pytest.fixture
def client(sim: KubeSim) -> Iterator[Client]:
    namespace = f"test-{next(_numbers)}"
    found = Client(sim, namespace)
    found.made("namespaces", {"metadata": {"name": namespace}})
    yield found
    found.sim_call("POST", "reset")
    found.delete("namespaces", namespace)
    found.http.close()


def machine_body(name: str = "vm1", claims: tuple[str, ...] = (), **template: Any) -> dict[str, Any]:
    """A small machine; each claim becomes a virtio disk of its name."""
    disks = [{"name": claim, "disk": {"bus": "virtio"}} for claim in claims]
    volumes = [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims]
    devices = {"autoattachPodInterface": False, "disks": disks}
    spec = {
        "domain": {"cpu": {"sockets": 1}, "memory": {"guest": "1Gi"}, "devices": devices},
        "volumes": volumes,
        **template,
    }
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name},
        "spec": {"runStrategy": "Manual", "template": {"metadata": {"labels": {"app": name}}, "spec": spec}},
    }


def claim_body(
    name: str = "claim1", size: str = "1Gi", storage_class: str | None = "standard", **spec: Any
) -> dict[str, Any]:
    requested = {
        "accessModes": ["ReadWriteMany"],
        "volumeMode": "Block",
        "resources": {"requests": {"storage": size}},
        **spec,
    }
    if storage_class is not None:
        requested["storageClassName"] = storage_class
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": requested}


@pytest.fixture
def machine() -> Callable[..., dict[str, Any]]:
    return machine_body


@pytest.fixture
def claim() -> Callable[..., dict[str, Any]]:
    return claim_body


@pytest.fixture
def running(client: Client) -> Callable[..., dict[str, Any]]:
    """Create the claims and the machine, start it, wait until it runs; gives the instance."""

    def make(name: str = "vm1", claims: tuple[str, ...] = (), **template: Any) -> dict[str, Any]:
        for claim in claims:
            client.made("persistentvolumeclaims", claim_body(claim))
        client.made("virtualmachines", machine_body(name, claims, **template))
        assert client.sub(name, "start").status_code == 202
        return client.wait_phase("virtualmachineinstances", name, "Running")

    return make
