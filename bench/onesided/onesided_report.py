"""The page of one-sided access: docs/benchmarks-onesided.md, prose and all."""

import bench_page
from bench_page import (aims_text, at_most, bytes_text, measured, others, processes_text, ratio_text, ratios_table,
                        times_table, write_page)
from onesided_table import COLUMNS, MEMORY_AIMS, RANKS, ROWS

PAGE = "benchmarks-onesided.md"

INTRODUCTION = """\
# Benchmarks of one-sided access

`make bench` writes this page; do not edit it. `drxmp_darray_get`, `drxmp_darray_put` and `drxmp_darray_acc` move
boxes of a distributed array here ([onesided.md](onesided.md)). Global Arrays and MPI's own windows do the same in the
same job, on one machine. The peers take turns, repetition by repetition. **Only ratios within one run mean
something.**

{aims}
## How it was measured

- The array has {edge}×{edge} doubles ({bytes}) in C order, in equal blocks over 1×1, 1×2 or 2×2 processes, with
  every peer. A process gets, puts or adds boxes of the block of the next one, which takes no part; a process alone has
  one block. Of 2 processes one works and the other waits; 4 processes all work at once. When a call returns, the move is
  complete at the target.
- *Hot*: the same box and the same buffer each time. *Cold*: another box and buffer each time, over all of the block
  and 64 MiB of buffers. *8 bytes*: one element.
- A repetition is 200 calls, or 20,000 calls of 8 bytes, of the slowest process. There are {repeat} repetitions after
  one that does not count. The tables give the median of a call, with the minimum in brackets. Before, each peer has
  to show that another process gets what it puts and adds.

The peers:

- **drx**: by loads and stores, as inside a node.
- **drx, grown in memory**: an array of `drxmp_create` without a path, of chunks of 1024×1024, grown to its size along both
  axes, by loads and stores, too. *Grow*: a new array of chunks of 64×64 grows by a chunk 200 times, its axes in turn.
  *Grow and write*: 60 times, by `drxmp_append_all`, to which each process gives its part.
- **drx, in files**: the same growth of an array in files, in memory here (`/dev/shm`).
- **Global Arrays**: `NGA_Get`, `NGA_Put`, `NGA_Acc` of Debian's library, which uses MPI's windows through ARMCI.
- **MPI RMA**: a window of `MPI_Win_allocate`, locked once; one operation of a vector type, and a flush.
- **bare copy**: rows by `memcpy` in a shared window, or sums in a loop, without a lock. This is right for one process
  alone.
- **drx, by RMA**: `DRXMP_ONESIDED=rma`, the way that drx takes between nodes, here inside one node; a tenth as many
  calls.

"""


def ratio(answers, column="ga"):
    """Of drx's time to that of another."""
    return bench_page.ratio(answers, "drx", column)


def aims(results):
    for ranks in RANKS:
        for row in ROWS:
            value = ratio(results["onesided"].get(ranks, {}).get(row.key, {})) if row.aim else None
            if value is not None:
                yield at_most(f"{processes_text(ranks)}, {row.title}: drx / Global Arrays", value, row.aim,
                              number=ratio_text)
    titles = {row.key: row.title for row in ROWS}
    for ranks in RANKS:
        for key, other, aim, title in MEMORY_AIMS:
            answers = results["onesided"].get(ranks, {}).get(key, {})
            value = bench_page.ratio(answers, "drx-memory", other)
            if value is not None:
                yield at_most(f"{processes_text(ranks)}, {titles[key]}: drx, grown in memory / {title}", value, aim,
                              number=ratio_text)


def ranks_text(results, ranks):
    answers = results["onesided"].get(ranks, {})
    rows, columns = measured(answers, ROWS, COLUMNS)
    if not rows:
        return ""
    return (f"## {processes_text(ranks)}\n\n" + times_table(answers, rows, columns) + "\n"
            + ratios_table(answers, rows, others(columns), corner="drx / peer", of=ratio) + "\n")


def write(results, folder):
    edge = results["edge"]
    text = INTRODUCTION.format(edge=edge, bytes=bytes_text(8 * edge ** 2), repeat=results["repeat"],
                               aims=aims_text(aims(results), "Ratios of medians"))
    return write_page(PAGE, folder, text + "".join(ranks_text(results, ranks) for ranks in RANKS), results)
