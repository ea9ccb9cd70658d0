"""Processes that share an array or a dataset: drx.open(path, "s"), drx.open_dataset(path, "s")."""

import multiprocessing

import by_hand  # noqa: F401
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


# ---- datasets --------------------------------------------------------------------------------------------------------

STEPS = 10


def make_dataset(path):
    with drx.create_dataset(path) as ds:
        ds.add("u", ("time", "x"), (0, 3), "int32", chunks=(4, 2), fill_value=-1)
        ds.add("v", ("x", "time"), dtype="int32", checksum=True, fill_value=-1)


def add_steps(path, process):
    with drx.open_dataset(path, "s") as ds:
        for i in range(STEPS):
            value = process * STEPS + i
            if i % 2:
                where = ds.reserve("time", 1, before=bool(i % 3))
                ds["u"][where], ds["v"][:, where] = value, value
                continue
            with ds.transaction(f"step {value}"):
                ds.extend("time", 1)
                ds["u"][-1], ds["v"][:, -1] = value, value


def append_values(path, process):
    import xarray as xr

    for i in range(STEPS):
        data = {name: (dims, np.full(tuple(3 if dim == "x" else 2 for dim in dims), process * STEPS + i, "int32"))
                for name, dims in (("u", ("time", "x")), ("v", ("x", "time")))}
        drx.append_dataset(xr.Dataset(data), path, "time", shared=True)


@pytest.mark.parametrize("work, each", [(add_steps, 1), (append_values, 2)])
def test_processes_append_to_a_dataset(path, work, each):
    make_dataset(path)
    run(work, path)
    with drx.open_dataset(path) as ds:
        u, v = ds["u"][:], ds["v"][:].T
        assert ds.commit_number == 1 + PROCESSES * STEPS
    np.testing.assert_array_equal(u, v)
    assert (u == u[:, :1]).all()
    assert sorted(u[:, 0]) == sorted(list(range(PROCESSES * STEPS)) * each)


def test_what_a_shared_dataset_refuses(path):
    make_dataset(path)
    with drx.open_dataset(path, "s") as ds, drx.open_dataset(path, "s") as other:
        with pytest.raises(ValueError, match="drx_dataset_begin comes before a change"):
            ds.extend("time", 1)
        with pytest.raises(drx.BusyError):
            drx.open_dataset(path, "r+")
        ds.begin()
        with pytest.raises(ValueError, match="in progress"):
            ds.begin()
        with pytest.raises(drx.BusyError, match="another handle of this process"):
            other.reserve("time", 1)
        ds.extend("time", 2)
        ds.abort()
        assert other.reserve("time", 1) == slice(0, 1)
        other["u"][0] = 7
        assert ds["u"].shape == (0, 3)
        ds.refresh()
        np.testing.assert_array_equal(ds["u"][:], [[7, 7, 7]])
        with pytest.raises(drx.BusyError):
            ds.forget(1)
    with drx.open_dataset(path, "r+") as ds:
        assert ds.dims == {"time": 1, "x": 3}


def test_workers_write_one_append(path):
    """Blocks of dask are written by other processes, beside other appends."""
    dask_array = pytest.importorskip("dask.array")
    import dask
    import xarray as xr

    make_dataset(path)
    values = np.arange(60, dtype="int32").reshape(20, 3)
    lazy = dask_array.from_array(values, chunks=(3, 2))
    later = drx.append_dataset(xr.Dataset({"u": (("time", "x"), lazy), "v": (("x", "time"), lazy.T)}), path, "time",
                               compute=False, shared=True)
    with drx.open_dataset(path, "s") as beside:
        beside.reserve("time", 1)
        with dask.config.set(scheduler="processes", num_workers=2):
            later.compute()
        assert beside.commit_number == 3
        np.testing.assert_array_equal(beside["u"][:20], values)
        np.testing.assert_array_equal(beside["v"][:, :20], values.T)
        assert (beside["u"][20] == -1).all()
