"""The process `keel-kubesim`."""

from __future__ import annotations

import argparse
import logging
import signal
import threading

from .sim import KubeSim


def main(argv: list[str] | None = None) -> int:
    """Run a simulated cluster until SIGTERM or SIGINT. Returns the exit code."""
    parser = argparse.ArgumentParser(
        "keel-kubesim", description="A simulated Kubernetes cluster with KubeVirt, CDI and CSI."
    )
    parser.add_argument("--state-dir", required=True, help="where objects, certificates and the token are kept")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=6443, help="0 takes a free port")
    parser.add_argument("--nodes", type=int, default=4, help="how many nodes a new cluster gets")
    parser.add_argument("--kubeconfig", help="where to write the kubeconfig (default: STATE_DIR/kubeconfig)")
    parser.add_argument(
        "--namespace", default="openstack", help="the namespace made for OpenKeel, and the kubeconfig's default"
    )
    parser.add_argument("--speed", type=float, default=1.0, help="virtual seconds that pass in a real one")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(argv)
    level = logging.DEBUG if options.verbose else logging.INFO
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    cluster = KubeSim(
        options.state_dir,
        options.port,
        options.nodes,
        options.kubeconfig,
        options.speed,
        host=options.host,
        namespace=options.namespace,
    )
    cluster.start()
    print(f"{cluster.url} {cluster.kubeconfig}", flush=True)
    ended.wait()
    cluster.stop()
    return 0
