"""Reads nova.conf or cinder.conf with every recorded option registered."""

import sys

from oslo_config import cfg
from oslo_log import log

from keel_common.config import backup, csi, keel, kubevirt
from keel_common.config.options import recorded

PROJECTS = {"compute": "nova", "volume": "cinder"}
OWN = {"compute": (keel, kubevirt), "volume": (keel, csi, backup)}


def load(
    suite: str, argv: list[str] | None = None, config_files: list[str] | None = None, prog: str | None = None
) -> cfg.ConfigOpts:
    """The configuration of one process.

    `suite` is `compute` (nova.conf) or `volume` (cinder.conf). `argv` None means the arguments of this process, or
    none at all when `config_files` are given. Understands --config-file, --config-dir and oslo.log's arguments; without
    either the files of oslo.config's own search (~/.nova/, ~/, /etc/nova/, /etc/; nova.conf and `prog`.conf).
    Options of libraries that are used here (oslo.log, oslo.messaging, oslo.policy, keystonemiddleware) are registered
    by those libraries; every other recorded option by the rows in `data/`. Raises oslo.config's errors for bad values.
    """
    project = PROJECTS[suite]
    conf = cfg.ConfigOpts()
    for group, option in recorded(project):
        conf.register_opt(option, group=None if group == "DEFAULT" else group)
    for own in OWN[suite]:
        conf.register_opts(own.OPTIONS, group=None if own.GROUP == "DEFAULT" else own.GROUP)
    log.register_options(conf)
    if argv is None:
        argv = [] if config_files else sys.argv[1:]
    conf(argv, project=project, prog=prog or project, default_config_files=config_files)
    return conf
