"""Where chunks are, as a picture and a table; advice on chunks. DRX_SEED chooses other arrays."""

import itertools
import os
import random
import xml.etree.ElementTree as ElementTree

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest

SEED = int(os.environ.get("DRX_SEED", random.randrange(1 << 32)))
SVG = "{http://www.w3.org/2000/svg}"


def sheet():
    """The array of docs/directions.md."""
    a = drx.create(None, (1, 1), "int8", chunks=(1, 1), dims=("y", "x"))
    a.extend("x", 1, before=True)
    a.extend("y", 1)
    a.extend("y", 1, before=True)
    a.extend("x", 1)
    return a


def test_text():
    with sheet() as a:
        assert str(a.map()) == """\
   -1  0  1
-1  4  5  6
 0  1  0  7
 1  2  3  8
axis 0 (y): (0;0;1 1), (1;2;2 1)
axis 0 (y), low end: (0;4;-2 1)
axis 1 (x): (0;-1;0 0), (1;6;1 3)
axis 1 (x), low end: (0;1;1 -1)"""
        np.testing.assert_array_equal(a.map(("x", "y")).addresses, a.map().addresses.T)


def grown(rng):
    """An array that has grown at random, and been trimmed."""
    ndim = rng.randint(1, 4)
    a = drx.create(None, [rng.randint(0, 4) for _ in range(ndim)], "int16", chunks=[rng.randint(1, 3) for _ in range(ndim)],
                   lower=[rng.randint(-5, 5) for _ in range(ndim)])
    for _ in range(rng.randrange(14)):
        axis = rng.randrange(a.ndim)
        what = rng.randrange(8)
        if what == 0 and a.shape[axis] > 2:
            a.trim(axis, rng.randrange(2), rng.randrange(2))
        elif what == 1 and a.ndim < 4 and rng.random() < 0.3:
            a.add_axis(rng.randint(0, a.ndim))
        elif a.size < 3000:
            a.extend(axis, rng.randint(1, 4), before=what < 4)
    return a


def chunk_ranges(a):
    return [range(low // c, -(-(low + n) // c)) for low, n, c in zip(a.lower, a.shape, a.chunks)]


def test_random_arrays():
    """Addresses are those of F*; areas of the picture cover the slice, each with the colour of its segment."""
    print(f"DRX_SEED={SEED}")
    rng = random.Random(SEED)
    pictures = 0
    for number in range(120):
        with grown(rng) as a:
            ranges = chunk_ranges(a)
            place = {axis: rng.choice(ranges[axis]) for axis in range(a.ndim) if len(ranges[axis])}
            axes = rng.sample(range(a.ndim), 2) if a.ndim > 1 else None
            if a.size == 0:
                assert a.map().svg() == "" and a.map().addresses.size == 0
                continue
            shown = a.map(axes, {axis: at for axis, at in place.items() if axes and axis not in axes})
            rows, columns = (ranges[axis] if axis >= 0 else range(1) for axis in shown.axes)
            for i, j in itertools.product(rows, columns):
                index = list(shown.at)
                for axis, one in zip(shown.axes, (i, j)):
                    if axis >= 0:
                        index[axis] = one
                assert shown.addresses[i - rows.start, j - columns.start] == a.chunk_address(index), f"seed {SEED}, {number}"
            pictures += check_picture(shown.svg(), len(rows), len(columns))
            assert "<svg" in a._repr_html_()
    assert pictures > 30


def check_picture(svg, rows, columns):
    """Its areas have the size of the slice together."""
    root = ElementTree.fromstring(svg)
    areas = [one for one in root.iter(SVG + "rect") if one.get("stroke") == "#fff"]
    total = sum(float(one.get("width")) * float(one.get("height")) for one in areas)
    width = max(float(one.get("x")) + float(one.get("width")) for one in areas)
    height = max(float(one.get("y")) + float(one.get("height")) for one in areas)
    assert total == pytest.approx(width * height, rel=0.02)
    assert sum(1 for one in root.iter(SVG + "title")) == len(areas)
    if max(rows, columns) <= 24:
        assert sum(one.text.lstrip("-").isdigit() for one in root.iter(SVG + "text")) >= rows * columns
    return 1


def test_many_growths_have_many_colours():
    """Growths of the first axis are seen, although the picture has but two axes."""
    with drx.create(None, (1, 4, 4), "int16", chunks=(1, 2, 2)) as a:
        for _ in range(6):
            a.extend(0, 1)
            a.extend(1, 2)
        assert a.map().axes == (0, 1)
        assert len({one.get("fill") for one in ElementTree.fromstring(a.map().svg()).iter(SVG + "rect")}) > 8
        assert a._repr_html_().count("<rect") > 11
        assert repr(a.map()).endswith("12 segments>")
        for axes, at, error, what in (((0, 0), {}, ValueError, "two different"), (("q", 0), {}, ValueError, "named 'q'"),
                                      ((0, 1), {2: 9}, IndexError, "out of bounds for axis 2, which has 0 to 1"),
                                      ((0, 1), {1: 0}, ValueError, "the map shows")):
            with pytest.raises(error, match=what):
                a.map(axes, at)


def test_names_are_escaped():
    with drx.create(None, (3, 3), "int8", chunks=(1, 1), dims=("<y>", "x&")) as a:
        ElementTree.fromstring(a.map().svg())


def test_advice(tmp_path):
    with drx.create(tmp_path / "a", (400, 300, 20), "float32", chunks=(1, 300, 20), dims=("time", "y", "x")) as a:
        advice = a.advise([({"y": 1, "x": 1}, 5), (1, 300, 20)])
        assert [one.shape for one in advice.requests] == [(400, 1, 1), (1, 300, 20)]
        assert [one.weight for one in advice.requests] == [5, 1]
        assert advice.copy is not None and advice.after_seconds < advice.before_seconds and advice.rounds > 0
        assert advice.requests[0].before.calls > advice.requests[0].after.calls
        assert advice.chunks[0] > 1 and "pays for itself" in str(advice)
        with drx.create(None, a.shape, "float32", chunks=advice.chunks, dims=a.dims) as better:
            assert better.advise([({"y": 1, "x": 1}, 5), (1, 300, 20)], chunk_bytes=a.nbytes).before_seconds <= \
                advice.after_seconds * 1.001
        small = a.advise([{"time": 1}], chunk_bytes=30000)
        assert np.prod(small.chunks) * 4 <= 30000
        with pytest.raises(ValueError, match="at least one"):
            a.advise([])
        with pytest.raises(ValueError, match="2 extents, expected 3"):
            a.advise([(1, 2)])
        with pytest.raises(ValueError, match="0 indices along axis 1, expected 1 to 300"):
            a.advise([(1, 0, 1)])
        with pytest.raises(ValueError, match="weight 0"):
            a.advise([((1, 1, 1), 0)])
        with pytest.raises(ValueError, match="memory"):
            a.advise([(400, 1, 1)], memory=1)


def test_lists_of_texts(tmp_path):
    """They come back as they were, also through xarray and netCDF; so do other attributes beside them."""
    lists = {"names": ["a", "b c", ""], "one": ["alone"], "lines": ["a\nb", "c"], "empty": ["", ""], "unicode": ["é", "日本"]}
    with drx.create(tmp_path / "a", (2,), "int8", attrs={"units": "K", **lists, "n": [1, 2]}) as a:
        for name, value in lists.items():
            assert a.attrs[name] == value
        a.attrs["names"] = ("x", "y")
        assert a.attrs["names"] == ["x", "y"]
        a.attrs["lines"] = "text"
        a.attrs["one"] = np.array(["p", "q"])
        assert a.attrs["lines"] == "text" and a.attrs["one"] == ["p", "q"] and a.attrs["units"] == "K"
        for name in list(a.attrs):
            if name not in ("one", "empty"):
                del a.attrs[name]
    with drx.open(tmp_path / "a", "r+") as a:
        assert a.attrs["one"] == ["p", "q"] and a.attrs["empty"] == ["", ""]
        for bad in (["a", 1], ["a", None], [["a"]]):
            with pytest.raises(TypeError, match="list of texts or numbers"):
                a.attrs["bad"] = bad
        with pytest.raises(ValueError, match="NUL"):
            a.attrs["bad"] = ["a", "b\0"]
        assert "bad" not in a.attrs
        a.attrs.clear()
        assert dict(a.attrs) == {}
    with drx.create_dataset(tmp_path / "ds", attrs={"who": ["me", "you"]}) as ds:
        ds.add("v", ("t",), (3,), attrs={"flag_meanings": ["low", "high"]})
        ds.commit()
        assert ds.attrs["who"] == ["me", "you"]
    xr = pytest.importorskip("xarray")
    with xr.open_dataset(tmp_path / "ds", engine="drx") as ds:
        assert ds.attrs["who"] == ["me", "you"] and ds.v.attrs["flag_meanings"] == ["low", "high"]
        drx.save_dataset(ds.load(), tmp_path / "copy")
    with drx.open_dataset(tmp_path / "copy") as ds:
        assert ds.attrs["who"] == ["me", "you"] and ds["v"].attrs["flag_meanings"] == ["low", "high"]
    with drx.open_dataset(tmp_path / "copy", "r+") as ds:
        for name in list(ds.attrs):
            del ds.attrs[name]
        ds.commit()
        assert dict(ds.attrs) == {}
