"""dask reads and writes in parallel, and no two tasks write one chunk."""

import threading

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
        shape, dtype, ndim, chunks = a.shape, a.dtype, a.ndim, a.chunks

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
