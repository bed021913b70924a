"""From an HTTP request to an answer: authentication, injected failures, the path, the verb."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson
import yaml

from . import errors, patch, protobuf
from .authority import Authority, Identity
from .discovery import Discovery
from .kinds import NAMESPACE, Catalogue, Kind
from .knobs import Failure, Knobs
from .reads import ListOptions, Reads, in_version
from .server import Answer, Request
from .table import as_table
from .writer import Removal, Writer
from .writes import Writes

Extra = Callable[[Request, "Target"], Answer]


@dataclass(frozen=True)
class Target:
    """What a path names: a type, perhaps one object of it, perhaps a subresource."""

    kind: Kind
    namespace: str = ""
    name: str = ""
    sub: str = ""


class Api:
    """The whole API as one callable. ``outside`` answers paths that are no Kubernetes resources (by first segment).
    ``watchers`` are told of every request before it is answered.
    """

    def __init__(self, catalogue: Catalogue, reads: Reads, writes: Writes, knobs: Knobs, authority: Authority):
        self._catalogue, self._reads, self._writes, self._knobs = catalogue, reads, writes, knobs
        self._authority = authority
        self._discovery = Discovery(catalogue)
        self.outside: dict[str, Callable[[Request], Answer]] = {}
        self.groups: dict[str, Callable[[Request, list[str]], Answer]] = {}
        self.subresources: dict[tuple[str, str], Extra] = {}
        self.creators: dict[str, Extra] = {}
        self.watchers: list[Callable[[Request], None]] = []

    def __call__(self, request: Request) -> Answer:
        for told in self.watchers:
            told(request)
        try:
            return self._answer(request)
        except errors.StatusError as error:
            body: Any = error.text if error.text is not None else error.body()
            continuation = error.headers.pop("x-continue", "")
            if continuation:
                body["metadata"] = {"continue": continuation}
            return Answer(body, error.code, error.headers)

    def _answer(self, request: Request) -> Answer:
        segments = [part for part in request.path.split("/") if part]
        first = segments[0] if segments else ""
        if first in ("livez", "healthz", "readyz"):
            return Answer("ok")
        outside = self.outside.get("/".join(segments[:2])) or self.outside.get(first)
        if outside and first in ("v1beta1", "api"):
            return outside(request)  # the proxies of uploads and exports have tokens of their own
        who = self._authority.who(request.headers.get("Authorization"))
        if outside:
            return outside(request)
        document = self._discovery.document(segments, request.headers.get("Accept", ""))
        if document is not None:
            return Answer(document)
        if first == "apis" and len(segments) > 1 and segments[1] in self.groups:
            return self._grouped(request, segments, who)
        target = self._target(segments)
        self._before(request, target, who)
        return self._dispatch(request, target, who)

    def _grouped(self, request: Request, segments: list[str], who: Identity) -> Answer:
        """An aggregated API (virt-api's subresources): its own server, its own refusals."""
        if self._knobs.aggregated_api_down:
            raise errors.aggregated_api_down()
        names = segments[3:]
        in_namespace = len(names) >= 4 and names[0] == "namespaces"
        resource = "/".join(names[2:3] + names[4:]) if in_namespace else "/".join(names)
        place = (names[1], names[3]) if in_namespace else ("", "")
        self._strike(self._knobs.strike(request.method.lower(), resource, *place), None)
        return self.groups[segments[1]](request, segments)

    # -- the path

    def _target(self, segments: list[str]) -> Target:
        if segments[:2] == ["api", "v1"]:
            group, version, rest = "", "v1", segments[2:]
        elif segments[:1] == ["apis"] and len(segments) > 3:
            group, version, rest = segments[1], segments[2], segments[3:]
        else:
            raise errors.no_such_path()
        namespace = ""
        of_namespace = group == "" and rest[2:] in (["status"], ["finalize"])
        of_namespace = group == "" and rest[2:] in (["status"], ["finalize"])
        if (
            rest[0] == "namespaces"
            and len(rest) >= 3
            and not of_namespace
            and not of_namespace
            and (len(rest) > 3 or self._catalogue.at(group, version, rest[2]))
        ):
            namespace, rest = rest[1], rest[2:]
        kind = self._catalogue.at(group, version, rest[0]) if rest else None
        if kind is None or len(rest) > 3 or (namespace and not kind.namespaced):
            raise errors.no_such_path()
        target = Target(kind, namespace, rest[1] if len(rest) > 1 else "", rest[2] if len(rest) > 2 else "")
        if target.name and kind.namespaced and not namespace:
            raise errors.no_such_path()
        known = target.sub in ("", *kind.subresources) or (target.sub == "status" and kind.status)
        if not known and not (kind.key == NAMESPACE and target.sub == "finalize"):
            raise errors.no_such_path()
        return target

    def _before(self, request: Request, target: Target, who: Identity) -> None:
        verb = _verb(request, target)
        kind, resource = target.kind, f"{target.kind.plural}/{target.sub}" if target.sub else target.kind.plural
        if not who.may(verb, kind.group, resource, target.namespace):
            raise errors.forbidden_user(who.name, verb, kind, target.namespace, target.name)
        self._strike(self._knobs.strike(verb, resource, target.namespace, target.name), target)

    def _strike(self, rule: Failure | None, target: Target | None) -> None:
        if rule is None:
            return
        if rule.latency:
            time.sleep(rule.latency)
        match rule.code:
            case 0:
                return
            case 429:
                raise errors.throttled(rule.retry_after)
            case 409 if target:
                raise errors.conflict(target.kind, target.name)
            case 503:
                raise errors.StatusError(503, "ServiceUnavailable", rule.message or "apiserver is shutting down")
            case 504:
                raise errors.StatusError(
                    504, "Timeout", rule.message or "Timeout: request did not complete within allotted timeout"
                )
            case 403 if target:
                raise errors.forbidden(target.kind, target.name, rule.message or "denied by policy")
            case 500:
                raise errors.internal(rule.message or "etcdserver: request timed out")
        raise errors.StatusError(rule.code, None, rule.message)

    # -- the verbs

    def _dispatch(self, request: Request, target: Target, who: Identity) -> Answer:
        if target.sub and target.sub != "status" and (target.kind.key, target.sub) in self.subresources:
            return self.subresources[target.kind.key, target.sub](request, target)
        named = bool(target.name)
        match request.method:
            case "GET" | "HEAD" if named:
                return self._get(request, target)
            case "GET" | "HEAD":
                return self._list(request, target)
            case "POST" if not named and "create" in target.kind.verbs:
                return self._create(request, target, who)
            case "PUT" if named and "update" in target.kind.verbs:
                return self._replace(request, target, who)
            case "PATCH" if named and "patch" in target.kind.verbs:
                return self._patch(request, target, who)
            case "DELETE" if "delete" in target.kind.verbs and not target.sub:
                return self._delete(request, target, who) if named else self._delete_all(request, target, who)
        raise errors.method_not_allowed()

    def _get(self, request: Request, target: Target) -> Answer:
        if "get" not in target.kind.verbs:
            raise errors.method_not_allowed()
        if request.query.get("watch") in ("1", "true"):
            options = ListOptions.of(request.query)
            return Answer(events=self._reads.watch(target.kind, target.namespace, options, target.name))
        obj = self._reads.get(target.kind, target.namespace, target.name)
        if _wants_table(request):
            return Answer(as_table(target.kind, [obj], {"resourceVersion": obj["metadata"]["resourceVersion"]}))
        return Answer(obj)

    def _list(self, request: Request, target: Target) -> Answer:
        if "list" not in target.kind.verbs:
            raise errors.method_not_allowed()
        options = ListOptions.of(request.query)
        if request.query.get("watch") in ("1", "true"):
            return Answer(
                events=_tabled(request, target.kind, self._reads.watch(target.kind, target.namespace, options))
            )
        listed = self._reads.list(target.kind, target.namespace, options)
        if _wants_table(request):
            return Answer(as_table(target.kind, listed["items"], listed["metadata"]))
        return Answer(listed)

    def _create(self, request: Request, target: Target, who: Identity) -> Answer:
        special = self.creators.get(target.kind.key)
        if special:
            return special(request, target)
        writer = _writer(request, who)
        obj = self._writes.create(target.kind, target.namespace, parse(request, target.kind), writer)
        return Answer(in_version(target.kind, obj), 201, warnings=writer.warnings)

    def _replace(self, request: Request, target: Target, who: Identity) -> Answer:
        writer = _writer(request, who)
        body = parse(request, target.kind)
        sub = "" if target.sub == "finalize" else target.sub
        obj = self._writes.replace(target.kind, target.namespace, target.name, body, writer, sub)
        return Answer(in_version(target.kind, obj), warnings=writer.warnings)

    def _patch(self, request: Request, target: Target, who: Identity) -> Answer:
        kind, writer = target.kind, _writer(request, who)
        content = request.headers.get("Content-Type", "").partition(";")[0].strip()
        accepted: tuple[str, ...] = (patch.JSON_PATCH, patch.MERGE_PATCH, patch.APPLY_PATCH)
        if not kind.custom:
            accepted = (patch.JSON_PATCH, patch.MERGE_PATCH, patch.STRATEGIC_PATCH, patch.APPLY_PATCH)
        if content not in accepted:
            raise errors.unsupported_body(accepted)
        body = parse(request, kind, patching=True)
        if content == patch.APPLY_PATCH:
            return self._apply(request, target, writer, body)
        make = {patch.JSON_PATCH: patch.json_patch, patch.MERGE_PATCH: patch.merge_patch}.get(
            content, patch.strategic_patch
        )
        if content != patch.JSON_PATCH and not isinstance(body, dict):
            raise errors.bad_request("error decoding patch: json: cannot unmarshal array into Go value of type map")
        obj = self._writes.change(
            kind, target.namespace, target.name, lambda old: make(_unversioned(old, body), body), writer, target.sub
        )
        return Answer(in_version(kind, obj), warnings=writer.warnings)

    def _apply(self, request: Request, target: Target, writer: Writer, body: Any) -> Answer:
        if not request.query.get("fieldManager"):
            text = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
            cause = errors.cause("Required", "fieldManager", "Required value: is required for apply patch")
            details = {"group": "meta.k8s.io", "kind": "PatchOptions", "causes": [cause]}
            raise errors.StatusError(422, "Invalid", text, details)
        force = request.query.get("force") in ("true", "1")
        obj, created = self._writes.apply(target.kind, target.namespace, target.name, body, writer, force, target.sub)
        return Answer(in_version(target.kind, obj), 201 if created else 200, warnings=writer.warnings)

    def _delete(self, request: Request, target: Target, who: Identity) -> Answer:
        kind = target.kind
        before = self._reads.get(kind, target.namespace, target.name)
        removal = _removal(request)
        left = self._writes.delete(kind, target.namespace, target.name, removal, _writer(request, who))
        if left is not None:
            return Answer(in_version(kind, left))
        details = {"name": target.name, "group": kind.group, "kind": kind.plural, "uid": before["metadata"]["uid"]}
        return Answer(errors.success({key: value for key, value in details.items() if value}))

    def _delete_all(self, request: Request, target: Target, who: Identity) -> Answer:
        if "deletecollection" not in target.kind.verbs:
            raise errors.method_not_allowed()
        listed = self._reads.list(target.kind, target.namespace, ListOptions.of({**request.query, "limit": ""}))
        removal, writer = _removal(request), _writer(request, who)
        for obj in listed["items"]:
            metadata = obj["metadata"]
            try:
                self._writes.delete(target.kind, metadata.get("namespace", ""), metadata["name"], removal, writer)
            except errors.StatusError as error:
                if error.code != 404:  # gone meanwhile is what was asked for
                    raise
        return Answer(listed)


def parse(request: Request, kind: Kind, patching: bool = False) -> Any:
    """The body as data: JSON, or YAML for an apply patch and where the type says so. 400 when it is neither."""
    content = request.headers.get("Content-Type", "")
    try:
        if "yaml" in content:
            return yaml.load(request.body, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if "protobuf" in content:
            return protobuf.read(request.body)
        return orjson.loads(request.body)
    except protobuf.Unreadable as error:
        accepted = ("application/json", "application/yaml")
        raise errors.unsupported_body(accepted) from error
    except (orjson.JSONDecodeError, yaml.YAMLError) as error:
        if patching:
            raise errors.bad_request(f"error decoding patch: {error}") from error
        text = f"the object provided is unrecognized (must be of type {kind.kind}): couldn't get version/kind"
        raise errors.bad_request(f"{text}; json parse error: {error}") from error


def _unversioned(old: Any, body: Any) -> Any:
    """Patches compare against the object, but only a version they carry themselves counts as a precondition."""
    if isinstance(body, dict):
        return {**old, "metadata": {k: v for k, v in old["metadata"].items() if k != "resourceVersion"}}
    return old


def _verb(request: Request, target: Target) -> str:
    if request.method in ("GET", "HEAD"):
        if request.query.get("watch") in ("1", "true"):
            return "watch"
        return "get" if target.name else "list"
    words = {"POST": "create", "PUT": "update", "PATCH": "patch"}
    return words.get(request.method, "delete" if target.name else "deletecollection")


def _writer(request: Request, who: Identity) -> Writer:
    agent = request.headers.get("User-Agent", "")
    manager = request.query.get("fieldManager") or agent.partition("/")[0].split(" ")[0] or "unknown"
    dry = request.query.get("dryRun", "")
    if dry not in ("", "All"):
        raise errors.bad_request(f'invalid dryRun value "{dry}": Unsupported value: supported values: "All"')
    body_dry = request.method == "DELETE" and "All" in (_options(request).get("dryRun") or ())
    validation = request.query.get("fieldValidation") or "Warn"
    return Writer(manager, who.name, False, bool(dry) or body_dry, validation)


def _options(request: Request) -> dict[str, Any]:
    if not request.body:
        return {}
    if request.body.startswith(protobuf.MAGIC):
        try:
            return protobuf.read(request.body)
        except protobuf.Unreadable as error:
            raise errors.unsupported_body(("application/json",)) from error
    try:
        found = orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        raise errors.bad_request(f"couldn't get version/kind; json parse error: {error}") from error
    return found if isinstance(found, dict) else {}


def _removal(request: Request) -> Removal:
    options = _options(request)
    policy = request.query.get("propagationPolicy") or options.get("propagationPolicy")
    if policy is None:
        policy = "Orphan" if options.get("orphanDependents") else "Background"
    grace = request.query.get("gracePeriodSeconds") or options.get("gracePeriodSeconds")
    preconditions = options.get("preconditions") or {}
    return Removal(
        policy, None if grace is None else int(grace), preconditions.get("uid"), preconditions.get("resourceVersion")
    )


def _wants_table(request: Request) -> bool:
    return "as=Table" in request.headers.get("Accept", "")


def _tabled(request: Request, kind: Kind, events: Any) -> Any:
    if not _wants_table(request):
        return events

    def stream() -> Any:
        for event in events:
            if event and event["type"] in ("ADDED", "MODIFIED", "DELETED"):
                event = {**event, "object": as_table(kind, [event["object"]], {})}
            yield event

    return stream()
