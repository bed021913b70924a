"""The simulated cluster as something to start and stop: in a test, or as a process of its own."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import Any

from . import certificates, quantity
from .admission import datavolumes, exports, machines, migrations
from .cluster import Cluster
from .control import Control
from .controllers.claims import Claims
from .controllers.collector import Collector, Namespaces
from .controllers.datavolumes import DataVolumes
from .controllers.exports import Exports
from .controllers.group_snapshots import GroupSnapshots
from .controllers.live_update import Updates
from .controllers.migrations import Migrations
from .controllers.nodes import Nodes
from .controllers.pods import Pods
from .controllers.populators import Populators
from .controllers.snapshots import Snapshots
from .controllers.vm import VirtualMachines
from .controllers.vmi import Instances
from .controllers.volumes import Volumes, content_key
from .downloads import Downloads
from .kinds import NAMESPACE, PVC, UPLOAD_TOKEN
from .seed import configure_cdi, plant
from .server import Server
from .subresources import GROUP, Subresources
from .subresources.lifecycle import Lifecycle
from .subresources.pods import PodCalls
from .subresources.volumes import VolumeCalls
from .uploads import Uploads

LOG = logging.getLogger(__name__)

CONTROLLERS = (
    Nodes,
    Pods,
    Claims,
    Volumes,
    Snapshots,
    GroupSnapshots,
    DataVolumes,
    Exports,
    VirtualMachines,
    Instances,
    Migrations,
    Updates,
    Collector,
    Namespaces,
)


class KubeSim:
    """A Kubernetes cluster with KubeVirt, CDI and a CSI driver, simulated in this process.

    ``speed`` virtual seconds pass in a real one (tests use 50 and more); ``seed`` makes uids and name suffixes
    repeatable; ``nodes`` counts for a new cluster only. Without ``state_dir`` everything is forgotten at stop.
    ``kubeconfig`` is where the admin's kubeconfig is written (default: in the state directory).
    """

    def __init__(
        self,
        state_dir: str | Path | None = None,
        port: int = 0,
        nodes: int = 4,
        kubeconfig: str | Path | None = None,
        speed: float = 1.0,
        seed: int | None = None,
        host: str = "127.0.0.1",
        namespace: str = "openstack",
    ):
        self._scratch = None if state_dir else tempfile.TemporaryDirectory(prefix="kubesim-")
        self.folder = Path(state_dir or self._scratch.name)  # type: ignore[union-attr]
        self.folder.mkdir(parents=True, exist_ok=True)
        self.kubeconfig = Path(kubeconfig or self.folder / "kubeconfig")
        self.namespace, self._host, self._nodes = namespace, host, nodes
        self.cluster = Cluster(self.folder / "objects.sqlite" if state_dir else None, seed, speed)
        self._populators = _furnish(self.cluster)
        certificate, key, self.token = certificates.ensure(self.folder, host)
        self.cluster.authority.add(self.token, "kubernetes-admin")
        self._server = Server(self.cluster.api, host, port, certificate, key)

    @property
    def url(self) -> str:
        return f"https://{self._host}:{self._server.port}"

    @property
    def ca_file(self) -> Path:
        return self.folder / "ca.crt"

    def start(self) -> KubeSim:
        """Bring the cluster up; the API answers when this returns."""
        if self.cluster.get(NAMESPACE, "", "default") is None:
            plant(self.cluster, self._nodes, self.namespace)
        ca = self.ca_file.read_bytes()
        self.cluster.address, self.cluster.ca = self.url, ca.decode()
        configure_cdi(self.cluster)
        certificates.write_kubeconfig(self.kubeconfig, self.url, ca, self.token, self.namespace)
        self.cluster.engine.start()
        self._server.start()
        LOG.info("cluster is up at %s, kubeconfig %s", self.url, self.kubeconfig)
        return self

    def stop(self) -> None:
        self.cluster.reads.close()
        self._server.stop()
        self.cluster.engine.stop()
        self._populators.close()
        self.cluster.contents.close()
        self.cluster.store.close()
        if self._scratch:
            self._scratch.cleanup()

    # -- the bytes of a claim that is bound, as its guest would see them

    def write(self, claim: str, offset: int, data: bytes, namespace: str = "") -> None:
        self.cluster.contents.write(self._content(claim, namespace)[0], offset, data)

    def read(self, claim: str, offset: int, length: int, namespace: str = "") -> bytes:
        return self.cluster.contents.read(self._content(claim, namespace)[0], offset, length)

    def checksum(self, claim: str, namespace: str = "") -> str:
        """sha256 of the whole disk."""
        return self.cluster.contents.checksum(*self._content(claim, namespace))

    def _content(self, claim: str, namespace: str) -> tuple[str, int]:
        found = self.cluster.get(PVC, namespace or self.namespace, claim)
        if found is None or not found["spec"].get("volumeName"):
            raise KeyError(f"no bound claim {claim}")
        return content_key(found["spec"]["volumeName"]), quantity.size(found["status"]["capacity"]["storage"])

    def __enter__(self) -> KubeSim:
        return self.start()

    def __exit__(self, *_: Any) -> None:
        self.stop()


def _furnish(cluster: Cluster) -> Populators:
    """Give a cluster its controllers, webhooks, subresources and control endpoint."""
    machines.register(cluster.admission, cluster.store, cluster.random)
    migrations.register(cluster.admission, cluster.store)
    datavolumes.register(cluster.admission, cluster.store)
    exports.register(cluster.admission, cluster)
    populators = Populators(cluster)
    cluster.engine.add(populators)
    for controller in CONTROLLERS:
        cluster.engine.add(controller(cluster))
    calls = {**Lifecycle(cluster).calls(), **VolumeCalls(cluster).calls()}
    cluster.api.groups[GROUP] = Subresources(cluster, calls)
    PodCalls(cluster).register()
    uploads = Uploads(cluster)
    cluster.api.creators[UPLOAD_TOKEN] = uploads.request_token
    cluster.api.outside["v1beta1"] = uploads.proxy
    cluster.api.outside["api/export.kubevirt.io"] = Downloads(cluster)
    cluster.api.outside["sim/v1"] = Control(cluster)
    return populators
