"""How the garbage collector is set in a process that serves."""

import gc

ALLOCATIONS, YOUNG, MIDDLE = 50_000, 20, 50


def settle() -> None:
    """Call once everything is loaded, in a parent before it forks too.

    What is there by now stays: it is not looked at again, and children go on sharing it. A list of a thousand servers
    makes some hundred thousand objects and no cycles; with Python's own thresholds half of its time went into
    looking for them.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, YOUNG, MIDDLE)
