"""How the garbage collector and the C library's memory are set in a process that serves."""

import ctypes
import gc
import logging

LOG = logging.getLogger(__name__)

ALLOCATIONS, YOUNG, MIDDLE = 50_000, 20, 50
M_ARENA_MAX = -8
"""glibc's number for the option (malloc.h)."""


def settle() -> None:
    """Call once everything is loaded, in a parent before it forks too.

    What is there by now stays: it is not looked at again, and children go on sharing it. A list of a thousand servers
    makes some hundred thousand objects and no cycles; with Python's own thresholds half of its time went into
    looking for them.
    """
    _share_one_arena()
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, YOUNG, MIDDLE)


def _share_one_arena() -> None:
    """Let all threads share one pool of the C library: each pool keeps what its largest answer needed, and Python lets
    one thread run at a time anyway. Worth 13 MiB after lists of a thousand servers by four threads."""
    try:
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
    except AttributeError:
        LOG.debug("This C library has no mallopt: its pools stay as they are")
