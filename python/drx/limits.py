"""Keeps to the memory limit of a dask worker. Pages of mapped files count towards it, and a worker with too many pauses.
The library itself finds the limits of the process (drx_set_memory)."""

from __future__ import annotations

import sys

from drx import _core

SHARE = 3  # the library is allowed one part in this many, and maps half of that
_kept = 0


def keep() -> None:
    """Keep to the limit of the workers of dask that run in this process, if there are any."""
    global _kept
    worker = sys.modules.get("distributed.worker")
    workers = list(getattr(getattr(worker, "Worker", None), "_instances", ()))
    limits = [getattr(getattr(one, "memory_manager", one), "memory_limit", None) for one in workers]
    allowed = min(filter(None, limits), default=0) // SHARE
    if allowed != _kept:
        _core.set_memory(allowed)
        _kept = allowed
