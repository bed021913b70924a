"""Group [kubevirt]: how keel-compute-kubevirt reaches the cluster that runs the servers."""

from oslo_config import cfg

GROUP = "kubevirt"
OPTIONS = [
    cfg.StrOpt("kubeconfig", help="Path of a kubeconfig file; unset means the service account of the pod."),
    cfg.StrOpt("context", help="Context of the kubeconfig; unset means its current one."),
    cfg.StrOpt("namespace", default="openkeel", help="Namespace of the VirtualMachines."),
]
