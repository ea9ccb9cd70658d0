"""The page of the part of layouts: docs/benchmarks-layout.md, prose and all."""

import os
from collections import namedtuple

import layout_aims
import layout_plots
import bench_plots
from layout_product import PROGRAMS
from layout_table import (COLUMNS, COPY_ROWS, COSTS, KINDS, PROCESSES, SAMPLE, edge, memory_bytes, title_of)
from serial_report import bytes_text, machine_text, median, peers_table, ratios_table, seconds_text, table

PAGE = "benchmarks-layout.md"

INTRODUCTION = """\
# Benchmarks of layouts

Written by `make bench`; do not edit. A matrix is copied into chunks of another shape by `drx_copy`, by `cp` (which
leaves the layout as it is: what reading and writing every byte once costs), and by other tools; it is read by requests
of many shapes before and after; and matrices larger than memory are multiplied. All of a table was measured in one run
on one machine, taking turns repetition by repetition. **Only ratios within one run mean something.** Reads and growth:
[benchmarks.md](benchmarks.md); many processes: [benchmarks-parallel.md](benchmarks-parallel.md); how copies are
planned: [layout.md](layout.md).

{aims}
## How it was measured

- The matrix has {edge}×{edge} doubles ({bytes}), each a hash of its index. Every copy is read back afterwards, untimed,
  and every element compared with what is right (`cp`'s byte for byte), then removed. Memory for data: {memory}.
- *Warm*: the source was read through just before; the time ends when the copying program has ended, or the copy is
  closed, with nothing synced. *Cold*: the source was synced and dropped from the page cache (`POSIX_FADV_DONTNEED`),
  and the time ends when the copy has been synced (`drx_sync`, `fsync`). Before each copy everything else is synced.
- {repeat} warm, {cold_repeat} cold; requests of each shape three times at most. The tables give the median, and the
  minimum in brackets; what takes more than 10 s is not repeated. The tools are measured warm alone. Beside them is how
  fast the machine was before each repetition (medians): `memcpy`
  between buffers, and `pread` of a file in the page cache, 1 MiB at a time.

The peers:

- **drx**: opening, `drx_copy` and closing, in chunks of whole rows to begin with. It may use a thread for each
  processor, or one (`DRX_THREADS`), beside those that read ahead and write behind.
- **cp**: the program, of the same file of data.
- **h5repack**, **nccopy**: the programs of HDF5 and netCDF-4, as they come (`-l CHUNK=…`, `-c`), and nccopy with buffer
  and chunk cache as large as drx's memory (`-m`, `-h`). Nothing is compressed; all axes are unlimited.
- **rechunker's way**: not the Python package rechunker, which Debian does not have, but its way of working, from Zarr
  to Zarr in a plain loop: it reads as many chunks of the source at a time as fit in the same memory, and writes as many
  of the target; where these blocks differ, by way of a temporary array whose chunks are what they have in common. One
  process; rechunker would hand the blocks to several.
- Transposing, with the elements themselves turned, is drx's alone; `cp` stands beside it.

"""

GROUPS = [("warm", "From the page cache"), ("cold", "From the disk to the disk")]

ACCESS = """\
## Requests before and after

Tables 2 to 4 of Krishnamoorthy et al. (2006) in our own terms. A matrix of {height}×{width} doubles ({bytes}), as high
and wide as all these requests of 1 MiB need it, is stored in row-major order (chunks of 4 rows). For each shape: what
reading all of it by such requests costs as it is stored (*skewed*), what the *conversion* by `drx_copy` into chunks of
this shape costs, and the same requests afterwards (*aligned*). Every element that requests read was compared beforehand
with what is right.

Processes have one thread each; with two, each reads every other request, and the slower counts. The conversion beside
two processes is by one process with a thread for each processor. Cold, every {sample}th request is read, the cache
having been dropped before the first, and the time multiplied: as from an array much larger than memory, in which no
request finds what another has brought along. A cold conversion is whole, and durable at the end.

"""

PRODUCT = """\
## A product out of core

C = A B, each {edge}×{edge} doubles in chunks of {chunk}×{chunk}, {memory} of memory in all for blocks, from the page
cache: the programs `multiply` and `multiply_together` of examples/. *In core* is what the same BLAS does on matrices
that are in memory, before and after, with the same threads.

"""

Titled = namedtuple("Titled", "key title")


def titles(results):
    return {row.key: title_of(row, results["size"]) for row in COPY_ROWS}


def copies_text(results, cache, heading, folder):
    names = titles(results)
    rows = [Titled(row.key, names[row.key]) for row in COPY_ROWS
            if row.cache == cache and results["answers"].get(row.key)]
    columns = [c for c in COLUMNS if any(c.key in results["answers"][row.key] for row in rows)]
    if not rows:
        return ""
    text = f"## {heading}\n\n"
    if any("drx" in results["answers"][row.key] for row in rows):
        name = bench_plots.draw(results, f"layout-{cache}", heading, "drx", rows, columns, folder)
        text += f"![{heading}: time of each peer relative to drx]({name})\n\n"
    return text + peers_table(results, rows, columns) + "\n" + ratios_table(results, rows, columns) + "\n"


def plans_text(results):
    """What drx_plan_copy says of each copy."""
    names, lines = titles(results), []
    for row in COPY_ROWS:
        answers = results["answers"].get(row.key, {}).get("drx")
        if answers and row.cache == "warm":
            plan = answers[0]
            lines.append([names[row.key], str(plan["passes"]), f"{plan['memory_bytes'] / (1 << 20):.1f} MiB",
                          f"{plan['read_calls']:,}", f"{plan['write_calls']:,}"])
    if not lines:
        return ""
    return ("What drx plans (`drx_plan_copy`), for a source that is not in memory:\n\n"
            + table(["", "passes", "memory", "reads", "writes"], lines) + "\n")


def access_table(results, cache):
    costs = [cost for cost in COSTS if cost.cache == cache]
    header = ["request"] + [f"{title}, {n}" for n in PROCESSES for _, title, _ in KINDS]
    lines = [[shape] + [seconds_text(median(answers[cost.key])) for cost in costs]
             for shape, answers in results["access"].items()]
    return f"{cache.capitalize()}, medians; 1 and 2 are processes:\n\n" + table(header, lines) + "\n"


def access_text(results, folder):
    if not results["access"]:
        return ""
    side = edge(results["size"])
    text = ACCESS.format(height=side // 2, width=2 * side, bytes=bytes_text(8 * side * side), sample=SAMPLE)
    name = layout_plots.draw(results["access"], folder)
    text += f"![Requests before and after: seconds for each shape]({name})\n\n"
    return text + access_table(results, "warm") + access_table(results, "cold")


def product_text(results):
    if results["left_out"] is None:
        return ""
    size = results["size"]
    text = PRODUCT.format(edge=edge(size), chunk=edge(size) // 64, memory=bytes_text(memory_bytes(size)))
    lines = []
    for key, title, _, _ in PROGRAMS:
        answers = results["product"].get(key)
        if answers:
            gflops, in_core = median(answers, "gflops"), median(answers, "in_core")
            lines.append([title, seconds_text(median(answers)), f"{gflops:.1f}", f"{in_core:.1f}",
                          f"{gflops / in_core:.3f}", f"{median(answers, 'read_bytes') / (1 << 30):.2f} GiB",
                          f"{median(answers, 'memory_bytes') / (1 << 20):.0f} MiB"])
    if lines:
        text += table(["", "time", "GFLOP/s", "in core GFLOP/s", "ratio", "read", "memory in all"], lines) + "\n"
    return text + "".join(f"Not measured, its program not being built: {what}.\n\n" for what in results["left_out"])


def times(count):
    return "One repetition" if count == 1 else f"{count} repetitions"


def write(results, folder):
    size = results["size"]
    os.makedirs(folder, exist_ok=True)
    text = INTRODUCTION.format(aims=layout_aims.text(results, titles(results)), edge=edge(size),
                               bytes=bytes_text(8 * edge(size) ** 2), memory=bytes_text(memory_bytes(size)),
                               repeat=times(results["repeat"]), cold_repeat=times(results["cold_repeat"]).lower())
    for cache, heading in GROUPS:
        text += copies_text(results, cache, heading, folder)
    text += plans_text(results) + access_text(results, folder) + product_text(results)
    path = os.path.join(folder, PAGE)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + machine_text(results))
    return path
