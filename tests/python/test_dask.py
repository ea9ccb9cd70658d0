"""dask reads and writes in parallel, and no two tasks write one chunk."""

import pickle
import threading
import time

import by_hand  # noqa: F401
import dask
import dask.array as da
import drx
import numpy as np
import pytest
from drx.dask_store import cuts_of
from hypothesis import given
from hypothesis import strategies as st


def numbered(shape):
    return np.arange(np.prod(shape)).reshape(shape)


def test_reads(tmp_path):
    with drx.create(tmp_path / "a", (20, 30), chunks=(7, 8)) as a:
        a[...] = numbered((20, 30))
        lazy = da.from_array(a, chunks=a.chunks)
        assert lazy.dtype == a.dtype and lazy.chunks[1] == (8, 8, 8, 6)
        np.testing.assert_array_equal(lazy[3:17, ::-2].compute(scheduler="threads"), numbered((20, 30))[3:17, ::-2])
        assert lazy.sum().compute() == numbered((20, 30)).sum()


@pytest.mark.parametrize("blocks, chunks", [((7, 8), None), ((5, 30), (7, 4)), (((3, 1, 16), (30,)), (4, 4))])
def test_store(tmp_path, blocks, chunks):
    source = da.from_array(numbered((20, 30)), chunks=blocks)
    with dask.config.set(scheduler="threads", num_workers=4), drx.store(source, tmp_path / "a", chunks=chunks) as a:
        np.testing.assert_array_equal(a, numbered((20, 30)))
        assert a.chunks == (chunks or (7, 8))


def test_store_later(tmp_path):
    later = drx.store(da.ones((4, 5), chunks=2), tmp_path / "a", compute=False)
    assert not (tmp_path / "a.xmd").exists()
    with drx.open(later.compute()) as a:
        np.testing.assert_array_equal(a, np.ones((4, 5)))


def test_store_later_in_parallel(tmp_path):
    """Its blocks are tasks, not an array in memory."""
    seen, lock = set(), threading.Lock()

    def block(block_info=None):
        with lock:
            seen.add(threading.get_ident())
        time.sleep(0.02)
        return np.full((5, 5), block_info[None]["chunk-location"][0], "f8")

    source = da.map_blocks(block, chunks=((5,) * 4, (5,) * 4), dtype="f8")
    later = drx.store(source, tmp_path / "a", chunks=(5, 5), compute=False)
    assert sum(key[0].startswith("store") for key in later.dask if isinstance(key, tuple)) == 16
    path = later.compute(scheduler="threads", num_workers=4)
    assert len(seen) > 1
    with drx.open(path, "r+") as a:  # it was closed
        np.testing.assert_array_equal(a, np.repeat(np.arange(4.0), 5)[:, None] * np.ones(20))


def test_zero_size(tmp_path):
    with drx.open(drx.store(da.zeros((0, 5)), tmp_path / "later", compute=False).compute()) as a:
        assert a.shape == (0, 5) and np.asarray(a).shape == (0, 5)
    with drx.store(da.zeros((3, 0), chunks=2), tmp_path / "a") as a:
        assert a.shape == (3, 0)


def test_unknown_sizes(tmp_path):
    source = da.ones(10, chunks=3)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        drx.store(source[source > 0], tmp_path / "a")
    assert not (tmp_path / "a.xmd").exists()


def test_two_at_once_into_one(tmp_path):
    values = numbered((21, 30))
    with drx.create(tmp_path / "a", (42, 30), "int64", chunks=(5, 7)) as a:
        regions = [(slice(21 * i, 21 * i + 21), slice(None)) for i in range(2)]
        da.store([da.from_array(values, chunks=4), da.from_array(-values, chunks=6)], [a, a], regions=regions,
                 lock=False)
        np.testing.assert_array_equal(a, np.concatenate([values, -values]))


def test_other_processes_open_it_anew(tmp_path):
    with drx.create(tmp_path / "a", (20, 30), chunks=(7, 8)) as a:
        a[...] = numbered((20, 30))
    with drx.open(tmp_path / "a") as a:
        lazy = da.from_array(a, chunks=a.chunks)
        again = pickle.loads(pickle.dumps(lazy))
        assert again.sum().compute(scheduler="synchronous") == numbered((20, 30)).sum()


@given(st.lists(st.integers(1, 20), min_size=1, max_size=8), st.integers(0, 30), st.integers(1, 9))
def test_no_chunk_has_two_writers(sizes, lo, chunk):
    cuts = cuts_of(sizes, lo, chunk, sum(sizes))
    assert sum(cuts) == sum(sizes) and all(n > 0 for n in cuts)
    ends = np.cumsum(cuts)[:-1] + lo
    assert np.all(ends % chunk == 0)


def test_tasks_have_chunks_of_their_own(tmp_path):
    """Each write of a task is seen, and lies in whole chunks."""
    a = drx.create(tmp_path / "a", (40, 40), chunks=(6, 9))
    writers, lock = {}, threading.Lock()

    class Watched:
        shape, dtype, ndim, chunks, lower = a.shape, a.dtype, a.ndim, a.chunks, a.lower

        def __setitem__(self, key, value):
            rows, columns = (range(*one.indices(40)) for one in key)
            with lock:
                for chunk in {(i // 6, j // 9) for i in rows for j in columns}:
                    writers[chunk] = writers.get(chunk, 0) + 1
            a[key] = value

    from drx.dask_store import store_into
    store_into(da.from_array(numbered((35, 33)), chunks=(10, 10)), Watched(), (5, 7))
    assert set(writers.values()) == {1}
    np.testing.assert_array_equal(a[5:, 7:], numbered((35, 33)))


xr = pytest.importorskip("xarray")


def names(path, **options):
    """What xarray calls the arrays of a store."""
    with xr.open_dataset(path, engine="drx", chunks={}, **options) as ds:
        return {name: one.data.name for name, one in ds.data_vars.items()}


def steps(first, n):
    return xr.Dataset({"a": (("t", "x"), np.arange(3.0 * n).reshape(n, 3) + first)}, {"t": np.arange(first, first + n)})


def put(path, value):
    with drx.open(path, "r+") as a:
        a[0, 0] = value


def set_attribute(path):
    with drx.open(path, "r+") as a:
        a.attrs["scale_factor"] = a.attrs.get("scale_factor", 1.0) * 2


def append(path):
    with drx.open(path, "r+") as a:
        a.append(np.zeros((1, 3)))


@pytest.mark.parametrize("spec", [{}, {"checksum": True}, {"compression": "lz4"}, {"stripes": 3}], ids=str)
def test_names_follow_the_elements(tmp_path, spec):
    """One name for one state, in every process; another one after each change, also at once after the one before."""
    path = tmp_path / "one"
    if "stripes" in spec:
        spec = {"stripes": [str(tmp_path / f"disk{k}") for k in range(spec["stripes"])]}
        for folder in spec["stripes"]:
            (tmp_path / folder).mkdir()
    with drx.create(path, (4, 3), chunks=(2, 2), dims=("t", "x"), **spec) as a:
        a[...] = 1
    seen = [names(path)]
    assert names(path) == names(str(path) + ".xmd") == seen[0]
    if not spec:
        with dask.config.set(scheduler="processes", num_workers=1):
            assert dask.compute(dask.delayed(names)(path)) == (seen[0],)
    for change in (lambda: put(path, 2), lambda: put(path, 3), lambda: put(path, 2), lambda: append(path),
                   lambda: set_attribute(path), lambda: set_attribute(path)):
        change()
        seen.append(names(path))
        assert names(path) == seen[-1]
    drx.copy(path, tmp_path / "two")
    seen.append(names(tmp_path / "two"))
    assert len({one["one" if "one" in one else "two"] for one in seen}) == len(seen)
    with drx.open(path) as a, drx.open(path) as same, drx.open(tmp_path / "two", "r+") as writer:
        assert da.from_array(a).name == da.from_array(same).name
        assert da.from_array(writer).name != da.from_array(writer).name


def test_names_follow_a_dataset(tmp_path):
    path = tmp_path / "ds"
    drx.save_dataset(steps(0, 4), path, grows="t")
    old = xr.open_dataset(path, engine="drx", chunks={}).persist()
    seen = [names(path)]
    assert names(path / "a") == seen[0]
    drx.append_dataset(steps(4, 1), path, "t")
    seen += [names(path), names(path, at=1)]
    with drx.open_dataset(path, "r+") as ds, ds.transaction("trimmed"):
        ds.trim("t", 1, 0)
    seen.append(names(path))
    with xr.open_dataset(path, engine="drx", chunks={}) as new:
        np.testing.assert_array_equal(new.a, np.concatenate([steps(0, 4).a, steps(4, 1).a])[1:])
    drx.save_dataset(steps(1, 4) * 2, path, region={"t": slice(0, 4)})
    seen.append(names(path))
    drx.save_dataset(steps(0, 4), path, overwrite=True)
    seen.append(names(path))
    assert len({one["a"] for one in seen}) == len(seen)
    np.testing.assert_array_equal(old.a, steps(0, 4).a)


def test_chunks_of_arrays_alone(tmp_path):
    """An array by itself, a variable of a dataset, and a folder of arrays."""
    drx.save_dataset(steps(0, 4), tmp_path / "ds", chunks={"t": 3})
    (tmp_path / "pairs").mkdir()
    for path in (tmp_path / "one", tmp_path / "pairs" / "one"):
        with drx.create(path, (4, 6), "f4", chunks=(3, 3), dims=("y", "x")) as a:
            a[...] = numbered((4, 6))
    for path in (tmp_path / "one", str(tmp_path / "one.xmd"), tmp_path / "pairs"):
        with xr.open_dataset(path, engine="drx", chunks={}) as ds:
            assert ds.one.chunks == ((3, 1), (3, 3)) and ds.one.sum().compute() == numbered((4, 6)).sum()
    for path in (tmp_path / "ds" / "a", tmp_path / "ds"):
        with xr.open_dataset(path, engine="drx", chunks="auto") as ds, \
                xr.open_dataarray(path, engine="drx", chunks={"x": 3}) as a:
            xr.testing.assert_identical(ds.load(), steps(0, 4))
            assert a.chunks == ((3, 1), (3,))
    with xr.open_mfdataset([tmp_path / "one"], engine="drx") as ds:
        assert ds.one.chunks == ((3, 1), (3, 3))
