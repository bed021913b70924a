"""Configuration: an unchanged nova.conf or cinder.conf, with options of our own in groups of our own."""

from keel_common.config.backends import BackendSection, backends
from keel_common.config.effect import settings_without_effect, warn_without_effect
from keel_common.config.loader import load

__all__ = ["BackendSection", "backends", "load", "settings_without_effect", "warn_without_effect"]
