"""From the disk, and out of core: each measurement is made by a process of its own, so that its memory is known and
limited."""

import os
import signal
import statistics

import bench_machine
import bench_run
import disk_machine
from bench_page import (REPEATED, TOUCHED, Aim, Entry, Group, bytes_text, measured, median, over, section, table,
                        was_measured, wrap)
from bench_run import without_outcome
from bench_server import Failure, Server
from disk_machine import Disk, Limit, Unavailable, seconds_for

TITLE = "The disk, and out of core"
NEEDED = 24  # six arrays of four
PLOTS = {"disk": "Reads from the disk: time of each peer relative to drx"}

LIMIT_BYTES = 1_100_000_000     # of memory, for the array of 4 GiB
LEAST_LIMIT_BYTES = 256 << 20   # what the process itself needs, and some
MOST_RESIDENT = 0.02            # a read is from the disk when no more of the file stayed in the page cache
SPARE_BYTES = 32 << 20          # of memory that drx may use beside drx_set_memory
MOST_CUBES = 2.25               # of memory that a measurement uses: the file, what is read, and a cache of that

COLUMNS = [
    Entry("drx", "drx"),
    Entry("drx-sums", "drx, checksums"),
    Entry("drx-striped", "drx, 3 stripes"),
    Entry("posix", "contiguous, pread"),
    Entry("posix-map", "contiguous, mmap", files="posix"),
    Entry("hdf5", "HDF5"),
    Entry("hdf5-best", "HDF5, best"),
    Entry("hdf5-big", "HDF5, large cache", files="hdf5-best"),
]
DEVICE = Entry("device", "*the device*")
BESIDE = [DEVICE]
HDF5 = ["hdf5", "hdf5-best", "hdf5-big"]  # the fastest of those that were measured is HDF5's best
FASTEST = Entry("hdf5-fastest", "HDF5's best")
COMPARED = [*(column for column in COLUMNS[1:] if column.key not in HDF5), FASTEST, DEVICE]

GROWN = ("posix", "hdf5-big")  # columns that say nothing more of an array in memory
DEEP = ("drx-striped", "posix-map", "hdf5-big")


def row(key, title, group="cold", **more):
    """work: what a process is asked; seconds: which of its times; pattern: of fio, or None, and amount: how much of it
    the row takes (disk_machine); without: columns that are not asked."""
    return Entry(key, title, group=group, **{"work": key, "seconds": "seconds", "without": (), **more})


SEQUENTIAL = {"pattern": "sequential read", "amount": "bytes"}
SMALL, CHUNKS = {"pattern": "8 KiB, 32 in flight"}, {"pattern": "256 KiB, 32 in flight", "amount": "distinct_chunks"}
PLANES = ("a[i,:,:]", "a[:,j,:]", "a[:,:,k]")
ROWS = [
    row("disk-whole", "whole, C order", **SEQUENTIAL),
    row("disk-again", "the same again, now in memory", work="disk-whole", seconds="again_seconds"),
    row("disk-elements-after", "{after:,} elements after that, in memory", work="disk-whole",
        seconds="elements_seconds"),
    row("disk-cat", "whole, C order, after cat"),
    row("disk-cat-elements", "{after:,} elements after that", work="disk-cat", seconds="elements_seconds"),
    row("disk-fortran", "whole, Fortran order", **SEQUENTIAL),
    *(row(f"disk-planes-{axis}", f"8 planes {plane}", **({**SMALL, "amount": "chunks"} if axis == 0 else CHUNKS))
      for axis, plane in enumerate(PLANES)),
    row("disk-elements", "{few:,} elements one by one", pattern="8 KiB, one by one", amount="requests"),
    row("disk-points", "{few:,} elements as one request", **SMALL, amount="requests"),
    row("disk-boxes", "{boxes:,} boxes of 16³", **CHUNKS),
    row("deep-grow", "growth along all axes in turn, with a sync", "deep", pattern="sequential write", amount="bytes",
        without=DEEP),
    *(row(f"deep-slabs-{axis}", f"all, in slabs of 32 along axis {axis}", "deep", pattern="sequential read",
          amount="all_bytes", without=DEEP + (("posix",) if axis == 2 else ())) for axis in range(3)),
    row("deep-boxes", "{large:,} boxes of 64³", "deep", **{**CHUNKS, "amount": "chunks"}, without=DEEP + ("posix",)),
    row("grown-elements", "{after:,} elements", "grown", work="disk-grown", without=GROWN),
    row("grown-many", "{many:,} elements", "grown", work="disk-grown", seconds="many_seconds", without=GROWN),
    row("grown-boxes", "{boxes:,} boxes of 16³", "grown", work="disk-grown", seconds="boxes_seconds", without=GROWN),
]


def touched_cubes(work):
    """This many times the memory of the cube does a measurement use."""
    return MOST_CUBES if work in ("disk-whole", "disk-cat", "disk-fortran") else 1.25


def _part(count, size):
    return max(20, int(count * (size / 512) ** 3))


def counts(size):
    """How many requests there are: work_disk.c and work_deep.c have the same."""
    return {"few": _part(2000, size), "after": _part(20000, size), "many": _part(200000, size),
            "boxes": _part(1000, size), "large": max(10, 500 * size // 512)}


def row_title(row, size):
    return row.title.format(**counts(size))


def array_bytes(size):
    return 8 * size ** 3


def deep_bytes(size):
    return 4 * array_bytes(size)


# ---- aims

AIMS = [
    Aim("whole, C order: contiguous / drx", over("disk-whole", "posix"), 0.95),
    Aim("whole, Fortran order: contiguous in C order / drx", over("disk-whole", "posix", of="disk-fortran"), 0.95),
    Aim("whole, C order: HDF5's best / drx", over("disk-whole", HDF5), 1.4),
    Aim("whole, Fortran order: HDF5's best / drx", over("disk-fortran", HDF5), 1.4),
    Aim("in memory, whole: after cat / after drx", over("disk-cat", "drx", of="disk-again"), 0.95),
    Aim("in memory, elements: after cat / after drx", over("disk-cat-elements", "drx", of="disk-elements-after"), 0.95),
    *(Aim(f"stripes, {what}: one file / stripes", over(key, "drx", "drx-striped"), 0.95) for what, key in (
        ("from the disk, whole", "disk-whole"), ("in memory, whole", "disk-cat"),
        ("in memory, elements", "disk-cat-elements"))),
    *(Aim(f"8 planes {plane}: HDF5's best / drx", over(f"disk-planes-{axis}", HDF5), 5)
      for axis, plane in enumerate(PLANES)),
    Aim("elements one by one: HDF5's best / drx", over("disk-elements", HDF5), 1),
    Aim("elements as one request: HDF5's best / drx", over("disk-points", HDF5), 10),
    Aim("boxes of 16³: HDF5's best / drx", over("disk-boxes", HDF5), 4),
    Aim("growth: the device / drx", over("deep-grow", "device"), 0.9),
    *(Aim(f"slabs along axis {axis}: the device / drx", over(f"deep-slabs-{axis}", "device"), 0.9)
      for axis in range(3)),
    Aim("boxes of 64³: the device / drx", over("deep-boxes", "device"), 1 / 1.4),
    Aim("boxes of 64³: HDF5's best / drx", over("deep-boxes", HDF5), 4),
    Aim("after growth, {after:,} elements: HDF5 / drx", over("grown-elements", "hdf5"), 150),
    Aim("after growth, {many:,} elements: HDF5 / drx", over("grown-many", "hdf5"), 150),
    Aim("after growth, boxes of 16³: contiguous, mmap / drx", over("grown-boxes", "posix-map"), 1),
]


def peak(answers):
    """In bytes; None: it was not measured."""
    return max(answer["peak_bytes"] for answer in answers) if was_measured(answers, "peak_bytes") else None


def more_aims(results):
    answers, size = results["answers"], results["size"]
    for row in ROWS:
        found = answers.get(row.key, {}).get("drx")
        if row.group == "deep" and found:
            allowed = found[0]["memory_bytes"] + SPARE_BYTES
            yield Aim(f"peak memory of drx: {row_title(row, size)}", peak(found) / (1 << 20), None, allowed / (1 << 20),
                      " MiB", "{:.0f}".format)


# ---- the page

ABOUT = """\
drx does the same work here as HDF5 and contiguous files. Beside them stands what fio measures of the disk for the
same pattern, in the same run."""
METHOD = f"""\
- Elements are doubles; each is a hash of its index. The benchmark compares what a peer reads: in memory by a
checksum of all elements, out of core some thousand of each slab and 64 of each box, and once the checksum of the
whole array.
- The cube has {{size}}³ elements ({{cube}}), in chunks of 32×32×32; nothing is compressed. A process of its own
makes each measurement. The clock runs from before it opens the array until after the last element is there.
- *From the disk*: before the clock starts, {{dropped}}; `mincore` verifies that no more than {{resident:g}} % of
them stayed.
- *After cat*: the files are from the disk, too, but a loop of `pread`, 1 MiB at a time, reads them before the
library does.
{TOUCHED} This is up to {{touched}}, and the memory that elements go to.
- *The device* is the time that the disk takes by fio, with `O_DIRECT`, measured before each of three repetitions
in a file of its own: all bytes in sequence, 1 MiB each, 8 in flight; as many reads of 8 KiB as there are elements,
or spans of a plane a[i,:,:]; the chunks that the planes or boxes meet (from the disk each once, out of core each
time), 256 KiB each, 32 in flight. Reads that a chunk's neighbours or the page cache save make a peer faster than
that.
{REPEATED} Out of core there are {{deep_repeat}}.

The peers:

- **drx** calls `drx_read` for each box, `drx_get` for each element, and `drx_read_points` for elements as one
request. It has {{threads}} threads, its default here; each other peer has one. *Checksums*: the array has them
(`DRX_CHECKSUM`). *3 stripes*: its chunks go to three files in turn, all on the same disk.
- **Contiguous**: a file in C order, read by `pread` of adjacent rows, or through a map.
- **HDF5** with its defaults (a chunk cache of 1 MiB); *best*, for the access: no cache for planes and elements,
slabs as thick as a chunk for whole reads, a cache that holds the array for boxes, an eighth of it out of core;
*large cache*: that one for planes and elements, too. **HDF5's best** in the ratios is the fastest of the three.
- Elements as one request are a list (`H5Sselect_elements`) in HDF5. Other peers read them one by one, sorted.
"""
def with_fastest(answers):
    """The same with the column FASTEST."""
    def fastest(found):
        keys = [key for key in HDF5 if key in found]
        return {**found, FASTEST.key: found[min(keys, key=lambda key: median(found[key]))]} if keys else found

    return {row: fastest(found) for row, found in answers.items()}


COMPARING = {"compared": COMPARED, "merged": with_fastest}
GROUPS = [
    Group("cold", "Reads from the disk", text="""\
Planes are spread evenly over the axis, one call each; elements and boxes are at random, not sorted. The rows *in
memory* and *after cat* tell whether the first read leaves the page cache as well as `cat` does.""",
          plot="disk", **COMPARING),
    Group("deep", "Out of core", text="""\
An array of {deep} grows by slabs of 32 indices along all axes in turn, contiguous files along axis 0 only. It is
then read whole in slabs, and by random boxes, each time from the disk. The processes have {limit} of memory, page
cache included, by {how}. drx may take {allowed} for copies (`drx_set_memory`). Growth ends with a sync of the
files; the time covers computing the values ({fill}). Contiguous files would be read by 4,096 or more small
requests for a box or for a slab along axis 2, and are left out there.""", **COMPARING),
    Group("grown", "In memory after growth", text="""\
The cube has just been written by growth along all axes in turn (contiguous: axis 0), synced, and not read since.
Elements are read one by one, by HDF5's best setting as one list. Opening and the first touch of each page are in
the time.""", **COMPARING),
]


def mb_text(size_bytes):
    return f"{size_bytes / 1e9:.1f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.0f} MB"


def words(results):
    size, answers = results["size"], results["answers"]
    fills = [answer["fill_seconds"] for found in answers.get("deep-grow", {}).values() for answer in found
             if "fill_seconds" in answer]
    allowed = next((found["drx"][0]["memory_bytes"] for key, found in answers.items()
                    if key.startswith("deep-") and "drx" in found), 0)
    return {
        **counts(size), "cube": bytes_text(array_bytes(size)), "threads": results["threads"],
        "deep_repeat": results["deep_repeat"],
        "dropped": "all page caches are dropped (`drop_caches`)" if results["drops"] else
                   "the files are synced and dropped from the page cache (`POSIX_FADV_DONTNEED`)",
        "resident": 100 * results["most_resident"], "touched": bytes_text(results["touched"]),
        "deep": bytes_text(deep_bytes(size)), "limit": mb_text(results["memory"].get("bytes", 0)),
        "how": results["memory"].get("how", "nothing"), "allowed": bytes_text(allowed),
        "fill": f"{statistics.median(fills):.2g} s" if fills else "not measured",
    }


MEMORY = """\
The most memory that the process had at a time (`VmHWM`) beside what it had before it opened the array, which
includes the memory of the elements, in MiB. Mapped pages of files count."""


def memory_table(results):
    answers, size = results["answers"], results["size"]
    rows, columns = measured(answers, [row for row in ROWS if row.group != "grown" and row.seconds == "seconds"],
                             COLUMNS)
    peaks = [[peak(answers[row.key].get(c.key)) for c in columns] for row in rows]
    lines = [[row_title(row, size), *("–" if found is None else f"{found / (1 << 20):.0f}" for found in line)]
             for row, line in zip(rows, peaks)]
    return table(["MiB", *(c.title for c in columns)], lines) if lines else ""


def more_sections(results, _folder):
    lines = [[pattern, *(f"{statistics.median(one[key] for one in found) / unit:,.{digits}f}"
                         for key, unit, digits in (("bytes", 1e9, 2), ("calls", 1, 0)))]
             for pattern, found in results["device"].items()]
    missing = "\n".join(f"- {what}: {why}." for what, why in results["missing"])
    return (section("The device", "Medians of all that fio measured in this run.",
                    table(["", "GB/s", "calls/s"], lines) if lines else "")
            + section("Memory", MEMORY, memory_table(results))
            + (wrap(f"## What could not be had here\n\n{missing}") if missing else ""))


# ---- the run


class Run(bench_run.Run):
    def __init__(self, options, folder, part):
        super().__init__(options, folder, part)
        self.peers = [self.program("peers")]
        self.threads = len(os.sched_getaffinity(0))
        self.drops = not options.quick and disk_machine.may_drop_caches()
        self.limit = None
        self.memory = {}   # how it was limited, and to what
        self.missing = []  # what could not be had, and why
        self.deep_repeat = min(self.repeat, 3)
        self.disk = Disk(folder, max(array_bytes(self.size), 16 << 20), "200ms" if options.quick else "3s")
        self.device = {}   # pattern: [{bytes, calls}, ...]

    def end(self):
        super().end()
        if self.limit:
            self.limit.end()
            self.limit = None

    # ---- one measurement

    def command_apart(self, work, peer, enter=None):
        server = self.servers["c"] = Server(self.peers, self.threads, enter=enter)
        try:
            return self.command("c", work, peer, *[1] * self.drops, cache="cold")
        finally:
            server.end()

    def speed(self, pattern):
        if self.options.quick and pattern in self.device:
            return self.device[pattern][0]
        try:
            found = self.disk.measure(pattern)
        except Unavailable as error:
            self.miss("the device's own figures", str(error))
            return None
        self.device.setdefault(pattern, []).append(found)
        return found

    def miss(self, what, why):
        if [what, why] not in self.missing:
            self.missing.append([what, why])

    def is_cold(self, row, column, answer):
        """False: what stayed in memory makes it a measurement of something else."""
        if "resident" not in answer or answer["resident"] <= MOST_RESIDENT:
            return True
        self.miss(f"{row_title(row, self.size)}, {column.title}",
                  f"{100 * answer['resident']:.0f} % of the file stayed in the page cache")
        return False

    def checked_answer(self, row, column, enter, expected):
        if row.group == "deep":
            os.sync()  # what was written before must not be written back meanwhile
        try:
            answer = self.command_apart(row.work, column.key, enter)
        except Failure as error:
            if not enter or not str(error).endswith(f" {-signal.SIGKILL}"):
                raise
            self.miss(f"{row_title(row, self.size)}, {column.title}",
                      "the system killed the process, which had too little memory")
            return {"outcome": "declined"}
        if expected and answer["outcome"] == "done" and answer.get("checksum") != expected:
            raise Failure(f"{row.work}: {column.key}: checksum {answer.get('checksum')}, expected {expected}")
        return answer if self.is_cold(row, column, answer) else {"outcome": "declined"}

    # ---- the rows that one kind of process measures

    def measure_work(self, rows, columns, repeat, size_bytes, enter=None):
        """Take turns; the rows are times of the same work."""
        work = rows[0].work
        expected = None if rows[0].group == "deep" else self.command_apart(work, "truth").get("checksum")
        patterns = [row.pattern for row in rows if row.pattern]
        speeds = {work: []}

        def ask(column):
            if column:
                return self.checked_answer(rows[0], column, enter, expected)
            self.calibrate(work, lambda: {pattern: self.speed(pattern) for pattern in patterns}, speeds)
            if self.drops:
                disk_machine.drop_caches()  # so that the pages of the cache, which are ready, are those touched
            bench_machine.touch(size_bytes)
            return None

        columns = [c for c in columns if c.key not in rows[0].without]
        found = self.measure_together(work, rows, columns, ask, self.answers, repeat=repeat)
        for row in rows:
            if row.pattern and found:
                sample = next(each for each in found.values() if each)[0]
                device = [{"seconds": seconds_for(row.amount, sample, speed[row.pattern])}
                          for speed in speeds[work] if speed[row.pattern]]
                self.answers[row.key].update({DEVICE.key: device} if device else {})

    def measure_group(self, group):
        rows = [row for row in self.rows if row.group == group]
        for work in dict.fromkeys(row.work for row in rows):
            self.measure_work([row for row in rows if row.work == work], self.columns, self.repeat,
                                  int(touched_cubes(work) * array_bytes(self.size)))

    def each_file(self, work, columns):
        for files in dict.fromkeys(column.files or column.key for column in columns):
            self.command_apart(work, files)
        os.sync()

    # ---- with little memory

    def verify(self, columns):
        """All elements that growth has written, with all the memory of the machine."""
        expected = self.command_apart("deep-verify", "truth")["checksum"]
        for column in columns:
            found = self.command_apart("deep-verify", column.key)["checksum"]
            if found != expected:
                raise Failure(f"deep-grow: {column.key}: checksum {found}, expected {expected}")

    def all_deep(self, rows):
        limit = max(LIMIT_BYTES * self.size ** 3 // 512 ** 3, LEAST_LIMIT_BYTES)
        self.memory = {"bytes": limit}
        columns = [c for c in self.columns if c.key not in DEEP]
        self.tell("touching memory")
        bench_machine.touch(limit)
        try:
            self.limit = Limit(limit)
        except Unavailable as error:
            self.miss("Out of core", str(error))
            return
        self.memory["how"] = self.limit.how
        if rows[0].work != "deep-grow":
            self.each_file("deep-grow", columns)
        for row in rows:
            self.measure_work([row], columns, self.deep_repeat, limit, self.limit.enter)
            if row.work == "deep-grow":
                self.spend(row.work, "checking", self.verify, columns)
        self.limit.end()
        self.limit = None
        self.each_file("drop-deep", columns)

    def all(self):
        groups = {group.key: [row for row in self.rows if row.group == group.key] for group in GROUPS}
        if groups["cold"]:
            self.spend("building cube", "all", self.each_file, "build-cube", self.columns)
            self.measure_group("cold")
            self.each_file("drop-cube", self.columns)
        if groups["deep"]:
            self.all_deep(groups["deep"])
        if groups["grown"]:
            self.measure_group("grown")
        self.disk.remove()

    def versions(self):
        return without_outcome(self.command_apart("versions", "truth"))

    def results(self):
        return super().results(device=self.device, memory=self.memory, missing=self.missing, threads=self.threads,
                               drops=self.drops, deep_repeat=self.deep_repeat, most_resident=MOST_RESIDENT,
                               touched=int(MOST_CUBES * array_bytes(self.size)))
