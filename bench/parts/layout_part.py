"""Layouts: copies into other chunks, what requests cost before and after, a product out of core."""

import os
import sys
import tempfile

import bench_machine
import bench_run
from bench_page import (COLD, REPEATED, SPEEDS, TOUCHED, Aim, Entry, Group, bytes_text, fields_table, least, median,
                        mib_text, number, processes_text, ratio, repeat_text, seconds_text, section, table)
from bench_run import example, run_example, without_outcome
from bench_server import Failure, Server, in_mpi

TITLE = "Layouts"
NEEDED = 14  # four sources, a copy, what is between, and one to spare, each of two

# peer: its name in its server; files: the peer that makes what it reads, and checks what it writes; its own for cp
COLUMNS = [
    Entry("drx", "drx", server="c-all", files="drx"),
    Entry("drx-1", "drx, 1 thread", peer="drx", files="drx"),
    Entry("cp", "cp", files="drx", checker="cp"),
    Entry("h5repack", "h5repack", family="hdf5", files="hdf5"),
    Entry("nccopy", "nccopy", family="netcdf", files="netcdf"),
    Entry("nccopy-best", "nccopy, same memory", family="netcdf", files="netcdf"),
    Entry("zarr", "rechunker's way, Zarr", server="zarr", files="zarr"),
]

COPIES = [  # from chunks of 8 x 16384, extents being those of the matrix, whatever its size; turned: the axes permute
    ("columns", (16384, 8), False),
    ("blocks", (512, 256), False),
    ("transpose", (8, 16384), True),
]
COPY_ROWS = [Entry(prefix + key, "", cache=cache, chunk=chunk, turned=turned, group=cache)
             for prefix, cache in (("", "warm"), ("cold-", "cold")) for key, chunk, turned in COPIES]
ROWS = [*COPY_ROWS, Entry("access", "requests"), Entry("product", "a product")]

# What the paper's tables have, of requests of one shape. array: that is read; None: it is converted
PROCESSES = (1, 2, 4)
KINDS = (("skewed", "wide"), ("conversion", None), ("aligned", "copy"))
COSTS = [Entry(f"{cache}-{processes}-{kind}", kind, cache=cache, processes=processes, array=array)
         for cache in ("warm", "cold") for processes in PROCESSES for kind, array in KINDS]

REQUEST_ELEMENTS = 131072      # 1 MiB of doubles
REQUEST_ROWS = (4, 4096)       # from, to: by factors of two
SAMPLE = 64                    # cold, one of this many requests is read
LONGEST = 900                  # seconds that a copy by several processes may take


def edge(size):
    """Of the square matrix."""
    return 32 * size


def memory_bytes(size):
    return 2048 * size * size  # a quarter of the matrix


def chunk_of(row, size):
    return tuple(edge(size) if extent == 16384 else extent for extent in row.chunk)


def row_title(row, size):
    rows, columns = chunk_of(row, size)
    return f"8×{edge(size)} → {rows}×{columns}{' of the transpose' * row.turned}"


def shapes(size):
    """Of the requests that divide the matrix, which is half as high as the square one and twice as wide."""
    height, width = edge(size) // 2, 2 * edge(size)
    rows, found = REQUEST_ROWS[0], []
    while rows <= REQUEST_ROWS[1]:
        columns = REQUEST_ELEMENTS // rows
        if height % rows == 0 and width % columns == 0:
            found.append((rows, columns))
        rows *= 2
    return found


# ---- the programs of examples/ that multiply matrices

PROGRAMS = [Entry("product", "1 process", program="multiply", processes=1),
            Entry("product-4", "4 processes", program="multiply_together", processes=4)]
NUMBERS = {  # of their report
    "processes": r"^product .*, ([0-9]+) process", "seconds": r"^seconds +([0-9.]+)",
    "gflops": r"^GFLOP/s +([0-9.]+)", "in_core": r"^in core GFLOP/s +([0-9.]+)",
    "read_bytes": r"^read bytes +([0-9]+)", "written_bytes": r"^written bytes +([0-9]+)",
    "memory_bytes": r"^memory bytes .* ([0-9]+) in all",
}


def multiply(column, path, size, folder):
    """Once, the result not checked, which its tests do; the files that it makes go."""
    memory = memory_bytes(size) // column.processes
    with tempfile.TemporaryDirectory(dir=folder) as made:
        words_of = [path, *[edge(size)] * 3, "--memory", memory, "--chunk", edge(size) // 64, "--folder", made]
        answer = run_example(words_of, NUMBERS, column.processes if column.processes > 1 else None)
    if answer["processes"] != column.processes:
        raise Failure(f"{path}: {answer['processes']:.0f} processes, expected {column.processes}: mpirun is that of "
                      "another MPI")
    return answer


# ---- aims

# row, columns divided, of the minima or medians, at most
BESIDE_CP = [("columns", "warm: drx / cp, minima", least, 1.4), ("blocks", "warm: drx / cp, minima", least, 1.4),
             ("cold-columns", "cold, durable: drx / cp, medians", median, 1.2),
             ("cold-blocks", "cold, durable: drx / cp, medians", median, 1.2)]
PEERS = [("h5repack", "h5repack", 15), ("nccopy", "nccopy", 4), ("rechunker's way", "zarr", 5)]  # medians, warm
WHOLE = 512    # the size for which the memory of the aims allows one pass
AIMS_ARE = "Ratios within one run"


def more_aims(results):
    titles = {row.key: row_title(row, results["size"]) for row in COPY_ROWS}
    for row, what, of, aim in BESIDE_CP:
        answers = results["answers"].get(row, {})
        if answers.get("drx") and answers.get("cp"):
            yield Aim(f"{titles[row]}, {what}", of(answers["drx"]) / of(answers["cp"]), None, aim)
    for row in ("columns", "blocks"):
        answers = results["answers"].get(row, {})
        if answers.get("drx") and results["size"] >= WHOLE:
            yield Aim(f"{titles[row]}: passes of drx", answers["drx"][0]["passes"], None, 1)
        for peer, column, aim in PEERS:
            yield Aim(f"{titles[row]}, warm: {peer} / drx", ratio(answers, column), aim)
    for cost in COSTS:
        middles = [median(answers[cost.key]) for answers in results["access"].values() if cost.key in answers]
        if len(middles) > 1 and cost.title != "skewed":
            yield Aim(f"{cost.title}, {cost.cache}, {processes_text(cost.processes)}: the slowest shape / the fastest",
                      max(middles) / min(middles), None, 1.5)
    for column in PROGRAMS:
        answers = results["product"].get(column.key)
        if answers:
            yield Aim(f"product out of core / in core, {column.title}",
                      median(answers, "gflops") / median(answers, "in_core"), 0.95)


# ---- the page

ABOUT = """\
`drx_copy` and other tools copy a matrix into chunks of another shape; `cp`, which keeps the layout, shows what
reading and writing every byte once costs. Requests of many shapes read the matrix before and after. Programs
multiply matrices larger than memory."""
METHOD = f"""\
- The matrix has {{edge}}×{{edge}} doubles ({{bytes}}), each a hash of its index. The benchmark reads the first
copy of each kind back, untimed, compares every element with what is right (`cp`'s byte for byte), and removes it.
Memory for data: {{memory}}.
{COLD} Warm, the time ends when the copying program has ended, or the copy is closed; nothing is synced. Cold, it
ends when the copy has been synced (`drx_sync`, `fsync`). Before each copy everything else is synced.
{TOUCHED}
{REPEATED} Cold, there are {{cold_repeat}}, at least two. Requests and conversions of each shape are measured three
times, or twice when they take more than 1 s. The tools are measured warm alone.
{SPEEDS}

The peers:

- **drx**: opening, `drx_copy` and closing, in chunks of whole rows to begin with. It may use a thread for each
processor, or one (`DRX_THREADS`), beside the threads that read ahead and write behind.
- **cp**: the program, of the same file of data.
- **h5repack**, **nccopy**: the programs of HDF5 and netCDF-4 with their defaults (`-l CHUNK=…`, `-c`), and nccopy
with a buffer and a chunk cache as large as drx's memory (`-m`, `-h`). Nothing is compressed; all axes are
unlimited.
- **rechunker's way**: Debian lacks the Python package rechunker, so this is its way of working in a plain loop,
from Zarr to Zarr. It reads as many chunks of the source at a time as fit in the same memory, and writes as many of
the target. Where these blocks differ, it goes through a temporary array whose chunks are what they have in common.
It is one process; rechunker would give the blocks to several.
- Only drx transposes, with the elements themselves turned; `cp` stands beside it.
"""
ACCESS = """\
Tables 2 to 4 of Krishnamoorthy et al. (2006) in our own terms. A matrix of {height}×{width} doubles ({bytes}) is
stored in row-major order (chunks of 4 rows). All these requests of 1 MiB divide it. For each shape of request:
what reading all of the matrix costs as it is stored (*skewed*), what the *conversion* by `drx_copy` into chunks of
this shape costs, and what the same requests cost afterwards (*aligned*). The benchmark checked every element that
requests read, beforehand.

Each process has one thread. Of several processes, each reads its share of the requests, in turn, and the slowest
one counts. Several processes convert together (`drxmp_copy`). Cold, the cache is dropped and every {sample}th
request is read; the table multiplies the time. So the figure is that of an array much larger than memory, where no
request finds what another one has read. A cold conversion is whole, and durable at the end."""
PRODUCT = """\
C = A B, each {edge}×{edge} doubles in chunks of {block}×{block}, with {memory} of memory in all for blocks, from
the page cache. The programs are `multiply` and `multiply_together` of examples/. *In core* is the speed of the
same BLAS on matrices in memory, before and after, with the same threads."""


def words(results):
    size, side = results["size"], edge(results["size"])
    return {"edge": side, "bytes": bytes_text(8 * side * side), "memory": bytes_text(memory_bytes(size)),
            "cold_repeat": repeat_text(results["cold_repeat"]).lower(), "height": side // 2, "width": 2 * side,
            "sample": SAMPLE, "block": side // 64}


GROUPS = [Group("warm", "From the page cache", turned=True, plot="layout-warm"),
          Group("cold", "From the disk to the disk", turned=True, plot="layout-cold")]


def plans_text(results):
    """What drx_plan_copy says of each copy."""
    lines = [(row_title(row, results["size"]), results["answers"].get(row.key, {}).get("drx"))
             for row in COPY_ROWS if row.cache == "warm"]
    plans = fields_table(lines, [("passes", number("passes")),
                                 ("memory", lambda found: mib_text(found[0]["memory_bytes"]) + " MiB"),
                                 ("reads", number("read_calls")), ("writes", number("write_calls"))])
    return "What drx plans (`drx_plan_copy`), for a source that is not in memory:\n\n" + plans if plans else ""


def access_table(results, cache):
    costs = [cost for cost in COSTS if cost.cache == cache]
    lines = [[shape] + [seconds_text(median(answers[cost.key])) if cost.key in answers else "–" for cost in costs]
             for shape, answers in results["access"].items()]
    return (f"{cache.capitalize()}, medians; {', '.join(map(str, PROCESSES))} are processes:\n\n"
            + table(["request"] + [f"{cost.title}, {cost.processes}" for cost in costs], lines))


def product_text(results):
    if results["left_out"] is None:
        return ""
    products = fields_table([(column.title, results["product"].get(column.key)) for column in PROGRAMS], [
        ("time", lambda found: seconds_text(median(found))), ("GFLOP/s", number("gflops", 1, 1)),
        ("in core GFLOP/s", number("in_core", 1, 1)),
        ("ratio", lambda found: f"{median(found, 'gflops') / median(found, 'in_core'):.3f}"),
        ("read", lambda found: f"{median(found, 'read_bytes') / (1 << 30):.2f} GiB"),
        ("memory in all", lambda found: f"{median(found, 'memory_bytes') / (1 << 20):.0f} MiB")])
    return section("A product out of core", PRODUCT.format(**words(results)), products,
                   *(f"Not measured, its program not being built: {what}.\n\n" for what in results["left_out"]))


def more_sections(results, _folder):
    access = section("Requests before and after", ACCESS.format(**words(results)), *(
        access_table(results, cache) for cache in ("warm", "cold") if results["access"]))
    return plans_text(results) + access + product_text(results)


# ---- the run


class Run(bench_run.Run):
    def __init__(self, options, folder, part):
        super().__init__(options, folder, part)
        peers = [self.program("peers")]
        self.readers = ["c", *(f"c-{n}" for n in range(2, max(PROCESSES) + 1))]  # of requests, side by side
        self.servers = {**{name: Server(peers, 1) for name in self.readers},
                        "c-all": Server(peers, len(os.sched_getaffinity(0)))}
        if any(row.chunk for row in self.rows) and any(column.server == "zarr" for column in self.columns):
            self.servers["zarr"] = self.zarr_server()
        self.together = os.path.join(options.build, "bench", "mp-peers")
        self.costs = [cost for cost in COSTS
                      if cost.array or cost.processes == 1 or os.access(self.together, os.X_OK)]
        self.checked = set()  # copies: row and column
        self.access = {}      # "ROWS×COLUMNS": {cost: [answer, ...]}
        self.product = {}     # column: [answer, ...]
        self.left_out = None  # products that are not measured

    def of_drx(self, work, *numbers, **more):
        return self.command("c", work, "drx", *numbers, **more)

    def calibrate_row(self, key):
        self.calibrate(key, lambda: self.command("c", "calibrate", "truth"))

    def make_room(self):
        """Nothing is written back meanwhile, and the host has pages for a copy and for the memory that it may use."""
        os.sync()
        bench_machine.touch(8 * 1024 * self.size ** 2 + memory_bytes(self.size))

    # ---- copies

    def copy(self, row, column):
        """One copy, which is removed; the first of a row and column is checked."""
        numbers = *chunk_of(row, self.size), int(row.turned)
        server, peer = column.server or "c", column.peer or column.key
        self.make_room()
        answer = self.command(server, "copy-square", peer, *numbers, cache=row.cache)
        if answer["outcome"] == "done":
            if (row.key, column.key) not in self.checked:
                self.command(server, "check-square", column.checker or column.files, *numbers)
                self.checked.add((row.key, column.key))
            self.command(server, "drop-copy", column.files)
        return answer

    def measure_copies(self, row):
        cold = row.cache == "cold"
        columns = [c for c in self.columns if not cold or c.family in ("drx", "cp")]
        self.answers[row.key] = self.turns(
            row.key, columns, lambda column: self.copy(row, column) if column else self.calibrate_row(row.key),
            repeat=self.options.cold_repeat if cold else self.repeat, slowest=2 if cold else 1)

    def each_source(self, verb):
        for files, server in {c.files: c.server or "c" for c in reversed(self.columns)}.items():
            self.command(server, f"{verb}-square", files)
        os.sync()

    def all_copies(self):
        rows = [row for row in self.rows if row.chunk]
        if rows:
            self.spend("building square", "all", self.each_source, "build")
            for row in rows:
                self.measure_copies(row)
            self.each_source("drop")

    # ---- requests of a shape, before and after a copy into chunks of that shape

    def convert(self, shape, what):
        """By one process, or by several together; each has one thread. The source is in memory, or not, before there is
        room, so that it takes no pages of that."""
        self.of_drx("settle-wide", cache=what.cache)
        self.make_room()
        if what.processes == 1:
            return self.of_drx("copy-wide", *shape, cache=what.cache)
        group = self.servers["together"] = Server(in_mpi(what.processes, LONGEST, self.together), 1)
        try:
            return self.command("together", "copy-wide", "drx", *shape, cache=what.cache)
        finally:
            group.end()

    def read(self, shape, what):
        """Each process its share of the requests: of all, or, cold, of a sample, which stands for all. The slowest
        counts."""
        every = SAMPLE if what.cache == "cold" else 1
        self.of_drx(f"settle-{what.array}", cache=what.cache)
        works = ["read-{}:{}:{}:{}:{}".format(what.array, *shape, every * p, every * what.processes)
                 for p in range(what.processes)]
        servers = [self.servers[name] for name in self.readers[:what.processes]]
        for server, work in zip(servers, works):
            server.send(work, "drx", self.size, what.cache, self.folder)
        answers = [server.receive(work, "drx") for server, work in zip(servers, works)]
        asked, all_requests = sum(a["requests"] for a in answers), answers[0]["all_requests"]
        took = max(a["seconds"] for a in answers)
        return {"outcome": "done", "seconds": took * all_requests / asked, "took": took, "requests": asked}

    def check_requests(self, shape):
        """All of them; makes the copy, which stays, by as many processes as can be."""
        self.convert(shape, [cost for cost in self.costs if not cost.array and cost.cache == "warm"][-1])
        for array in ("wide", "copy"):
            self.of_drx(f"check-{array}", *shape, 0, 1)

    def measure_shape(self, shape):
        def ask(what):
            if what is None:
                return self.calibrate_row("access")
            return self.read(shape, what) if what.array else self.convert(shape, what)

        key = "{}×{}".format(*shape)
        self.spend(key, "checking", self.check_requests, shape)
        self.access[key] = self.turns(key, self.costs, ask, repeat=min(self.repeat, 3), slow=2, slowest=2)

    def all_access(self):
        self.spend("building wide", "drx", self.of_drx, "build-wide")
        for shape in shapes(self.size)[::3 if self.options.quick else 1]:
            self.measure_shape(shape)
        self.of_drx("drop-copy")
        self.of_drx("drop-wide")
        os.sync()
        if len(self.costs) < len(COSTS):
            print(f"bench: conversions by several processes are left out: {self.together} is not built",
                  file=sys.stderr)

    # ---- a product of matrices out of core

    def all_products(self):
        paths = {column.key: example(self.options.build, column.program) for column in PROGRAMS}
        missing = [column for column in PROGRAMS if not paths[column.key][1]]
        for column in missing:
            print(f"bench: the product by {column.title} is left out: {paths[column.key][0]} is not built",
                  file=sys.stderr)
        self.left_out = [f"the product by {column.title}" for column in missing]

        def ask(column):
            if column is None:
                return self.calibrate_row("product")
            os.sync()
            return multiply(column, paths[column.key][0], self.size, self.folder)

        self.product = self.turns("product", [c for c in PROGRAMS if c not in missing], ask, repeat=1)

    def all(self):
        keys = {row.key for row in self.rows}
        self.all_copies()
        if "access" in keys and any(column.key == "drx" for column in self.columns):
            self.all_access()
        if "product" in keys:
            self.all_products()

    def versions(self):
        zarr = self.command("zarr", "versions", "zarr") if "zarr" in self.servers else {}
        tools = {tool: bench_machine.output(tool, "--version").splitlines()[0].split()[-1]
                 for tool in ("cp", "h5repack")}
        return without_outcome({**self.command("c", "versions", "truth"), **tools, **zarr})

    def results(self):
        return super().results(cold_repeat=self.options.cold_repeat, access=self.access, product=self.product,
                               left_out=self.left_out, calibration=self.calibration)
