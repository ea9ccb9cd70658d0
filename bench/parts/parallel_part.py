"""Many processes: a group of them does the same work with each library."""

import os
import sys

import bench_machine
import bench_run
from bench_page import (REPEATED, SPEEDS, TOUCHED, Aim, Entry, Group, bytes_text, fields_table, median, mib_text, over,
                        processes_text, seconds_text, section, table)
from bench_run import example, run_example, without_outcome
from bench_server import Failure, Server, in_mpi
from disk_machine import Limit, Unavailable

TITLE = "Reads, writes and growth together"
NEEDED = 8  # eight arrays
PLOTS = {"parallel-4": "4 processes: time of each peer relative to drx"}

# Their names in mp-peers, too; files: of which arrays it reads; chunked: they have chunks
COLUMNS = [
    Entry("drx", "drx", files="drx", chunked=True),
    Entry("hdf5", "HDF5", files="hdf5", chunked=True),
    Entry("hdf5-alone", "HDF5, independent", files="hdf5", chunked=True),
    Entry("hdf5-best", "HDF5, best", files="hdf5-best", chunked=True),
    Entry("hdf5-best-alone", "HDF5, best, independent", files="hdf5-best", chunked=True),
    Entry("pnetcdf", "PnetCDF", files="pnetcdf"),
    Entry("mpiio", "contiguous, MPI-IO", files="mpiio"),
    Entry("posix", "contiguous, pread", files="posix"),
]

WORKS = [  # name, title, array that it reads
    ("write", "write", ""),
    ("write-fortran", "write, Fortran order", ""),
    ("write-history", "write after 8 growths", ""),
    ("write-unaligned", "write, unaligned", ""),
    ("read", "read", "plain"),
    ("read-fortran", "read, Fortran order", "plain"),
    ("read-unaligned", "read, unaligned", "plain"),
    ("strips", "16 strips of 64 columns", "plain"),
    ("sections", "8 unaligned square sections", "plain"),
    ("boxes", "random boxes of 16×16", "plain"),
    ("read-history", "read after 8 growths", "history"),
    ("extend", "one growth", ""),
    ("extend-stored", "one growth, stored", ""),
]
LARGE, SMALL = 1, 8  # parts of the size, which the extent of a chunk is
ROWS = [Entry(prefix + name, title, work=name, array=array, part=part, group="together")
        for part, prefix in ((LARGE, ""), (SMALL, "small-")) for name, title, array in WORKS]
AHEAD = Entry("zones-ahead", "zones read ahead")  # a program of its own, which only drx has
ROWS.append(AHEAD)


def chunk(size, part):
    return max(size // part, 32)


# ---- zones that are read ahead: the program zones_ahead of examples/

SLABS = 32
ROOMS = {"beyond": "out of core", "fits": "memory for all of it"}  # the array, in what the processes may have of memory
LEAST_BYTES = 256 << 20  # of memory, for the processes themselves


def limit_bytes(size):
    """Of the memory out of core: five eighths of the array."""
    return max(4096 * size ** 2 * 5 // 8, LEAST_BYTES)


NUMBERS = {"reading": r"reading ([0-9.]+) s", "computing": r"computing ([0-9.]+) s", "seconds": r"both ([0-9.]+) s"}


def with_hidden(found):
    if not found["reading"]:
        raise Failure("zones_ahead: reading took no time")
    return {**found, "hidden": (found["reading"] + found["computing"] - found["seconds"]) / found["reading"]}


# ---- aims

TOGETHER = ("hdf5", "hdf5-best")
HDF5 = TOGETHER + ("hdf5-alone", "hdf5-best-alone")
AIMS = [Aim(f"{what} / drx", over(row, columns), aim) for what, row, columns, aim in (
    ("read: contiguous, pread", "read", "posix", 0.9),
    ("read: HDF5, collective, either setting", "read", TOGETHER, 1.3),
    ("write: HDF5, any setting", "write", HDF5, 1),
    ("small chunks, read: HDF5, any setting", "small-read", HDF5, 5),
    ("small chunks, write: HDF5, any setting", "small-write", HDF5, 5),
    ("read, Fortran order: PnetCDF, mapped", "read-fortran", "pnetcdf", 3),
    ("one growth: HDF5, any setting", "extend", HDF5, 8),
    ("one growth, stored: HDF5, any setting", "extend-stored", HDF5, 8),
    ("small chunks, one growth: HDF5, any setting", "small-extend", HDF5, 8),
    ("small chunks, one growth, stored: HDF5, any setting", "small-extend-stored", HDF5, 8))]
AIM_RANKS = ("2", "4")
MEMORY_MIB = 64          # of a rank, beside its buffers
MAPPED_BYTES = 1 << 20   # fewer: it is as good as nothing


def most_memory(results, ranks, column, mapped):
    """Bytes beside the buffers, at most in all workloads, or in those where no file is mapped; None: not measured."""
    return max((answer["memory_bytes"] for answers in results["answers"].get(ranks, {}).values()
                for answer in answers.get(column, ()) if mapped or answer["mapped_bytes"] < MAPPED_BYTES), default=None)


def more_aims(results):
    for ranks in AIM_RANKS:
        answers = (results["ahead"] or {}).get("beyond", {}).get(ranks)
        yield Aim(f"{ranks} processes, zones read ahead out of core: share of the reading that is hidden",
                  answers and median(answers, "hidden"), 0.8)
    for what, mapped in (("VmHWM less its buffers", True), ("the same where no file is mapped", False)):
        most = [most_memory(results, ranks, "drx", mapped) for ranks in results["ranks"]]
        most = max((value for value in most if value is not None), default=None)
        yield Aim(f"memory of a process, {what}", most and most / (1 << 20), None, MEMORY_MIB, " MiB", "{:.1f}".format)


# ---- the page

ABOUT = """\
libdrxmp does the same work here as parallel HDF5, PnetCDF, MPI-IO and plain `pread` and `pwrite`, in groups of
{groups} processes."""
METHOD = f"""\
- The array has {{rows}}×{{columns}} doubles ({{bytes}}), each a hash of its index, in chunks of
{{large}}×{{large}}, or of {{small}}×{{small}} (*small chunks*). Each process has one block of it (BLOCK×BLOCK):
all of it, a half, or a quarter. *Unaligned* blocks leave out a margin, and begin and end inside chunks. The first
time that a peer does a work, the benchmark checks every element that it reads or has written. Another process than
the writer reads what was written. Groups read the array that the first of them has made.
- All peers run in one group of processes for each number of them. The time runs from when all have started until
the last has ended. For a write it covers making the array, writing and closing, into a new file; nothing is
synced. For a read it covers the reading alone, from the page cache.
- *Fortran order*: the block of each process is in Fortran order in memory; the array is the same.
- *After 8 growths*: the array began as a quarter and grew along both axes in turn. The time of the write includes
that.
- *Strips* of all rows begin at columns of no particular kind, and *sections* of {{section}}×{{section}} at such
elements. All processes read each of them together, by one call, and each process gets its share: some of the rows
of a strip, a block of a section.
- *Random boxes*: each process reads {{boxes:,}} boxes of its own choice, one call each.
- *One growth*: the mean of 16 more growths by a chunk, of an array with that history; the axes alternate.
*Stored*: after each growth comes the call that lets other openers see it (`H5Fflush`, `ncmpi_sync_numrecs`; drx
needs none, since it has written a record). Without it, HDF5 keeps the change in the memory of each process.
{REPEATED}
{SPEEDS} They are for all processes together.
{TOUCHED}
- Memory is the rise of the process's `VmHWM` during the measurement. Its buffers were touched before. `VmHWM`
counts the pages of files that a library maps, although they are pages of the page cache. The second figure covers
only the workloads after which no more of a file was mapped than before (`RssFile` did not rise). Where drx maps
pages and lets go of them during the call, it counts them.

The peers:

- **drx**: the calls of `drxmp.h`, with one thread in each process (`DRX_THREADS=1`).
- **HDF5** with its defaults, by collective calls, or *independent*: each process reads and writes alone. Both axes
are unlimited. It reads and writes Fortran order, as all libraries that have only C order, in slabs of 512 rows,
turned into place in blocks of 16×16.
- **HDF5, best**: the fastest setting that we found: the newest file format, no fill values, collective metadata,
all chunks in one request. Larger chunk caches, none, aligned chunks and ROMIO were not faster.
- **PnetCDF**: collective calls, in Fortran order its mapped ones (`varm`); boxes in its independent mode. It grows
along its record axis alone, by writing to the last record.
- **contiguous**: a file of all elements in C order, by collective MPI-IO with a view of the block (it grows along
axis 0 by `MPI_File_set_size`), or by each process's own `pread` and `pwrite` of rows, adjacent rows at once.
- A peer without chunks is measured once, beside the large ones.
"""
AHEAD_TEXT = """\
A program computes on a part of an array out of core while the next part is on its way (`drxmp_darray_iread`). The
array has {rows}×{columns} doubles ({bytes}) and comes from the disk, in {slabs} parts; each process has the zone
of its rows in each part. The program (`zones_ahead` of examples/) first reads without computing, then computes
without reading, as much as takes as long, then does both. *Hidden* is the share of the reading that takes no time
of its own: (reading + computing − both) / reading. The first part has nothing to hide behind, so no more than
{most:.2f} can be hidden.

*Out of core* the processes together have {limit} of memory, page cache included, so drx reads past the system's
cache. With *memory for all of it*, the system keeps what was read, and its own work for that takes time of
processors, on all of which the program computes from as many processes as there are processors on."""

MEMORY = """\
Beside the buffers of a process, in MiB: the most of all workloads / of those in which no file was mapped."""
GROUPS = [Group("together", plot="parallel-{ranks}")]


def words(results):
    size = results["size"]
    boxes = max((answer["boxes"] for rows in results["answers"].values() for answers in rows.values()
                 for answer in sum(answers.values(), []) if "boxes" in answer), default=0)
    return {"rows": 32 * size, "columns": 16 * size, "bytes": bytes_text(4096 * size ** 2), "large": chunk(size, LARGE),
            "small": chunk(size, SMALL), "boxes": boxes, "section": 4 * size, "groups": ", ".join(results["ranks"]),
            "slabs": SLABS, "most": 1 - 1 / SLABS, "limit": bytes_text(limit_bytes(size))}


def row_title(row, size):
    return f"{row.title}, {chunk(size, row.part)}×{chunk(size, row.part)}"


def ahead_text(results):
    if results["ahead"] is None:
        return "Zones read ahead were not measured: `zones_ahead` of examples/ is not built.\n\n"
    lines = [(f"{processes_text(ranks)}, {ROOMS[room]}", answers) for room, found in results["ahead"].items()
             for ranks, answers in found.items()]
    zones = fields_table(lines,
                         [*((what, lambda found, key=key: seconds_text(median(found, key)))
                            for what, key in (("reading", "reading"), ("computing", "computing"), ("both", "seconds"))),
                          ("hidden", lambda found: f"{median(found, 'hidden'):.2f}")], "medians")
    why = results["no_limit"]
    return section("Zones read ahead", AHEAD_TEXT.format(**words(results)), zones,
                   f"Out of core was not measured: {why}.\n\n" if zones and why else "")


def more_sections(results, _folder):
    def cell(ranks, column):
        values = [most_memory(results, ranks, column.key, mapped) for mapped in (True, False)]
        return " / ".join("–" if value is None else mib_text(value) for value in values)

    lines = [[column.title] + [cell(ranks, column) for ranks in results["ranks"]] for column in COLUMNS]
    return ahead_text(results) + section("Memory", MEMORY, table(["processes"] + results["ranks"], lines))


# ---- the run

LONGEST = 3 * 3600  # seconds that a group may live: one that hangs ends


class Run(bench_run.Run):
    def __init__(self, options, folder, part):
        super().__init__(options, folder, part)
        self.peers = self.program("mp-peers")
        self.ahead = {}  # room: {ranks: [answer, ...]}; None: it is not built
        self.no_limit = None  # why memory cannot be limited
        self.found = {}  # versions

    def of_group(self, work, peer, part):
        return self.command("group", work, peer, chunk(self.size, part))

    def measure_row(self, row, ranks):
        def ask(column):
            if column is None:
                return self.calibrate(row.key, lambda: self.of_group("calibrate", "posix", row.part),
                                      self.calibration[ranks])
            if row.work.startswith("write"):
                bench_machine.touch(5 * 8 * 512 * self.size ** 2 // 4)
            return self.of_group(row.work, column.key, row.part)

        columns = [c for c in self.columns if c.chunked or row.part == LARGE]
        self.answers[ranks][row.key] = self.turns(f"{ranks} {row.key}", columns, ask)

    def files(self, verb, array, part):
        """Build or drop the array of each kind of file that a column reads."""
        columns = [c for c in self.columns if c.chunked or part == LARGE]
        for column in {c.files: c for c in reversed(columns)}.values():
            self.of_group(f"{verb}-{array}", column.key, part)
        os.sync()

    def measure_array(self, part, array):
        """The rows that read this array, or none of those made beforehand. The first group makes it for all."""
        for ranks in self.answers:
            self.end()
            self.servers["group"] = Server(in_mpi(ranks, LONGEST, self.peers), 1)
            if array and ranks == next(iter(self.answers)):
                self.spend(f"building {array}, part {part}", "all", self.files, "build", array, part)
            for row in self.rows:
                if (row.part, row.array) == (part, array):
                    self.measure_row(row, ranks)
        if array:
            self.files("drop", array, part)
        self.found = self.of_group("versions", "posix", 1)
        self.end()

    def measure_ahead(self):
        program, built = example(self.options.build, "zones_ahead")
        if not built:
            print(f"bench: zones read ahead are left out: {program} is not built", file=sys.stderr)
            self.ahead = None
            return
        command = [program, SLABS, 32 * self.size // SLABS, 16 * self.size]

        def ask(column, ranks, enter):
            if column:
                os.sync()  # the program makes its array in the folder, and removes it
                return with_hidden(run_example(command, NUMBERS, ranks, 600, cwd=self.folder, preexec_fn=enter))
            return None

        def measure(room, enter=None):
            self.ahead[room] = {}
            for ranks in map(str, self.options.ranks):
                answers = self.turns(f"{ranks} {AHEAD.key}-{room}", [c for c in self.columns if c.key == "drx"],
                                     lambda column: ask(column, ranks, enter))
                self.ahead[room].update({ranks: found for found in answers.values()})

        try:
            limit = Limit(limit_bytes(self.size))
        except Unavailable as error:
            self.no_limit = str(error)
        else:
            try:
                measure("beyond", limit.enter)
            finally:
                limit.end()
        measure("fits")

    def all(self):
        for ranks in map(str, self.options.ranks):
            self.answers[ranks], self.calibration[ranks] = {}, {}
        for part, array in sorted({(row.part, row.array) for row in self.rows if row.part}):
            self.measure_array(part, array)
        if AHEAD in self.rows:
            self.measure_ahead()

    def versions(self):
        return without_outcome(self.found)

    def results(self):
        return super().results(ranks=list(map(str, self.options.ranks)), calibration=self.calibration,
                               ahead=self.ahead, no_limit=self.no_limit)
