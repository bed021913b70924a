"""Options of the backup store: those of Cinder's posix and s3 drivers that OpenKeel follows, under their own names."""

from oslo_config import cfg

GROUP = "DEFAULT"
OPTIONS = [
    cfg.StrOpt("backup_posix_path", default="/var/lib/cinder/backup", help="Directory of the backups (driver posix)."),
    cfg.StrOpt("backup_container", help="Directory or key prefix of backups whose request names no container."),
    cfg.StrOpt("backup_s3_endpoint_url", help="URL of the S3 service; unset means that of AWS."),
    cfg.StrOpt("backup_s3_store_access_key", secret=True, help="Access key of the S3 service."),
    cfg.StrOpt("backup_s3_store_secret_key", secret=True, help="Secret key of the S3 service."),
    cfg.StrOpt("backup_s3_store_bucket", default="volumebackups", help="Bucket of the backups; it has to exist."),
    cfg.StrOpt("backup_s3_ca_cert_file", help="Certificates (PEM) to check the S3 service with."),
    cfg.BoolOpt("backup_s3_verify_ssl", default=True, help="Whether to check the certificate of the S3 service."),
    cfg.FloatOpt("backup_s3_timeout", default=60, min=1, help="Seconds to wait for an answer of the S3 service."),
    cfg.IntOpt("backup_s3_retry_max_attempts", default=4, min=0, help="Further tries of a request to the S3 service."),
]
