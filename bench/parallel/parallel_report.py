"""The page of the parallel part: docs/benchmarks-parallel.md, prose and all."""

import bench_plots
import parallel_ahead
from bench_page import (aims_text, at_least, at_most, bytes_text, measured, median, mib_text, others, processes_text,
                        ratio_aims, ratios_table, repeat_text, table, times_table, write_page)
from parallel_table import COLUMNS, LARGE, ROWS, SMALL, chunk

PAGE = "benchmarks-parallel.md"

INTRODUCTION = """\
# Benchmarks of many processes

`make bench` writes this page; do not edit it. libdrxmp does the same work here as parallel HDF5, PnetCDF, MPI-IO and
plain `pread` and `pwrite`, in one run on one machine, in groups of {ranks} processes. The peers take turns,
repetition by repetition. One process against more libraries: [benchmarks.md](benchmarks.md). **Only ratios within one
run mean something.**

{aims}
## How it was measured

- The array has {rows}×{columns} doubles ({bytes}), each a hash of its index, in chunks of {large}×{large}, or of
  {small}×{small} (*small chunks*). Each process has one block of it (BLOCK×BLOCK): all of it, a half, or a quarter.
  *Unaligned* blocks leave out a margin, and begin and end inside chunks. The first time that a peer does
  a work, the benchmark checks every element that it reads or has written. Another process than the writer reads what
  was written. Groups read the array that the first of them has made.
- All peers run in one group of processes for each number of them. The time runs from when all have started until the
  last has ended. For a write it covers making the array, writing and closing, into a new file; nothing is synced. For
  a read it covers the reading alone, from the page cache.
- *Fortran order*: the block of each process is in Fortran order in memory; the array is the same.
- *After 8 growths*: the array began as a quarter and grew along both axes in turn. The time of the write includes
  that.
- *Strips* of all rows begin at columns of no particular kind, and *sections* of {section}×{section} at such elements. All
  processes read each of them together, by one call, and each process gets its share: some of the rows of a strip, a
  block of a section.
- *Random boxes*: each process reads {boxes:,} boxes of its own choice, one call each.
- *One growth*: the mean of 16 more growths by a chunk, of an array with that history; the axes alternate. *Stored*:
  after each growth comes the call that lets other openers see it (`H5Fflush`, `ncmpi_sync_numrecs`; drx needs none,
  since it has written a record). Without it, HDF5 keeps the change in the memory of each process.
- {repeat}. The tables give the median, with the minimum in brackets. What takes more than 1 s is measured twice,
  or a third time if the first two differ by a quarter; more than 3 s, once. The last columns say how fast the machine
  was before each of three repetitions (medians), for all processes together: `memcpy` between buffers, and `pread` of
  files in the page cache, 1 MiB at a time.
- On a virtual machine the first use of a page costs the host time. So as much memory as a write uses is touched and
  given back before each one.
- Memory is the rise of the process's `VmHWM` during the measurement. Its buffers were touched before. `VmHWM` counts
  the pages of files that a library maps, although they are pages of the page cache. The second figure
  covers only the workloads after which no more of a file was mapped than before (`RssFile` did not rise). Where drx
  maps pages and lets go of them during the call, it counts them.

The peers:

- **drx**: the calls of `drxmp.h`, with one thread in each process (`DRX_THREADS=1`).
- **HDF5** with its defaults, by collective calls, or *independent*: each process reads and writes alone. Both axes
  are unlimited. It reads and writes Fortran order, as all libraries that have only C order, in slabs of 512 rows,
  turned into place in blocks of 16×16.
- **HDF5, best**: the fastest setting that we found: the newest file format, no fill values, collective metadata, all
  chunks in one request. Larger chunk caches, none, aligned chunks and ROMIO were not faster.
- **PnetCDF**: collective calls, in Fortran order its mapped ones (`varm`); boxes in its independent mode. It grows
  along its record axis alone, by writing to the last record.
- **contiguous**: a file of all elements in C order, by collective MPI-IO with a view of the block (it grows along
  axis 0 by `MPI_File_set_size`), or by each process's own `pread` and `pwrite` of rows, adjacent rows at once.
- A peer without chunks is measured once, beside the large ones.

"""

# ---- what drx is to reach, as ratios of medians of one run

TOGETHER = ("hdf5", "hdf5-best")
HDF5 = TOGETHER + ("hdf5-alone", "hdf5-best-alone")

# what, row, columns: the fastest of them, at least
RATIOS = [
    ("read: contiguous, pread / drx", "read", ("posix",), 0.9),
    ("read: HDF5, collective, either setting / drx", "read", TOGETHER, 1.3),
    ("write: HDF5, any setting / drx", "write", HDF5, 1),
    ("small chunks, read: HDF5, any setting / drx", "small-read", HDF5, 5),
    ("small chunks, write: HDF5, any setting / drx", "small-write", HDF5, 5),
    ("read, Fortran order: PnetCDF, mapped / drx", "read-fortran", ("pnetcdf",), 3),
    ("one growth: HDF5, any setting / drx", "extend", HDF5, 8),
    ("one growth, stored: HDF5, any setting / drx", "extend-stored", HDF5, 8),
    ("small chunks, one growth: HDF5, any setting / drx", "small-extend", HDF5, 8),
    ("small chunks, one growth, stored: HDF5, any setting / drx", "small-extend-stored", HDF5, 8),
]
RANKS = ("2", "4")
HIDDEN = 0.8             # of the time of reading zones ahead, at least
MEMORY_BYTES = 64 << 20  # of a rank, beside its buffers
MAPPED_BYTES = 1 << 20   # fewer: it is as good as nothing


def ratios(results):
    for ranks in RANKS:
        yield from ratio_aims(results["answers"].get(ranks, {}),
                              ((f"{ranks} processes, {what}", (row, columns), (row, "drx"), aim)
                               for what, row, columns, aim in RATIOS))


def ahead(results):
    for ranks in RANKS:
        answers = (results["ahead"] or {}).get(parallel_ahead.BEYOND, {}).get(ranks)
        if answers:
            yield at_least(f"{ranks} processes, zones read ahead out of core: share of the reading that is hidden",
                           median(answers, "hidden"), HIDDEN)


def most_memory(results, ranks, column, mapped):
    """Bytes beside the buffers, at most in all workloads, or in those where no file is mapped; None: not measured."""
    return max((answer["memory_bytes"] for answers in results["answers"].get(ranks, {}).values()
                for answer in answers.get(column, ()) if mapped or answer["mapped_bytes"] < MAPPED_BYTES), default=None)


def memory(results):
    for what, mapped in (("VmHWM less its buffers", True), ("the same where no file is mapped", False)):
        most = [most_memory(results, ranks, "drx", mapped) for ranks in results["ranks"]]
        most = [value for value in most if value is not None]
        if most:
            yield at_most(f"memory of a process, {what}", max(most) / (1 << 20), MEMORY_BYTES >> 20, " MiB",
                          "{:.1f}".format)


# ---- tables


def titled(row, size):
    """With the extent of its chunks."""
    edge = chunk(size, row.part)
    return row._replace(title=f"{row.title}, {edge}×{edge}")


def ranks_text(results, ranks, folder):
    answers = results["answers"].get(ranks, {})
    rows = [titled(row, results["size"]) for part in (LARGE, SMALL) for row in ROWS if row.part == part]
    rows, columns = measured(answers, rows, COLUMNS)
    if not rows:
        return ""
    heading = processes_text(ranks)
    return (f"## {heading}\n\n"
            + bench_plots.picture(answers, f"parallel-{ranks}", heading, "drx", rows, columns, folder)
            + times_table(answers, rows, columns, results["calibration"][ranks]) + "\n"
            + ratios_table(answers, rows, others(columns)) + "\n")


def memory_table(results):
    def cell(ranks, column):
        values = [most_memory(results, ranks, column.key, mapped) for mapped in (True, False)]
        return " / ".join("–" if value is None else mib_text(value) for value in values)

    lines = [[column.title] + [cell(ranks, column) for ranks in results["ranks"]] for column in COLUMNS]
    return ("## Memory\n\nBeside the buffers of a process, in MiB: the most of all workloads / of those in "
            "which no file was mapped.\n\n"
            + table(["processes"] + results["ranks"], lines) + "\n")


def count_boxes(results):
    return max((answer["boxes"] for rows in results["answers"].values() for answers in rows.values()
                for answer in sum(answers.values(), []) if "boxes" in answer), default=0)


def write(results, folder):
    size = results["size"]
    shape = {"rows": 32 * size, "columns": 16 * size, "bytes": bytes_text(4096 * size ** 2)}
    text = INTRODUCTION.format(**shape, large=chunk(size, LARGE), small=chunk(size, SMALL), boxes=count_boxes(results),
                               section=4 * size,
                               repeat=repeat_text(results["repeat"]), ranks=", ".join(results["ranks"]),
                               aims=aims_text([*ratios(results), *ahead(results), *memory(results)],
                                              "Ratios of medians"))
    text += "".join(ranks_text(results, ranks, folder) for ranks in results["ranks"])
    text += parallel_ahead.text(results, shape)
    return write_page(PAGE, folder, text + memory_table(results), results)
