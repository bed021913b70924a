"""Which processes a cloud has, and what their files say."""

import configparser
from pathlib import Path

import pytest

from keel_dev.cloud import Cloud, Mixture
from keel_dev.console import CloudError
from keel_dev.ini import render
from keel_dev.real_services import COUNTERPARTS
from keel_dev.services import expand, plan
from keel_dev.settings import Settings


def settings(tmp_path: Path, profile: str) -> Settings:
    return Settings(tmp_path, profile)


def parsed(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, default_section="no default section")
    parser.read_string(text)
    return parser


def ours(services) -> list[str]:
    return [service.name for service in services.values() if service.kind == "keel"]


def test_embedded_is_one_process_for_each_suite(tmp_path: Path) -> None:
    assert ours(plan(settings(tmp_path, "embedded"))) == ["keel-compute", "keel-volume"]


def test_services_has_conductor_scheduler_and_compute_twice(tmp_path: Path) -> None:
    names = ours(plan(settings(tmp_path, "services")))
    twice = ("keel-conductor", "keel-compute-scheduler", "keel-compute-kubevirt")
    assert all({f"{name}-1", f"{name}-2"} <= set(names) for name in twice)
    assert {"keel-compute-api", "keel-volume-api", "keel-volume-scheduler", "keel-volume-csi"} <= set(names)


def test_no_two_processes_listen_on_one_port(tmp_path: Path) -> None:
    for profile in ("embedded", "services"):
        ports = [port for service in plan(settings(tmp_path, profile)).values() for port in service.ports]
        assert len(ports) == len(set(ports))


@pytest.mark.parametrize("real", COUNTERPARTS)
def test_a_real_service_stands_in_the_place_of_ours(tmp_path: Path, real: str) -> None:
    services = plan(settings(tmp_path, "services"), real=[real])
    assert services[real].kind == "real"
    assert not [name for name in ours(services) if name.startswith(COUNTERPARTS[real])]


def test_services_of_two_releases_run_beside_each_other(tmp_path: Path) -> None:
    services = plan(settings(tmp_path, "services"), real=["nova-compute-33"], beside=["nova-compute"])
    assert not [name for name in services if name.startswith("keel-compute-kubevirt")]
    environments = {name: services[name].environment for name in ("nova-compute", "nova-compute-33")}
    assert environments == {"nova-compute": "reference", "nova-compute-33": "releases/nova-33"}
    hosts = {parsed(render(services[name].conf()))["DEFAULT"]["host"] for name in environments}
    assert hosts == set(environments)


def test_a_release_without_requirements_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CloudError, match="release 3 of nova"):
        plan(settings(tmp_path, "services"), beside=["nova-compute-3"])


@pytest.mark.parametrize(("place", "backend"), [("real", "csi"), ("beside", "files")])
def test_a_real_cinder_volume_has_the_name_of_the_backend_it_replaces_only(tmp_path: Path, place, backend) -> None:
    services = plan(settings(tmp_path, "services"), **{place: ["cinder-volume"]})
    conf = parsed(render(services["cinder-volume"].conf()))
    assert conf[conf["DEFAULT"]["enabled_backends"]]["volume_backend_name"] == backend


def test_a_real_service_beside_ours(tmp_path: Path) -> None:
    services = plan(settings(tmp_path, "services"), beside=["nova-compute"])
    assert {"nova-compute", "keel-compute-kubevirt-1"} <= set(services)


def test_real_services_need_a_bus(tmp_path: Path) -> None:
    with pytest.raises(CloudError, match="services"):
        plan(settings(tmp_path, "embedded"), real=["nova-conductor"])


def test_an_unknown_name_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(CloudError, match="nova-conductor"):
        plan(settings(tmp_path, "services"), real=["nova-conducter"])
    with pytest.raises(CloudError, match="keystone"):
        expand(plan(settings(tmp_path, "services")), ["keyston"])


def test_a_family_name_means_all_of_it(tmp_path: Path) -> None:
    services = plan(settings(tmp_path, "services"))
    assert expand(services, ["keel-conductor"]) == ["keel-conductor-1", "keel-conductor-2"]


def test_a_compute_service_is_told_of_no_database(tmp_path: Path) -> None:
    services = plan(settings(tmp_path, "services"))
    conf = parsed(render(services["keel-compute-kubevirt-1"].conf()))
    assert "database" not in conf and "api_database" not in conf
    assert conf["kubevirt"]["kubeconfig"].endswith("kubeconfig")


def test_files_are_those_of_the_services_themselves(tmp_path: Path) -> None:
    services = plan(settings(tmp_path, "services"))
    conf = parsed(render(services["keel-conductor-1"].conf()))
    assert conf["DEFAULT"]["transport_url"].startswith("rabbit://")
    assert conf["api_database"]["connection"].startswith("mysql+pymysql://")
    assert conf["DEFAULT"]["host"] == "keel-conductor-1"


def test_clouds_in_two_folders_share_no_names(tmp_path: Path) -> None:
    first, second = settings(tmp_path / "a", "services"), settings(tmp_path / "b", "services")
    assert first.prefix != second.prefix and first.database_url("cinder") != second.database_url("cinder")


def test_without_leaves_processes_out(tmp_path: Path) -> None:
    cloud = Cloud(settings(tmp_path, "services"), Mixture(without=("keel-volume", "kubesim")))
    assert "kubesim" not in cloud.services and not [name for name in cloud.services if name.startswith("keel-volume")]
