"""Group [csi]: how keel-volume-csi reaches the cluster that holds the volumes, and how it makes them."""

from oslo_config import cfg

GROUP = "csi"
OPTIONS = [
    cfg.StrOpt("kubeconfig", help="Path of a kubeconfig file; unset means the service account of the pod."),
    cfg.StrOpt("context", help="Context of the kubeconfig; unset means its current one."),
    cfg.StrOpt("namespace", default="openkeel", help="Namespace of the PersistentVolumeClaims."),
    cfg.ListOpt("storage_classes", default=[], help="StorageClasses to offer as pools; empty means all of them."),
    cfg.StrOpt("snapshot_class", help="VolumeSnapshotClass; unset means the default one of the driver."),
    cfg.StrOpt(
        "group_snapshot_class",
        help="VolumeGroupSnapshotClass; unset means the default one of the driver, or its only one.",
    ),
    cfg.StrOpt(
        "access_mode",
        default="ReadWriteMany",
        choices=["ReadWriteMany", "ReadWriteOnce"],
        help="Access mode of claims. Live migration of servers needs ReadWriteMany; volumes of a multiattach type "
        "have it always.",
    ),
    cfg.IntOpt("provision_timeout", default=300, min=1, help="Seconds after which an unbound claim is an error."),
    cfg.IntOpt("import_timeout", default=3600, min=1, help="Seconds after which an image import is an error."),
    cfg.IntOpt(
        "extend_timeout", default=900, min=1, help="Seconds after which a claim that does not grow is an error."
    ),
    cfg.IntOpt(
        "delete_timeout",
        default=300,
        min=1,
        help="Seconds for which a deletion that the cluster does not take is tried again before it is an error.",
    ),
    cfg.IntOpt(
        "lost_request_age",
        default=60,
        min=1,
        help="Seconds after which a request that left no trace in the cluster counts as lost; counted from the start "
        "of the process at the earliest, so that what waits in the queue is heard first.",
    ),
    cfg.IntOpt(
        "backup_chunk_size",
        default=4,
        min=1,
        max=64,
        help="MiB of a volume that a backup hashes, compares with its parent and stores as one object.",
    ),
    cfg.FloatOpt("audit_interval", default=5.0, min=0.1, help="Seconds between two looks at all unfinished volumes."),
    cfg.IntOpt("import_attempts", default=3, min=1, help="Restarts of an importer after which an import is an error."),
    cfg.IntOpt("transfers", default=2, min=1, help="Streams of volume data (images, backups) at a time."),
    cfg.IntOpt(
        "transfer_timeout", default=21600, min=60, help="Seconds one stream of volume data out of the cluster may take."
    ),
    cfg.IntOpt(
        "transfer_attempts",
        default=3,
        min=1,
        help="Streams of volume data that may break before what they are for is an error.",
    ),
    cfg.StrOpt(
        "export_links",
        default="internal",
        choices=["internal", "external"],
        help="Which links of a VirtualMachineExport to read volumes from: internal works inside the cluster, external "
        "needs an Ingress or Route of KubeVirt's export proxy.",
    ),
    cfg.StrOpt("upload_proxy_url", help="URL of CDI's upload proxy; unset means the one that CDIConfig tells."),
    cfg.StrOpt("upload_proxy_cafile", help="Certificates to check the upload proxy with; unset means CDIConfig's."),
    cfg.IntOpt("workers", default=4, min=1, help="Threads that move volumes and snapshots on."),
]
