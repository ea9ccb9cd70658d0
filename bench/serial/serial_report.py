"""The page of the serial part: docs/benchmarks.md, prose and all."""

import bench_plots
from bench_page import (aims_text, at_most, bytes_text, least, measured, median, middle, others, ratio_aims,
                        ratios_table, repeat_text, table, times_table, write_page)
from serial_table import COLUMNS, ROWS

PAGE = "benchmarks.md"

INTRODUCTION = """\
# Benchmarks

`make bench` writes this page; do not edit it. drx does the same work here as HDF5, netCDF-4, Zarr and plain files, in
one run on one machine. The peers take turns, repetition by repetition, so that other load on the machine hits all of
them. **Only ratios within one run mean something**: machines differ, and one machine differs from hour to hour. Many
processes: [benchmarks-parallel.md](benchmarks-parallel.md). Copies into other chunks:
[benchmarks-layout.md](benchmarks-layout.md). From the disk and out of core:
[benchmarks-disk.md](benchmarks-disk.md).

{aims}
## How it was measured

- Elements are doubles; each is a hash of its index. The benchmark checks whatever a peer reads, and what it has written
  the first time: with a checksum that depends on each element and its place, and by comparing some thousand elements
  one by one.
- The cube has {size}³ elements ({cube}), in chunks of 32×32×32. The table has {rows}×{columns}, in chunks of 8 whole
  rows. Both grew along axis 0. Nothing is compressed.
- Each measurement opens the array anew. The time covers the reads alone, with all that they cause: chunk caches that
  fill, mapped pages that are touched for the first time. It does not cover opening and closing, except where the row
  says so.
- Elements go to memory from `malloc`, aligned to 64 bytes, with each page touched before. All peers of a process use
  the same memory, and each measurement overwrites it first, untimed. Before each repetition of a growth, memory of
  twice the array is touched and given back, since the host of a virtual machine takes long for what was not used
  before. The C libraries run in one process, Zarr and drx with two threads in one process each. None asks for huge
  pages.
- *Warm*: the files are in the page cache. *Cold*: they were synced and dropped from the page cache
  (`POSIX_FADV_DONTNEED`){resident}.
- {repeat}. The tables give the median, with the minimum in brackets. What takes more than 1 s is measured twice,
  or a third time if the first two differ by a quarter; more than 3 s, once. The last lines say how fast the machine was
  before each of three repetitions (medians): `memcpy` between buffers, and `pread` of a file in the page cache, 1 MiB
  at a time.

The peers:

- **drx** calls `drx_read` once for each box, and `drx_get` for each element. It may use one thread, or two
  (`DRX_THREADS`).
- **contiguous**: a file of all elements in C order. It is read by `pread` of each row of the box (adjacent rows at
  once; two threads share a whole read), or through `mmap`. It cannot grow along other axes, so those rows are empty.
- **bare pwrite**: a loop of one `pwrite` for each chunk. Addresses and bytes of the chunks are prepared before,
  untimed.
- **HDF5, netCDF-4, Zarr** with their defaults: a chunk cache of 1 MiB in HDF5, {netcdf_cache} in netCDF, none in
  Zarr. Each box is one call; elements are read one by one. All axes are unlimited.
- **best**: the fastest setting that we found for the access. HDF5 uses the newest file format and writes no fill
  values. Its chunk cache holds all of the array (boxes, strips), or 64 MiB (growth by small chunks), or nothing
  (planes a[i,:,:] and a[:,j,:], elements). It reads elements as one list of points, and the whole array in slabs as
  thick as a chunk. netCDF does the same, but has no lists of points. Zarr uses `vindex` for all elements, and
  `LRUStoreCache` for boxes and strips.
- Libraries that have only C order read Fortran order in slabs as thick as a chunk along axis 0 (over the whole plane,
  or in the best setting over one row of chunks), and turn them into place in blocks of 16×16. Zarr reads into an
  array in Fortran order.

"""

GROUPS = [  # group, heading, what it is, plot
    ("warm", "Reads from the page cache",
     "{elements:,} random elements and {boxes:,} random boxes, not sorted; 64 planes spread evenly over the axis, one"
     " call each; 16 strips of 64 columns. Two threads read half of the boxes each through one handle, where a library"
     " allows that.", True),
    ("cold", "Reads from the disk", "The same reads by one thread, cold.", True),
    ("growth", "Growth",
     "Each growth extends an axis by one chunk and writes the new slab from memory in C order. The 3-D array ends with"
     " {chunks_3d}³ chunks of 32³, the 2-D array with {chunks_2d}² chunks of 8×8 ({growths_2d:,} growths). The time"
     " covers extending, writing and closing; nothing is synced.", True),
    ("open", "Opening",
     "A table that grew {history:,} times, along axis 0 and axis 1 in turn, by one chunk of 8×8. Only its first chunk"
     " was written (netCDF-4 grows by writing, one element each time). The time covers opening, reading the first"
     " element and closing; it is the mean of ten, from the page cache. drx reads one record for each growth; the"
     " others store only the last bounds.", False),
    ("addresses", "Addresses",
     "F\\* is `drx_chunk_address`, F\\*⁻¹ `drx_chunk_index`, with their checks and locks: a million random chunks of a"
     " 3-D array each. Every growth begins a record. The axes take turns; with 100,000 records, axis 2 grows only every"
     " fiftieth time, so that the array does not become larger than a file may be.", False),
    ("ends", "Growth at both ends",
     "The 3-D array grows by `drx_append`, or by `drx_prepend`, every axis in turn, a chunk at a time.", False),
    ("beside", "Reads beside appends",
     "Four threads read random boxes of 4 MiB through one handle for two seconds: alone, and while another thread"
     " appends slabs of 8 MiB through the same handle.", False),
    ("rolling", "A rolling archive",
     "Each day appends a row of 512 elements, a chunk of 4 KiB, and trims the oldest day, so that a year of 365 rows is"
     " kept; `drx_sync` every 1,000 days. *Stored* and *metadata* are what the files take on disk at the end, holes left"
     " out; *opening* is opening, reading the first element and closing, the mean of ten.", False),
    ("dataset", "A dataset",
     "100 variables share a dimension, which grows by one index in each commit; nobody writes an element, and fdatasync"
     " returns at once, so that the time of a *growth* with its commit is that of the library. *Opening* reads the log of"
     " {commits:,} commits, *an array* is that of one variable more. Then a row is written to each of ten variables:"
     " the *syncs* of one commit.", False),
    ("jobs", "Jobs that append",
     "Ten processes append 20 steps of two variables of 1 MiB each to one dataset, durably: each *reserves* a place for a"
     " step, or has a *transaction* for it. Beside them: ten that have a *dataset each*, and one that appends all 200"
     " steps, *one after the other*.", False),
]

# ---- what drx is to reach, as ratios of medians of one run

HDF5 = ("hdf5", "hdf5-best")
PEERS = ["hdf5", "hdf5-best", "netcdf", "netcdf-best", "zarr", "zarr-best"]  # those that were measured

# what, (row, columns: the fastest of them), (row, column) of drx, at least
RATIOS = [
    ("whole, C order: contiguous / drx", ("whole-c", ("posix",)), ("whole-c", "drx"), 1),
    ("the same, two threads each", ("whole-c", ("posix-2",)), ("whole-c", "drx-2"), 1),
    ("whole, C order: HDF5, either setting / drx", ("whole-c", HDF5), ("whole-c", "drx"), 2.5),
    ("whole, Fortran order: contiguous / drx", ("whole-f", ("posix",)), ("whole-f", "drx"), 3),
    ("drx, C order / Fortran order", ("whole-c", ("drx",)), ("whole-f", "drx"), 1 / 1.3),
    ("drx / the same with checksums, C order", ("whole-c", ("drx",)), ("whole-c", "drx-sums"), 1 / 1.15),
    ("drx / the same with checksums, Fortran order", ("whole-f", ("drx",)), ("whole-f", "drx-sums"), 1 / 1.15),
    ("drx / the same with checksums, growth and writes", ("growth-3d", ("drx",)), ("growth-3d", "drx-sums"), 1 / 1.15),
    ("planes a[i,:,:]: HDF5, best / drx", ("planes-0", ("hdf5-best",)), ("planes-0", "drx"), 5),
    ("planes a[i,:,:]: HDF5 / drx", ("planes-0", ("hdf5",)), ("planes-0", "drx"), 12),
    ("planes a[:,j,:]: HDF5, best / drx", ("planes-1", ("hdf5-best",)), ("planes-1", "drx"), 5),
    ("planes a[:,j,:]: HDF5 / drx", ("planes-1", ("hdf5",)), ("planes-1", "drx"), 12),
    ("planes a[:,:,k]: HDF5, either setting / drx", ("planes-2", HDF5), ("planes-2", "drx"), 2.5),
    ("planes a[:,:,k]: HDF5, either setting / drx, 2 threads", ("planes-2", HDF5), ("planes-2", "drx-2"), 4),
    ("random elements: the best peer / drx", ("elements", PEERS), ("elements", "drx"), 8),
    ("random elements: HDF5 / drx", ("elements", ("hdf5",)), ("elements", "drx"), 200),
    ("random boxes: HDF5, best / drx", ("boxes", ("hdf5-best",)), ("boxes", "drx"), 12),
    ("random boxes: contiguous, either way / drx", ("boxes", ("posix", "posix-map")), ("boxes", "drx"), 1),
    ("growth by chunks of 8×8: HDF5, either setting / drx", ("growth-2d", HDF5), ("growth-2d", "drx"), 12),
    ("growth at high ends / at low ends", ("ends-high", ("drx",)), ("ends-low", "drx"), 1 / 1.1),
    ("F\\*, 1,000 records: at high ends / at both", ("addresses-1000", ("drx",)), ("addresses-ends", "drx"), 1 / 1.3),
    ("growth by chunks of 8×8: bare pwrite / drx", ("growth-2d", ("bare",)), ("growth-2d", "drx"), 1 / 1.5),
]

# what, row, key of drx's answers, at most, unit, factor
LIMITS = [
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
]

WHOLE = {"records": 100000, "commits": 10000}  # not in a quick run
METADATA_BYTES = 64  # at most, of one growth


def limits(answers):
    for what, row, key, aim, unit, factor in LIMITS:
        value = middle(answers, row, "drx", key)
        if value and all(answers[row]["drx"][0].get(key, n) == n for key, n in WHOLE.items()):
            yield at_most(what, value * factor, aim, f" {unit}".rstrip())
    growth = answers.get("growth-2d", {}).get("drx")
    if growth:
        value = (growth[0]["file_bytes"] - growth[0]["bytes"]) / growth[0]["growths"]
        yield at_most("metadata of one growth, by chunks of 8×8", value, METADATA_BYTES, " bytes", "{:.1f}".format)


# ---- tables


def overhead_table(answers, rows, columns):
    """Bytes in the files beside the elements, for each growth."""
    def cell(row, column):
        found = answers[row.key].get(column.key)
        if not found or column.key in ("bare", "drx-2", "posix"):
            return None
        return f"{(found[0]['file_bytes'] - found[0]['bytes']) / answers[row.key]['drx'][0]['growths']:,.0f}"

    if any("drx" not in answers[row.key] for row in rows):
        return ""
    lines = [[column.title] + [cell(row, column) for row in rows] for column in columns]
    return ("\nBytes in the files beside the elements, for each growth (the description of the array included):\n\n"
            + table(["bytes per growth"] + [row.title for row in rows],
                    [[text or "–" for text in line] for line in lines if any(line[1:])]))


def addresses_table(results, rows):
    lines, keys = [], ("seconds", "inverse_seconds")
    for row in rows:
        found = results["answers"][row.key]["drx"]
        lines.append([row.title] + [f"{median(found, key) * 1e9:.0f} ({least(found, key) * 1e9:.0f})" for key in keys]
                     + [f"{1e-6 / median(found, key):.1f}" for key in keys]
                     + [f"{median(results['calibration'][row.key], 'memcpy'):.1f}"])
    return table(["", "F\\*, ns", "F\\*⁻¹, ns", "F\\*, million/s", "F\\*⁻¹, million/s", "memcpy, GB/s"], lines)


def ends_table(answers, rows):
    lines = [[row.title] + [f"{1e3 * pick(answers[row.key]['drx'], 'seconds'):.0f}" for pick in (median, least)]
             for row in rows]
    return table(["", "median, ms", "minimum, ms"], lines)


def beside_table(answers, rows):
    lines = []
    for row in rows:
        found = answers[row.key]["drx"]
        lines.append([row.title] + [f"{factor * median(found, key):.{digits}f}" for key, factor, digits in (
            ("seconds", 1e3, 2), ("longest_seconds", 1e3, 0), ("appends_a_second", 1, 0))])
    return table(["", "a box, ms", "the longest call, ms", "slabs a second"], lines)


def rolling_table(answers, rows):
    lines = []
    for row in rows:
        found = answers[row.key]["drx"]
        lines.append([f"{found[0]['days']:,} days", f"{1e6 * median(found, 'seconds'):.1f}",
                      f"{found[-1]['data_bytes'] / 2**20:.1f} MiB", f"{found[-1]['metadata_bytes'] / 2**10:.0f} KiB",
                      f"{1e6 * median(found, 'open_seconds'):.0f}"])
    return table(["", "a day, µs", "stored", "metadata", "opening, µs"], lines)


def dataset_table(answers, rows):
    lines = []
    for row in rows:
        found = answers[row.key]["drx"]
        lines.append([row.title] + [f"{factor * median(found, key):.{digits}f}" for key, factor, digits in (
            ("growth_seconds", 1e6, 1), ("seconds", 1e3, 2), ("array_seconds", 1e3, 2), ("raw_syncs", 1, 0),
            ("summed_syncs", 1, 0), ("packed_syncs", 1, 0))])
    return table(["", "growth, µs", "opening, ms", "an array, ms", "syncs", "with checksums", "compressed"], lines)


def jobs_table(answers, rows):
    lines = [[row.title] + [f"{1e3 * median(answers[row.key]['drx'], key):.0f}" for key in (
        "reserving_seconds", "seconds", "own_seconds", "alone_seconds")] for row in rows]
    return table(["ms", "reserving", "transactions", "a dataset each", "one after the other"], lines)


def group_text(results, folder, group, heading, what, plotted, words):
    answers = results["answers"]
    rows, columns = measured(answers, [row for row in ROWS if row.group == group], COLUMNS)
    if not rows:
        return ""
    text = f"## {heading}\n\n{what.format(**words)}\n\n"
    if group == "addresses":
        return text + addresses_table(results, rows) + "\n"
    own = {"ends": ends_table, "beside": beside_table, "rolling": rolling_table,
           "dataset": dataset_table, "jobs": jobs_table}.get(group)
    if own:
        return text + own(answers, rows) + "\n"
    if plotted:
        text += bench_plots.picture(answers, group, heading, "drx with one thread", rows, columns, folder)
    text += (times_table(answers, rows, columns, results["calibration"], turned=True) + "\n"
             + ratios_table(answers, rows, others(columns), turned=True))
    if group == "growth":
        text += overhead_table(answers, rows, columns)
    return text + "\n"


def resident_text(results):
    """What the cold rows found still in the cache, or nothing to say."""
    parts = [answer["resident"] for row in ROWS if row.cache == "cold"
             for answers in results["answers"].get(row.key, {}).values() for answer in answers if "resident" in answer]
    return f"; at most {100 * max(parts):.1f} % stayed there" if parts else ""


def write(results, folder):
    size, answers = results["size"], results["answers"]
    part = (size / 512) ** 3
    words = {
        "elements": max(1000, int(200000 * part)), "boxes": max(20, int(20000 * part)), "chunks_3d": size // 32,
        "chunks_2d": size, "growths_2d": 2 * size - 1, "history": 100000 if size >= 256 else 1000,
        "commits": 10000 if size >= 256 else 100,
    }
    aims = [*ratio_aims(answers, RATIOS), *limits(answers)]
    text = INTRODUCTION.format(size=size, cube=bytes_text(8 * size ** 3), rows=size * size // 8, columns=8 * size,
                               repeat=repeat_text(results["repeat"]), resident=resident_text(results),
                               netcdf_cache=bytes_text(results["versions"]["netCDF_cache"]),
                               aims=aims_text(aims, "From the page cache, ratios of medians"))
    text += "".join(group_text(results, folder, *group, words) for group in GROUPS)
    return write_page(PAGE, folder, text, results)
