"""Programs that know netCDF: netCDF-C reads datasets and files of netCDF-4 in turns, and libdrx the datasets; and it
writes both."""

import glob
import os
import sys
import tempfile

import bench_machine
import bench_page
import bench_run
from bench_page import COLD, REPEATED, Aim, Entry, Group, bytes_text, over, shape_text
from bench_run import missing

TITLE = "Programs that read netCDF"
NEEDED = 7  # of three peers, raw and compressed

COLUMNS = [
    Entry("drx", "netCDF-C with DRX"),
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
    title, cache = f"{READS[work]}, {STORED[data]}{', from the disk' * cold}", "cold" if cold else "warm"
    return Entry(f"{'cold-' * cold}{work}-{data}", title, work=f"{work}-{data}", array=data, group=cache, cache=cache,
                 touched=int(cold), count=1 if work == "whole" else REQUESTS)


WRITES = {"model": "a model with a nest that moves", "small": "growth by small chunks"}
WHERE = {"memory": "in memory, not durable", "disk": "durable, on the disk"}
RANKS = (1, 2, 4)


def write(work, ranks, where):
    return Entry(f"write-{work}-{ranks}-{where}", f"{WRITES[work]}, {bench_page.processes_text(ranks)}, {WHERE[where]}",
                 work=work, ranks=ranks, where=where, group="write")


# array: the data; count: how many requests a measurement makes
ROWS = [
    Entry("open", "2 variables, 1 commit: open and close", group="open", work="open-raw", array="raw", count=200),
    Entry("open-many", "many variables and commits: open and close", group="open", array="many", count=20),
    Entry("ask-many", "the same, and ask about each variable", group="open", array="many", count=3),
    *(read(work, data) for data in STORED for work in READS),
    *(read(work, data, cold=True) for data in STORED for work in ("whole", "series")),
    *(write(work, ranks, where) for work in WRITES for where in WHERE for ranks in RANKS),
]
GROUPS = [Group("open", "Opening"), Group("warm", "Reads"), Group("cold", "Reads from the disk"),
          Group("write", "Writes")]

AIMS = [aim for data, stored in STORED.items() for aim in (
    Aim(f"all of it, {stored}: netCDF-C reads DRX / drx_read", over(f"whole-{data}", "drx", "read"), None, 1.1),
    Aim(f"a time series at a point, {stored}: netCDF-4, its default chunks / DRX", over(f"series-{data}", "default"),
        10))]
AIMS += [Aim(f"{row.title}: netCDF-4 / DRX", over(row.key, "default"), 3 if row.work == "small" else 1)
         for row in ROWS if row.group == "write"]

ABOUT = """\
A program reads the same grid through netCDF-C twice: from a dataset of DRX, which libdrx-netcdf gives to netCDF-C,
and from files of netCDF-4. Beside it stand the calls of libdrx alone. Then
programs write through it."""
METHOD = f"""\
- The grid has {{shape}} float32 ({{bytes}}): time, which grows, latitude and longitude. The dataset has chunks of
{{chunk}}. Time has a variable of its own, the second of the dataset.
- *Compressed*: deflate of level {LEVEL} after a shuffle of bytes, in DRX (zlib) and in netCDF-4.
- *netCDF-4, its default chunks*: the program names the dimensions and the type, and gives no chunks. Then a chunk
is the grid at one time. *The same chunks*: those of the dataset. Its chunk cache is that of netCDF-C, 16 MiB.
- *libdrx alone*: `drx_dataset_open`, `drx_dataset_array`, and `drx_read`, of the same dataset. A program in Python
makes all these calls of C alike (`ctypes`), which takes it about 4 µs each.
- Reads begin when the file is open and the variable has told its type. A measurement makes {REQUESTS} requests,
each a call of `nc_get_vara_float`, with places at random, and the table gives the time of one; of whole reads it
makes one. The benchmark checks thousands of the elements, untimed.
- *Many variables and commits*: {{variables:,}} variables of three dimensions with two attributes each, and
{{commits:,}} commits, each of which extends the time of one variable. A file of netCDF-4 has the variables and no
commits. *Ask about each*: `nc_inq_var`, or `drx_dataset_array`. The process may have as many files open as the
system permits, since each variable of DRX that was asked about has two.
{COLD}
- *Writes*: a program in C (`bench/netcdf/nc_writes.c`) creates a file, defines it, writes and closes it; the name
alone says which it is, and neither has chunks of its own. Processes write bands together, by `nc_create_par`
and in collective access. The model writes 40 records of three grids of {{model}} floats, 160 of a nest in a group, and
40 places; small chunks come in 4000 records of {{record}}. *Durable*: `fsync` of all files follows, which DRX does in
`nc_close`. *In memory*: in /dev/shm. The last record is read back, untimed.
- The memory that elements go to was touched before, and malloc keeps what it has got from the system. DRX may use
{{threads}} threads; netCDF-4 has one.
{REPEATED}
"""


def shape(size):
    """Of the grid of float32: 1 GiB of the size 512."""
    return 2 * size, size, size


def grid_bytes(size):
    return 4 * 2 * size**3


def write_size(size):
    return max(size // 2, 16)


def words(results):
    variables, commits = results["netcdf_many"]
    return {"shape": shape_text(shape(results["size"])), "bytes": bytes_text(grid_bytes(results["size"])),
            "chunk": shape_text(CHUNK), "variables": variables, "commits": commits,
            "threads": results["machine"]["Cores"], "model": shape_text((4 * write_size(results["size"]), write_size(results["size"]))),
            "record": f"{8 * write_size(results['size'])} bytes"}


def left_out(build):
    if not glob.glob(os.path.join(build, "python/drx/_netcdf*.so")):
        return f"{build}: libdrx-netcdf, or the Python package, was not built"
    return missing(build, "netCDF4")


class Run(bench_run.Run):
    MODULE = "netcdf_peer"

    def __init__(self, options, folder, part):
        super().__init__(options, folder, part)
        self.repeat = 1 if options.quick else options.repeat * 3  # most are short
        if not os.access(os.path.join(options.build, "bench/nc-writes"), os.X_OK):
            print("bench: writes are left out: without Open MPI or libnetcdf-mpi-dev nc-writes was not built", file=sys.stderr)
            self.rows = [row for row in self.rows if row.group != "write"]
        self.many = (100, 100) if options.quick else (1000, 10000)  # variables, commits

    def ask(self, row, column):
        return self.write(row, column) if row.group == "write" else super().ask(row, column)

    def write(self, row, column):
        with tempfile.TemporaryDirectory(dir="/dev/shm" if row.where == "memory" else self.folder) as folder:
            return self.job(row.ranks, 600, self.program("nc-writes"), row.work,
                            os.path.join(folder, "out.drx" if column.key == "drx" else "out.nc"), write_size(self.size),
                            "sync" if row.where == "disk" else "plain")[0]

    def build(self, array):
        for peer in dict.fromkeys("drx" if c.key == "read" else c.key for c in self.columns):
            self.spend(f"building {array}", peer, self.command, "python", f"build-{array}", peer, self.many[1])

    def columns_of(self, row):
        if row.group == "write":
            return [c for c in self.columns if c.key in ("drx", "default")]
        return [c for c in self.columns if row.array != "many" or c.key != "same"]

    def quick_count(self, count):
        return super().quick_count(count) if count > REQUESTS else count

    def versions(self):
        found = {"netCDF": bench_machine.output("nc-config", "--version"),
                 "HDF5": bench_machine.output("dpkg-query", "-W", "-f=${source:Upstream-Version}", "libhdf5-103-1")}
        return {name: text.removeprefix("netCDF ") for name, text in found.items() if text}

    def results(self):
        return super().results(netcdf_many=self.many)
