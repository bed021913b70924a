"""The chart renders into valid Kubernetes objects, one Deployment for every process we ship."""

import ast
import configparser
from pathlib import Path

import helm_python as helm
import kubernetes_validate
import pytest
import yaml

from keel_common import kube
from keel_common.kube import exports

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "openkeel"


@pytest.fixture(scope="module")
def render():
    with helm.Chart.load(CHART) as chart:

        def objects(values=None):
            texts = chart.render(values or {}, name="keel", namespace="cloud").values()
            return [item for text in texts for item in yaml.safe_load_all(text) if item]

        yield objects


def of_kind(objects, kind):
    return {item["metadata"]["name"]: item for item in objects if item["kind"] == kind}


def console_scripts():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    lines = setup["options.entry_points"]["console_scripts"].split("\n")
    return {line.partition("=")[0].strip() for line in lines if line.strip()}


def test_every_object_is_valid(render):
    for item in render():
        kubernetes_validate.validate(item, "1.34", strict=True)


def test_a_deployment_for_every_service_process(render):
    commands = {
        item["spec"]["template"]["spec"]["containers"][0]["command"][0]
        for item in of_kind(render(), "Deployment").values()
    }
    tools = {"keel-manage", "keel-status", "keel-contract", "keel-cloud", "keel-kubesim"}
    assert commands == console_scripts() - tools


def test_pods_are_locked_down_and_probed(render):
    for item in of_kind(render(), "Deployment").values():
        pod = item["spec"]["template"]["spec"]
        container = pod["containers"][0]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["livenessProbe"]["httpGet"]["path"] == "/livez"
        assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_only_processes_that_use_the_cluster_get_a_token(render):
    with_token = {
        name
        for name, item in of_kind(render(), "Deployment").items()
        if item["spec"]["template"]["spec"]["automountServiceAccountToken"]
    }
    assert with_token == {"keel-compute-kubevirt", "keel-volume-csi", "keel-volume-backup"}


def test_backups_lie_on_a_claim_when_one_is_named(render):
    def mounts(values):
        pod = of_kind(render(values), "Deployment")["keel-volume-backup"]["spec"]["template"]["spec"]
        return {mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}

    assert "/var/lib/cinder/backup" not in mounts({})
    assert "/var/lib/cinder/backup" in mounts({"processes": {"volume-backup": {"store": "backups", "replicas": 1}}})


def kinds_used(package):
    """Every kind of object that a service imports the name of, and those that reading a claim needs."""
    found = set()
    for path in (ROOT / "services" / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "keel_common.kube":
                named = [getattr(kube, item.name) for item in node.names]
                found |= {one for one in named if isinstance(one, kube.Kind)}
                found |= {kind for one in named if one is exports for kind in exports.KINDS}
    return found


@pytest.mark.parametrize(
    ("package", "process"), [("compute-kubevirt", "compute-kubevirt"), ("volume-csi", "volume-csi")]
)
def test_a_process_may_reach_every_kind_of_object_that_it_uses(render, package, process):
    objects = render()
    rules = [*of_kind(objects, "Role")[f"keel-{process}"]["rules"]]
    rules += of_kind(objects, "ClusterRole")[f"cloud-keel-{process}"]["rules"]
    granted = {(group, resource) for rule in rules for group in rule["apiGroups"] for resource in rule["resources"]}
    assert {(kind.group, kind.plural) for kind in kinds_used(package)} - granted == set()


def test_nobody_may_read_secrets_of_the_whole_cluster(render):
    for role in of_kind(render(), "ClusterRole").values():
        for rule in role["rules"]:
            assert "secrets" not in rule["resources"]
            assert not set(rule["verbs"]) - {"get", "list", "watch"}


def test_replicas_follow_the_values_and_one_replica_needs_no_budget(render):
    objects = render({"processes": {"conductor": {"replicas": 5}, "volume-api": {"replicas": 1}}})
    assert of_kind(objects, "Deployment")["keel-conductor"]["spec"]["replicas"] == 5
    budgets = of_kind(objects, "PodDisruptionBudget")
    assert "keel-conductor" in budgets
    assert "keel-volume-api" not in budgets


@pytest.mark.parametrize(
    "values",
    [
        {"imagee": {}},
        {"processes": {"conductor": {"replicas": -1}}},
        {"processes": {"conductor": {"suite": "network"}}},
        {"processes": {"conductor": {"replica": 3}}},
        {"healthPort": 80},
    ],
)
def test_a_typo_in_the_values_is_refused(values, render):
    with pytest.raises(helm.HelmError):
        render(values)
