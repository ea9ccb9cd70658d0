"""The page of one-sided access: docs/benchmarks-onesided.md, prose and all."""

import os

import bench_aims
from onesided_table import COLUMNS, RANKS, ROWS
from serial_report import bytes_text, least, machine_text, median, ratio_text, seconds_text, table

PAGE = "benchmarks-onesided.md"

INTRODUCTION = """\
# Benchmarks of one-sided access

Written by `make bench`; do not edit. `drxmp_darray_get`, `drxmp_darray_put` and `drxmp_darray_acc` move boxes of a distributed array here
([onesided.md](onesided.md)), as Global Arrays and MPI's own windows do, in one job on one machine, the peers taking turns
repetition by repetition. **Only ratios within one run mean something.**

{aims}
## How it was measured

- The array has {edge}×{edge} doubles ({bytes}) in C order, in equal blocks over 1×2 or 2×2 processes, with every peer.
  A process gets, puts or adds boxes of the block of the next one, which takes no part. Of 2 processes one does so, and
  the other waits; of 4 processes all do so at once. What a call has moved is complete at the target when it returns.
- *Hot*: the same box and the same buffer each time. *Cold*: other ones each time, from all of the block and of 64 MiB of
  buffers. *8 bytes*: one element.
- A repetition is 200 calls, of 8 bytes 20,000, of the slowest process; {repeat} of them after one that does not count.
  The tables give the median of a call, and the minimum in brackets. Before, each peer has to show that what it puts and
  adds is what another process gets.

The peers:

- **drx**: by loads and stores, as inside a node.
- **Global Arrays**: `NGA_Get`, `NGA_Put`, `NGA_Acc` of Debian's library, which goes through ARMCI to MPI's windows.
- **MPI RMA**: a window of `MPI_Win_allocate`, locked for all time; one operation of a vector type, and a flush.
- **bare copy**: rows by `memcpy` in a shared window, or sums in a loop, with no lock: what is right for one process alone.
- **drx, by RMA**: `DRXMP_ONESIDED=rma`, what drx does between nodes; here MPI carries it inside of one, a tenth as many
  calls.

"""


def ratio(answers, column="ga"):
    """Of drx's time to that of another; None: one of them is not there."""
    if not answers.get("drx") or not answers.get(column):
        return None
    return median(answers["drx"]) / median(answers[column])


def aims(results):
    for ranks in RANKS:
        for row in ROWS:
            value = ratio(results["onesided"].get(ranks, {}).get(row.key, {}))
            if value is not None:
                yield [f"{ranks} processes, {row.title}: drx / Global Arrays", f"at most {row.aim:g}",
                       ratio_text(value), value <= row.aim]


def times_table(answers, rows, columns):
    def cell(row, column):
        found = answers[row.key].get(column.key)
        return f"{seconds_text(median(found))} ({seconds_text(least(found))})" if found else "–"

    return table(["median (minimum)"] + [c.title for c in columns],
                 [[row.title] + [cell(row, column) for column in columns] for row in rows])


def ratios_table(answers, rows, columns):
    def cell(row, column):
        value = ratio(answers[row.key], column.key)
        return "–" if value is None else ratio_text(value)

    others = [c for c in columns if c.key != "drx"]
    return table(["drx / peer"] + [c.title for c in others],
                 [[row.title] + [cell(row, column) for column in others] for row in rows])


def ranks_text(results, ranks):
    answers = results["onesided"].get(ranks, {})
    rows = [row for row in ROWS if answers.get(row.key)]
    columns = [c for c in COLUMNS if any(c.key in answers[row.key] for row in rows)]
    if not rows:
        return ""
    return f"## {ranks} processes\n\n" + "\n".join(of(answers, rows, columns) for of in (times_table, ratios_table)) + "\n"


def write(results, folder):
    os.makedirs(folder, exist_ok=True)
    text = INTRODUCTION.format(edge=results["edge"], bytes=bytes_text(8 * results["edge"] ** 2),
                               repeat=results["repeat"],
                               aims=bench_aims.section(list(aims(results)), "Ratios of medians"))
    for ranks in RANKS:
        text += ranks_text(results, ranks)
    path = os.path.join(folder, PAGE)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + machine_text(results))
    return path
