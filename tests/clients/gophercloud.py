"""Requests as gophercloud sends them: its headers, its microversions, its ways with nulls and empty strings.

gophercloud (terraform-provider-openstack, cloud-provider-openstack, cluster-api-provider-openstack) is written in Go;
here its exact HTTP is sent. It refuses an answer whose code is not among those it expects, so `expect` is strict.
"""

from __future__ import annotations

import json
from typing import Any

import requests

_COMPUTE, _VOLUME = "X-OpenStack-Nova-API-Version", "OpenStack-API-Version"
# What gophercloud takes for a success, by method.
_OK = {"GET": {200}, "POST": {201, 202}, "PUT": {201, 202}, "PATCH": {200, 202, 204}, "DELETE": {202, 204}}


class Answer(Exception):
    """An answer that was not expected; gophercloud makes an ErrUnexpectedResponseCode of it."""

    def __init__(self, status: int, text: str):
        super().__init__(f"{status}: {text}")
        self.status = status


class Gophercloud:
    """A service client of one endpoint with a microversion ("" sends none)."""

    def __init__(self, cloud: Any, kind: str, microversion: str = "", who: str = "demo"):
        self._url, self._kind, self._microversion = cloud.url(kind, who).rstrip("/") + "/", kind, microversion
        self._token = cloud.keystone.token(who)

    def at(self, microversion: str) -> Gophercloud:
        """The same client at another microversion."""
        made = object.__new__(Gophercloud)
        made.__dict__ = {**self.__dict__, "_microversion": microversion}
        return made

    def __call__(self, method: str, path: str, body: Any = None, expect: set[int] | None = None) -> Any:
        """The body of the answer, None when there is none; Answer when its code is not expected."""
        headers = {"User-Agent": "HashiCorp Terraform/1.9.0 gophercloud/v2.7.0", "Accept": "application/json"}
        headers |= {"X-Auth-Token": self._token, "Accept-Encoding": "gzip"}
        if self._microversion:
            kind = {"compute": "compute", "block-storage": "volume"}[self._kind]
            headers["OpenStack-API-Version"] = f"{kind} {self._microversion}"
            if kind == "compute":
                headers[_COMPUTE] = self._microversion
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body), "application/json"
        found = requests.request(method, self._url + path, data=data, headers=headers, timeout=30)
        if found.status_code not in (expect or _OK[method]):
            raise Answer(found.status_code, found.text)
        return found.json() if found.content else None

    def action(self, server: str, body: Any, expect: set[int] | None = None) -> Any:
        """An action of a server or volume ("servers/<id>")."""
        return self("POST", f"{server}/action", body, expect or {200, 202})

    def gone(self, path: str) -> bool:
        """Whether a thing answers 404, which is how a deletion ends."""
        try:
            self("GET", path)
        except Answer as answer:
            if answer.status == 404:
                return True
            raise
        return False
