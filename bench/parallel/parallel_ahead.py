"""Zones that are read ahead: the program zones_ahead of examples/, where it is built."""

import os
import re
import subprocess

from bench_page import bytes_text, median, processes_text, seconds_text, table
from bench_server import Failure, in_mpi

LONGEST = 600  # seconds that a group of processes may live
SLABS = 32
FITS, BEYOND = "fits", "beyond"  # the array, in what the processes may have of memory
TITLES = {FITS: "memory for all of it", BEYOND: "out of core"}
LEAST_BYTES = 256 << 20  # of memory, for the processes themselves

TEXT = """\
## Zones read ahead

A program computes on a part of an array out of core while the next part is on its way (`drxmp_darray_iread`). The
array has {rows}×{columns} doubles ({bytes}) and comes from the disk, in {slabs} parts; each process has the zone of
its rows in each part. The program (`zones_ahead` of examples/) first reads without computing, then computes without
reading, as much as takes as long, then does both. *Hidden* is the share of the reading that takes no time of its own: (reading +
computing − both) / reading. The first part has nothing to hide behind, so no more than {most:.2f} can be hidden.

*Out of core* the processes together have {limit} of memory, page cache included, so drx reads past the system's cache.
With *memory for all of it*, the system keeps what was read, and its own work for that takes time of processors, on all of which the
program computes from as many processes as there are processors on.

"""


def program(build):
    return os.path.join(build, "examples", "zones_ahead")


def is_built(build):
    return os.access(program(build), os.X_OK)


def limit_bytes(size):
    """Of the memory out of core: five eighths of the array."""
    return max(4096 * size ** 2 * 5 // 8, LEAST_BYTES)


def run(ranks, build, size, folder, enter=None):
    """Once. The program makes its array in the folder, and removes it. `enter` is called in its process."""
    words = in_mpi(ranks, LONGEST, program(build), SLABS, 32 * size // SLABS, 16 * size)
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, preexec_fn=enter)
    if done.returncode:
        raise Failure(f"zones_ahead on {ranks}: exit code {done.returncode}: {done.stderr.strip().partition(os.linesep)[0]}")
    return {"outcome": "done", **parse(done.stdout)}


def parse(text):
    found = re.search(r"reading ([0-9.]+) s, computing ([0-9.]+) s, both ([0-9.]+) s", text)
    if not found or not float(found.group(1)):
        raise Failure(f"zones_ahead: '{text.strip()}', expected the seconds of reading, computing and both")
    reading, computing, both = map(float, found.groups())
    return {"seconds": both, "reading": reading, "computing": computing, "hidden": (reading + computing - both) / reading}


def text(results, words):
    """words: what the text says of the array."""
    if results["ahead"] is None:
        return "Zones read ahead were not measured: `zones_ahead` of examples/ is not built.\n\n"
    lines = [[f"{processes_text(ranks)}, {TITLES[room]}",
              *(seconds_text(median(answers, key)) for key in ("reading", "computing", "seconds")),
              f"{median(answers, 'hidden'):.2f}"]
             for room, found in results["ahead"].items() for ranks, answers in found.items()]
    if not lines:
        return ""
    return (TEXT.format(slabs=SLABS, most=1 - 1 / SLABS, limit=bytes_text(limit_bytes(results["size"])), **words)
            + table(["medians", "reading", "computing", "both", "hidden"], lines) + "\n"
            + (f"Out of core was not measured: {results['no_limit']}.\n\n" if results["no_limit"] else ""))
