"""Ten jobs that append steps to one dataset at once, beside ten that have a dataset each, and one after the other; by
the protocol of bench.h."""

import os
import shutil
import time

import numpy as np

import drx

JOBS, STEPS, NAMES, GRID = 10, 20, ("u", "v"), (256, 512)
STEP = np.arange(GRID[0] * GRID[1], dtype=float).reshape(1, *GRID)


def make(path):
    if os.path.exists(path):
        shutil.rmtree(path)
    with drx.create_dataset(path) as ds:
        for name in NAMES:
            ds.add(name, ("time", "y", "x"), (0, *GRID), "float64", (1, *GRID))
        ds.commit()


def write(ds, t):
    for name in NAMES:
        ds[name][t:t + 1] = STEP
    ds.commit()


def append(path, steps, mode, reserving=False):
    with drx.open_dataset(path, mode) as ds:
        for _ in range(steps):
            if reserving:
                t = ds.reserve("time", 1).start
            else:
                if mode == "s":
                    ds.begin()
                t = ds.dims["time"]
                ds.extend("time", 1)
            write(ds, t)


def together(paths, *words):
    """Each job is a process."""
    children = []
    for path in paths:
        child = os.fork()
        if child == 0:
            try:
                append(path, STEPS, *words)
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    failed = [child for child in children if os.waitpid(child, 0)[1]]
    assert not failed, f"{len(failed)} jobs failed"


def measure(paths, steps, work):
    for path in paths:
        make(path)
    start = time.perf_counter()
    work(paths)
    seconds = time.perf_counter() - start
    for path in paths:
        with drx.open_dataset(path) as ds:
            assert ds.dims["time"] == steps, f"{path}: {ds.dims['time']} steps, expected {steps}"
            assert all((ds[name][steps - 1:] == STEP).all() for name in NAMES), f"{path}: wrong elements"
        shutil.rmtree(path)
    return seconds


def perform(job):
    one, each = [f"{job.folder}/jobs"], [f"{job.folder}/jobs-{i}" for i in range(JOBS)]
    return {"reserving_seconds": measure(one, JOBS * STEPS, lambda paths: together(paths * JOBS, "s", True)),
            "seconds": measure(one, JOBS * STEPS, lambda paths: together(paths * JOBS, "s")),
            "own_seconds": measure(each, STEPS, lambda paths: together(paths, "r+")),
            "alone_seconds": measure(one, JOBS * STEPS, lambda paths: append(*paths, JOBS * STEPS, "r+"))}
