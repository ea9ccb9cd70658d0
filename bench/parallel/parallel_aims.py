"""What drx on many processes is to reach, as ratios of medians of one run, and what it did reach."""

import statistics

import bench_aims

TOGETHER = ("hdf5", "hdf5-best")
HDF5 = TOGETHER + ("hdf5-alone", "hdf5-best-alone")

# what, row, columns: the fastest of them, at least
RATIOS = [
    ("read: contiguous, pread / drx", "read", ("posix",), 0.9),
    ("read: HDF5, collective, either setting / drx", "read", TOGETHER, 1.3),
    ("write: HDF5, any setting / drx", "write", HDF5, 1),
    ("small chunks, read: HDF5, any setting / drx", "small-read", HDF5, 5),
    ("small chunks, write: HDF5, any setting / drx", "small-write", HDF5, 5),
    ("read, Fortran order: PnetCDF, mapped / drx", "read-fortran", ("pnetcdf",), 3),
    ("one growth: HDF5, any setting / drx", "extend", HDF5, 8),
    ("one growth, stored: HDF5, any setting / drx", "extend-stored", HDF5, 8),
    ("small chunks, one growth: HDF5, any setting / drx", "small-extend", HDF5, 8),
    ("small chunks, one growth, stored: HDF5, any setting / drx", "small-extend-stored", HDF5, 8),
]
RANKS = ("2", "4")
MEMORY_BYTES = 64 << 20  # of a rank, beside its buffers
MAPPED_BYTES = 1 << 20   # fewer: it is as good as nothing


def middle(answers, column):
    """None if it was not measured."""
    return statistics.median(answer["seconds"] for answer in answers[column]) if answers.get(column) else None


def ratios(results):
    for ranks in RANKS:
        for what, row, columns, aim in RATIOS:
            answers = results["answers"].get(ranks, {}).get(row, {})
            theirs, ours = [middle(answers, column) for column in columns], middle(answers, "drx")
            if ours and all(theirs):
                ratio = min(theirs) / ours
                yield [f"{ranks} processes, {what}", f"at least {aim:.3g}", f"{ratio:.3g}", ratio >= aim]


def most_memory(results, ranks, column, mapped):
    """Bytes beside the buffers, at most in all workloads, or in those where no file is mapped; None: not measured."""
    return max((answer["memory_bytes"] for answers in results["answers"].get(ranks, {}).values()
                for answer in answers.get(column, ()) if mapped or answer["mapped_bytes"] < MAPPED_BYTES), default=None)


def memory(results):
    for what, mapped in (("VmHWM less its buffers", True), ("the same where no file is mapped", False)):
        most = [most_memory(results, ranks, "drx", mapped) for ranks in results["ranks"]]
        most = [value for value in most if value is not None]
        if most:
            yield [f"memory of a process, {what}", f"at most {MEMORY_BYTES >> 20} MiB",
                   f"{max(most) / (1 << 20):.1f} MiB", max(most) <= MEMORY_BYTES]


def text(results):
    return bench_aims.section(list(ratios(results)) + list(memory(results)), "Ratios of medians")
