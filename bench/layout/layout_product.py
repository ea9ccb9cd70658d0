"""The product of matrices on disk: the programs of examples/ that compute it, where they are built."""

import os
import re
import subprocess
import tempfile
from collections import namedtuple

from layout_table import edge, memory_bytes
from bench_server import Failure, in_mpi

LONGEST = 3600  # seconds that a group of processes may live

Column = namedtuple("Column", "key title program processes")

PROGRAMS = [("product", "1 process", "multiply", 1), ("product-4", "4 processes", "multiply_together", 4)]

NUMBERS = {  # of the report of the programs
    "processes": r"^product .*, ([0-9]+) process", "seconds": r"^seconds +([0-9.]+)",
    "gflops": r"^GFLOP/s +([0-9.]+)", "in_core": r"^in core GFLOP/s +([0-9.]+)",
    "read_bytes": r"^read bytes +([0-9]+)", "written_bytes": r"^written bytes +([0-9]+)",
    "memory_bytes": r"^memory bytes .* ([0-9]+) in all",
}


def columns(build):
    """Those that are built, and those that are not."""
    found = [Column(key, title, os.path.join(build, "examples", program), processes)
             for key, title, program, processes in PROGRAMS]
    built = [column for column in found if os.access(column.program, os.X_OK)]
    return built, [column for column in found if column not in built]


def command(column, options, folder):
    extent, memory = edge(options.size), memory_bytes(options.size) // column.processes
    words = [column.program, *[str(extent)] * 3, "--memory", str(memory), "--chunk", str(extent // 64),
             "--folder", folder]
    return in_mpi(column.processes, LONGEST, *words) if column.processes > 1 else words


def parse(text, column):
    found = {key: re.search(pattern, text, re.MULTILINE) for key, pattern in NUMBERS.items()}
    missing = [key for key, match in found.items() if not match]
    if missing:
        raise Failure(f"{column.program}: does not tell {', '.join(missing)}")
    numbers = {key: float(match.group(1)) for key, match in found.items()}
    if numbers["processes"] != column.processes:
        raise Failure(f"{column.program}: {numbers['processes']:.0f} processes, expected {column.processes}: "
                      "mpirun is that of another MPI")
    return numbers


def run(column, options, folder):
    """Once, the result not checked, which its tests do; the files that it makes go."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        done = subprocess.run(command(column, options, made), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Failure(f"{column.program}: exit code {done.returncode}: {done.stderr.strip().partition(os.linesep)[0]}")
    return {"outcome": "done", **parse(done.stdout, column)}
