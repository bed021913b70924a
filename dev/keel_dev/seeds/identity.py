"""Projects, people, service users and the catalog."""

from typing import Any

from keel_dev.client import connect
from keel_dev.settings import PASSWORD, REGION, Settings

ROLES = ("service", "manager", "member", "reader", "admin")
PROJECTS = ("admin", "service", "demo")
#: user -> (project, roles)
USERS = {
    "nova": ("service", ("service", "admin")),
    "placement": ("service", ("service", "admin")),
    "glance": ("service", ("service", "admin")),
    "neutron": ("service", ("service", "admin")),
    "cinder": ("service", ("service", "admin")),
    "demo": ("demo", ("member",)),
    "reader": ("demo", ("reader",)),
}


def seed(settings: Settings) -> None:
    """Create what is missing; endpoints follow a changed port offset."""
    cloud = connect(settings)
    identity = cloud.identity
    projects = {project.name: project for project in identity.projects()}
    roles = {role.name: role for role in identity.roles()}
    users = {user.name: user for user in identity.users()}
    for name in PROJECTS:
        projects.setdefault(name, None)
        projects[name] = projects[name] or identity.create_project(name=name, domain_id="default")
    for name in ROLES:
        roles[name] = roles.get(name) or identity.create_role(name=name)
    for name, (project, role_names) in USERS.items():
        if name in users:
            continue
        user = identity.create_user(name=name, password=PASSWORD, domain_id="default")
        for role in role_names:
            identity.assign_project_role_to_user(projects[project], user, roles[role])
    _seed_catalog(settings, cloud)


def _seed_catalog(settings: Settings, cloud: Any) -> None:
    identity = cloud.identity
    services = {service.type: service for service in identity.services()}
    endpoints = list(identity.endpoints())
    for kind, name, url in settings.endpoints:
        service = services.get(kind) or identity.create_service(type=kind, name=name)
        present = {endpoint.interface: endpoint for endpoint in endpoints if endpoint.service_id == service.id}
        for interface in ("public", "internal", "admin"):
            endpoint = present.get(interface)
            if endpoint is None:
                identity.create_endpoint(service_id=service.id, interface=interface, region_id=REGION, url=url)
            elif endpoint.url != url:
                identity.update_endpoint(endpoint, url=url)
