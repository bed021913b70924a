"""Sessions and adapters of keystoneauth1, configured by Nova's and Cinder's own option groups.

Authentication options are read through the loader of the plugin that
``auth_type`` names, so every plugin and option name that works in an existing
nova.conf or cinder.conf works here.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

import orjson
from keystoneauth1 import exceptions as ks_errors
from keystoneauth1 import loading, service_token, session, token_endpoint
from oslo_config import cfg

from keel_common.clients import errors

RETRY_AFTER = 0.5
"""Seconds before a request that found no connection is sent again."""

PROJECT = "%(project_id)s"
"""Where the URL of a peer has a project."""


@dataclass(frozen=True)
class Peer:
    """How one peer is found: option group, catalog types and defaults (nova 34.0.0 conf, cinder 29.0.0 conf)."""

    name: str
    group: str
    service_types: tuple[str, ...]
    auth_groups: tuple[str, ...]
    catalog_option: str | None = None
    urls_option: str | None = None
    microversion_service: str | None = None


#: (suite, peer) -> where its options stand. ``auth_groups``: the first with an auth_type is used.
PEERS = {
    ("compute", "placement"): Peer("placement", "placement", ("placement",), ("placement",)),
    ("compute", "neutron"): Peer("neutron", "neutron", ("network",), ("neutron",)),
    ("compute", "glance"): Peer("glance", "glance", ("image",), ("service_user", "cinder"), urls_option="api_servers"),
    ("compute", "cinder"): Peer(
        "cinder", "cinder", ("block-storage", "volumev3"), ("cinder", "service_user"), "catalog_info"
    ),
    ("compute", "manila"): Peer("manila", "manila", ("shared-file-system", "sharev2"), ("manila", "service_user")),
    ("compute", "keystone"): Peer("keystone", "keystone", ("identity",), ("keystone", "keystone_authtoken")),
    ("volume", "glance"): Peer(
        "glance", "DEFAULT", ("image",), ("service_user", "nova"), "glance_catalog_info", "glance_api_servers"
    ),
    ("volume", "nova"): Peer("nova", "nova", ("compute",), ("nova", "service_user")),
    ("volume", "keystone"): Peer("keystone", "keystone_authtoken", ("identity",), ("keystone_authtoken",)),
}


class Sessions:
    """Adapters of all peers of one suite."""

    def __init__(self, conf: cfg.ConfigOpts, suite: str):
        self._conf = conf
        self._suite = suite

    def service(self, name: str) -> Service:
        """The adapter of one peer; KeyError when this suite never calls it."""
        return Service(self._conf, PEERS[self._suite, name])


class Service:
    """Requests to one peer, as a user (token of the context, with our service token) or as our service user."""

    def __init__(self, conf: cfg.ConfigOpts, peer: Peer):
        self._conf = conf
        self._peer = peer
        self._lock = Lock()
        self._made: _Made | None = None

    @property
    def name(self) -> str:
        """The peer's name, for messages."""
        return self._peer.name

    def request(
        self,
        method: str,
        path: str,
        *,
        context: Any = None,
        json: Any = None,
        data: Any = None,
        microversion: str | None = None,
        headers: Mapping[str, str] | None = None,
        stream: bool = False,
    ) -> Any:
        """One request; the response of requests when its status is below 400.

        ``context`` None means as our service user. Raises ClientError (by
        status) or Unreachable.
        """
        made = self._ready()
        sent = {"Accept": "application/json", **(headers or {})}
        if json is not None:
            data, sent["Content-Type"] = orjson.dumps(json), "application/json"
        if microversion:
            sent.update(_version_headers(self._peer, microversion))
        request_id = getattr(context, "global_request_id", None) or getattr(context, "request_id", None)
        if request_id:
            sent["X-OpenStack-Request-ID"] = request_id
        url = made.endpoint(context) + path
        response = self._send(made, url, method, auth=made.asker(context), data=data, headers=sent, stream=stream)
        if response.status_code >= 400:
            raise errors.from_status(response.status_code, _message(response), self.name)
        return response

    def _send(self, made: _Made, url: str, method: str, **how: Any) -> Any:
        """Send, again when there was no connection. What timed out is not sent again: it may have been done."""
        left = made.connect_retries
        while True:
            try:
                return made.session.request(
                    url,
                    method,
                    authenticated=True,
                    raise_exc=False,
                    redirect=False,
                    status_code_retries=made.status_code_retries,
                    **how,
                )
            except ks_errors.ConnectFailure as problem:
                if not left:
                    raise errors.Unreachable(0, str(problem), self.name) from problem
                left -= 1
                time.sleep(RETRY_AFTER)
            except ks_errors.ClientException as problem:
                raise errors.Unreachable(0, str(problem), self.name) from problem

    def json(self, method: str, path: str, **kwargs: Any) -> Any:
        """One request whose answer is JSON; None for an empty answer."""
        response = self.request(method, path, **kwargs)
        return orjson.loads(response.content) if response.content else None

    def endpoint(self) -> str:
        """Base URL of the peer, without a slash at its end."""
        return self._ready().endpoint()

    def has_credentials(self) -> bool:
        """Whether the configuration names any for this peer."""
        return _auth_section(self._conf, self._peer) is not None

    def newest_version(self) -> str:
        """The highest microversion in the list of versions at the root of the peer, which needs no token.

        Raises Unreachable, also when there is no such list.
        """
        try:
            made = self._ready()
            root = re.split(r"/v\d+(?:\.\d+)?(?:/|$)", made.endpoint())[0] + "/"
            answer = made.session.get(root, authenticated=False, raise_exc=False, redirect=False)
        except ks_errors.ClientException as problem:
            raise errors.Unreachable(0, str(problem), self.name) from problem
        try:
            listed = orjson.loads(answer.content)["versions"]
            offered = filter(None, (one.get("max_version") or one.get("version") for one in listed))
            return max(offered, key=lambda version: [int(part) for part in version.split(".")])
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as problem:
            raise errors.Unreachable(0, f"{root} has no list of versions", self.name) from problem

    def token(self) -> str:
        """A token of our service user, for a third party that must fetch something (CDI from Glance)."""
        made = self._ready()
        try:
            token = made.session.get_token(auth=made.auth)
        except ks_errors.ClientException as problem:
            raise errors.Unreachable(0, str(problem), self.name) from problem
        if token is None:
            raise errors.Unreachable(0, "our credentials give no token", self.name)
        return token

    def _ready(self) -> _Made:
        with self._lock:
            if self._made is None:
                self._made = _Made(self._conf, self._peer)
            return self._made


class _Made:
    """Session, credentials and endpoint of a peer, made once."""

    def __init__(self, conf: cfg.ConfigOpts, peer: Peer):
        self._conf = conf
        self._peer = peer
        self.auth = _auth(conf, peer)
        group = conf[peer.group] if peer.group != "DEFAULT" else conf
        self.session = session.Session(
            verify=_verify(group),
            cert=(group.certfile, group.keyfile) if _get(group, "certfile") and _get(group, "keyfile") else None,
            timeout=_get(group, "timeout") or conf.keel.peer_timeout,
        )
        self.connect_retries = _get(group, "connect_retries") or 1
        self.status_code_retries = _get(group, "status_code_retries") or 0
        self._endpoint: str | None = None

    def endpoint(self, context: Any = None) -> str:
        """The peer's URL for who asks. A catalog may have put a project into it, and a peer refuses any other project
        than that of the token (cinder 29.0.0)."""
        if self._endpoint is None:
            self._endpoint = self._find_endpoint().rstrip("/").replace("%(tenant_id)s", PROJECT)
        if PROJECT not in self._endpoint:
            return self._endpoint
        asker = context.project_id if _asks_itself(context) else self.session.get_project_id(auth=self.auth)
        return self._endpoint.replace(PROJECT, asker or "").rstrip("/")

    def asker(self, context: Any) -> Any:
        """The caller's token, else our service user's; with our own beside it, so that a long operation outlives the
        token's expiry, and because Cinder lets nobody but a service take a volume from a server (cinder 29.0.0).
        """
        user = self.auth
        if _asks_itself(context):
            user = token_endpoint.Token(self.endpoint(context), context.auth_token)
        if not _get(self._conf.service_user, "send_service_user_token"):
            return user
        return service_token.ServiceTokenAuthWrapper(user_auth=user, service_auth=self.auth)

    def _find_endpoint(self) -> str:
        group = self._conf[self._peer.group] if self._peer.group != "DEFAULT" else self._conf
        if self._peer.urls_option and getattr(group, self._peer.urls_option):
            return getattr(group, self._peer.urls_option)[0]
        if _get(group, "endpoint_override"):
            return group.endpoint_override
        if _get(group, "endpoint_template"):
            return group.endpoint_template
        types, interfaces = _catalog_wishes(group, self._peer)
        region = _get(group, "region_name") or _get(group, "os_region_name")
        for wanted in types:
            for interface in interfaces:
                try:
                    url = self.session.get_endpoint(
                        auth=self.auth, service_type=wanted, interface=interface, region_name=region
                    )
                except ks_errors.ClientException as problem:
                    raise errors.Unreachable(0, str(problem), self._peer.name) from problem
                if url:
                    own = self.session.get_project_id(auth=self.auth)
                    return url.replace(own, PROJECT) if own else url
        raise errors.Unreachable(0, f"the catalog has no endpoint of type {' or '.join(types)}", self._peer.name)


def _asks_itself(context: Any) -> bool:
    """Whether a request goes out with the token of the user."""
    return context is not None and bool(context.auth_token)


def _catalog_wishes(group: Any, peer: Peer) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Service types and interfaces to look for, the preferred first."""
    interfaces = tuple(_get(group, "valid_interfaces") or ("internal", "public"))
    types = peer.service_types
    if peer.catalog_option:
        info = (getattr(group, peer.catalog_option) or "").split(":")
        if len(info) == 3:
            types = (info[0], *(kind for kind in types if kind != info[0]))
            interfaces = (info[2].removesuffix("URL"),)
    if _get(group, "interface"):
        interfaces = (group.interface.removesuffix("URL"),)
    return types, interfaces


def _auth(conf: cfg.ConfigOpts, peer: Peer) -> Any:
    """Credentials from the first auth group that has an auth_type."""
    name = _auth_section(conf, peer)
    if name is None:
        raise errors.Unreachable(0, f"no auth_type in {' or '.join(f'[{g}]' for g in peer.auth_groups)}", peer.name)
    loader: Any = loading.get_plugin_loader(_option(conf, name, "auth_type"))
    return loader.load_from_options_getter(functools.partial(_plugin_value, conf, name))


def _auth_section(conf: cfg.ConfigOpts, peer: Peer) -> str | None:
    """The section with the credentials; None when no group of the peer has an auth_type."""
    for name in peer.auth_groups:
        if name not in conf:
            continue
        name = _option(conf, name, "auth_section") or name
        if _option(conf, name, "auth_type"):
            return name
    return None


def _plugin_value(conf: cfg.ConfigOpts, section: str, opt: Any) -> Any:
    for name in (opt.dest, *(old.dest for old in opt.deprecated)):
        value = _option(conf, section, name)
        if value is not None:
            return value
    return opt.default


def _option(conf: cfg.ConfigOpts, section: str, name: str) -> Any:
    """An option that may not be declared yet: plugins bring their own."""
    try:
        return conf[section][name]
    except cfg.NoSuchOptError:
        conf.register_opt(cfg.StrOpt(name, secret="password" in name), group=section)
        return conf[section][name]


def _get(group: Any, name: str) -> Any:
    try:
        return getattr(group, name)
    except (cfg.NoSuchOptError, AttributeError):
        return None


def _verify(group: Any) -> Any:
    return False if _get(group, "insecure") else (_get(group, "cafile") or True)


def _version_headers(peer: Peer, version: str) -> dict[str, str]:
    kind = {"cinder": "volume", "nova": "compute", "manila": "shared-file-system"}.get(peer.name, peer.name)
    found = {"OpenStack-API-Version": f"{kind} {version}"}
    return {**found, "X-OpenStack-Manila-API-Version": version} if peer.name == "manila" else found


def _message(response: Any) -> str:
    """The peer's own words: the text in its fault body, whatever the shape; the status line otherwise."""
    try:
        body = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return response.reason or response.text[:200]
    return _text_of(body) or response.reason


def _text_of(body: Any) -> str:
    if isinstance(body, dict):
        if "errors" in body and body["errors"]:
            first = body["errors"][0]
            return first.get("detail") or first.get("title") or ""
        for key in ("message", "detail"):
            if isinstance(body.get(key), str):
                return body[key]
        for value in body.values():
            found = _text_of(value)
            if found:
                return found
    return body if isinstance(body, str) else ""
