"""Several lists and bools of several axes in one key, against NumPy. DRX_SEED and DRX_SAMPLE choose others, and how many."""

import os
import random
import warnings

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest
from drx import fancy

SEED = int(os.environ.get("DRX_SEED", random.randrange(1 << 32)))
KEYS = int(250 * float(os.environ.get("DRX_SAMPLE", 1)))


def drawn_list(rng, size, shape):
    """Indices of that shape, of either sign."""
    if size == 0:
        return np.zeros((0,) * len(shape), np.int64) if shape else np.zeros((), np.int64)
    return rng.integers(-size, size, shape)


def as_given(rng, item):
    """An array, or nested lists of it."""
    return item.tolist() if item.ndim and rng.random() < 0.3 else item


def drawn_slice(rng, size):
    ends = [None if rng.random() < 0.4 else int(rng.integers(-size - 1, size + 2)) for _ in range(2)]
    return slice(*ends, rng.choice([None, 1, 2, -1, -3]))


def drawn_key(rng, shape):
    """A key that NumPy may refuse."""
    points = tuple(rng.integers(0, 4, rng.integers(0, 3)))  # the shape to which the lists broadcast
    key, axis = [], 0
    while axis < len(shape):
        what = rng.integers(0, 10)
        if what == 0:
            key.append(None)
            continue
        if what <= 2 and axis + 2 <= len(shape):
            key.append(as_given(rng, rng.random(shape[axis:axis + 2]) < 0.4))
            axis += 2
            continue
        if what == 3:
            key.append(as_given(rng, rng.random(shape[axis]) < 0.5))
        elif what <= 6:
            own = tuple(n if rng.random() < 0.7 else 1 for n in points)[rng.integers(0, len(points) + 1):]
            key.append(as_given(rng, drawn_list(rng, shape[axis], own)))
        elif what == 7 and shape[axis]:
            key.append(int(rng.integers(-shape[axis], shape[axis])))
        else:
            key.append(drawn_slice(rng, shape[axis]))
        axis += 1
    if rng.random() < 0.4:
        first = rng.integers(0, len(key) + 1)
        last = rng.integers(first, len(key) + 1) if rng.random() < 0.5 else first
        key[first:last] = [...]
    if rng.random() < 0.05:
        key.insert(rng.integers(0, len(key) + 1), bool(rng.integers(0, 2)))
    return tuple(key)


@pytest.mark.parametrize("compression", [None, "zstd"])
@pytest.mark.parametrize("small", [False, True])
def test_random_keys(compression, small, monkeypatch):
    """Reads by boxes, lists of elements, and boxes around the points."""
    print(f"DRX_SEED={SEED}")
    if small:
        monkeypatch.setattr(fancy, "BOX_ELEMENTS", 2)
        monkeypatch.setattr(fancy, "DENSE", 1)
        monkeypatch.setattr(fancy, "PART_POINTS", 5)
    rng = np.random.default_rng(SEED)
    refused = moved = 0
    for number in range(KEYS):
        shape = tuple(rng.integers(0, 6, rng.integers(1, 5)))
        values = rng.integers(0, 1000, shape).astype("int32")
        lower = rng.integers(-9, 9, len(shape))
        with drx.create(None, shape, "int32", chunks=rng.integers(1, 4, len(shape)), lower=lower,
                        compression=compression) as array:
            array[...] = values
            for _ in range(3):
                key = drawn_key(rng, shape)
                told = f"seed {SEED}, number {number}: {key!r} of {shape}"
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("error", DeprecationWarning)  # out of bounds, of nothing: later an error
                        expected = values[key]
                except (IndexError, DeprecationWarning):
                    refused += 1
                    with pytest.raises(IndexError):
                        array[key]
                    continue
                got = array[key]
                assert np.shape(got) == np.shape(expected), told
                np.testing.assert_array_equal(got, expected, err_msg=told)
                new = rng.integers(0, 1000, np.shape(expected)).astype("int32")
                places = np.arange(values.size).reshape(shape)[key]
                if np.unique(places).size != np.size(places):  # NumPy does not say which of several values stays
                    new = new.reshape(-1)[:1].reshape(()) if new.size else new
                elif rng.random() < 0.3 and new.ndim:
                    new = new[:1]
                if rng.random() < 0.2:
                    new = new.astype("float64")
                array[key] = new
                values[key] = new
                np.testing.assert_array_equal(array[...], values, err_msg=told)
                moved += 1
    assert moved > KEYS and (refused > KEYS // 50 or KEYS < 100)


def test_what_numpy_does():
    values = np.arange(120).reshape(2, 3, 4, 5)
    with drx.create(None, values.shape, "int64", chunks=(1, 2, 2, 3)) as a:
        a[...] = values
        np.testing.assert_array_equal(a[0, [0, 2], [1, 3]], values[0, [0, 2], [1, 3]])
        assert a[:, [0, 2], :, [1, 3]].shape == (2, 2, 4)  # the axis of the points comes first
        assert a[:, [0, 2], [1, 3]].shape == (2, 2, 5)
        mask = np.zeros((2, 3), bool)
        mask[1, [0, 2]] = True
        np.testing.assert_array_equal(a[mask], values[mask])
        np.testing.assert_array_equal(a[mask, ..., ::-2], values[mask, ..., ::-2])
        a[mask] = 0
        a[[0, 0], [1, 1], 2, 3] = [7, 8]
        assert a[0, 1, 2, 3] == 8 and not a[1, 0].any() and a[1, 1].any()
        with pytest.raises(IndexError, match=r"the axes 0 to 1 are indexed by bools of shape \(3, 2\), expected \(2, 3\)"):
            a[mask.T]
        with pytest.raises(IndexError, match="could not be broadcast together with shapes"):
            a[[0, 1], [0, 1, 2]]
        with pytest.raises(IndexError, match="index 3 is out of bounds for axis 1 with size 3"):
            a[[0, 1], [0, 3]]
        with pytest.raises(IndexError, match="axis 1 is indexed by float64"):
            a[[0, 1], [0.5, 1]]
        with pytest.raises(ValueError, match="does not broadcast to"):
            a[mask] = np.ones((3, 4, 5))
        a[0, None, :, 0, 0] = [[3, 2, 1]]
        assert a[0, :, 0, 0].tolist() == [3, 2, 1]


def test_axes_by_name(tmp_path):
    values = np.arange(24).reshape(2, 3, 4)
    with drx.create(tmp_path / "a", (0, 3, 4), "int64", dims=("time", "y", "x")) as a:
        a.append(values, axis="time")
        np.testing.assert_array_equal(a[{"time": -1}], values[-1])
        np.testing.assert_array_equal(a[{"x": [3, 0], "time": 0}], values[0][:, [3, 0]])
        np.testing.assert_array_equal(a.read({"y": slice(1, None)}, order="F"), values[:, 1:])
        np.testing.assert_array_equal(a.read_async({"y": slice(1, 2)}).wait(), values[:, 1:2])
        np.testing.assert_array_equal(a.oindex[{"x": [3, 0], "y": [0]}], values[:, :1][..., [3, 0]])
        a[{"x": 1, "y": 0}] = [5, 6]
        assert a[:, 0, 1].tolist() == [5, 6]
        a.write({"x": 1}, 9)
        a.oindex[{"x": [2]}] = 8
        a.write_async({"x": slice(0, 1)}, np.ones((2, 3, 1), "int64")).wait()
        np.testing.assert_array_equal(a[0], [[1, 9, 8, one] for one in (3, 7, 11)])
        for call in (lambda: a[{"t": 0}], lambda: a.read({"t": 0}), lambda: a.oindex[{"t": [0]}]):
            with pytest.raises(IndexError, match="0 axes are named 't'"):
                call()
        a.prepend(values[0], axis="time")
        a.extend("x", 2)
        a.trim("x", after=1)
        assert a.reserve("time", 1) == (slice(3, 4), slice(0, 3), slice(0, 5))
        a.add_axis("x", "run")
        assert a.dims == ("time", "y", "run", "x") and a.shape == (4, 3, 1, 5)
        with pytest.raises(ValueError, match="0 axes are named 'z'"):
            a.append(values, axis="z")
        with pytest.raises(ValueError, match="0 axes are named 'z'"):
            a.add_axis("z")
    drx.copy(tmp_path / "a", tmp_path / "b", axes=("x", "y", "time", 2))
    assert drx.open(tmp_path / "b").dims == ("x", "y", "time", "run")
    with pytest.raises(ValueError, match="0 axes are named 'z'"):
        drx.copy(tmp_path / "a", tmp_path / "c", axes=("z", "y", "time", "run"))
