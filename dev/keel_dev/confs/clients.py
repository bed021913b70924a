"""clouds.yaml: one cloud for each seeded person."""

import yaml

from keel_dev.settings import PASSWORD, REGION, Settings

#: cloud -> (user, project)
PEOPLE = {"openkeel-admin": ("admin", "admin"), "openkeel": ("demo", "demo"), "openkeel-reader": ("reader", "demo")}


def clouds_yaml(settings: Settings) -> str:
    """The text of the client configuration file."""
    clouds = {}
    for cloud, (user, project) in PEOPLE.items():
        auth = {
            "auth_url": settings.auth_url,
            "username": user,
            "password": PASSWORD,
            "project_name": project,
            "user_domain_name": "Default",
            "project_domain_name": "Default",
        }
        clouds[cloud] = {
            "auth": auth,
            "region_name": REGION,
            "identity_api_version": "3",
            "volume_api_version": "3",
            "block_storage_api_version": "3",
        }
    return yaml.safe_dump({"clouds": clouds}, sort_keys=False)
