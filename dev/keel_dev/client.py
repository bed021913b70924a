"""Connections to the cloud through openstacksdk, for seeds and the main job."""

import openstack
from openstack.config import OpenStackConfig

from keel_dev.settings import Settings


def connect(settings: Settings, cloud: str = "openkeel-admin") -> openstack.connection.Connection:
    """A connection as one of the people in clouds.yaml; nothing of the person's shell counts."""
    config = OpenStackConfig(config_files=[str(settings.clouds_yaml)], load_envvars=False)
    return openstack.connection.Connection(config=config.get_one(cloud))
