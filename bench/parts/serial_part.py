"""One process: drx, HDF5, netCDF-4, Zarr and plain files."""

import os

import bench_run
from bench_page import (COLD, REPEATED, SPEEDS, Aim, Entry, Group, bytes_text, least, median, number, over, own, table)
from bench_run import missing, without_outcome
from bench_server import Failure, Server

TITLE = "Reads and growth"
NEEDED = 10  # those of all peers, and one to spare
PLOTS = {"warm": "Reads from the page cache: time of each peer relative to drx",
         "growth": "Growth: time of each peer relative to drx"}


# server: the process that holds the peer; files: of which arrays it reads, None: none; no_history: of no growth either
COLUMNS = [
    Entry("drx", "drx", files="drx"),
    Entry("drx-2", "drx, 2 threads", peer="drx", server="c2", files="drx"),
    Entry("drx-sums", "drx, checksums", files="drx-sums"),
    Entry("posix", "contiguous, pread", files="posix", no_history=True),
    Entry("posix-2", "contiguous, 2 threads", files="posix", no_history=True),
    Entry("posix-map", "contiguous, mmap", files="posix", no_history=True),
    Entry("bare", "bare pwrite"),
    Entry("hdf5", "HDF5", files="hdf5"),
    Entry("hdf5-best", "HDF5, best", files="hdf5-best"),
    Entry("netcdf", "netCDF-4", files="netcdf"),
    Entry("netcdf-best", "netCDF-4, best", files="netcdf-best"),
    Entry("zarr", "Zarr", server="zarr", files="zarr"),
    Entry("zarr-best", "Zarr, best", server="zarr", files="zarr"),
]


def row(key, title, group, array=None, **more):
    """work: what peers are asked; alone: only drx has it; otherwise there is a checksum."""
    return Entry(key, title, group=group, array=array, touched=2 * (group in ("growth", "ends", "beside")),
                 **{"work": key, "cache": "warm", **more})


READS = {"whole-c": "whole, C order", "whole-f": "whole, Fortran order", "planes-0": "64 planes a[i,:,:]",
         "planes-1": "64 planes a[:,j,:]", "planes-2": "64 planes a[:,:,k]", "elements": "random elements",
         "boxes": "random boxes of 16³"}
STRIPS = "column strips of a table chunked in rows"
SHARED = row("boxes-shared", "the same boxes, two threads of the program", "warm", "cube")
ROWS = [
    row("growth-3d", "3-D, every axis in turn", "growth"),
    row("growth-2d", "2-D, chunks of 8×8, every axis in turn", "growth"),
    row("growth-axis-0", "3-D, axis 0 only", "growth"),
    *(row(key, title, "warm", "cube") for key, title in READS.items()), SHARED,
    *(row(f"cold-{key}", title, "cold", "cube", work=key, cache="cold") for key, title in READS.items()),
    row("strips", STRIPS, "warm", "table"),
    row("cold-strips", STRIPS, "cold", "table", work="strips", cache="cold"),
    row("open", "open and read the first element", "open", "history"),
    *(row(f"addresses-{n}", f"{n:,} records", "addresses", alone=True) for n in (10, 1000, 100000)),
    row("addresses-ends", "1,000 records, at both ends", "addresses", alone=True),
    row("ends-high", "growth at the high ends", "ends", alone=True),
    row("ends-low", "growth at the low ends", "ends", alone=True),
    row("beside-nobody", "alone", "beside", alone=True),
    row("beside-appends", "while another thread appends", "beside", alone=True),
    *(row(f"rolling-{n}", f"{n:,} days", "rolling", alone=True) for n in (1000, 10000, 1000000)),
    row("dataset", "100 variables", "dataset", alone=True),
    row("jobs", "ten jobs", "jobs", alone=True, server="python"),
]

# ---- what drx is to reach, as ratios of medians of one run

HDF5 = ("hdf5", "hdf5-best")
PEERS = ["hdf5", "hdf5-best", "netcdf", "netcdf-best", "zarr", "zarr-best"]  # those that were measured

RATIOS = [
    Aim("whole, C order: contiguous / drx", over("whole-c", "posix"), 1),
    Aim("the same, two threads each", over("whole-c", "posix-2", "drx-2"), 1),
    Aim("whole, C order: HDF5, either setting / drx", over("whole-c", HDF5), 2.5),
    Aim("whole, Fortran order: contiguous / drx", over("whole-f", "posix"), 3),
    Aim("drx, C order / Fortran order", over("whole-c", "drx", of="whole-f"), 1 / 1.3),
    *(Aim(f"drx / the same with checksums, {what}", over(key, "drx", "drx-sums"), 1 / 1.15)
      for what, key in (("C order", "whole-c"), ("Fortran order", "whole-f"), ("growth and writes", "growth-3d"))),
    *(Aim(f"planes {what}: HDF5{setting} / drx", over(f"planes-{axis}", column), aim)
      for axis, what in enumerate(("a[i,:,:]", "a[:,j,:]"))
      for setting, column, aim in ((", best", "hdf5-best", 5), ("", "hdf5", 12))),
    Aim("planes a[:,:,k]: HDF5, either setting / drx", over("planes-2", HDF5), 2.5),
    Aim("planes a[:,:,k]: HDF5, either setting / drx, 2 threads", over("planes-2", HDF5, "drx-2"), 4),
    Aim("random elements: the best peer / drx", over("elements", PEERS), 8),
    Aim("random elements: HDF5 / drx", over("elements", "hdf5"), 200),
    Aim("random boxes: HDF5, best / drx", over("boxes", "hdf5-best"), 12),
    Aim("random boxes: contiguous, either way / drx", over("boxes", ("posix", "posix-map")), 1),
    Aim("growth by chunks of 8×8: HDF5, either setting / drx", over("growth-2d", HDF5), 12),
    Aim("growth at high ends / at low ends", over("ends-high", "drx", of="ends-low"), 1 / 1.1),
    Aim("F\\*, 1,000 records: at high ends / at both", over("addresses-1000", "drx", of="addresses-ends"), 1 / 1.3),
    Aim("growth by chunks of 8×8: bare pwrite / drx", over("growth-2d", "bare"), 1 / 1.5),
]

WHOLE = {"records": 100000, "commits": 10000}  # not in a quick run


def whole(row, *words):
    """As own(), unless the run was a quick one."""
    def value(answers):
        found = answers.get(row, {}).get("drx")
        if found and all(found[0].get(key, n) == n for key, n in WHOLE.items()):
            return own(row, *words)(answers)
        return None

    return value


def growth_bytes(answers):
    found = answers.get("growth-2d", {}).get("drx")
    return found and (found[0]["file_bytes"] - found[0]["bytes"]) / found[0]["growths"]


LIMITS = [Aim(what, whole(row, key, factor), None, most, f" {unit}".rstrip())
          for what, row, key, most, unit, factor in (
    ("F\\*, 1,000 records", "addresses-1000", "seconds", 40, "ns", 1e9),
    ("F\\*⁻¹, 1,000 records", "addresses-1000", "inverse_seconds", 25, "ns", 1e9),
    ("opening with 100,000 records", "open", "seconds", 20, "ms", 1e3),
    ("growth of a dimension of 100 variables, and its commit, without the disk", "dataset", "growth_seconds", 10, "µs",
     1e6),
    ("opening a dataset of 100 variables and 10,000 commits", "dataset", "seconds", 20, "ms", 1e3),
    ("one array of it", "dataset", "array_seconds", 2, "ms", 1e3),
    ("syncs of a commit of ten variables", "dataset", "raw_syncs", 11, "", 1),
    ("the same with checksums", "dataset", "summed_syncs", 21, "", 1),
    ("the same, compressed", "dataset", "packed_syncs", 21, "", 1),
)] + [Aim("metadata of one growth, by chunks of 8×8", growth_bytes, None, 64, " bytes", "{:.1f}".format)]

AIMS = RATIOS + LIMITS
AIMS_ARE = "From the page cache, ratios of medians"


# ---- the page

ABOUT = """\
drx does the same work here as HDF5, netCDF-4, Zarr and plain files: reads, growth, and what only drx has."""

METHOD = f"""\
- Elements are doubles; each is a hash of its index. The benchmark checks whatever a peer reads, and what it has
written the first time: with a checksum that depends on each element and its place, and by comparing some thousand
elements one by one.
- The cube has {{size}}³ elements ({{cube}}), in chunks of 32×32×32. The table has {{rows}}×{{columns}}, in chunks
of 8 whole rows. Both grew along axis 0. Nothing is compressed.
- Each measurement opens the array again. The time covers the reads alone, with all that they cause: chunk caches
that fill, mapped pages that are touched for the first time. It does not cover opening and closing, except where
the row says so.
- Elements go to memory from `malloc`, aligned to 64 bytes, with each page touched before. All peers of a process
use the same memory, and each measurement overwrites it first, untimed. Before each repetition of a growth, memory
of twice the array is touched and given back, since the host of a virtual machine takes long for what was not used
before. The C libraries run in one process, Zarr and drx with two threads in one process each. None asks for huge
pages. Zarr is called from C as the others are, which takes up to 10 µs a call.
{COLD}{{resident}}
{REPEATED}
{SPEEDS}

The peers:

- **drx** calls `drx_read` once for each box, and `drx_get` for each element. It may use one thread, or two
(`DRX_THREADS`).
- **contiguous**: a file of all elements in C order. It is read by `pread` of each row of the box (adjacent rows at
once; two threads share a whole read), or through `mmap`. It cannot grow along other axes, so those rows are empty.
- **bare pwrite**: a loop of one `pwrite` for each chunk. Addresses and bytes of the chunks are prepared before,
untimed.
- **HDF5, netCDF-4, Zarr** with their defaults: a chunk cache of 1 MiB in HDF5, {{netcdf_cache}} in netCDF, none in
Zarr. Each box is one call; elements are read one by one. All axes are unlimited.
- **best**: the fastest setting that we found for the access. HDF5 uses the newest file format and writes no fill
values. Its chunk cache holds all of the array (boxes, strips), or 64 MiB (growth by small chunks), or nothing
(planes a[i,:,:] and a[:,j,:], elements). It reads elements as one list of points, and the whole array in slabs as
thick as a chunk. netCDF does the same, but has no lists of points. Zarr uses `vindex` for all elements, and
`LRUStoreCache` for boxes and strips.
- Libraries that have only C order read Fortran order in slabs as thick as a chunk along axis 0 (over the whole
plane, or in the best setting over one row of chunks), and turn them into place in blocks of 16×16. Zarr reads into
an array in Fortran order.
"""


def words(results):
    size, part = results["size"], (results["size"] / 512) ** 3
    stayed = [answer["resident"] for row in ROWS if row.cache == "cold"
              for answers in results["answers"].get(row.key, {}).values() for answer in answers if "resident" in answer]
    return {
        "cube": bytes_text(8 * size ** 3), "rows": size * size // 8, "columns": 8 * size,
        "netcdf_cache": bytes_text(results["versions"]["netCDF_cache"]),
        "resident": f" At most {100 * max(stayed):.1f} % stayed there." if stayed else "",
        "elements": max(1000, int(200000 * part)), "boxes": max(20, int(20000 * part)), "chunks_3d": size // 32,
        "chunks_2d": size, "growths_2d": 2 * size - 1, "history": 100000 if size >= 256 else 1000,
        "commits": 10000 if size >= 256 else 100,
    }


def both(key):
    """Nanoseconds: the median and the minimum."""
    return lambda found: f"{median(found, key) * 1e9:.0f} ({least(found, key) * 1e9:.0f})"


def overhead_table(results, rows, columns):
    """Bytes in the files beside the elements, for each growth."""
    answers = results["answers"]

    def cell(row, column):
        found = answers[row.key].get(column.key)
        if not found or column.key in ("bare", "drx-2", "posix"):
            return None
        return f"{(found[0]['file_bytes'] - found[0]['bytes']) / answers[row.key]['drx'][0]['growths']:,.0f}"

    if any("drx" not in answers[row.key] for row in rows):
        return ""
    lines = [[column.title] + [cell(row, column) for row in rows] for column in columns]
    return ("Bytes in the files beside the elements, for each growth (the description of the array included):\n\n"
            + table(["bytes per growth"] + [row.title for row in rows],
                    [[text or "–" for text in line] for line in lines if any(line[1:])]))


TIMES = {"turned": True, "unit": "drx with one thread"}
GROUPS = [
    Group("warm", "Reads from the page cache", text="""\
{elements:,} random elements and {boxes:,} random boxes, not sorted; 64 planes spread evenly over the axis, one
call each; 16 strips of 64 columns. Two threads read half of the boxes each through one handle, where a library
allows that.""", **TIMES, plot="warm"),
    Group("cold", "Reads from the disk", text="The same reads by one thread, cold.", **TIMES, plot="cold"),
    Group("growth", "Growth", text="""\
Each growth extends an axis by one chunk and writes the new slab from memory in C order. The 3-D array ends with
{chunks_3d}³ chunks of 32³, the 2-D array with {chunks_2d}² chunks of 8×8 ({growths_2d:,} growths). The time covers
extending, writing and closing; nothing is synced.""", **TIMES, plot="growth", more=overhead_table),
    Group("open", "Opening", text="""\
A table that grew {history:,} times, along axis 0 and axis 1 in turn, by one chunk of 8×8. Only its first chunk was
written (netCDF-4 grows by writing, one element each time). The time covers opening, reading the first element and
closing; it is the mean of ten, from the page cache. drx reads one record for each growth; the others store only
the last bounds.""", **TIMES),
    Group("addresses", "Addresses", fields=[
        ("F\\*, ns", both("seconds")), ("F\\*⁻¹, ns", both("inverse_seconds")),
        *((f"{what}, million/s", lambda found, key=key: f"{1e-6 / median(found, key):.1f}")
          for what, key in (("F\\*", "seconds"), ("F\\*⁻¹", "inverse_seconds"))),
        ("memcpy, GB/s", number("memcpy", 1, 1))], text="""\
F\\* is `drx_chunk_address`, F\\*⁻¹ `drx_chunk_index`, with their checks and locks: a million random chunks of a
3-D array each. Every growth begins a record. The axes take turns; with 100,000 records, axis 2 grows only every
fiftieth time, so that the array does not become larger than a file may be."""),
    Group("ends", "Growth at both ends", fields=[
        ("median, ms", number("seconds", 1e3)), ("minimum, ms", lambda found: f"{1e3 * least(found):.0f}")], text="""\
The 3-D array grows by `drx_append`, or by `drx_prepend`, every axis in turn, a chunk at a time."""),
    Group("beside", "Reads beside appends", fields=[
        ("a box, ms", number("seconds", 1e3, 2)), ("the longest call, ms", number("longest_seconds", 1e3)),
        ("slabs a second", number("appends_a_second"))], text="""\
Four threads read random boxes of 4 MiB through one handle for two seconds: alone, and while another thread appends
slabs of 8 MiB through the same handle."""),
    Group("rolling", "A rolling archive", fields=[
        ("a day, µs", number("seconds", 1e6, 1)),
        ("stored", lambda found: f"{found[-1]['data_bytes'] / 2**20:.1f} MiB"),
        ("metadata", lambda found: f"{found[-1]['metadata_bytes'] / 2**10:.0f} KiB"),
        ("opening, µs", number("open_seconds", 1e6))], text="""\
Each day appends a row of 512 elements, a chunk of 4 KiB, and trims the oldest day, so that a year of 365 rows is
kept; `drx_sync` every 1,000 days. *Stored* and *metadata* are what the files take on disk at the end, holes left
out; *opening* is opening, reading the first element and closing, the mean of ten."""),
    Group("dataset", "A dataset", fields=[
        ("growth, µs", number("growth_seconds", 1e6, 1)), ("opening, ms", number("seconds", 1e3, 2)),
        ("an array, ms", number("array_seconds", 1e3, 2)), ("syncs", number("raw_syncs")),
        ("with checksums", number("summed_syncs")), ("compressed", number("packed_syncs"))], text="""\
100 variables share a dimension, which grows by one index in each commit; nobody writes an element, and fdatasync
returns at once, so that the time of a *growth* with its commit is that of the library. *Opening* reads the log of
{commits:,} commits, *an array* is that of one variable more. Then a row is written to each of ten variables: the
*syncs* of one commit."""),
    Group("jobs", "Jobs that append", fields=[
        (what, number(key, 1e3)) for what, key in (
            ("reserving, ms", "reserving_seconds"), ("transactions, ms", "seconds"),
            ("a dataset each, ms", "own_seconds"), ("one after the other, ms", "alone_seconds"))], text="""\
Ten processes append 20 steps of two variables of 1 MiB each to one dataset, durably: each *reserves* a place for a
step, or has a *transaction* for it. Beside them: ten that have a *dataset each*, and one that appends all 200
steps, *one after the other*."""),
]


# ---- the run: one process for each library


class Run(bench_run.Run):
    COUNTED = False

    def __init__(self, options, folder, part):
        super().__init__(options, folder, part)
        peers = [self.program("peers")]
        self.servers = {"c": Server(peers, 1), "c2": Server(peers, 2)}
        if any(column.server == "zarr" for column in self.columns):
            self.servers["zarr"] = self.zarr_server()
        if not missing(options.build):
            self.servers["python"] = self.python_server("jobs_peer")
        self.rows = [row for row in self.rows if (row.server or "c") in self.servers]
        self.known = set()  # rows and columns that were checked, of those where that takes longer than the work

    def control(self, work):
        """Something that is no peer's: calibration, versions, and what is right."""
        return self.command("c", work, "truth")

    def columns_of(self, row):
        return [c for c in self.columns if c.key == "drx" or not row.alone]

    def measure(self, row):
        self.expected = None if row.alone else self.control(row.work).get("checksum")
        super().measure(row)

    def before(self, row):
        self.calibrate(row.key, lambda: self.control("calibrate"))
        super().before(row)

    def ask(self, row, column):
        if row.touched:
            os.sync()  # what was written before must not be written back meanwhile
        known = (row.key, column.key) in self.known
        answer = self.command(row.server or column.server or "c", row.work, column.peer or column.key, *[1] * known,
                              cache=row.cache)
        if self.expected and not known and answer["outcome"] == "done":
            if answer.get("checksum") != self.expected:
                raise Failure(f"{row.work}: {column.key}: checksum {answer.get('checksum')}, expected {self.expected}")
            if row.group == "growth":
                self.known.add((row.key, column.key))
        return answer

    def files(self, verb, array):
        """Build or drop the array of each kind of file that a column reads, which the peer of that name makes."""
        for column in {c.files: c for c in self.columns if array != "history" or not c.no_history}.values():
            if column.files:
                self.command("zarr" if column.family == "zarr" else "c", f"{verb}-{array}", column.files)
        os.sync()

    def build(self, array):
        self.spend(f"building {array}", "all", self.files, "build", array)

    def drop(self, array):
        self.files("drop", array)

    def versions(self):
        zarr = self.command("zarr", "versions", "zarr") if "zarr" in self.servers else {}
        return without_outcome({**self.control("versions"), **zarr})

    def results(self):
        return super().results(calibration=self.calibration)
