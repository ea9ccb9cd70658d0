"""Processes that share an array: drx.open(path, "s")."""

import multiprocessing

import numpy as np
import pytest

import drx

PROCESSES, GROWTHS = 4, 25


def grow(path, process):
    """Append rows, and reserve boxes along both axes, to be written at the end."""
    boxes = []
    with drx.open(path, "s") as a:
        for i in range(GROWTHS):
            box = a.reserve(axis=i % 2, by=1 + i % 3)
            assert (a[box] == -1).all()
            boxes.append(box)
        for i, box in enumerate(boxes):
            a[box] = process * GROWTHS + i
    return boxes


def append(path, process):
    with drx.open(path, "s") as a:
        for i in range(GROWTHS):
            a.append([[process, i]], axis=0)


def run(work, path):
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        return pool.starmap(work, [(path, p) for p in range(PROCESSES)])


def test_appends_of_processes(path):
    drx.create(path, (0, 2), "int32", chunks=(7, 2)).close()
    run(append, path)
    with drx.open(path) as a:
        assert sorted(map(tuple, a[:])) == [(p, i) for p in range(PROCESSES) for i in range(GROWTHS)]


def test_each_process_has_its_boxes(path):
    drx.create(path, (1, 1), "int32", chunks=(4, 3), fill_value=-1).close()
    all_boxes = run(grow, path)
    with drx.open(path) as a:
        expected = np.full(a.shape, -1)
        for process, boxes in enumerate(all_boxes):
            for i, box in enumerate(boxes):
                assert (expected[box] == -1).all()
                expected[box] = process * GROWTHS + i
        np.testing.assert_array_equal(a[:], expected)
        assert (expected >= 0).sum() == expected.size - 1


def test_who_keeps_whom_away(path):
    drx.create(path, (2,)).close()
    with drx.open(path, "s") as a, drx.open(path, "s") as b:
        assert a.mode == "s"
        with pytest.raises(drx.BusyError):
            drx.open(path, "r+")
        assert b.reserve(0, 3) == (slice(2, 5),)
        assert a.shape == (2,)
        a.refresh()
        assert a.shape == (5,)
    with drx.open(path, "r+") as a:
        with pytest.raises(drx.BusyError):
            drx.open(path, "s")
        assert a.reserve(-1, 0) == (slice(5, 5),)
        with pytest.raises(ValueError):
            a.reserve(1, 1)
    with drx.open(path) as a, pytest.raises(PermissionError):
        a.reserve(0, 1)


def test_slab_of_bounds_that_others_changed(path):
    drx.create(path, (0, 2)).close()
    with drx.open(path, "s") as a, drx.open(path, "s") as b:
        b.extend(1, 1)
        a.attrs["x"] = 1  # and so a knows
        with pytest.raises(ValueError, match="any, 3"):
            a.append(np.zeros((1, 2)))
        b.extend(1, 1)
        with pytest.raises(ValueError):
            a.append(np.zeros((1, 3)))
        a.append(np.zeros((1, 4)))
        assert a.shape == (1, 4)


def test_not_with_ranks(path):
    drx.create(path, (2,)).close()
    with pytest.raises(ValueError, match="'s'"):
        drx.open(path, "s", comm=object())
