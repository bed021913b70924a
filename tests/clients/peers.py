"""The image and network services of a deployment over HTTP, as far as clients look into them on their own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from werkzeug.wrappers import Request, Response

from keel_common.clients.errors import ClientError


class ImageAndNetwork:
    """Answers from the objects that the compute suite uses: what a server's creation does there is seen here."""

    def __init__(self, clients: Any):
        self._clients = clients

    def image(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        """WSGI: the image API 2."""
        request = Request(environ)
        links = [{"rel": "self", "href": f"{request.host_url}v2/"}]
        if request.path in ("/", "/v2", "/v2/"):
            answer = _json({"versions": [{"id": "v2.17", "status": "CURRENT", "links": links}]})
        elif request.path == "/v2/images":
            found = self._clients.glance.list(None)
            answer = _json({"images": [each for each in found if _fits(each, request)], "schema": "/v2/schemas/images"})
        else:
            answer = self._one(r"/v2/images/([^/]+)", request, lambda key: self._clients.glance.show(None, key))
        return answer(environ, start_response)

    def network(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        """WSGI: the network API 2.0."""
        request = Request(environ)
        neutron = self._clients.neutron
        lists = {
            "networks": neutron.list_networks,
            "ports": neutron.list_ports,
            "subnets": neutron.list_subnets,
            "security-groups": neutron.list_security_groups,
            "floatingips": neutron.list_floating_ips,
        }
        path = request.path.removesuffix(".json")
        kind = path.removeprefix("/v2.0/")
        links = [{"rel": "self", "href": f"{request.host_url}v2.0/"}]
        if path in ("/", "/v2.0", "/v2.0/"):
            answer = _json({"versions": [{"id": "v2.0", "status": "CURRENT", "links": links}]})
        elif kind == "extensions":
            answer = _json({"extensions": [{"alias": name, "name": name} for name in sorted(neutron.extensions())]})
        elif kind in lists:
            found = [each for each in lists[kind]() if _fits(each, request)]
            answer = _json({kind.replace("-", "_"): found})
        else:
            answer = self._one(r"/v2.0/networks/([^/]+)", request, neutron.show_network, "network")
        return answer(environ, start_response)

    def _one(self, pattern: str, request: Request, show: Callable[[str], Any], name: str | None = None) -> Response:
        found = re.fullmatch(pattern, request.path.removesuffix(".json"))
        if found is None:
            return _json({"error": "not served here"}, 404)
        try:
            body = show(found.group(1))
        except ClientError as problem:
            return _json({"message": problem.message}, problem.status)
        return _json({name: body} if name else body)


def _fits(thing: dict[str, Any], request: Request) -> bool:
    plain = ("id", "name", "device_id", "network_id")
    return all(thing.get(key) in request.args.getlist(key) for key in plain if key in request.args)


def _json(body: Any, status: int = 200) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")
