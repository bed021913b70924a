"""Connections to the cloud through openstacksdk, for seeds and the main job."""

from typing import Any

import openstack
from openstack.config import OpenStackConfig

from keel_dev.settings import Settings


def connect(settings: Settings, cloud: str = "openkeel-admin") -> Any:
    """An openstack.connection.Connection as one of the people in clouds.yaml; nothing of the person's shell counts.

    Typed as Any because the SDK types each service as a union of all API versions that ever were.
    """
    config = OpenStackConfig(config_files=[str(settings.clouds_yaml)], load_envvars=False)
    return openstack.connection.Connection(config=config.get_one(cloud))
