"""Programs that read netCDF: netCDF-C reads datasets and files of netCDF-4 in turns, and libdrx the datasets."""

import os

import bench_machine
import bench_run
from bench_page import (COLD, REPEATED, Aim, Entry, bytes_text, measured, others, over, ratios_table, section,
                        shape_text, times_table)
from bench_server import Server

HELP, KIND, KEY = "programs that read netCDF only", "netCDF", "netcdf_many"
TITLE = "Programs that read netCDF"

COLUMNS = [
    Entry("drx", "netCDF-C reads DRX"),
    Entry("read", "libdrx alone", family="drx"),
    Entry("default", "netCDF-4, its default chunks", family="netcdf"),
    Entry("same", "netCDF-4, the same chunks", family="netcdf"),
]

STORED = {"raw": "raw", "packed": "compressed"}
READS = {"whole": "all of it", "series": "a time series at a point", "strip": "a row of latitude through all times",
         "map": "one time, all points"}
CHUNK = (32, 64, 64)
LEVEL = 5
REQUESTS = 4  # series, rows and maps in a measurement


def read(work, data, cold=False):
    title = f"{READS[work]}, {STORED[data]}" + (", from the disk" if cold else "")
    return Entry(f"{'cold-' * cold}{work}-{data}", title, work=work, array=data, cold=cold,
                 group="Reads from the disk" if cold else "Reads", count=1 if work == "whole" else REQUESTS)


# array: the data; count: how many requests a measurement makes
ROWS = [
    Entry("open", "2 variables, 1 commit: open and close", group="Opening", work="open", array="raw", count=200),
    Entry("open-many", "many variables and commits: open and close", group="Opening", work="open", array="many",
          count=20),
    Entry("ask-many", "the same, and ask about each variable", group="Opening", work="ask", array="many", count=3),
    *(read(work, data) for data in STORED for work in READS),
    *(read(work, data, cold=True) for data in STORED for work in ("whole", "series")),
]

AIMS = [aim for data, stored in STORED.items() for aim in (
    Aim(f"all of it, {stored}: netCDF-C reads DRX / drx_read", over(f"whole-{data}", "drx", "read"), None, 1.1),
    Aim(f"a time series at a point, {stored}: netCDF-4, its default chunks / DRX", over(f"series-{data}", "default"),
        10))]

ABOUT = """\
A program reads the same grid through netCDF-C twice: from a dataset of DRX, which libdrx-netcdf gives to netCDF-C,
and from files of netCDF-4. Beside it stand the calls of libdrx alone."""
METHOD = f"""\
- The grid has {{shape}} float32 ({{bytes}}): time, which grows, latitude and longitude. The dataset has chunks of
{{chunk}}. Time has a variable of its own, the second of the dataset.
- *Compressed*: deflate of level {{level}} after a shuffle of bytes, in DRX (zlib) and in netCDF-4.
- *netCDF-4, its default chunks*: the program names the dimensions and the type, and gives no chunks. Then a chunk
is the grid at one time. *The same chunks*: those of the dataset. Its chunk cache is that of netCDF-C, 16 MiB.
- *libdrx alone*: `drx_dataset_open`, `drx_dataset_array`, and `drx_read`, of the same dataset.
- Reads begin when the file is open and the variable has told its type. A measurement makes {{requests}} requests,
each a call of `nc_get_vara_float`, with places at random, and the table gives the time of one; of whole reads it
makes one. The benchmark checks thousands of the elements, untimed.
- *Many variables and commits*: {{variables:,}} variables of three dimensions with two attributes each, and
{{commits:,}} commits, each of which extends the time of one variable. A file of netCDF-4 has the variables and no
commits. *Ask about each*: `nc_inq_var`, or `drx_dataset_array`. The process may have as many files open as the
system permits, since each variable of DRX that was asked about has two.
{COLD}
- The memory that elements go to was touched before, and malloc keeps what it has got from the system. DRX may use
{{threads}} threads; netCDF-4 has one.
{REPEATED}
"""


def shape(size):
    """Of the grid of float32: 1 GiB of the size 512."""
    return 2 * size, size, size


def grid_bytes(size):
    return 4 * 2 * size**3


def words(results):
    variables, commits = results["netcdf_many"]
    return {"shape": shape_text(shape(results["size"])), "bytes": bytes_text(grid_bytes(results["size"])),
            "level": LEVEL, "chunk": shape_text(CHUNK), "requests": REQUESTS, "variables": variables,
            "commits": commits, "threads": results["machine"]["Cores"]}


def sections(results, _folder):
    answers = results["answers"]
    rows, columns = measured(answers, ROWS, COLUMNS)
    return "".join(
        section(group, "", times_table(answers, some, columns, corner=""),
                ratios_table(answers, some, others(columns), corner="time / netCDF-C's with DRX"))
        for group in dict.fromkeys(row.group for row in rows) for some in [[row for row in rows if row.group == group]])


class Run(bench_run.Run):
    def __init__(self, options, folder, part):
        super().__init__(options, folder, part)
        self.servers["c"] = Server([self.program("netcdf-peers")], len(os.sched_getaffinity(0)))
        self.repeat = 1 if options.quick else options.repeat * 3  # most are short
        self.many = (100, 100) if options.quick else (1000, 10000)  # variables, commits

    def command(self, work, peer, n=1, cold=False):
        return self.servers["c"].ask(f"{work}:{n}", peer, self.size, "cold" if cold else "warm", self.folder)

    def build(self, array):
        n = self.many[1] if array == "many" else 1
        for peer in dict.fromkeys("drx" if c.key == "read" else c.key for c in self.columns):
            self.spend(f"building {array}", peer, self.command, f"build-{array}", peer, n)

    def columns_of(self, row):
        return [c for c in self.columns if row.array != "many" or c.key != "same"]

    def before(self, row):
        if row.cold:  # the page cache needs so much
            bench_machine.touch(grid_bytes(self.size))

    def ask(self, row, column):
        count = max(row.count // 20, 1) if self.options.quick and row.group == "Opening" else row.count
        return self.command(f"{row.work}-{row.array}", column.key, count, row.cold)

    def versions(self):
        found = {"netCDF": bench_machine.output("nc-config", "--version"),
                 "HDF5": bench_machine.output("dpkg-query", "-W", "-f=${source:Upstream-Version}", "libhdf5-103-1")}
        return {name: text.removeprefix("netCDF ") for name, text in found.items() if text}

    def results(self):
        return super().results(netcdf_many=self.many)


def needed_bytes(size):
    return 6 * grid_bytes(size) + (256 << 20)  # of three peers, raw and compressed
