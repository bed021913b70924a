"""Which resource types the cluster serves: a catalogue read from the package's data files.

A type is named by its *key*, the word Kubernetes itself uses in messages: ``pods`` for the core
group, ``virtualmachines.kubevirt.io`` for others. Anything that is not in the catalogue does not exist:
the server answers 404 in plain text, as a real API server does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

CUSTOM_VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")

# Keys that code refers to.
NAMESPACE = "namespaces"
NODE = "nodes"
POD = "pods"
PVC = "persistentvolumeclaims"
PV = "persistentvolumes"
SECRET = "secrets"
EVENT = "events"
QUOTA = "resourcequotas"
REVISION = "controllerrevisions.apps"
STORAGE_CLASS = "storageclasses.storage.k8s.io"
ATTRIBUTES_CLASS = "volumeattributesclasses.storage.k8s.io"
CSI_CAPACITY = "csistoragecapacities.storage.k8s.io"
CRD = "customresourcedefinitions.apiextensions.k8s.io"
SNAPSHOT = "volumesnapshots.snapshot.storage.k8s.io"
SNAPSHOT_CLASS = "volumesnapshotclasses.snapshot.storage.k8s.io"
SNAPSHOT_CONTENT = "volumesnapshotcontents.snapshot.storage.k8s.io"
GROUP_SNAPSHOT = "volumegroupsnapshots.groupsnapshot.storage.k8s.io"
GROUP_SNAPSHOT_CLASS = "volumegroupsnapshotclasses.groupsnapshot.storage.k8s.io"
GROUP_SNAPSHOT_CONTENT = "volumegroupsnapshotcontents.groupsnapshot.storage.k8s.io"
VM = "virtualmachines.kubevirt.io"
VMI = "virtualmachineinstances.kubevirt.io"
MIGRATION = "virtualmachineinstancemigrations.kubevirt.io"
KUBEVIRT = "kubevirts.kubevirt.io"
INSTANCETYPE = "virtualmachineinstancetypes.instancetype.kubevirt.io"
CLUSTER_INSTANCETYPE = "virtualmachineclusterinstancetypes.instancetype.kubevirt.io"
PREFERENCE = "virtualmachinepreferences.instancetype.kubevirt.io"
CLUSTER_PREFERENCE = "virtualmachineclusterpreferences.instancetype.kubevirt.io"
DATAVOLUME = "datavolumes.cdi.kubevirt.io"
IMPORT_SOURCE = "volumeimportsources.cdi.kubevirt.io"
UPLOAD_SOURCE = "volumeuploadsources.cdi.kubevirt.io"
CLONE_SOURCE = "volumeclonesources.cdi.kubevirt.io"
CDI_CONFIG = "cdiconfigs.cdi.kubevirt.io"
EXPORT = "virtualmachineexports.export.kubevirt.io"
UPLOAD_TOKEN = "uploadtokenrequests.upload.cdi.kubevirt.io"


@dataclass(frozen=True, eq=False)
class Kind:
    """One resource type at one served version.

    ``status`` says whether it has a status subresource, ``custom`` whether it comes from a
    CustomResourceDefinition, ``stored`` is the version objects are kept in.
    """

    group: str
    version: str
    plural: str
    singular: str
    kind: str
    namespaced: bool
    short: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    status: bool = False
    custom: bool = False
    stored: str = "v1"
    deprecated: bool = False
    columns: tuple[dict[str, Any], ...] = ()
    verbs: tuple[str, ...] = CUSTOM_VERBS
    subresources: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    schema: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def key(self) -> str:
        """The name used in messages and as the store's key: plural, or plural.group."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def kind_key(self) -> str:
        """Kind.group, the form used by validation errors."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


class Catalogue:
    """All served types, found by path, by key and by (group, kind)."""

    def __init__(self) -> None:
        self._by_path: dict[tuple[str, str], dict[str, Kind]] = {}
        self._stored: dict[str, Kind] = {}
        self._by_kind: dict[tuple[str, str], Kind] = {}
        self.definitions = [*_read("crds.json"), *_read("group_crds.json")]
        for kind in [*_builtins(_read("builtins.json")), *_custom(self.definitions)]:
            self._add(kind)

    def _add(self, kind: Kind) -> None:
        self._by_path.setdefault((kind.group, kind.version), {})[kind.plural] = kind
        if kind.version == kind.stored:
            self._stored[kind.key] = kind
            self._by_kind[kind.group, kind.kind] = kind

    def at(self, group: str, version: str, plural: str) -> Kind | None:
        return self._by_path.get((group, version), {}).get(plural)

    def get(self, key: str) -> Kind:
        """The type in the version it is stored in."""
        return self._stored[key]

    def of(self, api_version: str, kind: str) -> Kind | None:
        """The type an ownerReference or a dataSource names; None when the cluster has none such."""
        return self._by_kind.get((api_version.rpartition("/")[0], kind))

    def types(self) -> list[str]:
        return list(self._stored)

    def groups(self) -> dict[str, list[str]]:
        """group -> its versions, the stored ones first."""
        found: dict[str, list[str]] = {}
        for (group, version), kinds in self._by_path.items():
            stored = any(kind.version == kind.stored for kind in kinds.values())
            versions = found.setdefault(group, [])
            versions.insert(0, version) if stored else versions.append(version)
        return found

    def served(self, group: str, version: str) -> list[Kind] | None:
        kinds = self._by_path.get((group, version))
        return None if kinds is None else sorted(kinds.values(), key=lambda kind: kind.plural)


def _read(name: str) -> list[dict[str, Any]]:
    return json.loads(resources.files(__package__).joinpath("data", name).read_bytes())


def _builtins(rows: list[dict[str, Any]]) -> Iterator[Kind]:
    for row in rows:
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
        }
        yield Kind(**values, stored=row["version"])


def _custom(definitions: list[dict[str, Any]]) -> Iterator[Kind]:
    for definition in definitions:
        names = definition["names"]
        stored = next(version for version in definition["versions"] if version.get("storage"))
        for version in definition["versions"]:
            yield Kind(
                group=definition["group"],
                version=version["name"],
                plural=names["plural"],
                singular=names["singular"],
                kind=names["kind"],
                namespaced=definition["scope"] == "Namespaced",
                short=tuple(names.get("shortNames", ())),
                categories=tuple(names.get("categories", ())),
                status="status" in version.get("subresources", {}),
                custom=True,
                stored=stored["name"],
                deprecated=version.get("deprecated", False),
                columns=_columns(version),
                schema=version.get("schema", stored["schema"]),
            )


def _columns(version: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    age = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
    return tuple(version.get("additionalPrinterColumns") or (age,))
