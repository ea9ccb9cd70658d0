"""Arrays on a server: drx, Zarr and HDF5 take turns at the end of a slow line."""

import os

import bench_run
import remote_site
from bench_page import REPEATED, TOUCHED, Aim, Entry, Group, bytes_text, measured, over, own, section, table
from bench_run import missing

TITLE = "A server"
NEEDED = 4  # the cubes and datasets of three peers

COLUMNS = [
    Entry("drx", "drx"),
    Entry("drx-together", "drx, in one call"),
    Entry("zarr", "Zarr, consolidated"),
    Entry("hdf5", "HDF5, fsspec"),
    Entry("hdf5-best", "HDF5, fsspec, blocks of 1 MiB"),
    Entry("bytes", "*one request*"),
]
# count: how many planes or boxes are read
ROWS = [
    Entry("open", "open an array, and read an element"),
    Entry("dataset", "open a dataset, and learn the ten shapes"),
    Entry("xarray", "open it with xarray"),
    Entry("whole", "all of an array", touched=2),
    Entry("planes", "8 planes a[:,j,:]", count=8),
    Entry("rows", "100 boxes of 16³, row by row", count=100),
    Entry("boxes", "100 boxes of 16³ at random", count=100),
]

DELAY_MS = 10  # each way
VARIABLES, GRID = [f"v{i}" for i in range(10)], (120, 73, 144)
EDGE = 16  # of boxes
HDF5 = ("hdf5", "hdf5-best")

AIMS = [
    Aim("opening a dataset, in round trips, one of them to connect", own("dataset", "seconds", 1e3 / 2 / DELAY_MS),
        None, 3.5),
    Aim("all of an array: one request / drx", over("whole", "bytes"), 0.9),
    *(Aim(f"100 boxes {name}: {theirs} / drx", over(row, columns, mine), 5)
      for row, mine, name in (("boxes", "drx", "at random, one after the other"),
                              ("boxes", "drx-together", "at random, in one call"), ("rows", "drx", "row by row"))
      for theirs, columns in (("Zarr", "zarr"), ("HDF5's best", HDF5))),
]

VERSIONS = ("Zarr", "fsspec", "h5py", "HDF5", "xarray")
GROUPS = [Group(None, "Times")]

ABOUT = """\
Python programs read arrays and datasets from a server by HTTP, {trip} ms away: `drx`, Zarr with its metadata
consolidated, and HDF5 through fsspec."""
METHOD = f"""\
- nginx serves the files of this machine, from its page cache, without TLS. A program between it and the peers
delays all bytes by {{ms}} ms each way, and the first of each connection by {{trip}} ms more, as its handshake
would. So a round trip takes {{trip}} ms. The bandwidth is that of the machine.
- The cube has {{size}}³ doubles ({{bytes}}) in chunks of 32³, the dataset ten variables of 120 × 73 × 144 float32
in chunks of 12 × 73 × 144 and three coordinates; nothing is compressed.
- Each measurement is made by a new process, which has made no request before. All modules are imported before the
clock starts. Planes and boxes are read from an array that is open; there is one call for each. The benchmark
checks what was read, untimed.
- *Row by row*: a loop over 32 boxes along the last axis, in a loop along the one before it. drx asks for the boxes
that follow ahead of the program.
- *In one call*: `a.read_boxes(keys)`. The others have no such call. Boxes at random, one after the other, cost a
round trip each in any library.
- *HDF5* reads a file object of fsspec with the default cache, which reads 5 MiB ahead; *blocks of 1 MiB*:
`cache_type="block"`, 64 blocks.
- *One request*: one GET for all elements of drx's file, by Python's `http.client`, into memory that is there.
{TOUCHED}
{REPEATED}
"""


def words(results):
    return {"ms": DELAY_MS, "trip": 2 * DELAY_MS, "bytes": bytes_text(8 * results["size"] ** 3)}


def more_sections(results, _folder):
    answers = results["answers"]
    rows, columns = measured(answers, ROWS, COLUMNS)
    requests = [[row.title, *(str(answers[row.key][c.key][0]["requests"]) if answers[row.key].get(c.key) else "–"
                              for c in columns)] for row in rows]
    return section("Requests", "How many the server answered.", table(["", *(c.title for c in columns)], requests))


def left_out(build):
    return (missing(build, "aiohttp", "fsspec", "h5netcdf", "h5py", "xarray")
            or (None if remote_site.NGINX else "no program nginx (Debian: nginx-light)"))


class Run(bench_run.Run):
    MODULE = "remote_peer"

    def python_server(self, module):
        own = self.folder
        os.chmod(own, 0o755)
        self.folder = os.path.join(own, "served")
        os.makedirs(self.folder)
        self.site = remote_site.Site(self.folder, os.path.join(own, "nginx"), self.program("delayed"), DELAY_MS)
        return super().python_server(module, BENCH_URL=self.site.url)

    def end(self):
        super().end()
        self.site.end()

    def command(self, *words, **more):
        before = self.site.requests()
        answer = super().command(*words, **more)
        return {**answer, "requests": self.site.requests() - before}

    def all(self):
        for family in dict.fromkeys(c.family for c in self.columns if c.family != "bytes"):
            self.spend("building", family, self.command, "python", "build", family)
        super().all()
