"""Group [kubevirt]: how keel-compute-kubevirt reaches the cluster that runs the servers."""

from oslo_config import cfg

GROUP = "kubevirt"
OPTIONS = [
    cfg.StrOpt("kubeconfig", help="Path of a kubeconfig file; unset means the service account of the pod."),
    cfg.StrOpt("context", help="Context of the kubeconfig; unset means its current one."),
    cfg.StrOpt("namespace", default="openkeel", help="Namespace of the VirtualMachines."),
    cfg.StrOpt(
        "node_selector",
        default="kubevirt.io/schedulable",
        help="Label selector of the Kubernetes nodes that are Nova hosts.",
    ),
    cfg.BoolOpt(
        "share_nodes",
        default=True,
        help="Share the nodes with the other replicas (members are known by Lease objects); off: every node is ours.",
    ),
    cfg.IntOpt("lease_seconds", default=15, min=3, help="Seconds after which a silent replica loses its nodes."),
    cfg.IntOpt("workers", default=64, min=1, help="Threads for builds and recoveries of one process."),
    cfg.IntOpt("conductor_timeout", default=300, min=1, help="Seconds to wait for a conductor at start."),
    cfg.StrOpt("storage_class", help="StorageClass of root, ephemeral and swap disks; unset: the cluster's default."),
    cfg.StrOpt(
        "local_disk_access_mode",
        choices=["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"],
        help="Access mode of these disks; unset: what CDI's StorageProfile of the class says.",
    ),
    cfg.StrOpt(
        "local_disk_volume_mode",
        choices=["Block", "Filesystem"],
        help="Volume mode of these disks; unset: what CDI's StorageProfile of the class says.",
    ),
    cfg.IntOpt(
        "disk_gb", default=0, min=0, help="GiB of local disks a node offers; 0: its allocatable ephemeral storage."
    ),
    cfg.IntOpt("import_timeout", default=1800, min=1, help="Seconds in which an image must be imported."),
    cfg.IntOpt("import_attempts", default=3, min=1, help="Restarts of the importer after which a build gives up."),
    cfg.StrOpt("image_ca_configmap", help="ConfigMap with the CA certificate of the image service, for the importer."),
    cfg.BoolOpt("verify_image_digest", default=True, help="Let the importer compare the image with its os_hash_value."),
    cfg.IntOpt("start_timeout", default=300, min=1, help="Seconds in which a guest must run after its start."),
    cfg.IntOpt("migration_timeout", default=3600, min=1, help="Seconds a live migration may take."),
    cfg.IntOpt("stop_margin", default=60, min=1, help="Seconds a stop may take beyond the guest's shutdown time."),
    cfg.IntOpt("attach_timeout", default=120, min=1, help="Seconds in which a guest must take or give up a device."),
    cfg.IntOpt("delete_timeout", default=120, min=1, help="Seconds in which deleted objects must leave the cluster."),
    cfg.IntOpt("lost_build_age", default=120, min=30, help="Seconds after which a build that nobody began is lost."),
    cfg.IntOpt(
        "sweep_interval", default=600, min=1, help="Seconds between searches for objects of servers that are gone."
    ),
    cfg.IntOpt("hypervisor_version", default=1009000, help="Version that hypervisors report (KubeVirt 1.9.0)."),
]
