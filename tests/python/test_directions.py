"""Arrays that grow at both ends, are trimmed, and get new axes, against NumPy."""

import os
import random
import time

import by_hand  # noqa: F401
import numpy as np
import pytest

import drx

SEED = int(os.environ.get("DRX_SEED", "0")) or int(time.time())


def random_key(rng, shape):
    """Ints, slices, a list, points, or a mask."""
    def one(n):
        a, b = sorted((rng.randrange(-n, n + 1), rng.randrange(-n, n + 1)))
        return rng.choice([slice(None), slice(a, b), slice(None, None, rng.choice([-2, -1, 2, 3])), rng.randrange(-n, n)])
    return tuple(one(n) for n in shape)


def check(rng, a, model):
    assert a.shape == model.shape
    assert np.array_equal(a[...], model)
    if model.size == 0:
        return
    for _ in range(4):
        key = random_key(rng, a.shape)
        assert np.array_equal(a[key], model[key])
    lists = [[rng.randrange(n) for _ in range(3)] for n in a.shape]
    assert np.array_equal(a.vindex[tuple(lists)], model[tuple(map(np.array, lists))])
    assert np.array_equal(a.oindex[tuple(lists)], model[np.ix_(*lists)])
    mask = np.array([rng.random() < 0.05 for _ in range(model.size)]).reshape(model.shape)
    assert np.array_equal(a[mask], model[mask])
    assert np.array_equal(a.read_async().wait(), model)
    boxes = np.zeros(model.shape, int)
    for box in a.iter_chunks():
        boxes[box] += 1
    assert (boxes == 1).all()


def write_some(rng, a, model):
    if model.size == 0:
        return
    key = random_key(rng, a.shape)
    model[key] = a[key] = rng.randrange(1000)
    at = tuple(rng.randrange(-n, n) for n in a.shape)
    model[at] = a[at] = rng.randrange(1000)
    points = tuple(np.array([rng.randrange(n) for _ in range(2)]) for n in a.shape)
    model[points] = 7
    a.vindex[points] = 7
    part = tuple(slice(0, n) for n in a.shape)
    model[part] += 1
    a.write_async(part, np.ascontiguousarray(model)).wait()


def change(rng, a, model):
    """The model after a random change."""
    axis, by = rng.randrange(model.ndim), rng.randrange(4)
    shape = list(model.shape)
    shape[axis] = by
    slab = np.arange(np.prod(shape, dtype=int), dtype=model.dtype).reshape(shape) + rng.randrange(1000)
    what = rng.randrange(8)
    if model.size > 4000:
        what = 6
    if what < 2:
        a.prepend(slab, axis)
        return np.concatenate([slab, model], axis)
    if what < 4:
        a.append(slab, axis)
        return np.concatenate([model, slab], axis)
    if what == 4:
        a.extend(axis, by, before=True)
        return np.concatenate([np.full_like(slab, -1), model], axis)
    if what == 5 and by:
        key = a.reserve(axis, by, before=True)
        a[key] = slab
        return np.concatenate([slab, model], axis)
    if what == 6:
        before = rng.randrange(model.shape[axis] // 2 + 1)
        after = rng.randrange((model.shape[axis] - before) // 2 + 1)
        a.trim(axis, before, after)
        return model.take(range(before, model.shape[axis] - after), axis).copy()
    if model.ndim < 4 and rng.random() < 0.3:
        at = rng.randrange(model.ndim + 1)
        a.add_axis(at)
        return np.expand_dims(model, at).copy()
    return model


@pytest.mark.parametrize("turn", range(12))
def test_histories(tmp_path, turn):
    print(f"DRX_SEED={SEED}")
    rng = random.Random(f"{SEED} {turn}")
    shape = tuple(rng.randrange(1, 6) for _ in range(rng.randrange(1, 4)))
    lower = tuple(rng.randrange(-9, 10) for _ in shape)
    model = np.full(shape, -1, "int64")
    path = tmp_path / "a"
    a = drx.create(path, shape, "int64", chunks=tuple(rng.randrange(1, 4) for _ in shape), fill_value=-1, lower=lower,
                   compression=(None, *drx.CODECS)[turn % (1 + len(drx.CODECS))])
    assert a.lower == lower
    for _ in range(25):
        model = change(rng, a, model)
        write_some(rng, a, model)
        check(rng, a, model)
        if rng.random() < 0.2:
            a.close()
            a = drx.open(path, "r+")
    a.close()


def test_names_of_axes(tmp_path):
    with drx.create(tmp_path / "a", (2, 3), dims=("time", "lat")) as a:
        a.prepend(np.ones((1, 3)), axis="time")
        a.append(np.ones((3, 1)), axis="lat")
        a.extend("lat", 1, before=True)
        assert (a.shape, a.lower) == ((3, 5), (-1, -1))
        a.trim("time", before=2)
        assert (a.shape, a.lower) == ((1, 5), (1, -1))
        a.add_axis(0, "run")
        a.append(np.zeros((1, 1, 5)), axis="run")
        assert (a.dims, a.shape, a.lower) == (("run", "time", "lat"), (2, 1, 5), (0, 1, -1))
        with pytest.raises(ValueError, match="0 axes are named 'depth'"):
            a.extend("depth", 1)
        with pytest.raises(ValueError, match="a new axis 4, expected 0 to 3"):
            a.add_axis(4)
        with pytest.raises(IndexError, match="axis 1: trimming 1 and 1 indices, it has 1"):
            a.trim("time", 1, 1)
        assert a.history()[0] == (0, -1, (3, 3)) or a.history()[0][1] == -1
        assert "lower" in a.info
        a._repr_html_()


def test_a_reader_beside_a_trim(tmp_path):
    with drx.create(tmp_path / "a", (6,), "int32", chunks=(2,)) as a:
        a[:] = np.arange(6)
        with drx.open(tmp_path / "a") as r:
            a.trim(0, before=3)
            a.sync()
            assert r[3:].tolist() == [3, 4, 5]
            with pytest.raises(IndexError, match="are left by a trim"):
                r[2]
            r.refresh()
            assert (r.lower, r[:].tolist()) == ((3,), [3, 4, 5])


def test_dask_and_xarray(tmp_path):
    dask = pytest.importorskip("dask.array")
    xarray = pytest.importorskip("xarray")
    with drx.create(tmp_path / "v", (5,), "float64", chunks=(4,), dims=("t",), lower=(-3,)) as a:
        a[:] = np.arange(5.0)
        drx_blocks = dask.from_array(np.arange(6.0), chunks=2)
        a.append(np.zeros(6))
        from drx import dask_store
        dask_store.store_into(drx_blocks, a, (5,))
        assert a[:].tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5]
    opened = xarray.open_dataset(tmp_path, engine="drx", chunks={})
    values = opened["v"]
    assert values.chunks == ((3, 4, 4),)
    assert values.values.tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5]
    opened.close()


def test_save_what_grew_at_its_low_end(tmp_path):
    """Its first chunk is shorter than the others; the copy has whole chunks."""
    xr = pytest.importorskip("xarray")
    days = xr.Dataset({"v": (("t", "x"), np.arange(60.0).reshape(10, 6))}, coords={"t": np.arange(10.0, 20)})
    drx.save_dataset(days, tmp_path / "grown", chunks={"t": 4, "x": 3})
    drx.append_dataset(days.assign_coords(t=np.arange(10.0)), tmp_path / "grown", dim="t")
    for chunks in None, {}:
        with xr.open_dataset(tmp_path / "grown", engine="drx", chunks=chunks) as grown:
            drx.save_dataset(grown, tmp_path / "copy", overwrite=True)
            with xr.open_dataset(tmp_path / "copy", engine="drx") as copy, drx.open_dataset(tmp_path / "copy") as ds:
                assert copy.equals(grown) and ds["v"].chunks == (4, 3)
