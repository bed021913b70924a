"""A Keystone over HTTP: password and token authentication, validation, a catalog, projects, and unified limits.

    keystone = FakeKeystone({"demo": Identity.MEMBER})       user name -> who that is; the password is the name
    keystone.endpoint("compute", "nova", "http://127.0.0.1:8774/v2.1")
    keystone.registered[("compute-id", "servers")] = 10      default limits; keystone.limits[(service, project, name)]

A `%(project_id)s` in an endpoint becomes the project of the token. Anything not served here answers 404.
"""

from __future__ import annotations

import itertools
import json
import re
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from werkzeug.wrappers import Request, Response

from fakes.api import Identity
from keel_common.runtime import WsgiServer

_DOMAIN = {"id": "default", "name": "Default"}
_FAR = "2099-01-01T00:00:00.000000Z"
_NOW = "2026-01-01T00:00:00.000000Z"
REGION = "RegionOne"


class FakeKeystone:
    """A part: `start`, `stop`; `url` once started. `asked` lists (method, path, query) of what was requested."""

    def __init__(self, users: Mapping[str, Identity]):
        self.users = dict(users)
        self.services: dict[str, dict[str, Any]] = {}
        self.registered: dict[tuple[str, str], int] = {}
        self.limits: dict[tuple[str, str, str], int] = {}
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self._tokens: dict[str, tuple[str, bool]] = {}
        self._numbers = itertools.count(1)
        self._server = WsgiServer(self._application, "127.0.0.1", 0, threads=4, name="keystone")

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop(time.monotonic() + 5)

    @property
    def url(self) -> str:
        """Without a version."""
        return f"http://127.0.0.1:{self._server.port}"

    def endpoint(self, kind: str, name: str, url: str) -> str:
        """Put a service into the catalog; the id of its endpoint."""
        found = {"id": f"{kind}-id", "type": kind, "name": name, "url": url, "endpoint": f"{kind}-endpoint"}
        self.services[kind] = found
        return found["endpoint"]

    def token(self, user: str, system: bool = False) -> str:
        """A token of a user, in the project it has."""
        made = f"token-{next(self._numbers)}-{uuid.uuid4().hex}"
        self._tokens[made] = (user, system)
        return made

    def _application(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        request = Request(environ)
        self.asked.append((request.method, request.path, request.args.to_dict()))
        return self._answer(request)(environ, start_response)

    def _answer(self, request: Request) -> Response:
        path = request.path.rstrip("/")
        if path in ("", "/v3"):
            return self._versions(path)
        if path == "/v3/auth/tokens":
            return self._issue(request) if request.method == "POST" else self._shown(request)
        if request.headers.get("X-Auth-Token") not in self._tokens:
            return _json({"error": {"code": 401, "message": "no such token", "title": "Unauthorized"}}, 401)
        for pattern, serve in _ROUTES:
            if found := re.fullmatch(pattern, path):
                return serve(self, request, *found.groups())
        return _missing()

    def _versions(self, path: str) -> Response:
        links = [{"rel": "self", "href": f"{self.url}/v3/"}]
        version = {"id": "v3.14", "status": "stable", "updated": _NOW, "links": links, "media-types": []}
        return _json({"version": version}) if path else _json({"versions": {"values": [version]}}, 300)

    # -- tokens

    def _issue(self, request: Request) -> Response:
        asked = request.get_json()["auth"]
        identity = asked["identity"]
        if "token" in identity["methods"]:
            user = self._tokens.get(identity["token"]["id"], ("", False))[0]
        else:
            given = identity["password"]["user"]
            user = given.get("name") or next((name for name, who in self.users.items() if who.user == given["id"]), "")
            user = user if given["password"] == user else ""
        if user not in self.users:
            return _json({"error": {"code": 401, "message": "wrong password", "title": "Unauthorized"}}, 401)
        token = self.token(user, "system" in asked.get("scope", {}))
        return _json({"token": self._body(token)}, 201, {"X-Subject-Token": token})

    def _shown(self, request: Request) -> Response:
        token = request.headers.get("X-Subject-Token", "")
        if token not in self._tokens:
            return _missing()
        return _json({"token": self._body(token)}, 200, {"X-Subject-Token": token})

    def _body(self, token: str) -> dict[str, Any]:
        user, system = self._tokens[token]
        who = self.users[user]
        body: dict[str, Any] = {"methods": ["password"], "expires_at": _FAR, "issued_at": _NOW, "audit_ids": ["a"]}
        body["user"] = {"id": who.user, "name": user, "domain": _DOMAIN, "password_expires_at": None}
        body["roles"] = [{"id": role, "name": role} for role in who.roles]
        body["is_domain"] = False
        body["catalog"] = [self._cataloged(each, who) for each in self.services.values()]
        if system:
            body["system"] = {"all": True}
        else:
            body["project"] = {"id": who.project, "name": f"{user}-project", "domain": _DOMAIN}
        return body

    def _cataloged(self, service: dict[str, Any], who: Identity) -> dict[str, Any]:
        url = service["url"].replace("%(project_id)s", who.project or "")
        endpoints = [
            {"id": service["endpoint"], "interface": interface, "url": url, "region": REGION, "region_id": REGION}
            for interface in ("public", "internal", "admin")
        ]
        return {"id": service["id"], "type": service["type"], "name": service["name"], "endpoints": endpoints}

    # -- resources

    def _projects(self, request: Request) -> Response:
        known = {who.project: self._project(who.project) for who in self.users.values() if who.project}
        found = [each for each in known.values() if request.args.get("name") in (None, each["name"])]
        return _json({"projects": found, "links": {}})

    def _project(self, project: str) -> dict[str, Any]:
        name = next((f"{user}-project" for user, who in self.users.items() if who.project == project), project)
        return {"id": project, "name": name, "domain_id": "default", "enabled": True, "parent_id": "default"}

    def _one_project(self, request: Request, project: str) -> Response:
        known = {who.project for who in self.users.values()}
        return _json({"project": self._project(project)}) if project in known else _missing()

    def _one_endpoint(self, request: Request, endpoint: str) -> Response:
        service = next((each for each in self.services.values() if each["endpoint"] == endpoint), None)
        if service is None:
            return _missing()
        found = {"id": endpoint, "service_id": service["id"], "region_id": REGION, "interface": "public"}
        return _json({"endpoint": {**found, "url": service["url"], "enabled": True}})

    def _registered(self, request: Request) -> Response:
        rows = [
            {"id": f"r-{name}", "service_id": service, "region_id": None, "resource_name": name, "default_limit": limit}
            for (service, name), limit in self.registered.items()
            if _asked(request, service_id=service, resource_name=name)
        ]
        return _json({"registered_limits": rows, "links": {}})

    def _limits(self, request: Request) -> Response:
        rows = [
            {"id": f"l-{name}", "service_id": service, "region_id": None, "resource_name": name, "project_id": project}
            | {"domain_id": None, "resource_limit": limit}
            for (service, project, name), limit in self.limits.items()
            if _asked(request, service_id=service, resource_name=name, project_id=project)
        ]
        return _json({"limits": rows, "links": {}})

    def _model(self, request: Request) -> Response:
        return _json({"model": {"name": "flat", "description": "No hierarchy."}})


def _asked(request: Request, **facts: str) -> bool:
    return all(request.args.get(name) in (None, value) for name, value in facts.items())


def _json(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(json.dumps(body), status, headers, content_type="application/json")


def _missing() -> Response:
    return _json({"error": {"code": 404, "message": "Could not find it.", "title": "Not Found"}}, 404)


_ROUTES: tuple[tuple[str, Callable[..., Response]], ...] = (
    ("/v3/projects", FakeKeystone._projects),
    ("/v3/auth/projects", FakeKeystone._projects),
    ("/v3/projects/([^/]+)", FakeKeystone._one_project),
    ("/v3/endpoints/([^/]+)", FakeKeystone._one_endpoint),
    ("/v3/registered_limits", FakeKeystone._registered),
    ("/v3/limits", FakeKeystone._limits),
    ("/v3/limits/model", FakeKeystone._model),
)
