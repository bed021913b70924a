"""Power state of a server as the VirtualMachineInstance shows it.

Values of instances.power_state (nova 34.0.0): 0 pending, 1 running, 3 paused, 4 shutdown, 6 crashed.
"""

from __future__ import annotations

NOSTATE = 0
RUNNING = 1
PAUSED = 3
SHUTDOWN = 4
CRASHED = 6

FINAL = ("Succeeded", "Failed")


def condition(body: dict, kind: str) -> dict:
    """The condition of that type of an object's status, {} when it is absent."""
    for each in body.get("status", {}).get("conditions") or ():
        if each.get("type") == kind:
            return each
    return {}


def phase(vmi: dict | None) -> str:
    """status.phase, "" when there is no object or no phase yet."""
    return (vmi or {}).get("status", {}).get("phase") or ""


def terminating(body: dict | None) -> bool:
    """True while the object waits for its finalizers."""
    return bool(body and body["metadata"].get("deletionTimestamp"))


def power_state(vmi: dict | None) -> int | None:
    """The power state, None while it cannot be told (going down, node unreachable)."""
    if vmi is None:
        return SHUTDOWN
    if terminating(vmi):
        return None
    now = phase(vmi)
    if now == "Running":
        if condition(vmi, "Paused").get("status") == "True":
            return PAUSED
        return RUNNING
    if now == "Succeeded":
        return SHUTDOWN
    if now == "Failed":
        return CRASHED
    if now == "Unknown":
        return None
    return NOSTATE


def is_off(vmi: dict | None) -> bool:
    """True when no guest runs: no object, or a final one that stays until the next start (runStrategy Manual)."""
    return vmi is None or (phase(vmi) in FINAL and not terminating(vmi))


def trouble(*bodies: dict | None) -> str:
    """What the conditions of a VirtualMachine and its instance complain about, "" when nothing."""
    found = []
    for body in bodies:
        if not body:
            continue
        for kind in ("Failure", "PodScheduled", "Synchronized"):
            each = condition(body, kind)
            bad = each.get("status") == ("True" if kind == "Failure" else "False")
            text = f"{each.get('reason', kind)}: {each.get('message', '')}".rstrip(": ")
            if bad and text not in found:
                found.append(text)
    return "; ".join(found)
