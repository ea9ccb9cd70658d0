"""What drx is to reach, as ratios of medians of one run, and what it did reach."""

import statistics

HDF5 = ("hdf5", "hdf5-best")
PEERS = ("hdf5", "hdf5-best", "netcdf", "netcdf-best", "zarr", "zarr-best")

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
    ("growth by chunks of 8×8: bare pwrite / drx", ("growth-2d", ("bare",)), ("growth-2d", "drx"), 1 / 1.5),
]

# what, row, key of drx's answers, at most, unit, factor
LIMITS = [
    ("F\\*, 1,000 records", "addresses-1000", "seconds", 40, "ns", 1e9),
    ("F\\*⁻¹, 1,000 records", "addresses-1000", "inverse_seconds", 25, "ns", 1e9),
    ("opening with 100,000 records", "open", "seconds", 20, "ms", 1e3),
]

METADATA_BYTES = 64  # at most, of one growth


def middle(results, row, column, key="seconds"):
    """None if it was not measured."""
    answers = results["answers"].get(row, {}).get(column)
    return statistics.median(answer[key] for answer in answers) if answers else None


def ratios(results):
    for what, (row, columns), own, aim in RATIOS:
        theirs, ours = [middle(results, row, column) for column in columns], middle(results, *own)
        if ours and all(theirs):
            yield [what, f"at least {aim:.3g}", f"{min(theirs) / ours:.3g}", min(theirs) / ours >= aim]
        elif ours and len(columns) > 2 and any(theirs):  # the best of those that were there
            best = min(filter(None, theirs))
            yield [what, f"at least {aim:.3g}", f"{best / ours:.3g}", best / ours >= aim]


def limits(results):
    for what, row, key, aim, unit, factor in LIMITS:
        value = middle(results, row, "drx", key)
        if value and (row != "open" or results["answers"]["open"]["drx"][0]["records"] == 100000):
            yield [what, f"at most {aim} {unit}", f"{value * factor:.3g} {unit}", value * factor <= aim]
    growth = results["answers"].get("growth-2d", {}).get("drx")
    if growth:
        value = (growth[0]["file_bytes"] - growth[0]["bytes"]) / growth[0]["growths"]
        yield ["metadata of one growth, by chunks of 8×8", f"at most {METADATA_BYTES} bytes", f"{value:.1f} bytes",
               value <= METADATA_BYTES]


def section(rows, what):
    """The section of these rows, or nothing."""
    if not rows:
        return ""
    lines = ["## Aims, and what came of them", "",
             f"{what}; {sum(row[3] for row in rows)} of {len(rows)} reached.", "",
             "| | aim | measured | |", "| --- | ---: | ---: | --- |"]
    lines += [f"| {what} | {aim} | {value} | {'reached' if reached else '**not reached**'} |"
              for what, aim, value, reached in rows]
    return "\n".join(lines) + "\n"


def text(results):
    return section(list(ratios(results)) + list(limits(results)), "From the page cache, ratios of medians")
