"""An array as a notebook shows it: a table, and its segments of chunks."""

from __future__ import annotations

from html import escape
from typing import Any

from drx.chunk_map import Map

SIDE = 160  # pixels of the longer side


def drawing(array: Any) -> str:
    """The map of the array, small; "" where it has no chunks, or too many segments."""
    try:
        return Map(array).svg(SIDE)
    except ValueError:
        return ""


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
