"""Links in answers: self, bookmark and next (nova 34.0.0 and cinder 29.0.0 http discovery, list_rules)."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode, urlsplit, urlunsplit


class Links:
    """Makes the links of one request.

    ``root`` is the URL of the service without a version, ``endpoint`` the version segment (``v2.1``). ``project`` is
    set when the links carry it. ``params`` are the query parameters of the request, repeated keys included.
    """

    def __init__(self, root: str, endpoint: str, project: str | None = None, params: Iterable[tuple[str, str]] = ()):
        self.root = root.rstrip("/")
        self.endpoint = endpoint
        self.project = project
        self._params = list(params)

    def own(self, *parts: str) -> str:
        """The ``self`` address of a path of segments."""
        return "/".join((self.root, self.endpoint, *self._tail(parts)))

    def bookmark(self, *parts: str) -> str:
        """The same without the version."""
        return "/".join((self.root, *self._tail(parts)))

    def pair(self, *parts: str) -> list[dict[str, str]]:
        """The ``links`` value nearly every resource has: self and bookmark."""
        return [{"rel": "self", "href": self.own(*parts)}, {"rel": "bookmark", "href": self.bookmark(*parts)}]

    def next(self, marker: str, *parts: str, by_name: bool = False) -> list[dict[str, str]]:
        """The ``<collection>_links`` value: the next page. The query is kept, of a repeated key its last value, and
        the marker comes last; usage reports order theirs by name (nova 34.0.0, recorded exchanges)."""
        params = {**{key: value for key, value in self._params if key != "marker"}, "marker": marker}
        pairs = sorted(params.items()) if by_name else list(params.items())
        return [{"rel": "next", "href": f"{self.own(*parts)}?{urlencode(pairs)}"}]

    def _tail(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        return (self.project, *parts) if self.project else parts


def with_prefix(url: str, prefix: str | None) -> str:
    """``url`` with scheme, host and leading path of an operator's prefix (compute_link_prefix, public_endpoint)."""
    if not prefix:
        return url
    old, new = urlsplit(url), urlsplit(prefix)
    return urlunsplit((new.scheme, new.netloc, new.path.rstrip("/") + old.path, old.query, old.fragment))
