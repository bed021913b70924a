"""Sections that the configuration files of several services have in common."""

from keel_dev.settings import PASSWORD, REGION, Settings

SERVICE_PROJECT = "service"


def database(settings: Settings, name: str) -> dict[str, object]:
    """An oslo.db section."""
    options: dict[str, object] = {"connection": settings.database_url(name)}
    if settings.uses_servers:
        options |= {"max_pool_size": 5, "max_overflow": 20}
    return options


def service_user(settings: Settings, name: str) -> dict[str, object]:
    """Password credentials of a service user, as keystoneauth reads them."""
    return {
        "auth_type": "password",
        "auth_url": settings.auth_url,
        "username": name,
        "password": PASSWORD,
        "project_name": SERVICE_PROJECT,
        "user_domain_name": "Default",
        "project_domain_name": "Default",
        "region_name": REGION,
    }


def authtoken(settings: Settings, name: str) -> dict[str, object]:
    """keystonemiddleware: validate the tokens of requests, take service tokens of the service role alone."""
    return service_user(settings, name) | {
        "www_authenticate_uri": settings.auth_url,
        "service_token_roles": "service",
        "service_token_roles_required": True,
    }


def sent_service_token(settings: Settings, name: str) -> dict[str, object]:
    """Requests on behalf of a user carry a service token as well."""
    return service_user(settings, name) | {"send_service_user_token": True}


def lock_path(settings: Settings, process: str) -> dict[str, object]:
    """oslo.concurrency's lock files."""
    return {"lock_path": settings.state_of(process) / "lock"}


def own(settings: Settings, health_port: int) -> dict[str, object]:
    """Our own group: on one machine nothing is slow, so what a killed process held is given up after a minute."""
    return {"health_port": health_port, "cluster": settings.prefix, "build_deadline": 60}
