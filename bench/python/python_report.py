"""The page of the part of Python: docs/benchmarks-python.md."""

import os

import bench_aims
from python_table import COLUMNS, ROWS
from serial_report import bytes_text, machine_text, median, ratio_text, seconds_text, table

PAGE = "benchmarks-python.md"

# what, divided, by, at least or at most
RATIOS = [
    ("`a[...]`: drx / the C library", "whole", "drx", "c", 1.1),
    ("`a[...]`: h5py / drx", "whole", "h5py", "drx", 2),
    ("random elements: h5py / drx", "elements", "h5py", "drx", 10),
    ("random boxes of 4³: zarr / drx", "boxes-4", "zarr", "drx", 20),
]
LIMITS = [("one element, warm", "element", 3), ("append of a row", "append", 20)]  # µs of drx

INTRODUCTION = """\
# Benchmarks from Python

Written by `make bench`; do not edit. The package `drx`, h5py and zarr do the same from Python, in one process and one
run, taking turns repetition by repetition. **Only ratios within one run mean something.** The library itself:
[benchmarks.md](benchmarks.md).

{aims}
## How it was measured

- A cube of {size}³ doubles ({bytes}) in chunks of 32³, uncompressed, which is in the page cache; rows of 100 doubles are
  appended to an array in chunks of 1024 rows. All three as their documentation has it; h5py with `libver="latest"`.
  What is read is compared with what is right, outside of the time.
- *C library*: `drx_read` into memory that is as fresh as NumPy's.
- {repeat} repetitions; medians, and the minimum in brackets; the time of one.

"""


def of(results, row, column):
    answers = results["answers"].get(row, {}).get(column)
    return median(answers, "each") if answers else None


def aims(results):
    rows = []
    for what, row, theirs, ours, aim in RATIOS:
        a, b = of(results, row, theirs), of(results, row, ours)
        if a and b:
            most = theirs == "drx"
            rows.append([what, f"at {'most' if most else 'least'} {aim:.3g}", f"{a / b:.3g}",
                         a / b <= aim if most else a / b >= aim])
    for what, row, aim in LIMITS:
        value = of(results, row, "drx")
        if value:
            rows.append([what, f"at most {aim} µs", f"{value * 1e6:.3g} µs", value * 1e6 <= aim])
    return bench_aims.section(rows, "Medians, and ratios of medians")


def times(results):
    def cell(row, column):
        answers = results["answers"].get(row.key, {}).get(column.key)
        if not answers:
            return "–"
        return f"{seconds_text(median(answers, 'each'))} ({seconds_text(min(a['each'] for a in answers))})"

    rows = [[row.title, *(cell(row, column) for column in COLUMNS)] for row in ROWS if row.key in results["answers"]]
    return table(["", *(column.title for column in COLUMNS)], rows)


def ratios(results):
    def cell(row, column):
        theirs, ours = of(results, row.key, column.key), of(results, row.key, "drx")
        return ratio_text(theirs / ours) if theirs and ours else "–"

    rows = [[row.title, *(cell(row, column) for column in COLUMNS)] for row in ROWS if row.key in results["answers"]]
    return table(["time / drx's", *(column.title for column in COLUMNS)], rows)


def write(results, folder):
    """The page; returns its path."""
    path = os.path.join(folder, PAGE)
    os.makedirs(folder, exist_ok=True)
    size = results["size"]
    with open(path, "w", encoding="utf-8") as file:
        file.write(INTRODUCTION.format(aims=aims(results), size=size, bytes=bytes_text(8 * size**3),
                                       repeat=results["repeat"]))
        file.write("## Times\n\n" + times(results) + "\n" + ratios(results) + "\n")
        file.write(machine_text(results))
    return path
