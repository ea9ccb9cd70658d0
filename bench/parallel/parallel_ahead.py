"""Zones that are read ahead: the program zones_ahead of examples/, where it is built."""

import os
import re
import subprocess

from bench_page import median, processes_text, seconds_text, table
from bench_server import Failure, in_mpi

LONGEST = 600  # seconds that a group of processes may live
SLABS = 32

TEXT = """\
## Zones read ahead

A program computes on a part of an array out of core while the next part is on its way (`drxmp_darray_iread`). The
array has {rows}×{columns} doubles ({bytes}) and comes from the disk, in {slabs} parts; each process has the zone of
its rows in each part. The program (`zones_ahead` of examples/) first reads without computing, then computes without
reading, as much as takes as long, then does both. *Hidden* is the share of the reading that takes no time of its own: (reading +
computing − both) / reading. The first part has nothing to hide behind, so no more than {most:.2f} can be hidden.

"""


def program(build):
    return os.path.join(build, "examples", "zones_ahead")


def is_built(build):
    return os.access(program(build), os.X_OK)


def run(ranks, build, size, folder):
    """Once. The program makes its array in the folder, and removes it."""
    words = in_mpi(ranks, LONGEST, program(build), SLABS, 32 * size // SLABS, 16 * size)
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
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
    lines = [[processes_text(ranks), *(seconds_text(median(answers, key)) for key in ("reading", "computing", "seconds")),
              f"{median(answers, 'hidden'):.2f}"] for ranks, answers in results["ahead"].items()]
    if not lines:
        return ""
    return (TEXT.format(slabs=SLABS, most=1 - 1 / SLABS, **words)
            + table(["medians", "reading", "computing", "both", "hidden"], lines) + "\n")
