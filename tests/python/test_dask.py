"""dask reads and writes in parallel, and no two tasks write one chunk."""

import pickle
import threading
import time

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
