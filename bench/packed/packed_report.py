"""The page of the part of compressed arrays: docs/benchmarks-packed.md."""

from bench_page import (aims_text, at_least, at_most, bytes_text, measured, median, ratio, ratios_table, repeat_text,
                        table, times_table, write_page)
from packed_table import CHUNK, COLUMNS, LEVEL, ROWS, array_bytes, shape

PAGE = "benchmarks-packed.md"

# what, works, of these columns the fastest / that column, at least
RATIOS = [
    ("all, warm: Blosc alone / drx", "whole", ["blosc"], "drx", 0.85),
    ("all, warm: HDF5 with shuffle and deflate / drx, zlib", "whole", ["hdf5-zlib"], "drx-zlib", 3),
    ("all, warm: HDF5 with Blosc / drx", "whole", ["hdf5-blosc"], "drx", 2),
    ("all, warm: Zarr with Blosc / drx", "whole", ["zarr"], "drx", 1.5),
    ("an element: HDF5's best compressed / drx", "elements", ["hdf5-blosc", "hdf5-zlib"], "drx", 20),
    ("a list of elements: HDF5's best compressed / drx", "points", ["hdf5-blosc", "hdf5-zlib"], "drx", 20),
    ("boxes of 16³: HDF5's best compressed / drx", "boxes", ["hdf5-blosc", "hdf5-zlib"], "drx", 4),
    ("thin slabs, until chunks complete: drx raw / drx", "slabs", ["drx-raw"], "drx", 0.8),
    ("2-D, chunks of 8×8: HDF5's best compressed / drx", "growth-2d", ["hdf5-blosc", "hdf5-zlib"], "drx", 10),
]
SIZES = [("drx, zstd", "drx", "hdf5-blosc", "HDF5, Blosc"), ("drx, zstd", "drx", "zarr", "Zarr"),
         ("drx, zlib", "drx-zlib", "hdf5-zlib", "HDF5, deflate")]
MOST_SIZE, RATIO_FOR_COLD, ENTRY = 1.02, 2, 64

INTRODUCTION = """\
# Benchmarks of compressed arrays

`make bench` writes this page; do not edit it. drx, HDF5, Zarr and Blosc alone have the same data, chunks, codecs and
level, in one process and one run. They take turns, repetition by repetition. **Only ratios within one run mean
something.**

{aims}
## How it was measured

- Arrays of {shape} float32 ({bytes}) in chunks of {chunk}: monthly winds, temperatures of Levitus and the
  relief of etopo, from Debian's `ferret-datasets`, repeated to fill the array, each repetition moved a little; and
  uniform noise. The level is {level}, after a shuffle of bytes. All are called from Python; HDF5 below the indexing of
  h5py, where it is faster, and with a chunk cache of 32 MiB, as large as that of drx. The benchmark checks what was
  read, untimed.
- *Warm*: the files are in the page cache. *Cold*: they were dropped from it (`POSIX_FADV_DONTNEED`). Reads of all go
  to memory that was touched before.
- *Blosc alone* decodes the chunks from memory to memory, with as many threads as drx. Zarr decodes with Blosc's own
  threads, as many.
- HDF5 has Blosc by Debian's plugin `hdf5-filter-plugin-blosc-serial`.
- *A list*: all elements in one call (`a.vindex`, `H5Sselect_elements`). *An element*, *a box*: one call for each.
- Slabs are appended one plane at a time, and the array is closed. *Until chunks complete*: one plane less than a chunk
  has.
- {repeat}. The tables give the median, with the minimum in brackets. Elements and boxes: of one of them.

"""


def aims(results):
    answers, built = results["answers"], results["packed"]
    for data, sizes in built.items():
        for title, own, peer, whose in SIZES:
            if own in sizes and peer in sizes:
                yield at_most(f"size, {data}: {title} / {whose}", sizes[own]["bytes"] / sizes[peer]["bytes"], MOST_SIZE,
                              number="{:.4f}".format)
    for what, work, over, under, aim in RATIOS:
        for row in ROWS:
            found = answers.get(row.key, {}) if row.work == work else {}
            values = [value for value in (ratio(found, peer, under) for peer in over) if value]
            if values:
                name = f"{what}, {row.data}" if work == "whole" else what
                yield at_least(name, min(values), aim)
    for row in ROWS:
        sizes = built.get(row.data, {})
        value = ratio(answers.get(row.key, {}), "drx-raw", "drx") if row.work == "cold" else None
        if value and sizes["drx-raw"]["bytes"] >= RATIO_FOR_COLD * sizes["drx"]["bytes"]:
            yield at_least(f"all, cold: drx raw / drx, {row.data}", value, 1)
    small = answers.get("growth-2d", {}).get("drx")
    if small:
        yield at_most("2-D, chunks of 8×8: bytes of the table for each chunk", small[0]["table_bytes_a_chunk"], ENTRY)


def sizes_text(results):
    built = results["packed"]
    columns = [c for c in COLUMNS if any(c.key in sizes for sizes in built.values())]

    def text(sizes, key):
        if key not in sizes:
            return "–"
        raw = array_bytes(results["size"])
        return f"{sizes[key]['bytes'] / (1 << 20):.2f} MiB ({raw / sizes[key]['bytes']:.2f})"

    return "## Sizes\n\nOf all files, and how many times smaller than the elements:\n\n" + table(
        ["", *(c.title for c in columns)],
        [[data, *(text(sizes, c.key) for c in columns)] for data, sizes in built.items()])


def growth_text(results):
    found = results["answers"].get("growth-2d", {})
    lines = [[c.title, f"{median(found[c.key], 'bytes_a_chunk'):.0f}"] for c in COLUMNS if c.key in found]
    return "Bytes of all files for each chunk of 8×8 doubles, which has 512:\n\n" + table(["", "bytes"], lines) + "\n" \
        if lines else ""


def write(results, folder):
    size, answers = results["size"], results["answers"]
    rows, columns = measured(answers, ROWS, COLUMNS)
    text = INTRODUCTION.format(aims=aims_text(aims(results), "Ratios of medians"),
                               shape="×".join(map(str, shape(size))), bytes=bytes_text(array_bytes(size)),
                               chunk="×".join(map(str, CHUNK)), level=LEVEL,
                               repeat=repeat_text(results["repeat"]))
    text += sizes_text(results) + "\n"
    for heading, some in (("Reads of all", [r for r in rows if r.work in ("whole", "cold")]),
                          ("Elements, boxes and growth", [r for r in rows if r.work not in ("whole", "cold")])):
        if some:
            key = "seconds" if heading.startswith("Reads") else "each"
            text += f"## {heading}\n\n" + times_table(answers, some, columns, corner="", key=key) + "\n"
            text += ratios_table(answers, some, columns, corner="time / drx's",
                                 of=lambda found, column: ratio(found, column)) + "\n"
    return write_page(PAGE, folder, text + growth_text(results), results)


