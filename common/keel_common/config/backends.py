"""Backend sections of cinder.conf: `enabled_backends` names them, `[backend_defaults]` holds what they leave out."""

from typing import Any

from oslo_config import cfg

from keel_common.config.options import recorded

DEFAULTS_GROUP = "backend_defaults"
#: Recorded group of options that stand in a backend's section alone (backend_host).
SECTION_GROUP = "backend"


class BackendSection:
    """Reads an option of one backend: its section, else [backend_defaults], else the recorded default.

    Options that are no recorded backend options raise oslo.config's NoSuchOptError.
    Source: cinder 29.0.0 options, facts.
    """

    def __init__(self, conf: cfg.ConfigOpts, name: str) -> None:
        self.name = name
        self._conf = conf

    def __getattr__(self, option: str) -> Any:
        if option.startswith("_"):
            raise AttributeError(option)
        where = self._conf.get_location(option, self.name)
        own = where is not None and where.location.is_user_controlled
        if own or option not in self._conf[DEFAULTS_GROUP]:
            return self._conf[self.name][option]
        return self._conf[DEFAULTS_GROUP][option]


def backends(conf: cfg.ConfigOpts) -> list[BackendSection]:
    """One section per name of `enabled_backends`, in that order; empty when none is enabled."""
    names = conf.enabled_backends or []
    options = [option for group, option in recorded("cinder") if group in (DEFAULTS_GROUP, SECTION_GROUP)]
    for name in names:
        conf.register_opts(options, group=name)
    return [BackendSection(conf, name) for name in names]
