"""Jobs of programs for Disk Resident Arrays."""

import os
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

SOURCE = os.environ["DRX_SOURCE"]
IN_MPI = os.path.join(SOURCE, "scripts", "in-mpi")
SEED = os.environ.get("DRX_SEED", str(int(time.time())))
SECONDS = 600


class Failed(Exception):
    pass


def run(ranks, program, *words, folder=".", **environment):
    """All that it writes to standard output, of a run that succeeds."""
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run([IN_MPI, str(ranks), str(SECONDS), program, *map(str, words)], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                          env={**os.environ, "DRX_SEED": SEED, **environment})
    if done.returncode != 0:
        raise Failed(f"{os.path.basename(program)} {' '.join(map(str, words))} on {ranks}, DRX_SEED={SEED}, ended with"
                     f" {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def results(*arguments, **options):
    """The lines that rank 0 of the program says, without what a library may print."""
    path = os.path.abspath("results")
    run(*arguments, **options, DRX_RESULTS=path)
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    os.remove(path)
    return lines
