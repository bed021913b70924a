"""Tells the operator which settings of an adopted nova.conf or cinder.conf do nothing here."""

import json
import logging
from importlib import resources

from oslo_config import cfg

LOG = logging.getLogger(__name__)


def settings_without_effect(conf: cfg.ConfigOpts) -> list[str]:
    """`group.option` of every recorded option that the operator has set and that nothing here reads.

    The list of such options is data: whole groups of hypervisors and machinery that OpenKeel has not, and
    single options.
    """
    known = json.loads(resources.files(__package__).joinpath("data/no_effect.json").read_text())
    single = {tuple(pair) for pair in known["options"]}
    found = []
    for group, names in _registered(conf):
        for name in names:
            if group not in known["groups"] and (group, name) not in single:
                continue
            where = conf.get_location(name, None if group == "DEFAULT" else group)
            if where is not None and where.location.is_user_controlled:
                found.append(f"{group}.{name}")
    return sorted(found)


def warn_without_effect(conf: cfg.ConfigOpts) -> None:
    """One warning a process that names every setting without effect; silent when there is none."""
    names = settings_without_effect(conf)
    if names:
        LOG.warning("These settings are known but have no effect in OpenKeel: %s", ", ".join(names))


def _registered(conf: cfg.ConfigOpts) -> list[tuple[str, list[str]]]:
    groups = [name for name in conf if isinstance(conf[name], cfg.ConfigOpts.GroupAttr)]
    return [("DEFAULT", [name for name in conf if name not in groups])] + [(g, list(conf[g])) for g in groups]
