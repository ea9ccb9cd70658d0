"""The page of the part of Disk Resident Arrays: docs/benchmarks-dra.md, prose and all."""

import os

import dra_aims
from dra_table import BOUNDS_MIB, COLUMNS, HINTED, PASSES, RISCF, WORK, WORKS, edge, strip, titled
from serial_report import bytes_text, least, machine_text, median, ratio_text, seconds_text, table

PAGE = "benchmarks-dra.md"

INTRODUCTION = """\
# Benchmarks of Disk Resident Arrays

Written by `make bench`; do not edit. One program makes the calls of Disk Resident Arrays; it is linked with Global
Arrays' own library, and with the drop-in in front of it, which stores DRX arrays. **Only ratios within one run mean
something.**

{aims}
## How it was measured

- A global array of {edge}×{edge} doubles ({bytes}), distributed as Global Arrays does by default, goes to a disk
  resident array and comes back: whole; by strips of columns, each waited for before the next is asked for; transposed.
  Each element has a value of its own, and is compared with it after each read by the process that has it.
- The hint is what `NDRA_Create` is told of a typical request: nothing (*default*), or a square.
- A job makes its array anew, and does all works one after the other. The libraries take turns, job by job. Time is that
  from when all processes have started until the last has waited for its request. Creating, opening and closing are not
  timed; what is written whole or by strips goes to a file that was just made; nothing is synced meanwhile.
- Reads are from the page cache, but for the one *from the disk*: the files were synced and dropped from the cache.
- *Contiguous*: each process writes and reads its share of a plain file, 1 MiB at a time, from and to memory of its own.
- Threads are as many as the libraries take by themselves: drx as many in each process as there are processors.
- {repeat}. The tables give the median, and the minimum in brackets; jobs of more than 10 s are repeated once at most.

"""

RISCF_TEXT = """\
## The pattern of RI-SCF

Nieplocha and Foster (1996, section 5.3): integrals are written once, {strip} rows at a time, and read {passes} times,
{strip} columns at a time, for {work} multiplications and additions of each. *Both at once*: the next columns are asked
for before those at hand are used. Seconds of one pass; the hint is the default one.

"""


def cell(answers, work):
    if not answers or work not in answers[0]:
        return "–"
    return f"{seconds_text(median(answers, work))} ({seconds_text(least(answers, work))})"


def ratio_cell(answers, column, work):
    ratio = dra_aims.ratio(answers, column, work)
    return ratio_text(ratio) if ratio else "–"


def hinted_table(results, ranks, row):
    answers = results["answers"][ranks][row.key]
    columns = [c for c in COLUMNS if answers.get(c.key)]
    others = [c for c in columns if c.key != "drx"]
    lines = [[titled(work.title, results["size"])] + [cell(answers[c.key], work.key) for c in columns]
             + [ratio_cell(answers, c.key, work.key) for c in others] for work in WORKS]
    return table([titled(row.title, results["size"])] + [c.title for c in columns]
                 + [f"{c.title} / drx" for c in others], lines)


def ranks_text(results, ranks):
    rows = [row for row in HINTED if results["answers"][ranks].get(row.key)]
    if not rows:
        return ""
    tables = "\n".join(hinted_table(results, ranks, row) for row in rows)
    return f"## {dra_aims.processes(ranks)}\n\n{tables}\n"


def memory_text(results):
    lines = []
    for column in COLUMNS:
        for ranks in results["ranks"]:
            found = results["dra_memory"].get(ranks, {}).get(column.key)
            if found:
                lines.append([f"{column.title}, {dra_aims.processes(ranks)}"]
                             + [f"{found[str(bound)] / (1 << 20):.1f}" for bound in BOUNDS_MIB])
    if not lines:
        return ""
    return ("## Memory\n\nThe most memory that a process had for itself (`RssAnon`, looked at each millisecond) beside\n"
            "what it had when `DRA_Init` was over, in MiB, in all works, by what `DRA_Init` was told (default hint).\n\n"
            + table(["told"] + [f"{bound} MiB" for bound in BOUNDS_MIB], lines) + "\n")


def riscf_text(results):
    lines = []
    for ranks, answers in results["riscf"].items():
        columns = [c for c in COLUMNS if answers.get(c.key)]
        for key, title in RISCF:
            lines.append([f"{dra_aims.processes(ranks)}, {title}"]
                         + ["–" if c not in columns else cell(answers[c.key], key) for c in COLUMNS[:2]]
                         + [ratio_cell(answers, "ga", key)])
    if not lines:
        return ""
    return (RISCF_TEXT.format(passes=PASSES, work=WORK, strip=strip(results["size"]))
            + table(["median (minimum)"] + [c.title for c in COLUMNS[:2]] + [f"{COLUMNS[1].title} / drx"], lines)
            + "\n")


def write(results, folder):
    size, repeat = results["size"], results["repeat"]
    os.makedirs(folder, exist_ok=True)
    text = INTRODUCTION.format(edge=edge(size), bytes=bytes_text(8 * edge(size) ** 2),
                               repeat="One repetition" if repeat == 1 else f"{repeat} repetitions",
                               aims=dra_aims.text(results))
    for ranks in results["ranks"]:
        text += ranks_text(results, ranks)
    text += riscf_text(results) + memory_text(results)
    path = os.path.join(folder, PAGE)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + machine_text(results))
    return path
