"""The Status objects a Kubernetes API server answers with: one function per case.

Codes, reasons, messages and details follow what was observed on a real kube-apiserver 1.36.
"""

from __future__ import annotations

from typing import Any

from .kinds import Kind


class StatusError(Exception):
    """An answer that is not a success: HTTP status, Status body, extra headers.

    ``text`` instead of a Status body is for the few answers that are plain text.
    """

    def __init__(
        self,
        code: int,
        reason: str | None,
        message: str,
        details: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        text: str | None = None,
    ):
        super().__init__(message)
        self.code, self.reason, self.message = code, reason, message
        self.details, self.headers, self.text = details, headers or {}, text

    def body(self) -> dict[str, Any]:
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details is not None:
            status["details"] = self.details
        status["code"] = self.code
        return status


def cause(reason: str, field: str, message: str) -> dict[str, str]:
    """One entry of details.causes; reason without its FieldValue prefix."""
    return {"reason": f"FieldValue{reason}", "message": message, "field": field}


def _details(kind: Kind, name: str = "") -> dict[str, str]:
    found = {"name": name, "group": kind.group, "kind": kind.plural}
    return {key: value for key, value in found.items() if value}


def unauthorized() -> StatusError:
    return StatusError(401, "Unauthorized", "Unauthorized")


def forbidden_user(user: str, verb: str, kind: Kind, namespace: str, name: str = "") -> StatusError:
    where = f' in the namespace "{namespace}"' if namespace else " at the cluster scope"
    named = f' "{name}"' if name else ""
    text = (
        f'{kind.key}{named} is forbidden: User "{user}" cannot {verb} resource "{kind.plural}"'
        f' in API group "{kind.group}"{where}'
    )
    return StatusError(403, "Forbidden", text, _details(kind, name))


def forbidden(kind: Kind, name: str, why: str) -> StatusError:
    return StatusError(403, "Forbidden", f'{kind.key} "{name}" is forbidden: {why}', _details(kind, name))


def not_found(kind: Kind, name: str) -> StatusError:
    return StatusError(404, "NotFound", f'{kind.key} "{name}" not found', _details(kind, name))


def no_such_path() -> StatusError:
    return StatusError(404, None, "404 page not found", text="404 page not found\n")


def method_not_allowed() -> StatusError:
    text = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", text, {})


def already_exists(kind: Kind, name: str) -> StatusError:
    return StatusError(409, "AlreadyExists", f'{kind.key} "{name}" already exists', _details(kind, name))


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def conflict(kind: Kind, name: str, why: str = MODIFIED) -> StatusError:
    text = f'Operation cannot be fulfilled on {kind.key} "{name}": {why}'
    return StatusError(409, "Conflict", text, _details(kind, name))


def subresource_conflict(kind: Kind, name: str, why: str) -> StatusError:
    """A conflict as KubeVirt's aggregated API words it: the kind in the singular."""
    text = f'Operation cannot be fulfilled on {kind.singular}.{kind.group} "{name}": {why}'
    return StatusError(409, "Conflict", text, {"name": name, "group": kind.group, "kind": kind.singular})


def invalid(kind: Kind, name: str, causes: list[dict[str, str]]) -> StatusError:
    """422 for what validation found; causes keep their short messages, the text names the fields."""
    lines = [f"{item['field']}: {item['message']}" for item in causes]
    listed = lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]"
    details = {"name": name, "group": kind.group, "kind": kind.kind, "causes": causes}
    text = f'{kind.kind_key} "{name}" is invalid: {listed}'
    return StatusError(422, "Invalid", text, {key: value for key, value in details.items() if value})


def invalid_field(kind: Kind, name: str, field: str, message: str, reason: str = "Invalid") -> StatusError:
    return invalid(kind, name, [cause(reason, field, message)])


def bad_request(message: str) -> StatusError:
    return StatusError(400, "BadRequest", message)


def denied(webhook: str, causes: list[dict[str, str]]) -> StatusError:
    """A KubeVirt webhook's denial with causes: at most ten, joined in the text, nothing else in details."""
    kept = causes[:10]
    text = ", ".join(item["message"] for item in kept)
    message = f'admission webhook "{webhook}" denied the request: {text}'
    return StatusError(422, "Invalid", message, {"causes": kept})


def denied_plain(webhook: str, text: str, code: int = 400) -> StatusError:
    """A webhook's denial without reason or details."""
    return StatusError(code, None, f'admission webhook "{webhook}" denied the request: {text}')


def webhook_down(webhook: str, url: str) -> StatusError:
    text = (
        f'failed calling webhook "{webhook}": failed to call webhook: Post "{url}": '
        "dial tcp 10.96.0.17:443: connect: connection refused"
    )
    message = f"Internal error occurred: {text}"
    return StatusError(500, "InternalError", message, {"causes": [{"message": text}]})


def internal(text: str) -> StatusError:
    return StatusError(500, "InternalError", f"Internal error occurred: {text}", {"causes": [{"message": text}]})


def aggregated_api_down() -> StatusError:
    text = "error trying to reach service: dial tcp 10.96.0.17:443: connect: connection refused"
    return StatusError(503, None, text, text=text)


def unsupported_body(accepted: tuple[str, ...]) -> StatusError:
    text = f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}"
    return StatusError(415, "UnsupportedMediaType", text, {})


def patch_rejected() -> StatusError:
    return StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {})


def expired(message: str, continuation: str = "") -> StatusError:
    error = StatusError(410, "Expired", message)
    if continuation:
        error.headers["x-continue"] = continuation
    return error


def too_large_version(asked: int, current: int) -> StatusError:
    text = f"Too large resource version: {asked}, current: {current}"
    details = {"causes": [{"reason": "ResourceVersionTooLarge", "message": text}], "retryAfterSeconds": 1}
    return StatusError(504, "Timeout", f"Timeout: {text}", details, {"Retry-After": "1"})


def throttled(seconds: int = 1) -> StatusError:
    text = "the server has received too many requests and has asked us to try again later"
    return StatusError(429, "TooManyRequests", text, {"retryAfterSeconds": seconds}, {"Retry-After": str(seconds)})


def apply_conflicts(conflicts: list[tuple[str, str, str]]) -> StatusError:
    """409 of a server-side apply; conflicts are (manager, apiVersion, field path)."""
    causes = [
        {"reason": "FieldManagerConflict", "message": f'conflict with "{manager}" using {version}', "field": path}
        for manager, version, path in conflicts
    ]
    if len(causes) == 1:
        text = f"Apply failed with 1 conflict: {causes[0]['message']}: {causes[0]['field']}"
    else:
        grouped: dict[str, list[str]] = {}
        for item in causes:
            grouped.setdefault(f"conflicts {item['message'].removeprefix('conflict ')}", []).append(item["field"])
        lines = [f"{head}:\n- " + "\n- ".join(fields) for head, fields in grouped.items()]
        text = f"Apply failed with {len(causes)} conflicts: " + "\n".join(lines)
    return StatusError(409, "Conflict", text, {"causes": causes})


def success(details: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
