"""The corpus of backports: what a real release makes of its objects for older peers.

A program runs in the interpreter of the release (``probes/corpus.py``); here its results are packed. Each result is
kept as its difference from the input, each difference once, so that tens of thousands of primitives take little room.
A release older than the newest keeps only the objects that it treats in another way than the newest one.

A packed corpus: ``suite``, ``release``, ``versions`` (object -> version), ``outcomes`` (differences, or ``{"raises":
class}``), ``same`` (objects that the newest release treats in the same way), and ``objects``: name -> ``targets``
([version, versions of others or null]) and ``cases``, each with ``input`` (the first one whole, others as difference
from it), ``results`` (outcome for each target) and ``again`` (target -> outcome of the result that was read and sent
again, where it is not the same; null: results were not read).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from keel_contract import goldens, releases
from keel_contract.recorder import probing
from keel_contract.recorder.delta import diff

_PROGRAM = "corpus.py"
_PART = "backports"


def files(python: str, suite: str) -> dict[str, bytes]:
    """File name -> content of the corpus of the release of ``suite`` that the interpreter ``python`` has.

    :raises NotRecorded: with what the program said
    """
    documents = probing.documents(python, _PROGRAM, [suite], _asked(suite))
    header = next(documents)
    objects = dict(_objects(documents))
    name = f"{suite}-{header['release'].partition('.')[0]}"
    newest = goldens.RELEASES[suite][-1]
    same: list[str] = []
    if name != newest:
        like = _unpacked(probing.read(probing.path(newest, _PART)))
        same = [each for each, rows in objects.items() if _without_again(rows) == _without_again(like.get(each))]
    corpus = {**header, "same": same, **_packed({each: rows for each, rows in objects.items() if each not in same})}
    return {probing.path(name, _PART).name: probing.compressed(corpus)}


def stored(suite: str) -> Iterator[dict[str, Any]]:
    """The corpora of this package, oldest release first."""
    return (probing.read(probing.path(name, _PART)) for name in goldens.RELEASES[suite])


def _asked(suite: str) -> dict[str, Any]:
    """Object versions of older peers, and the release that also reads what it made: the one that ours is alike."""
    nova = {str(release.number): dict(release.objects) for release in releases.NOVA}
    cinder = {manifest: dict(versions) for manifest, versions in releases.CINDER_MANIFESTS.items()}
    return {"peers": {"nova": nova, "cinder": cinder}[suite], "newest": goldens.RELEASES[suite][-1].partition("-")[2]}


def _objects(documents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, targets and cases with the outcomes themselves) of each object, from the documents of the program."""
    name, first = "", None
    rows: dict[str, Any] = {}
    for document in documents:
        if "targets" in document:
            if name:
                yield name, rows
            name, rows, first = document["object"], {"targets": document["targets"], "cases": []}, None
            continue
        given = document["input"]
        rows["cases"].append(_case(document, given if first is None else diff(first, given)))
        first = given if first is None else first
    yield name, rows


def _case(document: Mapping[str, Any], given: Any) -> dict[str, Any]:
    results = document["results"]
    again = None
    if document["again"] is not None:
        pairs = enumerate(zip(results, document["again"], strict=True))
        again = {str(number): _outcome(result, found) for number, (result, found) in pairs if found is not None}
    outcomes = [_outcome(document["input"], result) for result in results]
    return {"case": document["case"], "input": given, "results": outcomes, "again": again}


def _outcome(before: Any, after: Mapping[str, Any]) -> Any:
    return dict(after) if "raises" in after else diff(before, after)


def _packed(objects: Mapping[str, Any]) -> dict[str, Any]:
    outcomes: list[Any] = []
    known: dict[str, int] = {}

    def number(outcome: Any) -> int:
        text = json.dumps(outcome, sort_keys=True)
        if text not in known:
            known[text] = len(outcomes)
            outcomes.append(outcome)
        return known[text]

    return {"objects": {name: _with_outcomes(rows, number) for name, rows in objects.items()}, "outcomes": outcomes}


def _unpacked(corpus: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _with_outcomes(rows, corpus["outcomes"].__getitem__) for name, rows in corpus["objects"].items()}


def _with_outcomes(rows: Mapping[str, Any], turned: Any) -> dict[str, Any]:
    cases = [
        {
            **case,
            "results": [turned(outcome) for outcome in case["results"]],
            "again": case["again"] and {target: turned(outcome) for target, outcome in case["again"].items()},
        }
        for case in rows["cases"]
    ]
    return {"targets": rows["targets"], "cases": cases}


def _without_again(rows: Mapping[str, Any] | None) -> Any:
    return rows and [rows["targets"], [{**case, "again": None} for case in rows["cases"]]]
