"""The real kubectl and the Kubernetes Python client against the simulated cluster."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import yaml
from kubernetes import client as kubernetes_client
from kubernetes import config as kubernetes_config
from kubernetes import watch as kubernetes_watch

KUBECTL = shutil.which("kubectl")
needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not on this machine")


@pytest.fixture
def kubectl(client):
    def run(*arguments: str, stdin: str | None = None, ok: bool = True) -> str:
        command = [KUBECTL or "", "--kubeconfig", str(client.sim.kubeconfig), "-n", client.namespace, *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode == 0) is ok, done.stderr
        return done.stdout if ok else done.stderr

    return run


@needs_kubectl
def test_kubectl_shows_tables_a_person_can_read(kubectl, running):
    running(claims=("root",), nodeSelector={"kubernetes.io/hostname": "node-2"})
    nodes = kubectl("get", "nodes")
    assert nodes.split()[:5] == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"] and "node-4" in nodes and "Ready" in nodes
    assert "Running" in kubectl("get", "vms")
    instances = kubectl("get", "vmis", "-A")
    assert "PHASE" in instances and "NODENAME" in instances and "node-2" in instances
    claims = kubectl("get", "pvc")
    assert "Bound" in claims and "standard" in claims and "RWX" in claims
    assert "SuccessfulCreate" in kubectl("get", "events")
    assert "No resources found" not in kubectl("get", "pods")
    assert "virtualmachineinstances" in kubectl("api-resources")


@needs_kubectl
def test_kubectl_describes_and_explains_itself(kubectl, running):
    running()
    described = kubectl("describe", "vmi", "vm1")
    assert "Phase:" in described and "Events:" in described
    assert "Capacity:" in kubectl("describe", "node", "node-1")
    assert "v1.36.0" in kubectl("version")


@needs_kubectl
def test_kubectl_creates_applies_patches_and_deletes(kubectl, machine, client):
    text = yaml.safe_dump(machine())
    assert "created" in kubectl("apply", "-f", "-", stdin=text)
    assert "unchanged" in kubectl("apply", "-f", "-", stdin=text)
    changed = machine()
    changed["metadata"]["labels"] = {"tier": "one"}
    assert "configured" in kubectl("apply", "-f", "-", stdin=yaml.safe_dump(changed))
    assert "serverside-applied" in kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=text)
    assert "patched" in kubectl("patch", "vm", "vm1", "--type", "merge", "-p", '{"metadata":{"labels":{"a":"b"}}}')
    assert "labeled" in kubectl("label", "vm", "vm1", "c=d")
    assert "unknown field" in kubectl(
        "create", "-f", "-", stdin=yaml.safe_dump({**machine("vm2"), "bogus": 1}), ok=False
    )
    assert "deleted" in kubectl("delete", "vm", "vm1", "--timeout", "20s")
    assert "NotFound" in kubectl("get", "vm", "vm1", ok=False)
    assert "doesn't have a resource type" in kubectl("get", "widgets", ok=False)


@needs_kubectl
def test_kubectl_waits_and_cordons(kubectl, running):
    running()
    assert "condition met" in kubectl("wait", "vm/vm1", "--for", "condition=Ready", "--timeout", "20s")
    assert "cordoned" in kubectl("cordon", "node-3")
    assert "SchedulingDisabled" in kubectl("get", "node", "node-3")
    assert "uncordoned" in kubectl("uncordon", "node-3")


def test_the_python_client_works_with_the_kubeconfig(client, claim):
    api = kubernetes_config.new_client_from_config(str(client.sim.kubeconfig))
    core, custom = kubernetes_client.CoreV1Api(api), kubernetes_client.CustomObjectsApi(api)
    assert len(core.list_node().items) >= 4
    core.create_namespaced_persistent_volume_claim(client.namespace, claim())
    for event in kubernetes_watch.Watch().stream(
        core.list_namespaced_persistent_volume_claim, client.namespace, timeout_seconds=10
    ):
        if event["object"].status.phase == "Bound":
            break
    assert custom.list_namespaced_custom_object("kubevirt.io", "v1", client.namespace, "virtualmachines")["items"] == []
    with pytest.raises(kubernetes_client.ApiException) as caught:
        core.read_namespaced_secret("none", client.namespace)
    assert caught.value.status == 404


@needs_kubectl
def test_kubectl_creates_what_it_sends_as_protobuf(kubectl, client):
    assert "created" in kubectl("create", "secret", "generic", "s", "--from-literal", "userdata=hello")
    assert client.read("secrets", "s")["data"] == {"userdata": "aGVsbG8="}
    assert "created" in kubectl("create", "configmap", "c", "--from-literal", "a=1")
    assert client.read("configmaps", "c")["data"] == {"a": "1"}
    assert "created" in kubectl("create", "quota", "q", "--hard", "requests.storage=5Gi")
    assert client.read("resourcequotas", "q")["spec"]["hard"] == {"requests.storage": "5Gi"}
    assert "created" in kubectl("create", "namespace", f"{client.namespace}-more")
    assert "deleted" in kubectl("delete", "namespace", f"{client.namespace}-more")


@needs_kubectl
def test_kubectl_drains_but_leaves_guests_to_whoever_moves_them(kubectl, running, client):
    running(evictionStrategy="External", nodeSelector={"kubernetes.io/hostname": "node-1"})
    drain = ("drain", "node-1", "--ignore-daemonsets", "--force", "--delete-emptydir-data", "--timeout", "4s")
    assert "Eviction triggered evacuation of VMI" in kubectl(*drain, ok=False)
    assert client.read("virtualmachineinstances", "vm1")["status"]["evacuationNodeName"] == "node-1"
    kubectl("uncordon", "node-1")
