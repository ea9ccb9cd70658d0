"""Compressed arrays: drx, HDF5, Zarr and Blosc alone."""

import bench_run
from bench_page import (COLD, REPEATED, Aim, Entry, Group, bytes_text, fields_table, number, ratio, section, shape_text,
                        table)
from bench_run import missing, versions_of

TITLE = "Compressed arrays"
NEEDED = 13  # one array at a time, of six peers, and slabs

COLUMNS = [
    Entry("drx", "drx, zstd"),
    Entry("drx-zlib", "drx, zlib"),
    Entry("drx-raw", "drx, raw"),
    Entry("hdf5-blosc", "HDF5, Blosc zstd"),
    Entry("hdf5-zlib", "HDF5, shuffle and deflate"),
    Entry("zarr", "Zarr, Blosc zstd"),
    Entry("blosc", "Blosc alone"),
]

# name: file of ferret-datasets, variable
DATA = {"winds": ("monthly_navy_winds.cdf", "UWND"), "levitus": ("levitus_climatology.cdf", "TEMP"),
        "etopo": ("etopo20.cdf", "ROSE"), "noise": None}
GROWN = "winds"  # what slabs and small chunks hold
READS = {"whole": "all of it, warm", "cold": "all of it, cold"}

# array: the data; count: how many elements or boxes are read
ROWS = [
    *(Entry(f"{work}-{data}", f"{title}, {data}", kind=work, work=f"{work}-{data}", array=data, group="all")
      for work, title in READS.items() for data in DATA),
    *(Entry(key, title, kind=key, work=f"{key}-{GROWN}", array=GROWN, count=count, group="parts")
      for key, title, count in (
        ("elements", "an element at random", 2000), ("points", "a list of elements at random", 200000),
        ("boxes", "a box of 16³ at random", 400), ("slabs", "slabs of one plane, until chunks complete", 1),
        ("slabs-all", "slabs of one plane, 4 chunks of them", 1),
        ("growth-2d", "2-D, chunks of 8×8, every axis in turn", 1))),
]

CHUNK = (32, 64, 64)
LEVEL = 5


def shape(size):
    """Of the array of float32: 1 GiB of the size 512."""
    edge = max(size, 64)
    return 2 * edge, edge, edge


def array_bytes(size):
    return 8 * shape(size)[1] ** 3


# what, works, of these columns the fastest / that column, at least
HDF5 = ["hdf5-blosc", "hdf5-zlib"]
RATIOS = [
    ("all, warm: Blosc alone / drx", "whole", ["blosc"], "drx", 0.85),
    ("all, warm: HDF5 with shuffle and deflate / drx, zlib", "whole", ["hdf5-zlib"], "drx-zlib", 3),
    ("all, warm: HDF5 with Blosc / drx", "whole", ["hdf5-blosc"], "drx", 2),
    ("all, warm: Zarr with Blosc / drx", "whole", ["zarr"], "drx", 1.5),
    ("an element: HDF5's best compressed / drx", "elements", HDF5, "drx", 20),
    ("a list of elements: HDF5's best compressed / drx", "points", HDF5, "drx", 20),
    ("boxes of 16³: HDF5's best compressed / drx", "boxes", HDF5, "drx", 4),
    ("thin slabs, until chunks complete: drx raw / drx", "slabs", ["drx-raw"], "drx", 0.8),
    ("2-D, chunks of 8×8: HDF5's best compressed / drx", "growth-2d", HDF5, "drx", 10),
]
SIZES = [("drx, zstd", "drx", "hdf5-blosc", "HDF5, Blosc"), ("drx, zstd", "drx", "zarr", "Zarr"),
         ("drx, zlib", "drx-zlib", "hdf5-zlib", "HDF5, deflate")]
MOST_SIZE, RATIO_FOR_COLD, ENTRY = 1.02, 2, 64


def more_aims(results):
    answers, built = results["answers"], results["packed"]
    for data, sizes in built.items():
        for title, own, peer, whose in SIZES:
            if own in sizes and peer in sizes:
                yield Aim(f"size, {data}: {title} / {whose}", sizes[own]["bytes"] / sizes[peer]["bytes"], None,
                          MOST_SIZE, number="{:.4f}".format)
    for what, work, columns, under, aim in RATIOS:
        for row in ROWS:
            found = answers.get(row.key, {}) if row.kind == work else {}
            values = [value for value in (ratio(found, peer, under) for peer in columns) if value]
            name = f"{what}, {row.array}" if work == "whole" else what
            yield Aim(name, min(values, default=None), aim)
    for row in ROWS:
        sizes = built.get(row.array, {})
        value = ratio(answers.get(row.key, {}), "drx-raw", "drx") if row.kind == "cold" else None
        if value and sizes["drx-raw"]["bytes"] >= RATIO_FOR_COLD * sizes["drx"]["bytes"]:
            yield Aim(f"all, cold: drx raw / drx, {row.array}", value, 1)
    small = answers.get("growth-2d", {}).get("drx")
    if small:
        yield Aim("2-D, chunks of 8×8: bytes of the table for each chunk", small[0]["table_bytes_a_chunk"], None, ENTRY)


ABOUT = """\
drx, HDF5, Zarr and Blosc alone have the same data, chunks, codecs and level, and are called from Python in one
process."""
METHOD = f"""\
- Arrays of {{shape}} float32 ({{bytes}}) in chunks of {{chunk}}: monthly winds, temperatures of Levitus and the
relief of etopo, from Debian's `ferret-datasets`, repeated to fill the array, each repetition moved a little; and
uniform noise. The level is {{level}}, after a shuffle of bytes. HDF5 is called below the indexing of h5py, where
it is faster, and with a chunk cache of 32 MiB, as large as that of drx. The benchmark checks what was read,
untimed.
{COLD} Reads of all go to memory that was touched before.
- *Blosc alone* decodes the chunks from memory to memory, with as many threads as drx. Zarr decodes with Blosc's
own threads, as many.
- HDF5 has Blosc by Debian's plugin `hdf5-filter-plugin-blosc-serial`.
- *A list*: all elements in one call (`a.vindex`, `H5Sselect_elements`). *An element*, *a box*: one call for each;
the times are those of one.
- Slabs are appended one plane at a time, and the array is closed. *Until chunks complete*: one plane less than a
chunk has.
{REPEATED}
"""


def words(results):
    size = results["size"]
    return {"shape": shape_text(shape(size)), "bytes": bytes_text(array_bytes(size)), "chunk": shape_text(CHUNK),
            "level": LEVEL}


def bytes_table(results, _rows, columns):
    found = results["answers"].get("growth-2d", {})
    lines = fields_table([(c.title, found.get(c.key)) for c in columns], [("bytes", number("bytes_a_chunk"))])
    return "Bytes of all files for each chunk of 8×8 doubles, which has 512:\n\n" + lines if lines else ""


GROUPS = [Group("all", "Reads of all"), Group("parts", "Elements, boxes and growth", key_of="each", more=bytes_table)]


def more_sections(results, _folder):
    built, raw = results["packed"], array_bytes(results["size"])
    columns = [c for c in COLUMNS if any(c.key in sizes for sizes in built.values())]

    def text(sizes, key):
        return f"{sizes[key]['bytes'] / (1 << 20):.2f} MiB ({raw / sizes[key]['bytes']:.2f})" if key in sizes else "–"

    return section("Sizes", "Of all files, and how many times smaller than the elements:",
                   table(["", *(c.title for c in columns)],
                         [[data, *(text(sizes, c.key) for c in columns)] for data, sizes in built.items()]))


def left_out(build):
    why = missing(build, "h5py", "netCDF4", "numcodecs")
    if not why:
        import packed_data

        if not packed_data.has_files():
            why = f"{packed_data.FOLDER}: has not the files of ferret-datasets"
    return why


class Run(bench_run.Run):
    MODULE = "packed_peer"

    def __init__(self, options, folder, part):
        super().__init__(options, folder, part)
        self.stored = [column for column in self.columns if column.key != "blosc"]
        self.built = {}  # data: {column: answer}

    def build(self, array):
        answers = {column.key: self.spend(f"building {array}", column.key, self.command, "python", f"build-{array}",
                                          column.key) for column in self.stored}
        self.built[array] = {key: answer for key, answer in answers.items() if answer["outcome"] == "done"}

    def columns_of(self, row):
        return [c for c in self.columns if c.key == "blosc" or c.key in self.built[row.array]]

    def drop(self, array):
        for key in self.built[array]:
            self.command("python", f"drop-{array}", key)

    def versions(self):
        import numcodecs

        return {**versions_of("h5py", "HDF5", "Zarr"), "Blosc": numcodecs.blosc.VERSION_STRING}

    def results(self):
        return super().results(packed=self.built)
