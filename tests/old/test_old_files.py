"""drx import and the drop-in read exactly what Global Arrays' own Disk Resident Arrays wrote.
Called with the programs drx, in-mpi, write_old and, where the drop-in is built, read_old; DRX_SEED repeats a run."""

import os
import random
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

SECONDS, ARRAYS = "100", 20


def raw(path, name, shape):
    return np.fromfile(path, name).reshape(shape)


def run(*words):
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(words)}: exit code {result.returncode}: {result.stdout.decode(errors='replace')}")


def main():
    drx, in_mpi, write_old, *read_old = map(os.path.abspath, sys.argv[1:])
    seed = int(os.environ.get("DRX_SEED") or random.randrange(1 << 32))
    print("DRX_SEED", seed, flush=True)
    random.seed(seed)
    several = 0
    for ranks in 1, 2, 3, 4:
        folder = f"by-{ranks}"
        os.mkdir(folder)
        run(in_mpi, str(ranks), SECONDS, write_old, str(seed + ranks), str(ARRAYS), folder)
        with open(f"{folder}/list", encoding="ascii") as lines:
            arrays = [line.split() for line in lines]
        assert len(arrays) == ARRAYS
        for number, dtype, name, *shape in arrays:
            shape = tuple(map(int, shape))
            path = f"{folder}/{number}"
            several += os.path.exists(path + ".0")
            run(drx, "import", path + random.choice([".info", ""]), "a", "--force")
            run(drx, "read", "a", "-o", "a.npy")
            got, expected = np.load("a.npy"), raw(path + ".raw", dtype, shape)
            assert got.dtype == expected.dtype and got.shape == expected.shape, (path, got.dtype, got.shape)
            if got.tobytes() != expected.tobytes():
                wrong = np.argwhere(got != expected)
                sys.exit(f"{path} {dtype} {shape}: {len(wrong)} elements are wrong, the first at {wrong[0]}")
            info = subprocess.run([drx, "info", "a"], stdout=subprocess.PIPE, check=True).stdout.decode()
            assert f'"{name}"' in info, info
        for program in read_old:
            run("env", "DRX_DRA_QUIET=1", in_mpi, str(5 - ranks), SECONDS, program, str(seed), folder)
    assert several > 5, "too few arrays in several files"


main()
