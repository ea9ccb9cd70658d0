"""The page of the part of Disk Resident Arrays: docs/benchmarks-dra.md, prose and all."""

import dra_sweep
from bench_page import (aims_text, at_least, at_most, bytes_text, cell, median, mib_text, others, processes_text,
                        ratio, ratio_text, repeat_text, table, write_page)
from dra_table import BOUNDS_MIB, COLUMNS, COPIES, HINTED, LIBRARIES, PASSES, RISCF, WORK, WORKS, edge, strip, titled

PAGE = "benchmarks-dra.md"

INTRODUCTION = """\
# Benchmarks of Disk Resident Arrays

`make bench` writes this page; do not edit it. One program makes the calls of Disk Resident Arrays. It is linked with
Global Arrays' own library, and with the drop-in before it, which stores DRX arrays. **Only ratios within one run mean
something.**

{aims}
## How it was measured

- A global array of {edge}×{edge} doubles ({bytes}), distributed as Global Arrays does by default, goes to a disk
  resident array and comes back: whole; by strips of columns, waiting for each before the next; transposed. Each
  element has a value of its own. After each read, the process that has the element compares it.
- The hint tells `NDRA_Create` the shape of a typical request: nothing (*default*), or a square.
- A job makes its array anew, and does all works one after the other. The libraries take turns, job by job. The time
  runs from when all processes have started until the last has waited for its request. It does not cover creating,
  opening and closing. Whole writes and writes by strips go to a new file; nothing is synced meanwhile.
- Reads are from the page cache, except the one *from the disk*: there the files were synced and dropped from the
  cache.
- *Contiguous*: each process writes and reads its share of a plain file, 1 MiB at a time, from and to memory of its
  own.
- On a virtual machine the first use of a page costs the host time. So as much memory as a job uses is touched and given
  back before it.
- Each library takes its default number of threads: drx one for each processor, in each process.
- {repeat}. The tables give the median, with the minimum in brackets. Jobs of which one work
  takes more than 1 s run twice, or a third time if the first two differ by a quarter; more than 3 s, once.

"""

RISCF_TEXT = """\
## The pattern of RI-SCF

Nieplocha and Foster (1996, section 5.3). A program writes integrals once, {strip} rows at a time, and reads them
{passes} times, {strip} columns at a time, for {work} multiplications and additions of each. *Both at once*: it asks
for the next columns before it uses those at hand. Seconds of one pass, with the default hint.

"""

COPIES_TEXT = """\
## From array to array

`NDRA_Copy` copies the array of the default hint to one of the hint {hint}; `drxmp_copy` makes the same copy beside it.
The time covers creating the copy. Both may use 16 MiB in each process, and take turns, three times in a job. The
benchmark compares both copies.

"""

MEMORY_TEXT = """\
## Memory

The most memory that a process had for itself (`RssAnon`, sampled each millisecond), beside what it had after
`DRA_Init`, in MiB. The columns are what `DRA_Init` was told; all works, with the default hint.

"""

# ---- what the drop-in is to reach, as ratios of medians of one run

# row: {work: Global Arrays' own / drx, at least}
OWN = {
    "dra-default": {"write": 2, "read": 2, "read-strips": 3, "write-strips": 3},
    "dra-square": {work.key: 1 for work in WORKS},
}
PLAIN = 0.5  # contiguous / drx, at least, of whole reads
COPY = 1.3   # NDRA_Copy / drxmp_copy, at most


def ratios(results):
    for ranks in results["ranks"]:
        for row in HINTED:
            answers = results["answers"][ranks].get(row.key, {})
            where = f"{processes_text(ranks)}, {row.title}"
            aims = [(f"{work.title}: Global Arrays' own", "ga", work.key, OWN[row.key].get(work.key))
                    for work in WORKS]
            for what, column, work, aim in [*aims, ("read: contiguous", "plain", "read", PLAIN)]:
                value = ratio(answers, column, key=work)
                if aim and value:
                    yield at_least(titled(f"{where}, {what} / drx", results["size"]), value, aim)


def copies_ratio(answers):
    of_dra, of_drxmp = (median(answers, key) for key, _ in COPIES)
    return of_dra / of_drxmp


def copies(results):
    for ranks, answers in results.get("copies", {}).items():
        if answers:
            yield at_most(f"{processes_text(ranks)}, a conversion: NDRA_Copy / drxmp_copy", copies_ratio(answers), COPY)


def memory(results):
    for ranks in results["ranks"]:
        for bound, found in results["dra_memory"].get(ranks, {}).get("drx", {}).items():
            yield at_most(f"{processes_text(ranks)}, memory of one, DRA_Init with {bound} MiB", found / (1 << 20),
                          int(bound), " MiB", "{:.1f}".format)


# ---- tables


def hinted_table(results, ranks, row):
    size, answers = results["size"], results["answers"][ranks][row.key]
    columns = [c for c in COLUMNS if answers.get(c.key)]
    lines = [[titled(work.title, size)] + [cell(answers[c.key], work.key) for c in columns]
             + [ratio_text(ratio(answers, c.key, key=work.key)) for c in others(columns)] for work in WORKS]
    return table([titled(row.title, size)] + [c.title for c in columns] + [f"{c.title} / drx" for c in others(columns)],
                 lines)


def ranks_text(results, ranks):
    tables = [hinted_table(results, ranks, row) for row in HINTED if results["answers"][ranks].get(row.key)]
    return f"## {processes_text(ranks)}\n\n" + "\n".join(tables) + "\n" if tables else ""


def memory_text(results):
    lines = []
    for column in COLUMNS:
        for ranks in results["ranks"]:
            found = results["dra_memory"].get(ranks, {}).get(column.key)
            if found:
                lines.append([f"{column.title}, {processes_text(ranks)}"]
                             + [mib_text(found[str(bound)]) for bound in BOUNDS_MIB])
    return MEMORY_TEXT + table(["told"] + [f"{bound} MiB" for bound in BOUNDS_MIB], lines) + "\n" if lines else ""


def riscf_text(results):
    columns = LIBRARIES
    lines = [[f"{processes_text(ranks)}, {title}"] + [cell(answers.get(c.key), key) for c in columns]
             + [ratio_text(ratio(answers, "ga", key=key))] for ranks, answers in results["riscf"].items()
             for key, title in RISCF]
    if not lines:
        return ""
    return (RISCF_TEXT.format(passes=PASSES, work=WORK, strip=strip(results["size"]))
            + table(["median (minimum)"] + [c.title for c in columns] + [f"{columns[1].title} / drx"], lines) + "\n")


def copies_text(results):
    lines = [[processes_text(ranks)] + [cell(answers, key) for key, _ in COPIES] + [ratio_text(copies_ratio(answers))]
             for ranks, answers in results.get("copies", {}).items() if answers]
    if not lines:
        return ""
    titles = [title for _, title in COPIES]
    return (COPIES_TEXT.format(hint=titled("{hint}", results["size"]))
            + table(["median (minimum)", *titles, " / ".join(titles)], lines) + "\n")


def write(results, folder):
    size = results["size"]
    text = INTRODUCTION.format(edge=edge(size), bytes=bytes_text(8 * edge(size) ** 2),
                               repeat=repeat_text(results["repeat"]),
                               aims=aims_text([*ratios(results), *dra_sweep.aims(results), *copies(results),
                                               *memory(results)], "Ratios of medians"))
    text += "".join(ranks_text(results, ranks) for ranks in results["ranks"])
    text += dra_sweep.text(results, folder) + riscf_text(results) + copies_text(results) + memory_text(results)
    return write_page(PAGE, folder, text, results)
