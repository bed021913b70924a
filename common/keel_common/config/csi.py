"""Group [csi]: how keel-volume-csi reaches the cluster that holds the volumes."""

from oslo_config import cfg

GROUP = "csi"
OPTIONS = [
    cfg.StrOpt("kubeconfig", help="Path of a kubeconfig file; unset means the service account of the pod."),
    cfg.StrOpt("context", help="Context of the kubeconfig; unset means its current one."),
    cfg.StrOpt("namespace", default="openkeel", help="Namespace of the PersistentVolumeClaims."),
    cfg.StrOpt(
        "storage_class", help="StorageClass of volumes whose type names none; unset means the cluster's default."
    ),
]
