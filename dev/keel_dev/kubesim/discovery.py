"""Discovery documents: what kubectl and client libraries ask before anything else."""

from __future__ import annotations

from typing import Any

from .kinds import Catalogue, Kind

VERSION = {
    "major": "1",
    "minor": "36",
    "gitVersion": "v1.36.0",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "go1.26",
    "compiler": "gc",
    "platform": "linux/amd64",
}
# Groups of aggregated servers: known to discovery, answered elsewhere.
AGGREGATED = {"subresources.kubevirt.io": ["v1"]}
AGGREGATED_RESOURCES = (
    *(f"virtualmachines/{sub}" for sub in ("start", "stop", "restart", "migrate", "addvolume", "removevolume")),
    *(f"virtualmachineinstances/{sub}" for sub in ("pause", "unpause", "softreboot", "reset", "freeze", "unfreeze")),
)
_STATUS_VERBS = ["get", "patch", "update"]


class Discovery:
    """Answers /version, /api, /apis and the documents below them; None for every other path."""

    def __init__(self, catalogue: Catalogue):
        self._catalogue = catalogue
        groups = {group: versions for group, versions in catalogue.groups().items() if group}
        self._groups = {**groups, **AGGREGATED}

    def document(self, segments: list[str], accept: str) -> dict[str, Any] | None:
        match segments:
            case []:
                return {"paths": ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/readyz", "/version"]}
            case ["version"]:
                return VERSION
            case ["api"]:
                return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
            case ["api", "v1"]:
                return self._resources("", "v1")
            case ["apis"]:
                groups = [self._group(name) for name in sorted(self._groups)]
                return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
            case ["apis", name] if name in self._groups:
                return {"kind": "APIGroup", "apiVersion": "v1", **self._group(name)}
            case ["apis", name, version] if name not in AGGREGATED:
                return self._resources(name, version)
            case ["apis", name, version] if version in AGGREGATED[name]:
                rows = [_sub_row(resource, True, "", ["update"]) for resource in AGGREGATED_RESOURCES]
                return _resource_list(f"{name}/{version}", rows)
            case ["openapi", "v3"]:
                return {
                    "paths": {path: {"serverRelativeURL": f"/openapi/v3/{path}"} for path in self._document_paths()}
                }
            case ["openapi", "v3", *rest] if "/".join(rest) in self._document_paths():
                return self._openapi("/".join(rest))
        return None

    def _group(self, name: str) -> dict[str, Any]:
        versions = [{"groupVersion": f"{name}/{version}", "version": version} for version in self._groups[name]]
        return {"name": name, "versions": versions, "preferredVersion": versions[0]}

    def _resources(self, group: str, version: str) -> dict[str, Any] | None:
        kinds = self._catalogue.served(group, version)
        if kinds is None:
            return None
        rows = [row for kind in kinds for row in _rows(kind)]
        return _resource_list(f"{group}/{version}" if group else version, rows)

    # -- OpenAPI: only what tells a client that the server validates fields itself

    def _document_paths(self) -> list[str]:
        groups = self._catalogue.groups()
        return [f"apis/{g}/{v}" if g else f"api/{v}" for g, versions in groups.items() for v in versions]

    def _openapi(self, path: str) -> dict[str, Any]:
        _, _, rest = path.partition("/")
        group, _, version = rest.rpartition("/")
        paths = {}
        for kind in self._catalogue.served(group, version) or ():
            where = f"/{path}/namespaces/{{namespace}}/{kind.plural}" if kind.namespaced else f"/{path}/{kind.plural}"
            parameters = [
                {"name": name, "in": "query", "schema": {"type": "string"}} for name in ("dryRun", "fieldValidation")
            ]
            identity = {"group": kind.group, "version": kind.version, "kind": kind.kind}
            operation = {"parameters": parameters, "responses": {}, "x-kubernetes-group-version-kind": identity}
            paths[where] = {"post": operation}
            paths[f"{where}/{{name}}"] = {"put": operation, "patch": operation}
        return {"openapi": "3.0.0", "info": {"title": "Kubernetes", "version": VERSION["gitVersion"]}, "paths": paths}


def _resource_list(group_version: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": rows}


def _rows(kind: Kind) -> list[dict[str, Any]]:
    row: dict[str, Any] = {
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": sorted(kind.verbs),
    }
    if kind.short:
        row["shortNames"] = list(kind.short)
    if kind.categories:
        row["categories"] = list(kind.categories)
    rows = [row]
    subresources = (*kind.subresources, "status") if kind.status else kind.subresources
    for sub in subresources:
        verbs = {"log": ["get"], "eviction": ["create"]}.get(sub, _STATUS_VERBS)
        row = _sub_row(f"{kind.plural}/{sub}", kind.namespaced, kind.kind, verbs)
        if sub == "eviction":
            row.update(group="policy", version="v1", kind="Eviction")
        rows.append(row)
    return rows


def _sub_row(name: str, namespaced: bool, kind: str, verbs: list[str]) -> dict[str, Any]:
    return {"name": name, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": verbs}
