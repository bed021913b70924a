"""The wire to the API server: kubeconfig or in-cluster credentials, one connection pool, bounded retries.

The kubernetes package gives what is hard to get right (credentials of every kind, token refresh, TLS); its generated
models and its deserialisation are not used, bodies are plain dicts by orjson.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import orjson
import tenacity
import urllib3
from kubernetes.client import ApiClient, Configuration
from kubernetes.config import load_incluster_config, load_kube_config

from keel_common.kube.errors import KubeError, TooManyRequests, Unreachable, from_response

LOG = logging.getLogger(__name__)

MAX_RETRY_WAIT = 10.0
"""Seconds: the longest pause between two attempts, also when Retry-After asks for more."""

_REPEATABLE_CODES = (500, 502, 503, 504)


def _never_processed(error: KubeError) -> bool:
    """True when the request cannot have had an effect, so that even a create may be sent again."""
    if isinstance(error, TooManyRequests):
        # An eviction that a webhook refuses is 429 without the throttling reason: asking again at once is no use.
        return error.reason == "TooManyRequests" or error.retry_after is not None
    if isinstance(error, Unreachable):
        return error.reason == "NotConnected"
    return error.code == 503


def _may_repeat(error: BaseException, idempotent: bool) -> bool:
    if not isinstance(error, KubeError):
        return False
    if _never_processed(error):
        return True
    return idempotent and (isinstance(error, Unreachable) or error.code in _REPEATABLE_CODES)


def _pause(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = getattr(error, "retry_after", None)
    if asked is not None:
        return min(float(asked), MAX_RETRY_WAIT)
    return tenacity.wait_random_exponential(multiplier=0.2, max=MAX_RETRY_WAIT)(state)


class Connection:
    """One authenticated pool to one API server; thread safe.

    `kubeconfig` None or empty means: $KUBECONFIG when set, else the pod's service account. `timeout` is the seconds one
    answer may take. `attempts` bounds how often a request is sent in all.
    """

    def __init__(
        self,
        kubeconfig: str | None = None,
        context: str | None = None,
        timeout: float = 30.0,
        attempts: int = 8,
        pool_size: int = 32,
        user_agent: str = "openkeel",
    ) -> None:
        configuration = Configuration()
        kubeconfig = kubeconfig or os.environ.get("KUBECONFIG")
        if kubeconfig:
            load_kube_config(
                kubeconfig, context=context or None, client_configuration=configuration, persist_config=False
            )
        else:
            load_incluster_config(client_configuration=configuration)
        configuration.connection_pool_maxsize = pool_size
        configuration.retries = urllib3.Retry(0, redirect=0)
        configuration.keep_alive = True
        self._configuration = configuration
        self._pool = ApiClient(configuration).rest_client.pool_manager
        self._timeout = timeout
        self._attempts = attempts
        self._user_agent = user_agent

    @property
    def host(self) -> str:
        """Base URL of the API server."""
        return self._configuration.host

    def _headers(self, content_type: str | None) -> dict[str, str]:
        headers = {"accept": "application/json", "user-agent": self._user_agent}
        if content_type:
            headers["content-type"] = content_type
        # Asked for each request: the hook of the kubernetes package refreshes tokens that expire.
        settings: Any = self._configuration.auth_settings()
        for setting in settings.values():
            if setting["in"] == "header" and setting["value"]:
                headers[setting["key"]] = setting["value"]
        return headers

    def open(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        read_timeout: float | None = None,
    ) -> urllib3.BaseHTTPResponse:
        """Send once and return the open response (status below 400); the caller reads and releases it.

        Raises KubeError for an error answer, Unreachable when none came.
        """
        url = self.host + path
        if query:
            url += "?" + urlencode({key: value for key, value in query.items() if value is not None})
        data = None if body is None else orjson.dumps(body)
        try:
            response = self._pool.request(
                method,
                url,
                body=data,
                headers=self._headers(content_type if data is not None else None),
                timeout=urllib3.Timeout(connect=10.0, read=read_timeout or self._timeout),
                preload_content=False,
                retries=False,
            )
        except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError) as error:
            raise Unreachable(0, "NotConnected", f"{method} {path}: {error}") from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise Unreachable(0, "NoAnswer", f"{method} {path}: {error}") from error
        if response.status >= 400:
            raise from_response(
                response.status, self._read(response, method, path), response.headers.get("retry-after")
            )
        return response

    @staticmethod
    def _read(response: urllib3.BaseHTTPResponse, method: str, path: str) -> bytes:
        try:
            return response.read()
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise Unreachable(0, "NoAnswer", f"{method} {path}: {error}") from error
        finally:
            response.release_conn()

    def request(self, method: str, path: str, *, idempotent: bool, **kwargs: Any) -> bytes:
        """The body of the answer, after retries.

        429 with Retry-After, 503 and refused connections are always sent again; other 5xx and lost answers only when
        `idempotent` (kubernetes API conventions: a lost answer does not tell whether the write happened).
        """
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda error: _may_repeat(error, idempotent)),
            wait=_pause,
            stop=tenacity.stop_after_attempt(self._attempts),
            before_sleep=lambda state: LOG.info(
                "%s %s again: %s", method, path, state.outcome and state.outcome.exception()
            ),
            reraise=True,
        )
        return retrying(lambda: self._read(self.open(method, path, **kwargs), method, path))

    def close(self) -> None:
        """Close every idle connection of the pool."""
        self._pool.clear()
