"""A simulated Kubernetes cluster: the API over HTTPS, and what KubeVirt, CDI and a CSI driver do behind it.

It behaves as a real cluster is known to behave, refusals included, and takes its time. See docs/kubesim.md.
"""

from .sim import KubeSim

__all__ = ["KubeSim"]
