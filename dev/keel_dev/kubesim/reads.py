"""Get, list and watch."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from time import monotonic as _monotonic
from typing import Any

from . import errors
from .clock import Clock
from .kinds import Kind
from .selectors import field_match, label_match
from .store import Change, Object, Store


@dataclass(frozen=True)
class ListOptions:
    """The query of a list or watch; numbers are parsed, 400 for those that are none."""

    labels: str = ""
    fields: str = ""
    limit: int = 0
    continuation: str = ""
    version: str = ""
    match: str = ""
    timeout: float | None = None
    bookmarks: bool = False
    initial: bool = False

    @classmethod
    def of(cls, query: dict[str, str]) -> ListOptions:
        return cls(
            query.get("labelSelector", ""),
            query.get("fieldSelector", ""),
            int(_number(query, "limit") or 0),
            query.get("continue", ""),
            query.get("resourceVersion", ""),
            query.get("resourceVersionMatch", ""),
            _number(query, "timeoutSeconds"),
            query.get("allowWatchBookmarks") in ("true", "1"),
            query.get("sendInitialEvents") in ("true", "1"),
        )


def _number(query: dict[str, str], name: str) -> float | None:
    if not query.get(name):
        return None
    try:
        return int(query[name])
    except ValueError as error:
        text = f'strconv.ParseInt: parsing "{query[name]}": invalid syntax'
        raise errors.bad_request(f"invalid query parameter {name}: {text}") from error


def in_version(kind: Kind, obj: Object) -> Object:
    """An object as a served version shows it (the schemas of all versions are convertible by name alone)."""
    return obj if obj.get("apiVersion") == kind.api_version else {**obj, "apiVersion": kind.api_version}


class Reads:
    """The reading half of the API."""

    BOOKMARK_SECONDS = 60.0

    def __init__(self, store: Store, clock: Clock):
        self._store, self._clock = store, clock
        self._cut = 0
        self._closed = False
        self.watching = 0

    def get(self, kind: Kind, namespace: str, name: str) -> Object:
        found = self._store.get(kind.key, namespace, name)
        if found is None:
            raise errors.not_found(kind, name)
        return in_version(kind, found)

    def list(self, kind: Kind, namespace: str, options: ListOptions) -> dict[str, Any]:
        """A list object; pages of a limited list all show the version of the first page."""
        labels, fields = label_match(options.labels), field_match(kind, options.fields)
        selecting = bool(options.labels or options.fields)
        version, after = self._list_version(kind, options)
        found = self._store.list_at(kind.key, version, namespace)
        if found is None:
            raise self._gone(kind, options)
        found = [obj for obj in found if labels(obj) and fields(obj)]
        if after is not None:
            found = [obj for obj in found if _order(obj) > after]
        metadata: dict[str, Any] = {"resourceVersion": str(version)}
        if options.limit and len(found) > options.limit:
            metadata["continue"] = _token(version, _order(found[options.limit - 1]))
            if not selecting:
                metadata["remainingItemCount"] = len(found) - options.limit
            found = found[: options.limit]
        items = [_item(kind, obj) for obj in found]
        return {"kind": f"{kind.kind}List", "apiVersion": kind.api_version, "metadata": metadata, "items": items}

    def _list_version(self, kind: Kind, options: ListOptions) -> tuple[int, tuple[str, str] | None]:
        current = self._store.version
        if options.continuation:
            version, after = _parse_token(options.continuation)
            return (current if version < 0 else version), after
        asked = _version(options.version)
        if asked > current:
            raise errors.too_large_version(asked, current)
        if options.match == "Exact" and asked:
            return asked, None
        return current, None

    def _gone(self, kind: Kind, options: ListOptions) -> errors.StatusError:
        if options.continuation:
            _, after = _parse_token(options.continuation)
            text = (
                "The provided continue parameter is too old to display a consistent list result. You can "
                "start a new list "
                "without the continue parameter, or use the continue token in this response to retrieve "
                "the remainder of "
                "the results. Continuing with the provided token results in an inconsistent list - objects that were "
                "created, modified, or deleted between the time the first chunk was returned and now may "
                "show up in the "
                "list."
            )
            return errors.expired(text, _token(-1, after))
        return errors.expired("The resourceVersion for the provided list is too old.")

    # -- watch

    def watch(
        self, kind: Kind, namespace: str, options: ListOptions, name: str = ""
    ) -> Iterator[dict[str, Any] | None]:
        """Events until the time is up or the stream is cut; None is a sign of life without content.

        The generator is checked at once (selectors, version), events come as it is iterated.
        """
        fields = ",".join(filter(None, (options.fields, f"metadata.name={name}" if name else "")))
        labels, by_field = label_match(options.labels), field_match(kind, fields)
        try:
            start = _version(options.version)
        except errors.StatusError as error:
            raise errors.internal(error.message) from error

        def wanted(obj: Object | None) -> bool:
            if obj is None or (namespace and obj["metadata"].get("namespace") != namespace):
                return False
            return labels(obj) and by_field(obj)

        return self._stream(kind, options, start, wanted)

    def _stream(self, kind: Kind, options: ListOptions, version: int, wanted: Any) -> Iterator[dict[str, Any] | None]:
        cut = self._cut
        deadline = _Deadline(options.timeout if options.timeout is not None else 2400.0)
        bookmark = _Deadline(self.BOOKMARK_SECONDS)
        self.watching += 1
        try:
            if options.initial or version == 0:
                version = yield from self._initial(kind, options, wanted)
            while not self._closed and cut == self._cut:
                with self._store.lock:
                    current, changes = self._store.version, self._store.since(kind.key, version)
                if changes is None:
                    yield _too_old(version, self._store.oldest(kind.key))
                    return
                for change in changes:
                    event = _event(kind, change, wanted)
                    if event:
                        yield event
                version = max(version, current)
                if deadline.over() or bookmark.over():
                    if options.bookmarks:
                        yield self._bookmark(kind, version)
                    if deadline.over():
                        return
                    bookmark = _Deadline(self.BOOKMARK_SECONDS)
                if not changes:
                    self._store.wait(kind.key, version, min(deadline.left(), bookmark.left(), 5.0))
                    yield None
        finally:
            self.watching -= 1

    def _initial(self, kind: Kind, options: ListOptions, wanted: Any) -> Generator[Any, None, int]:
        with self._store.lock:
            version, present = self._store.version, self._store.list(kind.key)
        for obj in present:
            if wanted(obj):
                yield {"type": "ADDED", "object": in_version(kind, obj)}
        if options.initial and options.bookmarks:
            mark = self._bookmark(kind, version)
            mark["object"]["metadata"]["annotations"] = {"k8s.io/initial-events-end": "true"}
            yield mark
        return version

    def _bookmark(self, kind: Kind, version: int) -> dict[str, Any]:
        metadata = {"resourceVersion": str(version), "creationTimestamp": None}
        return {"type": "BOOKMARK", "object": {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}}

    def cut(self) -> int:
        """End every open watch between two events; returns how many there were."""
        self._cut += 1
        self._store.wake()
        return self.watching

    def close(self) -> None:
        self._closed = True
        self._store.wake()


class _Deadline:
    """Real seconds from now; watches live in the time of their clients, not in the cluster's."""

    def __init__(self, seconds: float):
        self._end = _monotonic() + seconds

    def left(self) -> float:
        return max(0.0, self._end - _monotonic())

    def over(self) -> bool:
        return _monotonic() >= self._end


def _version(text: str) -> int:
    if not text:
        return 0
    if not text.isdigit():
        raise errors.bad_request(f'strconv.ParseUint: parsing "{text}": invalid syntax')
    return int(text)


def _order(obj: Object) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


def _token(version: int, after: tuple[str, str] | None) -> str:
    content = json.dumps({"v": "meta.k8s.io/v1", "rv": version, "start": list(after or ("", ""))})
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def _parse_token(token: str) -> tuple[int, tuple[str, str]]:
    try:
        content = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(content["rv"]), (content["start"][0], content["start"][1])
    except (ValueError, KeyError, TypeError, IndexError, binascii.Error) as error:
        raise errors.bad_request(f"invalid continue token: {error}") from error


def _item(kind: Kind, obj: Object) -> Object:
    """Members of a list carry kind and apiVersion for custom types only."""
    if kind.custom:
        return in_version(kind, obj)
    return {key: value for key, value in obj.items() if key not in ("kind", "apiVersion")}


def _event(kind: Kind, change: Change, wanted: Any) -> dict[str, Any] | None:
    now, before = change.type != "DELETED" and wanted(change.object), wanted(change.before)
    if not now and not before:
        return None
    word = "MODIFIED" if now and before else ("ADDED" if now else "DELETED")
    return {"type": word, "object": in_version(kind, change.object)}


def _too_old(version: int, oldest: int) -> dict[str, Any]:
    return {"type": "ERROR", "object": errors.expired(f"too old resource version: {version} ({oldest})").body()}
