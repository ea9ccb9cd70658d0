"""The page of the part of the disk: docs/benchmarks-disk.md, prose and all."""

import statistics

from bench_page import (aims_text, at_most, bytes_text, measured, median, ratio_aims, ratios_table, repeat_text, table,
                        times_table, was_measured, write_page)
from disk_table import COLUMNS, DEVICE, HDF5, ROWS, Column, array_bytes, deep_bytes, title, words

PAGE = "benchmarks-disk.md"

INTRODUCTION = """\
# Benchmarks from the disk and out of core

`make bench` writes this page; do not edit it. drx does the same work here as HDF5, contiguous files, and chunks
without a library. Beside them stands what fio measures of the disk for the same pattern, in the same run. **Only
ratios within one run mean something.** [benchmarks.md](benchmarks.md) has more reads from the page cache.

{aims}
## How it was measured

- Elements are doubles; each is a hash of its index. The benchmark compares what a peer reads: in memory by a checksum
  of all elements, out of core some thousand of each slab and 64 of each box, and once the checksum of the whole array.
- The cube has {size}³ elements ({cube}), in chunks of 32×32×32; nothing is compressed. A process of its own makes each
  measurement. The clock runs from before it opens the array until after the last element is there.
- *From the disk*: before the clock starts, {dropped}; `mincore` verifies that no more than {resident:g} % of them
  stayed.
- *After cat*: the files are from the disk, too, but a loop of `pread`, 1 MiB at a time, reads them before the library
  does.
- On a virtual machine the first use of a page costs the host time. So as much memory as a row uses, up to
  {touched}, is touched and given back before each repetition, and the memory that elements go to is touched.
- *The device* is the time that the disk takes by fio, with `O_DIRECT`, measured before each of three repetitions in a file of its
  own: all bytes in sequence, 1 MiB each, 8 in flight; as many reads of 8 KiB as there are elements, or spans of a plane
  a[i,:,:]; the chunks that the planes or boxes meet (from the disk each once, out of core each time), 256 KiB each, 32
  in flight. Reads that a chunk's neighbours or the page cache save make a peer faster than that.
- {repeat}, {deep_repeat} out of core; the peers take turns. The tables give the median, with the minimum in brackets.
  What takes more than 1 s is measured twice, or a third time if the first two differ by a quarter; more than 3 s, once.

The peers:

- **drx** calls `drx_read` for each box, `drx_get` for each element, and `drx_read_points` for elements as one request.
  It has {threads} threads, its default here; each other peer has one. *Checksums*: the array has them (`DRX_CHECKSUM`).
  *3 stripes*: its chunks go to three files in turn, all on the same disk.
- **Contiguous**: a file in C order, read by `pread` of adjacent rows, or through a map.
- **Bare chunks**: one `pread` for each chunk in drx's own file, of the span from the first wanted element to the last,
  in the order of addresses.
- **HDF5** with its defaults (a chunk cache of 1 MiB); *best*, for the access: no cache for planes and elements, slabs
  as thick as a chunk for whole reads, a cache that holds the array for boxes, an eighth of it out of core; *large cache*:
  that one for planes and elements, too. **HDF5's best** in the ratios is the fastest of the three.
- Elements as one request are a list (`H5Sselect_elements`) in HDF5. Other peers read them one by one, sorted.

"""

GROUPS = [  # group, heading, what it is
    ("cold", "Reads from the disk",
     "Planes are spread evenly over the axis, one call each; elements and boxes are at random, not sorted. The rows *in"
     " memory* and *after cat* tell whether the first read leaves the page cache as well as `cat` does."),
    ("deep", "Out of core",
     "An array of {deep} grows by slabs of 32 indices along all axes in turn, contiguous files along axis 0 only. It is"
     " then read whole in slabs, and by random boxes, each time from the disk. The processes have {limit} of memory,"
     " page cache included, by {how}. drx may take {allowed} for copies (`drx_set_memory`). Growth ends with a sync of"
     " the files; the time covers computing the values ({fill}). Contiguous files would be read by 4,096 or more"
     " small requests for a box or for a slab along axis 2, and are left out there."),
    ("grown", "In memory after growth",
     "The cube has just been written by growth along all axes in turn (contiguous: axis 0), synced, and not read since."
     " Elements are read one by one, by HDF5's best setting as one list. Opening and the first touch of each page are"
     " in the time."),
]

MEMORY = """\
## Memory

The most memory that the process had at a time (`VmHWM`) beside what it had before it opened the array, which includes
the memory of the elements, in MiB. Mapped pages of files count.

"""

# what, (row, columns: the fastest of them), (row, column) of drx, at least
RATIOS = [
    ("whole, C order: contiguous / drx", ("disk-whole", ("posix",)), ("disk-whole", "drx"), 0.95),
    ("whole, Fortran order: contiguous in C order / drx", ("disk-whole", ("posix",)), ("disk-fortran", "drx"), 0.95),
    ("whole, C order: HDF5's best / drx", ("disk-whole", HDF5), ("disk-whole", "drx"), 1.4),
    ("whole, Fortran order: HDF5's best / drx", ("disk-fortran", HDF5), ("disk-fortran", "drx"), 1.4),
    ("in memory, whole: after cat / after drx", ("disk-cat", ("drx",)), ("disk-again", "drx"), 0.95),
    ("in memory, elements: after cat / after drx", ("disk-cat-elements", ("drx",)), ("disk-elements-after", "drx"),
     0.95),
    ("stripes, from the disk, whole: one file / stripes", ("disk-whole", ("drx",)), ("disk-whole", "drx-striped"), 0.95),
    ("stripes, in memory, whole: one file / stripes", ("disk-cat", ("drx",)), ("disk-cat", "drx-striped"), 0.95),
    ("stripes, in memory, elements: one file / stripes", ("disk-cat-elements", ("drx",)),
     ("disk-cat-elements", "drx-striped"), 0.95),
    *((f"8 planes {name}: HDF5's best / drx", (f"disk-planes-{axis}", HDF5), (f"disk-planes-{axis}", "drx"), 5)
      for axis, name in enumerate(("a[i,:,:]", "a[:,j,:]", "a[:,:,k]"))),
    ("elements one by one: HDF5's best / drx", ("disk-elements", HDF5), ("disk-elements", "drx"), 1),
    ("elements as one request: HDF5's best / drx", ("disk-points", HDF5), ("disk-points", "drx"), 10),
    ("boxes of 16³: HDF5's best / drx", ("disk-boxes", HDF5), ("disk-boxes", "drx"), 4),
    ("growth: the device / drx", ("deep-grow", ("device",)), ("deep-grow", "drx"), 0.9),
    *((f"slabs along axis {axis}: the device / drx", (f"deep-slabs-{axis}", ("device",)),
       (f"deep-slabs-{axis}", "drx"), 0.9) for axis in range(3)),
    ("boxes of 64³: the device / drx", ("deep-boxes", ("device",)), ("deep-boxes", "drx"), 1 / 1.4),
    ("boxes of 64³: HDF5's best / drx", ("deep-boxes", HDF5), ("deep-boxes", "drx"), 4),
    ("after growth, {after:,} elements: HDF5 / drx", ("grown-elements", ("hdf5",)), ("grown-elements", "drx"), 150),
    ("after growth, {many:,} elements: HDF5 / drx", ("grown-many", ("hdf5",)), ("grown-many", "drx"), 150),
    ("after growth, boxes of 16³: contiguous, mmap / drx", ("grown-boxes", ("posix-map",)), ("grown-boxes", "drx"), 1),
]
SPARE_BYTES = 32 << 20  # of memory that drx may use beside drx_set_memory

FASTEST = Column("hdf5-fastest", "hdf5", "HDF5's best", None, None)
COMPARED = [*(column for column in COLUMNS[1:] if column.key not in HDF5), FASTEST, DEVICE]


def peak(answers):
    """In bytes; None: it was not measured."""
    return max(answer["peak_bytes"] for answer in answers) if was_measured(answers, "peak_bytes") else None


def limits(answers, size):
    for row in ROWS:
        found = answers.get(row.key, {}).get("drx")
        if row.group == "deep" and found:
            allowed = found[0]["memory_bytes"] + SPARE_BYTES
            yield at_most(f"peak memory of drx: {title(row, size)}", peak(found) / (1 << 20), allowed / (1 << 20),
                          " MiB", "{:.0f}".format)


def with_fastest(answers):
    """The same with the column FASTEST."""
    def fastest(found):
        keys = [key for key in HDF5 if key in found]
        return {**found, FASTEST.key: found[min(keys, key=lambda key: median(found[key]))]} if keys else found

    return {row: fastest(found) for row, found in answers.items()}


def group_text(answers, size, group, heading, what):
    rows = [row._replace(title=title(row, size)) for row in ROWS if row.group == group]
    rows, columns = measured(answers, rows, [*COLUMNS, DEVICE])
    if not rows:
        return ""
    text = f"## {heading}\n\n{what}\n\n" + times_table(answers, rows, columns)
    _, compared = measured(answers, rows, COMPARED)
    return text + "\n" + ratios_table(answers, rows, compared) + "\n"


def device_text(device):
    if not device:
        return ""
    lines = [[pattern, f"{statistics.median(one['bytes'] for one in found) / 1e9:.2f}",
              f"{statistics.median(one['calls'] for one in found):,.0f}"] for pattern, found in device.items()]
    return ("## The device\n\nMedians of all that fio measured in this run.\n\n"
            + table(["", "GB/s", "calls/s"], lines) + "\n")


def memory_text(answers, size):
    rows = [row for row in ROWS if row.group != "grown" and row.seconds == "seconds"]
    rows, columns = measured(answers, rows, COLUMNS)
    lines = [[title(row, size), *("–" if peak(answers[row.key].get(c.key)) is None else
                                  f"{peak(answers[row.key][c.key]) / (1 << 20):.0f}" for c in columns)]
             for row in rows]
    return MEMORY + table(["MiB", *(c.title for c in columns)], lines) + "\n" if lines else ""


def missing_text(missing):
    if not missing:
        return ""
    return ("## What could not be had here\n\n"
            + "".join(f"- {what}: {why}.\n" for what, why in missing) + "\n")


def limited_text(what, results):
    grown = [answer for answers in results["answers"].get("deep-grow", {}).values() for answer in answers
             if "fill_seconds" in answer]
    drx = next((answers["drx"][0] for key, answers in results["answers"].items()
                if key.startswith("deep-") and "drx" in answers), {"memory_bytes": 0})
    fill = f"{statistics.median(answer['fill_seconds'] for answer in grown):.2g} s" if grown else "not measured"
    return what.format(deep=bytes_text(deep_bytes(results["size"])), limit=mb_text(results["memory"].get("bytes", 0)),
                       how=results["memory"].get("how", "nothing"), allowed=bytes_text(drx["memory_bytes"]), fill=fill)


def mb_text(size_bytes):
    return f"{size_bytes / 1e9:.1f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.0f} MB"


def write(results, folder):
    size, answers = results["size"], with_fastest(results["answers"])
    aims = [(what.format(**words(size)), *rest) for what, *rest in RATIOS]
    text = INTRODUCTION.format(
        aims=aims_text([*ratio_aims(answers, aims), *limits(answers, size)], "Ratios of medians"),
        size=size, cube=bytes_text(array_bytes(size)), threads=results["threads"],
        dropped="all page caches are dropped (`drop_caches`)" if results["drops"] else
        "the files are synced and dropped from the page cache (`POSIX_FADV_DONTNEED`)",
        resident=100 * results["most_resident"], touched=bytes_text(results["touched"]),
        repeat=repeat_text(results["repeat"]), deep_repeat=results["deep_repeat"])
    text += missing_text(results["missing"])
    for group, heading, what in GROUPS:
        what = limited_text(what, results) if group == "deep" else what
        text += group_text(answers, size, group, heading, what)
    return write_page(PAGE, folder, text + device_text(results["device"]) + memory_text(answers, size), results)
