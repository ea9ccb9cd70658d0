"""The page of the parallel part: docs/benchmarks-parallel.md, prose and all."""

import os

import parallel_aims
import bench_plots
from parallel_table import COLUMNS, LARGE, ROWS, SMALL, chunk
from serial_report import bytes_text, least, machine_text, median, ratio_text, seconds_text, table

PAGE = "benchmarks-parallel.md"

INTRODUCTION = """\
# Benchmarks of many processes

Written by `make bench`; do not edit. libdrxmp does the same work here as parallel HDF5, PnetCDF, MPI-IO and plain
`pread` and `pwrite`, in one run on one machine, by groups of {ranks} processes, the peers taking turns repetition by
repetition. One process alone, against more libraries: [benchmarks.md](benchmarks.md). **Only ratios within one run mean
something.**

{aims}
## How it was measured

- The array has {rows}×{columns} doubles ({bytes}), each a hash of its index, in chunks of {large}×{large}, or of
  {small}×{small} (*small chunks*). Each process has one block of it (BLOCK×BLOCK): all of it, a half, or a quarter;
  *unaligned* blocks leave out a margin and begin and end inside chunks. Every element that a peer reads is compared
  with what is right, and all that it has written is read by another process than wrote it.
- All peers are in one group of processes for each number of them. Time is that from when all have started until the
  last has ended. Of a write, making the array, writing and closing it are timed, into a file that was not there;
  nothing is synced. Of a read, from the page cache, the reading alone.
- *Fortran order*: the block of each process in memory in Fortran order, the array as always.
- *After 8 growths*: the array began as a quarter and grew along both axes in turn, which the write's time includes.
- *Random boxes*: each process reads {boxes:,} boxes for itself, one call each.
- *One growth*: the mean of 16 more, by a chunk, of an array with that history; the axes alternate. *Stored*: each
  followed by what lets others who open the file see it (`H5Fflush`, `ncmpi_sync_numrecs`; nothing for drx, which has
  written a record). HDF5 otherwise keeps in the memory of each process what has changed.
- {repeat}. The tables give the median, and the minimum in brackets; what takes more than 10 s is repeated once at
  most. Beside them is how fast the machine was before each repetition (medians), for all processes together: `memcpy`
  between buffers, and `pread` of files in the page cache, 1 MiB at a time.
- Memory is what `VmHWM` of the process rose by while it was measured; its buffers were touched before. Pages of files
  that a library maps are counted, though they are those of the page cache; so it is also told for the workloads in
  which no file was mapped (`RssFile` did not rise).

The peers:

- **drx**: the calls of `drxmp.h`, with one thread in each process (`DRX_THREADS=1`).
- **HDF5** as it comes, by collective calls, or *independent*: each process reads and writes for itself. Both axes are
  unlimited. Fortran order is that of all that have only C order: slabs of 512 rows, turned into place in blocks of
  16×16.
- **HDF5, best**: what we found fastest: the newest file format, no fill beneath what is written, collective metadata,
  all chunks as one request. Larger chunk caches, none, aligned chunks and ROMIO were not faster.
- **PnetCDF**: collective calls, in Fortran order by its mapped ones (`varm`); boxes in its independent mode. It grows
  along its record axis alone, by writing to the last record.
- **contiguous**: a file of all elements in C order, by collective MPI-IO with a view of the block (its growth, along
  axis 0, is `MPI_File_set_size`), or by each process's own `pread` and `pwrite` of rows, adjacent rows as one.
- What has no chunks is measured once, beside the large ones.

"""


def rows_of(answers, part):
    return [row for row in ROWS if row.part == part and answers.get(row.key)]


def titled(row, size):
    """With the extent of its chunks."""
    edge = chunk(size, row.part)
    return row._replace(title=f"{row.title}, {edge}×{edge}")


def cell(answers, column):
    if not answers.get(column.key):
        return "–"
    return f"{seconds_text(median(answers[column.key]))} ({seconds_text(least(answers[column.key]))})"


def ratio_cell(answers, column):
    if not answers.get(column.key) or not answers.get("drx"):
        return "–"
    return ratio_text(median(answers[column.key]) / median(answers["drx"]))


def times_table(results, ranks, rows, columns):
    answers, speeds = results["answers"][ranks], results["calibration"][ranks]
    lines = [[row.title] + [cell(answers[row.key], column) for column in columns]
             + [f"{median(speeds[row.key], key):.1f}" for key in ("memcpy", "pread")] for row in rows]
    return table(["median (minimum)"] + [c.title for c in columns] + ["*memcpy, GB/s*", "*pread, GB/s*"], lines)


def ratios_table(results, ranks, rows, columns):
    """How many times as long as drx."""
    others = [c for c in columns if c.key != "drx"]
    answers = results["answers"][ranks]
    return table(["peer / drx"] + [c.title for c in others],
                 [[row.title] + [ratio_cell(answers[row.key], column) for column in others] for row in rows])


def ranks_text(results, ranks, folder):
    answers = results["answers"].get(ranks, {})
    rows = [titled(row, results["size"]) for part in (LARGE, SMALL) for row in rows_of(answers, part)]
    columns = [c for c in COLUMNS if any(c.key in answers[row.key] for row in rows)]
    if not rows:
        return ""
    heading = "1 process" if ranks == "1" else f"{ranks} processes"
    text = f"## {heading}\n\n"
    if any("drx" in answers[row.key] for row in rows):
        name = bench_plots.draw({"answers": answers}, f"parallel-{ranks}", heading, "drx", rows, columns, folder)
        text += f"![{heading}: time of each peer relative to drx]({name})\n\n"
    return text + "\n".join(of(results, ranks, rows, columns) for of in (times_table, ratios_table)) + "\n"


def memory_table(results):
    def cell(ranks, column):
        values = [parallel_aims.most_memory(results, ranks, column.key, mapped) for mapped in (True, False)]
        return " / ".join("–" if value is None else f"{value / (1 << 20):.1f}" for value in values)

    lines = [[column.title] + [cell(ranks, column) for ranks in results["ranks"]] for column in COLUMNS]
    return ("## Memory\n\nBeside the buffers of a process, in MiB: the most of all workloads / of those in "
            "which no file was mapped.\n\n"
            + table(["processes"] + results["ranks"], lines) + "\n")


def count_boxes(results):
    return max((answer["boxes"] for rows in results["answers"].values() for answers in rows.values()
                for answer in sum(answers.values(), []) if "boxes" in answer), default=0)


def write(results, folder):
    size, repeat = results["size"], results["repeat"]
    os.makedirs(folder, exist_ok=True)
    text = INTRODUCTION.format(rows=32 * size, columns=16 * size, bytes=bytes_text(4096 * size ** 2),
                               large=chunk(size, LARGE), small=chunk(size, SMALL), boxes=count_boxes(results),
                               repeat="One repetition" if repeat == 1 else f"{repeat} repetitions",
                               ranks=", ".join(results["ranks"]), aims=parallel_aims.text(results))
    for ranks in results["ranks"]:
        text += ranks_text(results, ranks, folder)
    path = os.path.join(folder, PAGE)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + memory_table(results) + machine_text(results))
    return path
