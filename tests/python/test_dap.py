"""The Distributed Array Protocol: what is valid, against who owns what, index by index."""

import array
import ctypes

import by_hand  # noqa: F401
import drx.dap
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st


def export(dim_data, shape, dtype="f8"):
    return {"__version__": "0.10.0", "buffer": np.zeros(shape, dtype), "dim_data": tuple(dim_data)}


def axis(kind, size, grid, rank, **more):
    return dict({"dist_type": kind, "size": size, "proc_grid_size": grid, "proc_grid_rank": rank}, **more)


@st.composite
def axis_sets(draw):
    """(descriptions of all grid ranks, the indices that each holds)."""
    grid, size = draw(st.integers(1, 4)), draw(st.integers(0, 12))
    kind = draw(st.sampled_from("bcu"))
    if kind == "b":
        ends = sorted(draw(st.lists(st.integers(0, size), min_size=grid - 1, max_size=grid - 1)))
        ends = [0, *ends, size]
        return [axis("b", size, grid, r, start=ends[r], stop=ends[r + 1]) for r in range(grid)], [
            list(range(ends[r], ends[r + 1])) for r in range(grid)]
    if kind == "c":
        block = draw(st.integers(1, 4))
        return [axis("c", size, grid, r, start=r * block, block_size=block) for r in range(grid)], [
            [g for g in range(size) if g // block % grid == r] for r in range(grid)]
    owner = draw(st.lists(st.integers(0, grid - 1), min_size=size, max_size=size))
    lists = [[g for g in range(size) if owner[g] == r] for r in range(grid)]
    return [axis("u", size, grid, r, indices=np.array(lists[r], int), one_to_one=True) for r in range(grid)], lists


def ranks_of(sets):
    """All combinations, the last axis fastest."""
    grids = [len(one) for one, _ in sets]
    for coordinates in np.ndindex(*grids):
        yield [one[k] for (one, _), k in zip(sets, coordinates)], [len(held[k]) for (_, held), k in
                                                                  zip(sets, coordinates)]


@given(st.lists(axis_sets(), min_size=1, max_size=3))
def test_what_covers_all_is_valid(sets):
    exports = [export(dims, shape) for dims, shape in ranks_of(sets)]
    for one in exports:
        drx.dap.validate(one)
    drx.dap.validate_set(exports)


@given(axis_sets(), st.data())
def test_a_wrong_number_is_found(one, data):
    """One int of one rank is changed: that rank alone, or all together, are not valid."""
    exports = [export(dims, shape) for dims, shape in ranks_of([one])]
    rank = data.draw(st.integers(0, len(exports) - 1))
    given = dict(exports[rank]["dim_data"][0])
    keys = [key for key in ("size", "proc_grid_size", "proc_grid_rank", "stop") if key in given]
    key = data.draw(st.sampled_from(keys))
    given[key] += data.draw(st.sampled_from([-1, 1, 7]))
    exports[rank]["dim_data"] = (given,)
    if given["dist_type"] == "c" and key == "size" and len(exports) == 1 and one_count(given) == one_count(one[0][0]):
        return  # a cyclic axis of one rank that is as long as its buffer
    with pytest.raises(ValueError):
        drx.dap.validate_set(exports)


def one_count(given):
    """Indices of a cyclic axis that its rank owns."""
    return sum(g // given["block_size"] % given["proc_grid_size"] == given["proc_grid_rank"]
               for g in range(max(given["size"], 0)))


@pytest.mark.parametrize("kind", [np.uint64, ">u8"])
def test_an_index_beyond_int64(kind):
    indices = np.array([0, 2**63 - 1, 2**63, 2**64 - 1], kind)
    given = export([axis("u", 4, 1, 0, indices=indices)], 4)
    with pytest.raises(ValueError, match=r"axis 0: indices\[2\] is 9223372036854775808, expected at most"):
        drx.dap.validate(given)
    given = export([axis("u", 4, 1, 0, indices=np.arange(4, dtype=kind))], 4)
    drx.dap.validate(given)


@pytest.mark.parametrize("buffer", [None, {}, 3.0, [1.0, 2.0], "text", {1, 2}])
def test_what_has_no_buffer(buffer):
    given = export([axis("b", 2, 1, 0, start=0, stop=2)], 2)
    given["buffer"] = buffer
    with pytest.raises(TypeError, match=f"buffer is {type(buffer).__name__}, expected"):
        drx.dap.validate(given)
    with pytest.raises(TypeError, match=f"rank 0: buffer is {type(buffer).__name__}"):
        drx.dap.validate_set([given])


@pytest.mark.parametrize("buffer", [b"abcd", bytearray(4), memoryview(b"abcd"), array.array("d", [1, 2, 3, 4]),
                                    memoryview(array.array("d", range(8)))[::2], (ctypes.c_int * 4)()])
def test_buffers_of_all_kinds(buffer):
    given = export([axis("b", 4, 1, 0, start=0, stop=4)], 4)
    given["buffer"] = buffer
    drx.dap.validate(given)
    section = drx.dap.section_of(buffer)
    assert section.shape == (4,) and section.flags.writeable != memoryview(buffer).readonly


@pytest.mark.parametrize("version", ["0", "0.10", "0.x.y", "0.10.0a1", "0.10.0.1", "00.10.0", "0.010.0", "0.10.0\n", "",
                                     "1.0.0", " 0.10.0", 0, None, b"0.10.0"])
def test_versions_that_are_none(version):
    given = export([{}], 2)
    given["__version__"] = version
    with pytest.raises(ValueError, match="__version__ is"):
        drx.dap.validate(given)


@pytest.mark.parametrize("version", ["0.10.0", "0.9.0", "0.10.12", "0.0.0"])
def test_versions_of_0(version):
    drx.dap.validate(dict(export([{}], 2), __version__=version))


def test_no_axes():
    drx.dap.validate(export([], ()))


@pytest.mark.parametrize("change, text", [
    (lambda e: e.pop("buffer"), "expected __version__, buffer and dim_data"),
    (lambda e: e.update(more=1), "expected __version__, buffer and dim_data"),
    (lambda e: e.update(__version__="1.0.0"), "__version__ is '1.0.0'"),
    (lambda e: e.update(dim_data={}), "a tuple of dictionaries"),
    (lambda e: e.update(dim_data=(1,)), "a tuple of dictionaries"),
    (lambda e: e.update(dim_data=({}, {})), "dim_data has 2 axes, the buffer 1"),
    (lambda e: e["dim_data"][0].update(dist_type="x"), "axis 0: dist_type is 'x'"),
    (lambda e: e["dim_data"][0].update(size=6.0), "axis 0: size is 6.0, expected an int"),
    (lambda e: e["dim_data"][0].update(size=True), "axis 0: size is True, expected an int"),
    (lambda e: e["dim_data"][0].update(periodic=1), "axis 0: periodic is 1, expected a bool"),
    (lambda e: e["dim_data"][0].update(padding=(1,)), "expected two ints"),
    (lambda e: e["dim_data"][0].pop("stop"), "axis 0: stop is missing"),
    (lambda e: e["dim_data"][0].pop("size"), "axis 0: size is missing"),
    (lambda e: e["dim_data"][0].update(stop=4), "axis 0"),
])
def test_rules(change, text):
    one = export([axis("b", 6, 1, 0, start=0, stop=6)], (6,))
    drx.dap.validate(one)
    change(one)
    with pytest.raises(ValueError, match=text):
        drx.dap.validate(one)
    with pytest.raises(ValueError, match="rank 0"):
        drx.dap.validate_set([one])


def test_what_is_accepted():
    one = export([axis("b", np.int32(6), 1, 0, start=0, stop=6, unknown="key"), {}], (6, 3), "c16")
    one["dim_data"] = list(one["dim_data"])
    drx.dap.validate(one)

    class Exporter:
        def __distarray__(self):
            return one

    drx.dap.validate(Exporter())
    drx.dap.validate_set([Exporter()])
    with pytest.raises(TypeError, match="__distarray__"):
        drx.dap.validate(5)
