"""The page of the part of Python: docs/benchmarks-python.md."""

from bench_page import (aims_text, at_least, at_most, bytes_text, middle, ratio, ratios_table, repeat_text, times_table,
                        write_page)
from python_table import COLUMNS, ROWS

PAGE = "benchmarks-python.md"

# what, row, divided, by, at least or at most, so much
RATIOS = [
    ("`a[...]`: drx / the C library", "whole", "drx", "c", at_most, 1.1),
    ("`a[...]`: h5py / drx", "whole", "h5py", "drx", at_least, 2),
    ("random elements: h5py / drx", "elements", "h5py", "drx", at_least, 10),
    ("random boxes of 4³: zarr / drx", "boxes-4", "zarr", "drx", at_least, 20),
    ("a month of a dataset: xarray to Zarr / drx", "months", "zarr", "drx", at_least, 5),
    ("a month of a dataset: netCDF4 / drx", "months", "netcdf4", "drx", at_least, 1),
]
LIMITS = [("one element, warm", "element", 3), ("append of a row", "append", 20)]  # µs of drx

INTRODUCTION = """\
# Benchmarks from Python

`make bench` writes this page; do not edit it. The package `drx`, h5py and zarr do the same work from Python, in one
process and one run. They take turns, repetition by repetition. **Only ratios within one run mean something.** The
library itself: [benchmarks.md](benchmarks.md).

{aims}
## How it was measured

- The cube has {size}³ doubles ({bytes}) in chunks of 32³, uncompressed, and is in the page cache. Rows of 100 doubles
  are appended to an array in chunks of 1024 rows. All three packages are used as their documentation says; h5py with
  `libver="latest"`. The benchmark checks what was read, untimed.
- A month is ten variables of 73 x 144 float32, in chunks of twelve months. It is durable before the next one begins:
  `drx.Dataset` commits, netCDF4 syncs and its file is synced, xarray appends to Zarr and the files that this changed are
  synced. This touches the disk.
- *C library*: `drx_read` into memory that is as fresh as NumPy's. Before each read of all of it, memory of twice the
  array is touched and given back, since the host of a virtual machine takes long for what was not used before.
- {repeat}. The tables give the median, with the minimum in brackets, of one access.

"""


def aims(answers):
    for what, row, over, under, test, aim in RATIOS:
        value = ratio(answers.get(row, {}), over, under, "each")
        if value:
            yield test(what, value, aim)
    for what, row, aim in LIMITS:
        value = middle(answers, row, "drx", "each")
        if value:
            yield at_most(what, value * 1e6, aim, " µs")


def write(results, folder):
    size, answers = results["size"], results["answers"]
    rows = [row for row in ROWS if row.key in answers]
    text = INTRODUCTION.format(aims=aims_text(aims(answers), "Medians, and ratios of medians"), size=size,
                               bytes=bytes_text(8 * size**3), repeat=repeat_text(results["repeat"]))
    text += "## Times\n\n" + times_table(answers, rows, COLUMNS, corner="", key="each") + "\n"
    text += ratios_table(answers, rows, COLUMNS, corner="time / drx's",
                         of=lambda found, column: ratio(found, column, key="each")) + "\n"
    return write_page(PAGE, folder, text, results)
