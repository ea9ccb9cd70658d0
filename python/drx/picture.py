"""An array as a notebook shows it: a table, and its segments of chunks."""

from __future__ import annotations

from html import escape
from typing import Any

COLOURS = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#da8bc3", "#8c8c8c", "#ccb974",
           "#64b5cd")
SIDE = 160  # pixels of the longer side


def segments(array: Any) -> tuple[list[tuple[list[int], list[int]]], list[int]]:
    """The growths that added chunks, oldest first, as (lo, hi) in chunks along the axes."""
    chunks, growth = array.chunks, array._growth()
    lower = [low - sum(by for axis, by in growth if axis == j and by < 0) for j, low in enumerate(array.lower)]
    upper = [low + n for low, n in zip(lower, array._initial_shape())]
    lo, hi = [low // c for low, c in zip(lower, chunks)], [-(-end // c) for end, c in zip(upper, chunks)]
    boxes = [(lo[:], hi[:])] if all(l < h for l, h in zip(lo, hi)) else []
    for axis, by in growth:
        box_lo, box_hi = lo[:], hi[:]
        if by < 0:
            lower[axis] += by
            box_hi[axis], box_lo[axis] = lo[axis], lower[axis] // chunks[axis]
            lo[axis] = box_lo[axis]
        else:
            upper[axis] += by
            box_lo[axis], box_hi[axis] = hi[axis], -(-upper[axis] // chunks[axis])
            hi[axis] = box_hi[axis]
        if all(l < h for l, h in zip(box_lo, box_hi)):
            boxes.append((box_lo, box_hi))
    moved = [([a - low for a, low in zip(one, lo)], [a - low for a, low in zip(other, lo)]) for one, other in boxes]
    return moved, [h - l for l, h in zip(lo, hi)]


def drawing(array: Any) -> str:
    """SVG: the last two axes, the segments that reach index 0 of the others; the older, the darker the outline."""
    boxes, extent = segments(array)
    grown = [n + sum(abs(by) for axis, by in array._growth() if axis == j) for j, n in enumerate(array._initial_shape())]
    if not boxes or tuple(grown) != array.shape:  # what was trimmed is not known here
        return ""
    if len(extent) == 1:
        boxes, extent = [([0] + lo, [1] + hi) for lo, hi in boxes], [1] + extent
    rows, columns = extent[-2:]
    scale = SIDE / max(rows, columns)
    height, width = max(rows * scale, 12), max(columns * scale, 12)
    parts = [f'<svg width="{width + 2:.0f}" height="{height + 2:.0f}" xmlns="http://www.w3.org/2000/svg">']
    seen = [(i, box) for i, box in enumerate(boxes) if all(first == 0 for first in box[0][:-2])]
    for i, (lo, hi) in seen[:400]:
        x, y = lo[-1] * width / columns, lo[-2] * height / rows
        w, h = (hi[-1] - lo[-1]) * width / columns, (hi[-2] - lo[-2]) * height / rows
        parts.append(f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{w:.1f}" height="{h:.1f}" '
                     f'fill="{COLOURS[i % len(COLOURS)]}" stroke="#fff" stroke-width="0.5">'
                     f"<title>segment {i}</title></rect>")
    return "".join(parts) + "</svg>"


def html_of(array: Any) -> str:
    """The HTML of an array."""
    if array.closed:
        return f"<pre>{escape(repr(array))}</pre>"
    rows = [("path", "in memory" if array.path is None else array.path), ("shape", array.shape),
            ("dtype", array.dtype), ("chunks", f"{array.chunks}, {array.nchunks} of them"),
            ("growths", len(array._growth()))]
    packing = array.packing
    if packing is not None:
        rows.append(("compression", f"{array.compression}, level {array.level}, shuffle {array.shuffle}"))
        fewer = f", {packing.ratio:.2f} times fewer" if packing.ratio else ""
        stored = packing.stored_bytes + packing.table_bytes
        rows.append(("stored", f"{stored} bytes{fewer}; {packing.dead_bytes} dead"))
    if any(array.dims):
        rows.insert(2, ("dims", ", ".join(name or "-" for name in array.dims)))
    cells = "".join(f"<tr><th>{escape(str(name))}</th><td>{escape(str(value))}</td></tr>" for name, value in rows)
    return f'<table><tr><td><table>{cells}</table></td><td>{drawing(array)}</td></tr></table>'
