"""The page of results: docs/benchmarks.md, prose and all."""

import os
import statistics

import bench_aims
import bench_plots
from serial_table import COLUMNS, ROWS

PAGE = "benchmarks.md"

INTRODUCTION = """\
# Benchmarks

Written by `make bench`; do not edit. drx does the same work here as HDF5, netCDF-4, Zarr and plain files, in one run
on one machine, the peers taking turns repetition by repetition, so that what else the machine does hits all alike.
**Only ratios within one run mean something**: such machines differ, also from hour to hour. Many processes together:
[benchmarks-parallel.md](benchmarks-parallel.md). Copies into other chunks: [benchmarks-layout.md](benchmarks-layout.md).

{aims}
## How it was measured

- Elements are doubles, each a hash of its index. Whatever a peer reads or has written is compared with what is right:
  a checksum that depends on each element and its place, and some thousand elements one by one.
- The cube has {size}³ elements ({cube}), in chunks of 32×32×32. The table has {rows}×{columns}, in chunks of
  8 whole rows. Both grew along axis 0. None is compressed.
- An array is opened anew for each measurement. Timed are the reads alone, with all that they bring about: chunk caches
  that fill, maps that are touched for the first time. Opening and closing is not timed, except where the row says so.
- Elements go to memory as `malloc` gives it, aligned to 64 bytes, each page touched before; the same for all peers of
  the process, and the next measurement overwrites it first, untimed. The C libraries are in one process, Zarr and drx
  with two threads in one each; huge pages are asked for by none.
- *Warm*: the files were read through just before. *Cold*: they were synced and dropped from the page cache
  (`POSIX_FADV_DONTNEED`){resident}.
- {repeat}. The tables give the median, and the minimum in brackets; what takes more than 10 s is repeated
  once at most. Beside them is how fast the machine was before each repetition (medians): `memcpy` between buffers, and
  `pread` of a file in the page cache, 1 MiB at a time.

The peers:

- **drx** reads as `drx_read` does, one call per box, and elements one by one with `drx_get`. It may use one thread, or
  two (`DRX_THREADS`).
- **contiguous**: a file of all elements in C order, read by `pread` of each row of the box (adjacent rows as one; two
  threads share out a whole read), or through `mmap`. What such a file cannot do (grow along other axes) is left out.
- **bare pwrite**: a loop of one `pwrite` a chunk, addresses and bytes of the chunks prepared beforehand, untimed.
- **HDF5, netCDF-4, Zarr** as they come: a chunk cache of 1 MiB in HDF5, {netcdf_cache} in netCDF, none in Zarr.
  Boxes in one call each, elements one by one. All axes are unlimited.
- **best**: what we found fastest for the access. HDF5: the newest file format, and no fill beneath what is written; a
  chunk cache for all of the array (boxes, strips), of 64 MiB (growth by small chunks) or none (planes a[i,:,:] and
  a[:,j,:], elements); elements as one list of points; the whole array by slabs as thick as a chunk. netCDF: likewise,
  but it has no lists of points. Zarr: `vindex` for all elements, `LRUStoreCache` for boxes and strips.
- Fortran order, in libraries that have only C order: read by slabs as thick as a chunk along axis 0 (over the whole
  plane, or in the best setting over one row of chunks) and turned into place in blocks of 16×16. Zarr reads into an
  array in Fortran order.

"""

GROUPS = [  # group, heading, what it is, plot
    ("warm", "Reads from the page cache",
     "{elements:,} random elements and {boxes:,} random boxes, not sorted; 64 planes spread evenly over the axis, one"
     " call each; 16 strips of 64 columns.", True),
    ("cold", "Reads from the disk", "The same, cold.", True),
    ("growth", "Growth",
     "Each growth extends an axis by one chunk and writes the new slab from memory in C order. In 3-D to {chunks_3d}³"
     " chunks of 32³, in 2-D to {chunks_2d}² chunks of 8×8 ({growths_2d:,} growths). Timed are extending, writing and"
     " closing; nothing is synced.", True),
    ("open", "Opening",
     "A table that grew {history:,} times, axis 0 and axis 1 in turn, by one chunk of 8×8; only its first chunk was"
     " written (netCDF-4 grows by writing: one element each time). Opening, reading the first element and closing; the"
     " mean of ten, from the page cache. drx reads one record for each growth, the"
     " others keep only the last extents.", False),
    ("addresses", "Addresses",
     "F\\* is `drx_chunk_address`, F\\*⁻¹ `drx_chunk_index`, with their checks and locks: a million random chunks of a"
     " 3-D array each. Every growth begins a record: the axes take turns, but with 100,000 records axis 2 grows every"
     " fiftieth time only, so that the array does not become larger than a file may be.", False),
]


def median(answers, key="seconds"):
    return statistics.median(answer[key] for answer in answers)


def least(answers, key="seconds"):
    return min(answer[key] for answer in answers)


def seconds_text(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 0.9995:
            return f"{seconds * factor:.3g} {unit}" if seconds < 999 else f"{seconds:.0f} s"
    return f"{seconds * 1e9:.0f} ns"


def ratio_text(ratio):
    return f"{ratio:.2g}" if ratio < 0.1 else f"{ratio:.2f}" if ratio < 9.95 else f"{ratio:.0f}"


def table(header, rows, align="---:"):
    lines = ["| " + " | ".join(header) + " |", "| --- |" + f" {align} |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def measured(results, group):
    """The rows of the group that were measured, and the columns that took part in one of them."""
    rows = [row for row in ROWS if row.group == group and results["answers"].get(row.key)]
    columns = [c for c in COLUMNS if any(c.key in results["answers"][row.key] for row in rows)]
    return rows, columns


def peers_table(results, rows, columns):
    def cell(row, column):
        answers = results["answers"][row.key].get(column.key)
        if not answers:
            return "–"
        return f"{seconds_text(median(answers))} ({seconds_text(least(answers))})"

    def speed(row, key):
        return f"{median(results['calibration'][row.key], key):.1f}"

    lines = [[column.title] + [cell(row, column) for row in rows] for column in columns]
    lines += [[f"*{key}, GB/s*"] + [speed(row, key) for row in rows] for key in ("memcpy", "pread")]
    return table(["median (minimum)"] + [row.title for row in rows], lines)


def ratios_table(results, rows, columns):
    """How many times as long as drx with one thread."""
    def cell(row, column):
        answers = results["answers"][row.key]
        if column.key not in answers or "drx" not in answers:
            return "–"
        return ratio_text(median(answers[column.key]) / median(answers["drx"]))

    lines = [[column.title] + [cell(row, column) for row in rows] for column in columns if column.key != "drx"]
    return table(["peer / drx"] + [row.title for row in rows], lines)


def overhead_table(results, rows, columns):
    """Bytes in the files beside the elements, for each growth."""
    def cell(row, column):
        answers = results["answers"][row.key].get(column.key)
        if not answers or column.key in ("bare", "drx-2", "posix"):
            return None
        answer, growths = answers[0], results["answers"][row.key]["drx"][0]["growths"]
        return f"{(answer['file_bytes'] - answer['bytes']) / growths:,.0f}"

    if any("drx" not in results["answers"][row.key] for row in rows):
        return ""
    lines = []
    for column in columns:
        cells = [cell(row, column) for row in rows]
        if any(cells):
            lines.append([column.title] + [text or "–" for text in cells])
    return ("\nBytes in the files beside the elements, for each growth (the description of the array included):\n\n"
            + table(["bytes per growth"] + [row.title for row in rows], lines))


def addresses_table(results, rows):
    lines = []
    for row in rows:
        answers, speeds = results["answers"][row.key]["drx"], results["calibration"][row.key]
        lines.append([row.title] + [f"{median(answers, key) * 1e9:.0f} ({least(answers, key) * 1e9:.0f})"
                                    for key in ("seconds", "inverse_seconds")]
                     + [f"{1e-6 / median(answers, key):.1f}" for key in ("seconds", "inverse_seconds")]
                     + [f"{median(speeds, 'memcpy'):.1f}"])
    return table(["", "F\\*, ns", "F\\*⁻¹, ns", "F\\*, million/s", "F\\*⁻¹, million/s", "memcpy, GB/s"], lines)


def group_text(results, folder, group, heading, what, plotted, words):
    rows, columns = measured(results, group)
    if not rows:
        return ""
    text = f"## {heading}\n\n{what.format(**words)}\n\n"
    if group == "addresses":
        return text + addresses_table(results, rows) + "\n"
    if plotted and any("drx" in results["answers"][row.key] for row in rows):
        name = bench_plots.draw(results, group, heading, "drx with one thread", rows, columns, folder)
        text += f"![{heading}: time of each peer relative to drx]({name})\n\n"
    text += peers_table(results, rows, columns) + "\n" + ratios_table(results, rows, columns)
    if group == "growth":
        text += overhead_table(results, rows, columns)
    return text + "\n"


def resident_text(results):
    """What the cold rows found still in the cache, or nothing to say."""
    parts = [answer["resident"] for row in ROWS if row.cache == "cold"
             for answers in results["answers"].get(row.key, {}).values() for answer in answers if "resident" in answer]
    return f"; at most {100 * max(parts):.1f} % stayed there" if parts else ""


def bytes_text(n):
    return f"{n / (1 << 30):g} GiB" if n >= 1 << 30 else f"{n / (1 << 20):g} MiB"


def machine_text(results):
    return "## The machine\n\n" + table(["", ""], list(results["machine"].items()), "---") + "\n" + ", ".join(
        f"{name} {version}" for name, version in results["versions"].items() if name != "netCDF_cache") + ".\n"


def write(results, folder):
    size, repeat = results["size"], results["repeat"]
    part = (size / 512) ** 3
    words = {
        "elements": max(1000, int(200000 * part)), "boxes": max(20, int(20000 * part)), "chunks_3d": size // 32,
        "chunks_2d": size, "growths_2d": 2 * size - 1, "history": 100000 if size >= 256 else 1000,
    }
    os.makedirs(folder, exist_ok=True)
    text = INTRODUCTION.format(size=size, cube=bytes_text(8 * size ** 3), rows=size * size // 8, columns=8 * size,
                               repeat="One repetition" if repeat == 1 else f"{repeat} repetitions",
                               resident=resident_text(results),
                               netcdf_cache=bytes_text(results["versions"]["netCDF_cache"]),
                               aims=bench_aims.text(results))
    for group in GROUPS:
        text += group_text(results, folder, *group, words)
    path = os.path.join(folder, PAGE)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + machine_text(results))
    return path
