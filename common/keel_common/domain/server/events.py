"""External events: which need a tag, what each event answers (nova 34.0.0 measured external_events)."""

TAG_REQUIRED = frozenset({"volume-extended", "power-update", "accelerator-request-bound"})

POWER_UPDATES = ("POWER_ON", "POWER_OFF")


def verdict(name: str, tag: str | None, found: bool, host: str | None) -> int:
    """Return the code of one event: 404 unknown server, 400 tag missing, 422 no host, 200 accepted."""
    if not found:
        return 404
    if name in TAG_REQUIRED and not tag:
        return 400
    return 200 if host else 422
