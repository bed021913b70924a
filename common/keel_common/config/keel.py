"""Group [keel]: options of ours that every process has."""

from oslo_config import cfg

GROUP = "keel"
OPTIONS = [
    cfg.IntOpt(
        "build_deadline",
        default=600,
        min=1,
        help="Seconds after which a server that no conductor handed to a host goes to ERROR.",
    ),
    cfg.HostAddressOpt("health_listen", default="127.0.0.1", help="Address of /livez, /readyz and /metrics."),
    cfg.PortOpt("health_port", default=0, help="Port of /livez, /readyz and /metrics; 0 switches them off."),
    cfg.IntOpt(
        "peer_timeout",
        default=60,
        min=1,
        help="Seconds without an answer of another service (where its group sets no timeout) after which it is away.",
    ),
    cfg.StrOpt("cluster", default="openkeel", help="Name of this deployment; written as a label on what it creates."),
]
