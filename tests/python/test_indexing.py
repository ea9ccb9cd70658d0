"""What indices select, against NumPy."""

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64",
          "complex128"]


def numbered(shape, dtype="float64"):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


@pytest.fixture(params=[None, *drx.CODECS], autouse=True)
def codec(request):
    """All tests: raw arrays and compressed ones."""
    global compression
    compression = request.param


def array_of(values, chunks=None):
    array = drx.create(None, values.shape, values.dtype, chunks=chunks, compression=compression)
    array[...] = values
    return array


@st.composite
def shaped(draw):
    """An array's values, and chunks."""
    shape = tuple(draw(st.lists(st.integers(0, 7), min_size=1, max_size=4)))
    chunks = tuple(draw(st.integers(1, 5)) for _ in shape)
    return numbered(shape, draw(st.sampled_from(DTYPES))), chunks


def slices(size):
    ends = st.none() | st.integers(-size - 2, size + 2)
    return st.builds(slice, ends, ends, st.none() | st.integers(-3, 3).filter(bool))


@st.composite
def basic_key(draw, shape, news=True):
    key = []
    for size in shape:
        if news and draw(st.integers(0, 9)) == 0:
            key.append(None)
        key.append(draw(st.integers(-size, size - 1) if size and draw(st.booleans()) else slices(size)))
    if draw(st.booleans()):  # `...` in place of some that are whole
        first = draw(st.integers(0, len(key)))
        last = draw(st.integers(first, len(key)))
        key[first:last] = [...]
    return tuple(key)


@st.composite
def list_of(draw, size, repeated=True):
    if draw(st.booleans()):
        return np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool)
    if size == 0:
        return []
    return draw(st.lists(st.integers(-size, size - 1) if repeated else st.integers(0, size - 1), max_size=8,
                         unique=not repeated))


@given(st.data())
def test_basic_reads(data):
    values, chunks = data.draw(shaped())
    array = array_of(values, chunks)
    key = data.draw(basic_key(values.shape))
    got, expected = array[key], values[key]
    assert got.shape == expected.shape and got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@given(st.data())
def test_basic_writes(data):
    values, chunks = data.draw(shaped())
    array = array_of(values, chunks)
    key = data.draw(basic_key(values.shape, news=False))
    source = values[key]
    shape = source.shape[data.draw(st.integers(0, source.ndim)):]  # what is broadcast
    source = (numbered(shape) * 3 + 1).astype(data.draw(st.sampled_from(["int16", "float32", values.dtype])))
    values = values.copy()
    values[key] = source.astype(values.dtype)
    array[key] = source
    np.testing.assert_array_equal(array[...], values)


@given(st.data())
def test_orthogonal(data):
    values, chunks = data.draw(shaped())
    array = array_of(values, chunks)
    key = tuple(data.draw(list_of(size) if data.draw(st.booleans()) else slices(size)) for size in values.shape)
    lists = [np.arange(size)[one] if isinstance(one, slice) else np.arange(size)[np.asarray(one, None if len(
        one) else int)] for one, size in zip(key, values.shape)]
    np.testing.assert_array_equal(array.oindex[key], values[np.ix_(*lists)])


@given(st.data())
def test_orthogonal_writes(data):
    values, chunks = data.draw(shaped())
    array = array_of(values, chunks)
    key = tuple(data.draw(list_of(size, repeated=False)) for size in values.shape)
    lists = [np.arange(size)[np.asarray(one, None if len(one) else int)] for one, size in zip(key, values.shape)]
    source = numbered([len(one) for one in lists], values.dtype) + values.dtype.type(100)
    values = values.copy()
    values[np.ix_(*lists)] = source
    array.oindex[key] = source
    np.testing.assert_array_equal(array[...], values)


@pytest.fixture(params=[0, 3, 32])
def box_elements(request, monkeypatch):
    """Boxes always, sometimes, or seldom; and slabs of a few elements."""
    monkeypatch.setattr(drx.array, "BOX_ELEMENTS", request.param)
    monkeypatch.setattr(drx.array, "MASK_ELEMENTS", request.param)
    monkeypatch.setattr(drx.array, "SLAB_ELEMENTS", 1 + request.param)
    monkeypatch.setattr(drx.array, "PART_POINTS", 1 + request.param)


@given(st.data())
def test_orthogonal_by_boxes_and_by_points(box_elements, data):
    test_orthogonal.hypothesis.inner_test(data)
    test_orthogonal_writes.hypothesis.inner_test(data)


@given(st.data())
def test_masks(box_elements, data):
    values, chunks = data.draw(shaped())
    array = array_of(values, chunks)
    often = data.draw(st.sampled_from([0, 1, 5, 10]))
    mask = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 10, values.shape) < often
    got, expected = array[mask], values[mask]
    assert got.shape == expected.shape and got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(array[mask.tolist() if values.size and values.ndim > 1 else (mask,)], expected)
    values = values.copy()
    for source in (7, numbered(expected.shape, "int8")):
        values[mask] = source
        array[mask] = source
        np.testing.assert_array_equal(array[...], values)


def test_wrong_masks():
    values = numbered((5, 6))
    array = array_of(values)
    for shape in ((5, 5), (6, 5), (5, 6, 1), (1, 1)):
        with pytest.raises(IndexError, match=r"expected \(5, 6\)|too many indices"):
            array[np.ones(shape, bool)]
        with pytest.raises(IndexError, match=r"expected \(5, 6\)|too many indices"):
            array[np.ones(shape, bool)] = 1
    with pytest.raises(ValueError, match="does not broadcast"):
        array[values > 20] = [1, 2]
    np.testing.assert_array_equal(array[np.ones((5, 6), int)], values[np.ones((5, 6), int)])
    np.testing.assert_array_equal(array, values)


def test_many_points():
    """More than one part; short runs on several axes; a point given twice takes the last value."""
    values = numbered((40, 50, 60))
    array = array_of(values, (7, 8, 9))
    rng = np.random.default_rng(1)
    key = tuple(rng.integers(-size, size, 30000) for size in values.shape)
    np.testing.assert_array_equal(array.vindex[key], values[key])
    lists = [np.flatnonzero(rng.integers(0, 3, size) == 0) for size in values.shape]
    np.testing.assert_array_equal(array.oindex[tuple(lists)], values[np.ix_(*lists)])
    source = rng.random(30000)
    array.vindex[key] = source
    values[key] = source
    np.testing.assert_array_equal(array, values)


@given(st.data())
def test_points(data):
    values, chunks = data.draw(shaped().filter(lambda one: one[0].size > 0))
    array = array_of(values, chunks)
    n = data.draw(st.integers(0, 6))
    key = tuple(np.array(data.draw(st.lists(st.integers(-size, size - 1), min_size=n, max_size=n)), int)
                for size in values.shape)
    np.testing.assert_array_equal(array.vindex[key], values[key])
    values = values.copy()
    values[key] = 5  # one value, since points may be given twice
    array.vindex[key] = 5
    np.testing.assert_array_equal(array[...], values)


@given(st.data())
def test_into_memory_of_any_strides(data):
    values, chunks = data.draw(shaped())
    array = array_of(values, chunks)
    key = data.draw(basic_key(values.shape))
    expected = values[key]
    axes = data.draw(st.permutations(range(expected.ndim)))
    room = np.zeros([2 * expected.shape[axis] for axis in axes], values.dtype)
    out = room[(..., *[slice(None, None, -2)] * len(axes))].transpose(np.argsort(axes))
    assert array.read(key, out=out) is out
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(array.read(key, order="F"), expected)


def test_one_list():
    values = numbered((5, 6))
    array = array_of(values, (2, 4))
    np.testing.assert_array_equal(array[[4, 0, 0]], values[[4, 0, 0]])
    np.testing.assert_array_equal(array[1:3, [5, 1]], values[1:3, [5, 1]])
    np.testing.assert_array_equal(array[values[:, 0] > 7], values[values[:, 0] > 7])


@given(st.data())
def test_a_list_among_others(data):
    """As NumPy, also where NumPy moves the axis of the list."""
    values, chunks = data.draw(shaped())
    array = array_of(values, chunks)
    key = list(data.draw(basic_key(values.shape, news=False)))
    places = [j for j, item in enumerate(key) if item is not Ellipsis]
    at = data.draw(st.sampled_from(places)) if places else None
    if at is None:
        return
    axis = at if Ellipsis not in key[:at] else at - len(key) + values.ndim
    key[at] = data.draw(list_of(values.shape[axis], repeated=False))
    key = tuple(key)
    expected = values[key]
    np.testing.assert_array_equal(array[key], expected)
    source = np.arange(expected.size).reshape(expected.shape).astype(values.dtype)
    values = values.copy()
    values[key] = source
    array[key] = source
    np.testing.assert_array_equal(array[...], values)


def test_ints_beside_a_list():
    values = numbered((3, 4, 5))
    array = array_of(values)
    for key in ((1, [0, 3]), ([0, 2], slice(None), 1), (slice(None), 1, [3, 0]), (0, [1, 0], slice(None, None, -1)),
                (..., [1, 3], 2), (np.int8(2), np.array([True, False, False, True]))):
        np.testing.assert_array_equal(array[key], values[key])
    for key in ((1, slice(None), [0, 1]), (1, ..., [0, 1])):
        np.testing.assert_array_equal(array[key], values[key])
        assert array[key].shape == (2, 4) and array.oindex[key].shape == (4, 2)
        array[key] = values[key] = [[1], [2]]
        np.testing.assert_array_equal(array, values)


def test_values_with_axes_of_one_in_front():
    values = numbered((3, 4))
    array = array_of(values)
    for key, value in (((0, 0), np.ones((1, 1))), (0, np.ones((1, 4))), (slice(2), np.ones((1, 1, 1, 4)))):
        array[key] = value
        values[key] = value
        np.testing.assert_array_equal(array, values)
    array.vindex[[0, 1], [0, 1]] = [[5, 6]]
    for key, shape in (((0, 0), 2), (0, (4, 1)), (slice(2), (2, 1, 4))):
        with pytest.raises(ValueError):
            array[key] = np.ones(shape)


def test_indices_that_no_int64_holds():
    array = array_of(numbered((3, 4)))
    for key in ((2**70, 0), (-(2**70), 0), (np.uint64(2**63), 0), 2**70):
        with pytest.raises(IndexError, match="out of bounds for axis 0 with size 3"):
            array[key]
    for key in (([2**64 - 1], [0]), (np.array([2**64 - 1], "u8"), [0])):
        with pytest.raises(IndexError, match="18446744073709551615 is out of bounds for axis 0"):
            array.vindex[key]
        with pytest.raises(IndexError, match="18446744073709551615 is out of bounds for axis 0"):
            array.oindex[key] = 1

    class One:
        def __index__(self):
            return 1

    assert array[One(), One()] == 5 and array[np.array(1), np.uint8(1)] == 5


def test_fields_of_records():
    """Their strides are no whole elements."""
    array = array_of(numbered((4,), "complex64"))
    records = np.zeros(4, [("x", "f4"), ("y", "c8")])
    with pytest.raises(ValueError, match="whole elements"):
        array.read(out=records["y"])
    assert not records["x"].any()
    records["y"] = [5, 6, 7, 8]
    array[...] = records["y"]
    np.testing.assert_array_equal(array, [5, 6, 7, 8])


def test_points_by_mask():
    values = numbered((5, 6))
    array = array_of(values, (2, 4))
    np.testing.assert_array_equal(array.vindex[values % 3 == 0], values[values % 3 == 0])


@pytest.fixture
def small_parts():
    drx._core.set_part_bytes(1 << 12)
    yield
    drx._core.set_part_bytes(256 << 20)


@given(st.data())
def test_parts(small_parts, data):
    """Requests that are made in parts."""
    values, chunks = numbered((10, 30, 20)), tuple(data.draw(st.integers(1, 12)) for _ in range(3))
    array = array_of(values, chunks)
    key = data.draw(basic_key(values.shape))
    np.testing.assert_array_equal(array[key], values[key])
    np.testing.assert_array_equal(array.read(key, order="F"), values[key])


@pytest.mark.parametrize("key, error, text", [
    ((0, 6), IndexError, "index 6 is out of bounds for axis 1 with size 6"),
    ((-6, 0), IndexError, "index -6 is out of bounds for axis 0 with size 5"),
    ((0, 0, 0), IndexError, "2 axes, but 3 were indexed"),
    ((1.5,), IndexError, "axis 0 is indexed by 1.5"),
    ((..., ...), IndexError, "single ellipsis"),
    (([0, 9],), IndexError, "index 9 is out of bounds for axis 0 with size 5"),
    ((np.ones(4, bool),), IndexError, r"expected \(5,\)"),
])
def test_wrong_indices(key, error, text):
    array = array_of(numbered((5, 6)))
    with pytest.raises(error, match=text):
        array[key]
    before = array[...]
    with pytest.raises(error):
        array[key if len(key) < 2 or not isinstance(key[0], list) else (key[0], [7])] = 1
    np.testing.assert_array_equal(array[...], before)
