"""Which chunks suit the reads that a program makes (drx_advise; docs/layout.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from drx import _tools


class Cost(NamedTuple):
    """Of one request that is read from a disk, averaged over all positions; by a model."""

    calls: float
    bytes: float
    seconds: float


class Asked(NamedTuple):
    """A request, and what it costs."""

    shape: tuple[int, ...]
    weight: float  #: how often, beside the others
    before: Cost  #: in the present chunks
    after: Cost  #: in the proposed ones


class CopyPlan(NamedTuple):
    """What a copy into the proposed chunks takes."""

    passes: int
    memory_bytes: int
    temporary_bytes: int
    read_bytes: int
    read_calls: int
    write_bytes: int
    write_calls: int
    seconds: float


class Advice(NamedTuple):
    """What `Array.advise` proposes. ``print`` shows it as a table."""

    chunks: tuple[int, ...]  #: proposed; the present ones where none are better
    align: int
    block_bytes: int  #: of the file system; 1: not known
    before_seconds: float  #: of a round: each request as often as its weight says
    after_seconds: float
    requests: list[Asked]
    copy: CopyPlan | None  #: None: no chunks of that size are better
    rounds: float | None  #: after this many the copy has saved the time that it takes

    def __str__(self) -> str:
        lines = [f"{'request':20} {'weight':>7} {'calls':>17} {'bytes':>23} {'seconds':>21}"]
        for one in self.requests:
            lines.append(f"{', '.join(map(str, one.shape)):20} {one.weight:7g} "
                         f"{pair(one.before.calls, one.after.calls, 7)} {pair(one.before.bytes, one.after.bytes, 10)} "
                         f"{pair(one.before.seconds, one.after.seconds, 9)}")
        lines.append(f"A round takes {self.before_seconds:.3g} s, and {self.after_seconds:.3g} s in chunks of {self.chunks}.")
        if self.copy is None:
            lines.append("No chunks of that size are better than the present ones.")
        else:
            lines.append(f"drx.copy(..., chunks={self.chunks}) takes {self.copy.seconds:.3g} s: it pays for itself after "
                         f"{self.rounds:.3g} rounds.")
        return "\n".join(lines)


def pair(before: float, after: float, width: int) -> str:
    """Before and after a copy."""
    return f"{before:{width}.3g} > {after:{width}.3g}"


def weighted(request: Any, array: Any) -> tuple[tuple[int, ...], float]:
    """(extents, weight) of a request: extents of all axes, by name, or either with a weight."""
    weight = 1.0
    if isinstance(request, (tuple, list)) and len(request) == 2 and not isinstance(request[0], (int, np.integer)):
        request, weight = request
    if isinstance(request, dict):
        extents = list(array.shape)
        for axis, extent in request.items():
            extents[array._axis_number(axis)] = extent
        request = extents
    if not weight > 0:
        raise ValueError(f"a request has the weight {weight}, expected a number above 0")
    extents = tuple(request)
    if len(extents) != array.ndim:
        raise ValueError(f"the request {extents} has {len(extents)} extents, expected {array.ndim}, one for each axis")
    for axis, (extent, bound) in enumerate(zip(extents, array.shape)):
        if not 1 <= extent <= bound:
            raise ValueError(f"the request {extents} has {extent} indices along axis {axis}, expected 1 to {bound}")
    return extents, float(weight)


def advise(array: Any, requests: Sequence[Any], chunk_bytes: int, align: int, memory: int) -> Advice:
    """See Array.advise."""
    if not requests:
        raise ValueError("no requests, expected the extents of at least one")
    asked = [weighted(request, array) for request in requests]
    copies, chunks, aligned, block, before, after, rounds, plan, costs, new_costs = _tools.advise(
        array, asked, chunk_bytes, align, memory)
    told = [Asked(*one, Cost(*old), Cost(*new)) for one, old, new in zip(asked, costs, new_costs)]
    return Advice(chunks, aligned, block, before, after, told, CopyPlan(*plan) if copies else None,
                  rounds if copies else None)
