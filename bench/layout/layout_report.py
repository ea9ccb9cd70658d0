"""The page of the part of layouts: docs/benchmarks-layout.md, prose and all."""

import bench_plots
import layout_plots
from bench_page import (aims_text, at_least, at_most, bytes_text, least, measured, median, mib_text, others,
                        processes_text, ratio, ratios_table, repeat_text, seconds_text, table, times_table, write_page)
from layout_product import PROGRAMS
from layout_table import COLUMNS, COPY_ROWS, COSTS, KINDS, PROCESSES, SAMPLE, edge, memory_bytes, title_of

PAGE = "benchmarks-layout.md"

INTRODUCTION = """\
# Benchmarks of layouts

`make bench` writes this page; do not edit it. Three things are measured. `drx_copy` and other tools copy a matrix
into chunks of another shape; `cp`, which keeps the layout, shows what reading and writing every byte once costs.
Requests of many shapes read the matrix before and after. Programs multiply matrices larger than memory. All figures
of a table come from one run on one machine; the peers take turns, repetition by repetition. **Only ratios within one
run mean something.** Reads and growth: [benchmarks.md](benchmarks.md). Many processes:
[benchmarks-parallel.md](benchmarks-parallel.md). How drx plans copies: [layout.md](layout.md).

{aims}
## How it was measured

- The matrix has {edge}×{edge} doubles ({bytes}), each a hash of its index. The benchmark reads the first copy of
  each kind back, untimed, compares every element with what is right (`cp`'s byte for byte), and removes it. Memory for
  data: {memory}.
- *Warm*: the source is in the page cache. The time ends when the copying program has ended, or the copy is
  closed; nothing is synced. *Cold*: the source was synced and dropped from the page cache (`POSIX_FADV_DONTNEED`),
  and the time ends when the copy has been synced (`drx_sync`, `fsync`). Before each copy everything else is synced,
  and memory of 1.25 times the matrix is touched and given back, since the host of a virtual machine takes long for what was not
  used before.
- {repeat} warm, {cold_repeat} cold. The tables give the median, with the minimum in brackets. What takes more than 1 s
  is measured twice, or a third time if the first two differ by a quarter; more than 3 s, once warm and twice cold.
  Requests and conversions of each shape are measured three times, or twice when they take more than 1 s. The tools are
  measured warm alone. The last lines say how fast the machine was before each of three repetitions (medians): `memcpy`
  between buffers, and `pread` of a file in the page cache, 1 MiB at a time.

The peers:

- **drx**: opening, `drx_copy` and closing, in chunks of whole rows to begin with. It may use a thread for each
  processor, or one (`DRX_THREADS`), beside the threads that read ahead and write behind.
- **cp**: the program, of the same file of data.
- **h5repack**, **nccopy**: the programs of HDF5 and netCDF-4 with their defaults (`-l CHUNK=…`, `-c`), and nccopy
  with a buffer and a chunk cache as large as drx's memory (`-m`, `-h`). Nothing is compressed; all axes are
  unlimited.
- **rechunker's way**: Debian lacks the Python package rechunker, so this is its way of working in a plain loop, from
  Zarr to Zarr. It reads as many chunks of the source at a time as fit in the same memory, and writes as many of the
  target. Where these blocks differ, it goes through a temporary array whose chunks are what they have in common. It
  is one process; rechunker would give the blocks to several.
- Only drx transposes, with the elements themselves turned; `cp` stands beside it.

"""

GROUPS = [("warm", "From the page cache"), ("cold", "From the disk to the disk")]

ACCESS = """\
## Requests before and after

Tables 2 to 4 of Krishnamoorthy et al. (2006) in our own terms. A matrix of {height}×{width} doubles ({bytes}) is
stored in row-major order (chunks of 4 rows). All these requests of 1 MiB divide it. For each shape of request: what
reading all of the matrix costs as it is stored (*skewed*), what the *conversion* by `drx_copy` into chunks of this
shape costs, and what the same requests cost afterwards (*aligned*). The benchmark checked every element that requests
read, beforehand.

Each process has one thread. Of several processes, each reads its share of the requests, in turn, and the slowest one
counts. Several processes convert together (`drxmp_copy`). Cold, the cache is dropped
and every {sample}th request is read; the table multiplies the time. So the figure is that of an array much larger
than memory, where no request finds what another one has read. A cold conversion is whole, and durable at the end.

"""

PRODUCT = """\
## A product out of core

C = A B, each {edge}×{edge} doubles in chunks of {chunk}×{chunk}, with {memory} of memory in all for blocks, from the
page cache. The programs are `multiply` and `multiply_together` of examples/. *In core* is the speed of the same BLAS
on matrices in memory, before and after, with the same threads.

"""

# ---- what copies are to reach

# what is divided, by what; row, columns, of the minima or medians, at most
COPIES = [
    ("{}, warm: drx / cp, minima", "columns", least, 1.4),
    ("{}, warm: drx / cp, minima", "blocks", least, 1.4),
    ("{}, cold, durable: drx / cp, medians", "cold-columns", median, 1.2),
    ("{}, cold, durable: drx / cp, medians", "cold-blocks", median, 1.2),
]

# title, peer, at least; of medians, warm
PEERS = [("h5repack", "h5repack", 15), ("nccopy", "nccopy", 4), ("rechunker's way", "zarr", 5)]

WHOLE = 512    # the size for which the memory of the aims allows one pass
FLAT = 1.5     # the slowest shape / the fastest
LEAST_PRODUCT = 0.95


def titled_rows(results):
    return [row._replace(title=title_of(row, results["size"])) for row in COPY_ROWS]


def copies(results):
    titles = {row.key: row.title for row in titled_rows(results)}
    for what, row, of, aim in COPIES:
        answers = results["answers"].get(row, {})
        if answers.get("drx") and answers.get("cp"):
            yield at_most(what.format(titles[row]), of(answers["drx"]) / of(answers["cp"]), aim)
    for row in ("columns", "blocks"):
        answers = results["answers"].get(row, {})
        if answers.get("drx") and results["size"] >= WHOLE:
            yield at_most(f"{titles[row]}: passes of drx", answers["drx"][0]["passes"], 1)
        for peer, column, aim in PEERS:
            value = ratio(answers, column)
            if value:
                yield at_least(f"{titles[row]}, warm: {peer} / drx", value, aim)


def flatness(results):
    for cost in COSTS:
        middles = [median(answers[cost.key]) for answers in results["access"].values() if cost.key in answers]
        if len(middles) > 1 and cost.title != "skewed":
            what = f"{cost.title}, {cost.cache}, {processes_text(cost.processes)}: the slowest shape / the fastest"
            yield at_most(what, max(middles) / min(middles), FLAT)


def products(results):
    for key, answers in results["product"].items():
        processes = key.rpartition("-")[2] if "-" in key else "1"
        yield at_least(f"product out of core / in core, {processes_text(processes)}",
                       median(answers, "gflops") / median(answers, "in_core"), LEAST_PRODUCT)


# ---- tables


def copies_text(results, cache, heading, folder):
    answers = results["answers"]
    rows, columns = measured(answers, [row for row in titled_rows(results) if row.cache == cache], COLUMNS)
    if not rows:
        return ""
    return (f"## {heading}\n\n" + bench_plots.picture(answers, f"layout-{cache}", heading, "drx", rows, columns, folder)
            + times_table(answers, rows, columns, results["calibration"], turned=True) + "\n"
            + ratios_table(answers, rows, others(columns), turned=True) + "\n")


def plans_text(results):
    """What drx_plan_copy says of each copy."""
    lines = []
    for row in titled_rows(results):
        answers = results["answers"].get(row.key, {}).get("drx")
        if answers and row.cache == "warm":
            plan = answers[0]
            lines.append([row.title, str(plan["passes"]), mib_text(plan["memory_bytes"]) + " MiB",
                          f"{plan['read_calls']:,}", f"{plan['write_calls']:,}"])
    if not lines:
        return ""
    return ("What drx plans (`drx_plan_copy`), for a source that is not in memory:\n\n"
            + table(["", "passes", "memory", "reads", "writes"], lines) + "\n")


def access_table(results, cache):
    costs = [cost for cost in COSTS if cost.cache == cache]
    header = ["request"] + [f"{title}, {n}" for n in PROCESSES for _, title, _ in KINDS]
    lines = [[shape] + [seconds_text(median(answers[cost.key])) if cost.key in answers else "–" for cost in costs]
             for shape, answers in results["access"].items()]
    return f"{cache.capitalize()}, medians; {', '.join(map(str, PROCESSES))} are processes:\n\n" + table(header, lines) + "\n"


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


def write(results, folder):
    size = results["size"]
    aims = [*copies(results), *flatness(results), *products(results)]
    text = INTRODUCTION.format(aims=aims_text(aims, "Ratios within one run"), edge=edge(size),
                               bytes=bytes_text(8 * edge(size) ** 2), memory=bytes_text(memory_bytes(size)),
                               repeat=repeat_text(results["repeat"]),
                               cold_repeat=repeat_text(results["cold_repeat"]).lower())
    for cache, heading in GROUPS:
        text += copies_text(results, cache, heading, folder)
    text += plans_text(results) + access_text(results, folder) + product_text(results)
    return write_page(PAGE, folder, text, results)
