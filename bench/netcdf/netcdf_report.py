"""The page of the part of netCDF: docs/benchmarks-netcdf.md, prose and all."""

from bench_page import (aims_text, at_least, at_most, bytes_text, measured, others, ratio, ratios_table, repeat_text,
                        times_table, write_page)
from netcdf_table import CHUNK, COLUMNS, LEVEL, REQUESTS, ROWS, STORED, grid_bytes, shape

PAGE = "benchmarks-netcdf.md"
MOST_WHOLE, LEAST_SERIES = 1.1, 10

INTRODUCTION = """\
# Benchmarks of programs that read netCDF

`make bench` writes this page; do not edit it. A program reads the same grid through netCDF-C twice: from a dataset of
DRX, which libdrx-netcdf gives to netCDF-C, and from files of netCDF-4. Beside it stand the calls of libdrx alone. All
happens in one process and one run. **Only ratios within one run mean something.**

{aims}
## How it was measured

- The grid has {shape} float32 ({bytes}): time, which grows, latitude and longitude. The dataset has chunks of {chunk}.
  Time has a variable of its own, the second of the dataset.
- *Compressed*: deflate of level {level} after a shuffle of bytes, in DRX (zlib) and in netCDF-4.
- *netCDF-4, its default chunks*: the program names the dimensions and the type, and gives no chunks. Then a chunk is
  the grid at one time. *The same chunks*: those of the dataset. Its chunk cache is that of netCDF-C, 16 MiB.
- *libdrx alone*: `drx_dataset_open`, `drx_dataset_array`, and `drx_read`, of the same dataset.
- Reads begin when the file is open and the variable has told its type. A measurement makes {requests} requests, each a
  call of `nc_get_vara_float`, with places at random, and the table gives the time of one; of whole reads it makes one.
  The benchmark checks thousands of the elements, untimed.
- *Many variables and commits*: {variables:,} variables of three dimensions with two attributes each, and {commits:,}
  commits, each of which extends the time of one variable. A file of netCDF-4 has the variables and no commits. *Ask
  about each*: `nc_inq_var`, or `drx_dataset_array`. The process may have as many files open as the system permits,
  since each variable of DRX that was asked about has two.
- The files are in the page cache; those read *from the disk* were dropped from it (`POSIX_FADV_DONTNEED`) before each
  measurement. The memory that elements go to was touched before, and malloc keeps what it has got from the system. DRX
  may use {threads} threads; netCDF-4 has one.
- {repeat}; the peers take turns. The tables give the median, with the minimum in brackets. What takes more than 1 s is
  repeated three times at most, more than 3 s once.

"""


def aims(answers):
    for data, stored in STORED.items():
        value = ratio(answers.get(f"whole-{data}", {}), "drx", "read")
        if value:
            yield at_most(f"all of it, {stored}: netCDF-C reads DRX / drx_read", value, MOST_WHOLE)
        value = ratio(answers.get(f"series-{data}", {}), "default")
        if value:
            yield at_least(f"a time series at a point, {stored}: netCDF-4, its default chunks / DRX", value,
                           LEAST_SERIES)


def section(heading, answers, rows, columns):
    if not rows:
        return ""
    return (f"## {heading}\n\n" + times_table(answers, rows, columns, corner="") + "\n"
            + ratios_table(answers, rows, others(columns), corner="time / netCDF-C's with DRX") + "\n")


def write(results, folder):
    size, answers = results["size"], results["answers"]
    variables, commits = results["netcdf_many"]
    rows, columns = measured(answers, ROWS, COLUMNS)
    text = INTRODUCTION.format(aims=aims_text(aims(answers), "Ratios of medians"), level=LEVEL, requests=REQUESTS,
                               shape="×".join(map(str, shape(size))), bytes=bytes_text(grid_bytes(size)),
                               chunk="×".join(map(str, CHUNK)), variables=variables, commits=commits,
                               threads=results["machine"]["Cores"], repeat=repeat_text(results["repeat"]))
    for heading, wanted in (("Opening", lambda row: row.work in ("open", "ask")),
                            ("Reads", lambda row: row.work not in ("open", "ask") and not row.cold),
                            ("Reads from the disk", lambda row: row.cold)):
        text += section(heading, answers, [row for row in rows if wanted(row)], columns)
    return write_page(PAGE, folder, text, results)
