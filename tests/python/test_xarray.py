"""xarray's engine, and datasets that grow."""

import gc
import os
import pickle
import shutil
from contextlib import nullcontext

import by_hand  # noqa: F401
import dask
import drx
import drx._cf
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from drx.xarray_backend import LazyArray
from hypothesis import given
from hypothesis import strategies as st
from xarray.core import indexing


def weather(days=5, first="2020-01-01"):
    time = pd.date_range(first, periods=days)
    lat, lon = np.linspace(-60, 60, 4), np.arange(6) * 10.0
    start = (time[0] - pd.Timestamp("2020-01-01")).days
    values = (np.arange(days * 24).reshape(days, 4, 6) + 24 * start).astype("float32")
    values[0, 0, 0] = np.nan
    return xr.Dataset(
        {"t2m": (("time", "lat", "lon"), values, {"units": "K", "levels": [1, 2], "ok": True, "of": ["a", "b"]}),
         "mask": (("lat", "lon"), np.arange(24).reshape(4, 6) > 10), "count": ("time", np.arange(days, dtype="int16")),
         "station": ("lat", np.array(["Ulm", "Zürich", "", "Örebro"])), "height": ((), 2.5),
         "age": ("time", np.arange(days) * np.timedelta64(36, "h"))},
        coords={"time": time, "lat": lat, "lon": lon, "area": (("lat", "lon"), np.ones((4, 6)))},
        attrs={"title": "weather", "history": None, "sources": ["a", "b"], "version": 3})


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "weather")


def test_what_is_no_dataset(tmp_path, folder):
    """The error says what the file is, and what makes a dataset of it; and what a commit is."""
    ds = xr.Dataset({"t2m": ("x", [1.0, 2.0])})
    ds.to_netcdf(tmp_path / "all.nc", engine="netcdf4")
    ds.to_netcdf(tmp_path / "classic.nc", format="NETCDF3_CLASSIC", engine="netcdf4")
    np.save(tmp_path / "all.npy", np.ones(3))
    (tmp_path / "text").write_text("of no kind that import reads")
    for name, kind in (("all.nc", "a netCDF file"), ("classic.nc", "a netCDF file"), ("all.npy", "a .npy file")):
        for opening in (lambda path: xr.open_dataset(path, engine="drx"), drx.open):
            with pytest.raises(FileNotFoundError, match=f"{name}: is {kind}.*drx import"):
                opening(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="text"):
        xr.open_dataset(tmp_path / "text", engine="drx")
    drx.save_dataset(ds, folder)
    for at in ("1993", 1.0):
        with pytest.raises(TypeError, match=f"at={at!r}, expected the number of a commit"):
            xr.open_dataset(folder, engine="drx", at=at)
    with xr.open_dataset(folder, engine="drx", at=np.int64(1)) as back:
        assert back.sizes == ds.sizes


def test_round_trip(folder):
    ds = weather()
    drx.save_dataset(ds, folder)
    with xr.open_dataset(folder, engine="drx") as back:
        xr.testing.assert_identical(back.load(), ds)
        for name in ds.variables:
            assert back[name].dtype == ds[name].dtype or ds[name].dtype.kind == "U", name
    with drx.open_dataset(folder) as stored:
        assert [sum(c.kind == "added" and c.of == "variable" for c in commit.changes) for commit in stored.commits] == [0, 10] and stored.attrs["title"] == "weather"


def chunks_of(folder):
    with drx.open_dataset(folder) as ds:
        return {name: ds[name].chunks for name in ds}


def test_chunks(tmp_path):
    """They fit the variables; those of a file of netCDF or DRX are kept if they are full; unlimited dimensions get room."""
    ds = xr.Dataset({"a": (("t", "y", "x"), np.zeros((12, 46, 72), "f4")), "b": (("t", "x"), np.zeros((12, 72), "f4")),
                     "t": ("t", np.arange(12.0))})
    drx.save_dataset(ds, tmp_path / "plain")
    assert chunks_of(tmp_path / "plain") == {"a": (12, 46, 72), "b": (12, 72), "t": (512,)}
    drx.save_dataset(ds, tmp_path / "grows", grows="t")
    assert chunks_of(tmp_path / "grows") == {"a": (12, 46, 72), "b": (227, 72), "t": (8192,)}
    ds.encoding["unlimited_dims"] = {"t"}
    drx.save_dataset(ds, tmp_path / "unlimited")
    assert chunks_of(tmp_path / "unlimited") == chunks_of(tmp_path / "grows")
    for chunk, kept in ((3, 23, 72), (3, 23, 72)), ((1, 46, 72), (12, 46, 72)), ((5, 30, 72), (12, 46, 72)):
        ds.to_netcdf(tmp_path / "a.nc", engine="netcdf4", encoding={"a": {"chunksizes": chunk}})
        with xr.open_dataset(tmp_path / "a.nc", engine="netcdf4") as read:
            drx.save_dataset(read, tmp_path / "kept", overwrite=True)
        assert chunks_of(tmp_path / "kept") == {"a": kept, "b": (227, 72), "t": (8192,)}, chunk
    drx.save_dataset(ds, tmp_path / "asked", chunks={"t": 2, "y": 3, "x": 4})
    with xr.open_dataset(tmp_path / "asked", engine="drx") as read:
        drx.save_dataset(read, tmp_path / "again")
        drx.save_dataset(read.isel(t=[0]), tmp_path / "one")
    assert chunks_of(tmp_path / "again") == chunks_of(tmp_path / "asked") == {"a": (2, 3, 4), "b": (2, 4), "t": (2,)}
    with xr.open_dataset(tmp_path / "grows", engine="drx") as read:
        drx.save_dataset(read.isel(t=[0, 1]), tmp_path / "two")
    assert chunks_of(tmp_path / "two")["a"] == (4, 46, 72) and chunks_of(tmp_path / "two")["t"] == (8192,)
    with pytest.raises(ValueError, match="grows: 'z' is not a dimension"):
        drx.save_dataset(ds, tmp_path / "never", grows=["t", "z"])


def test_one_pair(tmp_path):
    path = str(tmp_path / "grid")
    values = np.arange(12, dtype="int32").reshape(3, 4)
    with drx.create(path, (3, 4), "int32", chunks=(2, 2), dims=("y", "x"), fill_value=-1, attrs={"units": "m"}) as a:
        a[...] = values
    for opened in (path, path + ".xmd"):
        with xr.open_dataset(opened, engine="drx", mask_and_scale=False) as ds:
            assert list(ds.variables) == ["grid"] and ds.grid.dims == ("y", "x")
            assert ds.grid.attrs == {"units": "m", "_FillValue": -1}
            assert ds.grid.encoding["preferred_chunks"] == {"y": 2, "x": 2}
            np.testing.assert_array_equal(ds.grid, values)
    with xr.open_dataset(path + ".xmd") as ds:  # guessed
        assert ds.grid.dtype.kind == "f"  # masked


def test_lazy(folder):
    drx.save_dataset(weather(), folder)
    expected = weather()
    with xr.open_dataset(folder, engine="drx") as ds:
        part = ds.t2m[1:4:2, [3, 0], -1]
        np.testing.assert_array_equal(part, expected.t2m[1:4:2, [3, 0], -1])
        np.testing.assert_array_equal(ds.t2m.sel(time="2020-01-03", lat=20), expected.t2m[2, 2])
        assert not ds.mask._in_memory and ds.mask.dtype == bool


@pytest.mark.parametrize("much", [0, 1e9])
def test_points(folder, monkeypatch, much):
    """Read as points, or as xarray reads them."""
    monkeypatch.setattr("drx.xarray_backend.MUCH", much)
    drx.save_dataset(weather(), folder)
    expected = weather()
    at = {name: xr.DataArray(list, dims="p") for name, list in
          {"time": [4, 0, 0, -1], "lat": [1, 3, 3, 0], "lon": [5, 2, 2, 0]}.items()}
    square = xr.DataArray([[0, 3], [2, 2], [1, 5], [4, 0]], dims=("p", "q"))
    with xr.open_dataset(folder, engine="drx") as ds:
        for key in (at, {"time": at["time"], "lon": at["lon"]}, {"lat": at["lat"], "lon": square},
                    {"time": at["time"], "lat": slice(None, None, -2), "lon": at["lon"]}, {"lon": square}):
            xr.testing.assert_identical(ds.t2m.isel(key).load(), expected.t2m.isel(key))
        xr.testing.assert_identical(ds.t2m.T[1:].load(), expected.t2m.T[1:])


def any_slice(draw, n):
    ends = st.none() | st.integers(-n - 3, n + 3)
    step = st.none() | st.integers(-n - 2, n + 2).filter(bool)
    return slice(draw(ends), draw(ends), draw(step))


@given(st.data())
def test_every_kind_of_key(array_of, data):
    """Basic, outer and vectorized keys, empty ones and steps that do not divide among them, as NumPy has them."""
    values, lazy = array_of
    shape, draw = values.shape, data.draw
    kind = draw(st.sampled_from(["basic", "outer", "vectorized"]))
    key = [any_slice(draw, n) for n in shape]
    lists = [j for j in range(len(shape)) if draw(st.booleans())]
    if kind == "vectorized":
        ndim = draw(st.integers(1, 3))
        full = [draw(st.integers(0, 3)) for _ in range(ndim)]
    for j in lists:
        one = st.integers(-shape[j], shape[j] - 1)
        if kind == "basic":
            key[j] = draw(one)
        elif kind == "outer":
            key[j] = draw(one | st.lists(one, max_size=2 * shape[j]).map(lambda some: np.array(some, np.int64)))
        else:
            own = [n if draw(st.booleans()) else 1 for n in full]
            n = int(np.prod(own))
            key[j] = np.array(draw(st.lists(one, min_size=n, max_size=n)), np.int64).reshape(own)
    if kind == "vectorized" and not lists:
        return
    kinds = {"basic": indexing.BasicIndexer, "outer": indexing.OuterIndexer, "vectorized": indexing.VectorizedIndexer}
    indexer = kinds[kind](tuple(key))
    for much in (0, 16, 1e9):  # read as points, or around them
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("drx.xarray_backend.MUCH", much)
            got = lazy[indexer]
        np.testing.assert_array_equal(got, indexing.NumpyIndexingAdapter(values)[indexer])


@pytest.fixture(scope="module", params=[(11,), (5, 7), (3, 4, 6)], ids=str)
def array_of(request, tmp_path_factory):
    values = np.arange(np.prod(request.param)).reshape(request.param)
    with drx.create(tmp_path_factory.mktemp("keys") / "a", values.shape, values.dtype, chunks=(2,) * values.ndim) as a:
        a[...] = values
        yield values, LazyArray(a, a.shape)


def test_negative_steps(folder):
    ds = xr.Dataset({"a": (("x", "y"), np.arange(3653.0 * 2).reshape(-1, 2))})
    drx.save_dataset(ds, folder, chunks={"x": 100})
    for chunks in (None, {}):
        with xr.open_dataset(folder, engine="drx", chunks=chunks) as back:
            for ends in ((None, None, -7), (3000, 17, -11), (2, 2, -1), (-1, None, -5000), (1, 9, -1)):
                key = slice(*ends)
                np.testing.assert_array_equal(back.a[key], ds.a[key])
                np.testing.assert_array_equal(back.a[key][::-3], ds.a[key][::-3])
            points = xr.DataArray([[5, 0], [-1, 5]], dims=("p", "q"))
            np.testing.assert_array_equal(back.a[::-7].isel(x=points), ds.a[::-7].isel(x=points))
            key = {"x": slice(None, None, -9), "y": points[0] // 5}
            np.testing.assert_array_equal(back.a.isel(key), ds.a.isel(key))


def test_dask(folder):
    drx.save_dataset(weather(), folder, chunks={"time": 2, "lat": 3})
    with xr.open_dataset(folder, engine="drx", chunks={}) as ds:
        assert ds.t2m.chunks[0] == (2, 2, 1) and ds.t2m.chunks[1] == (3, 1)
        np.testing.assert_allclose(ds.t2m.mean("time"), weather().t2m.mean("time"))
        drx.save_dataset(ds, folder + "-again")
    with xr.open_dataset(folder + "-again", engine="drx") as again:
        xr.testing.assert_identical(again.load(), weather())


def test_append(folder):
    drx.save_dataset(weather(3), folder, chunks={"time": 2})
    assert drx.append_dataset(weather(4, "2020-01-04"), folder, dim="time") == 7
    more = weather(2, "2020-01-08").drop_vars(["mask", "station"])
    assert drx.append_dataset(more.chunk({"time": 1}), folder, dim="time") == 9
    with xr.open_dataset(folder, engine="drx") as ds:
        expected = xr.concat([weather(3), weather(4, "2020-01-04"), weather(2, "2020-01-08")], "time",
                             data_vars="minimal", coords="minimal", compat="override")
        xr.testing.assert_equal(ds.load(), expected)


@pytest.mark.parametrize("change, text", [
    (lambda ds: ds.isel(lat=slice(3)), "lat"),
    (lambda ds: ds.drop_vars("count"), "count is missing from the new data"),
    (lambda ds: ds.assign(more=("time", np.zeros(4))), "more is not stored"),
    (lambda ds: ds.assign(count=ds["count"].astype("int64")), "'count' has type int64, stored is int16"),
    (lambda ds: ds.transpose("lat", "time", "lon"), "axes"),
    (lambda ds: ds.assign_coords(lat=ds.lat + 1), "'lat' does not have the axis 'time', and differs"),
    (lambda ds: ds.rename(time="day"), "no axis 'time'"),
])
def test_append_refuses(folder, change, text):
    drx.save_dataset(weather(3), folder)
    with pytest.raises(ValueError, match=text):
        drx.append_dataset(change(weather(4, "2020-01-04")), folder, dim="time")
    with xr.open_dataset(folder, engine="drx") as ds:
        xr.testing.assert_identical(ds.load(), weather(3))


def test_saving_refuses(folder):
    with pytest.raises(TypeError, match="'odd' holds objects"):
        drx.save_dataset(weather().assign(odd=("lat", np.array([{}, 1, 2, 3], object))), folder)
    assert not os.path.exists(folder)
    late = xr.Dataset({"p": ("x", [1.0, 300.0])}).chunk({"x": 1})
    os.mkdir(folder)  # which stays
    for where in (folder, folder + "/in/new"):
        with pytest.raises(ValueError, match="300"):
            drx.save_dataset(late, where, encoding={"p": {"dtype": "int8"}})
        assert where == folder and not os.listdir(folder) or os.listdir(folder) == ["in"] and not os.path.exists(where)
    os.rmdir(folder + "/in")
    drx.save_dataset(weather(), folder, mode="w-")
    with pytest.raises(ValueError, match="300"):
        drx.save_dataset(late, folder, encoding={"p": {"dtype": "int8"}})
    with pytest.raises(FileExistsError, match="t2m"):
        drx.save_dataset(weather(), folder)
    drx.save_dataset(weather(2), folder, overwrite=True)
    with xr.open_dataset(folder, engine="drx") as ds:
        assert ds.sizes["time"] == 2


# ---- what else there is ----------------------------------------------------------------------------------------------

def round_trip(ds, folder):
    """Stored and read, and again from what was read."""
    for _ in range(2):
        shutil.rmtree(folder, ignore_errors=True)
        drx.save_dataset(ds, folder)
        with xr.open_dataset(folder, engine="drx") as back:
            xr.testing.assert_identical(back.load(), ds)
        ds = back


@pytest.mark.parametrize("ds", [
    xr.Dataset(), xr.Dataset(attrs={"a": 1}), xr.Dataset(coords={"x": [1, 2]}), xr.Dataset(coords={"x": [True, False]}),
    xr.Dataset({"a": (("x", "y"), np.zeros((0, 3))), "s": ("x", np.array([], "U3"))}),
    xr.Dataset({"a": ((), True), "b": ((), "text"), "c": ((), np.datetime64("2020-01-01", "ns")), "d": ((), 1 + 2j),
                "e": ((), b"abc")}),
    xr.Dataset({"bytes": ("x", np.array([b"ab", b"c"])), "long": ("x", np.array(["x" * 1000, ""]))}),
    xr.Dataset({"a": ("x", np.array(["2020-01-01", "NaT"], "M8[ns]")), "b": ("x", np.array([1, "NaT"], "m8[ns]"))}),
    xr.Dataset({"a": ("x", np.array([1, 2**64 - 1], "u8")), "a b \u00e9": ("x y", [1.0, 2.0])}),
    xr.Dataset({"a": ("x", [1.0, 2.0])}, coords={"lat": ("x", [3.0, 4.0]), "sc": 5, "other": ("z", [1, 2, 3])}),
    xr.Dataset({"a": ("x", [1.0], {
        "n": np.nan, "l": [1.5], "e": [], "s": "", "t": (1, 2), "d": {"a": [1]}, "np": np.array([1, 2]), "none": None,
        "np1": np.array([3]), "b": np.bool_(True), "i8": np.int8(3), "u": "\u00e9", "text": ["a", "b"], "c": 1j})})],
    ids=lambda ds: "-".join(map(str, ds.variables)) or "empty")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_all_kinds(folder, ds):
    round_trip(ds, folder)


def test_calendars(folder):
    pytest.importorskip("cftime")
    ds = xr.Dataset(coords={"time": xr.cftime_range("2000-02-28", periods=3, calendar="noleap")})
    round_trip(ds, folder)
    more = xr.Dataset(coords={"time": xr.cftime_range("2000-03-03", periods=2, calendar="noleap")})
    assert drx.append_dataset(more, folder, "time") == 5
    with xr.open_dataset(folder, engine="drx") as back:
        assert list(back.time.values) == list(ds.time.values) + list(more.time.values)


@pytest.mark.parametrize("ds, error, text", [
    (xr.Dataset({"a/b": 1.0}), ValueError, "a/b"),
    (xr.Dataset({"a": ("x", ["b"]), "b": ("a_bytes", [1, 2])}), ValueError, "axis of bytes"),
    (xr.Dataset({"b": 1.0, "a": ("x", np.ones(2, np.longdouble))}), TypeError, "'a'.*float128"),
    (xr.Dataset({"a": ("x", np.array(["x", 1, np.nan], object))}), TypeError, "'a' holds objects"),
    (xr.Dataset({"a": 1.0}, attrs={"c": np.datetime64("2020-01-01", "ns")}), TypeError, "'c'")])
def test_what_cannot_be_stored(folder, ds, error, text):
    with pytest.raises(error, match=text):
        drx.save_dataset(ds, folder)
    assert not os.path.exists(folder)


def packed(first, values):
    ds = xr.Dataset({"p": ("time", values)}, coords={"time": pd.date_range(first, periods=len(values))})
    ds.p.encoding = dict(dtype="int16", scale_factor=0.5, _FillValue=-99)
    ds.time.encoding = dict(units="hours since 1900-01-01 00:00:0.0", calendar="proleptic_gregorian")
    return ds


def test_packed_numbers(folder):
    drx.save_dataset(packed("2020-01-01", [1.5, np.nan]), folder)
    more = packed("2020-01-03", [2.5, np.nan])
    more.p.encoding = more.time.encoding = {}
    assert drx.append_dataset(more, folder, "time") == 4
    with xr.open_dataset(folder, engine="drx", mask_and_scale=False, decode_times=False) as ds:
        raw = ds.load().assign_coords(time=(ds.time + 96).assign_attrs(ds.time.attrs))
    assert drx.append_dataset(raw, folder, "time") == 8
    with drx.open(folder + "/p") as a:
        assert a.dtype == np.int16 and a.fill_value == -99
        np.testing.assert_array_equal(a, [3, -99, 5, -99] * 2)
    with xr.open_dataset(folder, engine="drx") as ds:
        np.testing.assert_array_equal(ds.time, pd.date_range("2020-01-01", periods=8))
        np.testing.assert_array_equal(ds.p[:4], [1.5, np.nan, 2.5, np.nan])
        drx.save_dataset(ds, folder + "-again")  # with the encoding that it was read with
    with drx.open(folder + "-again/p") as a:
        assert a.dtype == np.int16
    with pytest.raises(ValueError, match="time: index 0 is 2020-01-09T00:30, not a whole number"):
        drx.append_dataset(packed("2020-01-09T00:30", [1.0]), folder, "time")


NARROW = dict(dtype="int16", scale_factor=0.5, add_offset=10.0, _FillValue=-9)
DAYS = dict(units="days since 2000-01-01", dtype="int32")


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("values, encoding, text", [
    ([1.5, 1e6], NARROW, "index 1 is 1000000, which int16 cannot hold with this scale_factor and add_offset; "
                         "it holds -16374 to 16393.5"),
    ([1.5, 5.5], NARROW, "index 1 is 5.5, which would be stored as the _FillValue"),
    ([1.5, np.inf], NARROW, "index 1 is inf, which int16 cannot hold"),
    (np.array([1, -99, 3], "i2"), {"_FillValue": -99}, "index 1 is -99, which would be stored as the _FillValue"),
    (np.array([1, 2**62 + 1], "i8"), {"missing_value": 2**62 + 1}, "index 1 is 4.*, which would be stored as the _FillValue"),
    (np.array([1, -9], "f4"), {"_FillValue": -9}, "index 1 is -9, which would be stored as the _FillValue"),
    ([1.0, -4.5], {"_FillValue": -9, "scale_factor": 0.5}, "index 1 is -4.5, which would be stored as the _FillValue"),
    ([300, 2], {"dtype": "int8"}, "index 0 is 300, which int8 cannot hold; it holds -128 to 127"),
    ([-1, 2], {"dtype": "uint64"}, "index 0 is -1, which uint64 cannot hold"),
    ([2**62, 2], {"dtype": "int32"}, "index 0 is 4[.0-9]*e.18, which int32 cannot hold"),
    ([0.0, 2.0], {"dtype": "bool"}, "index 1 is 2, which bool cannot hold"),
    ([1.0, np.nan], {"dtype": "int16"}, "index 1 is nan, and without a _FillValue"),
    ([1.0, 1.5], {"dtype": "int16"}, "index 1 is 1.5, not a whole number"),
    ([1.0, 1e300], {"dtype": "float32"}, "index 1 is 1e.300, which float32 cannot hold"),
    (np.array(["2000-01-02", "2000-01-03T06"], "M8[ns]"), DAYS, "index 1 is 2000-01-03T06:00, not a whole number"),
    (np.array(["2000-01-02", "NaT"], "M8[ns]"), DAYS, "index 1 is nan, and without a _FillValue")], ids=str)
def test_numbers_that_do_not_fit(folder, values, encoding, text, lazy):
    """One rule: what is saved is refused as what is appended and written to a region."""
    ds = xr.Dataset({"p": ("x", values)})
    ds = ds.chunk({"x": 2}) if lazy else ds
    with pytest.raises(ValueError, match=f"p: {text}.*_FillValue in `encoding`"):
        drx.save_dataset(ds, folder, encoding={"p": encoding})
    assert not os.path.exists(folder)  # also where a block is computed when a part is written
    if not lazy:
        ds.p.encoding = encoding
        with pytest.raises(ValueError, match=text):
            drx.save_dataset(ds, folder)
    good = xr.Dataset({"p": ("x", np.array(values)[:1] * 0 if ds.p.dtype.kind != "M" else values[:1])})
    drx.save_dataset(good, folder, encoding={"p": encoding}, overwrite=True)
    if "scale_factor" in encoding or ds.p.dtype.kind == "M" and not lazy:
        for call, at in (lambda: drx.append_dataset(ds, folder, "x"), text), (
                lambda: drx.save_dataset(ds.isel(x=[1]), folder, region={"x": slice(0, 1)}), text.replace("index 1", "index 0")):
            with pytest.raises(ValueError, match=f"p: {at}") as error:
                call()
            assert "encoding" not in str(error.value)  # which these calls do not take
    with xr.open_dataset(folder, engine="drx") as back:
        xr.testing.assert_equal(back.p.astype(good.p.dtype), good.p)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i8", "u1", "u2", "f4", "f8"])
@pytest.mark.parametrize("packing", [{}, {"_FillValue": 7}, {"missing_value": 7}, {"scale_factor": 0.25},
                                     {"add_offset": -3, "_FillValue": 7},
                                     {"scale_factor": np.float32(0.1), "add_offset": 20.0, "_FillValue": 7}], ids=str)
def test_packing_as_xarray_does_it(folder, dtype, packing):
    """Where all numbers fit, the elements and attributes are those of xarray."""
    numbers = np.array([0, 1, 2, 50, 100], dtype)
    raw = xr.Variable("x", numbers, {key: np.array(value, dtype)[()] if value == 7 else value for key, value in packing.items()})
    ds = xr.decode_cf(xr.Dataset({"p": raw})).load()
    if ds.p.dtype.kind == "f" and {"_FillValue", "missing_value"} & set(packing):
        ds.p[2] = np.nan
    for data in (ds, ds.chunk({"x": 3})):
        drx.save_dataset(data, folder, overwrite=True)
        like = xr.conventions.encode_cf_variable(ds.p.variable)
        with xr.open_dataset(folder, engine="drx", mask_and_scale=False) as back:
            assert back.p.dtype == like.dtype and set(back.p.attrs) == set(like.attrs)
            np.testing.assert_array_equal(back.p, like)
            assert all(back.p.attrs[key] == value or value != value for key, value in like.attrs.items())
            assert all(back.p.attrs[key].dtype == dtype for key in back.p.attrs if key in ("_FillValue", "missing_value"))


def test_marks_of_missing_numbers_that_are_none(folder):
    for key in ("_FillValue", "missing_value"):
        with pytest.raises(ValueError, match=f"'p': {key} 99999 is no int16; give another one"):
            drx.save_dataset(xr.Dataset({"p": ("x", [1.0])}), folder, encoding={"p": {"dtype": "int16", key: 99999}})
        with pytest.raises(ValueError, match=f"'p': {key} none is no int16; give another one"):
            drx.save_dataset(xr.Dataset({"p": ("x", [1.0])}), folder, encoding={"p": {"dtype": "int16", key: "none"}})
    assert not os.path.exists(folder)


@pytest.mark.parametrize("dtype, attrs, stored", [
    ("i2", {"missing_value": "-9"}, {"missing_value": -9}),  # as xarray makes it a number, too
    ("i2", {"missing_value": np.array([-9, -8], "i2")}, None), ("f4", {"missing_value": np.array([-9, -8], "f4")}, None),
    ("i2", {"_FillValue": np.int16(-9), "missing_value": np.array([-9, -8], "i2")}, None),
    ("i8", {"_FillValue": np.int64(-2**62 - 1)}, None),
    ("u1", {"_Unsigned": "false", "_FillValue": np.uint8(255)}, None)], ids=str)
@pytest.mark.filterwarnings("ignore:.*multiple fill values", "ignore:elementwise comparison")
def test_marks_as_files_have_them(folder, dtype, attrs, stored):
    """What xarray has read is saved, also where xarray itself fails."""
    raw = xr.Dataset({"p": ("x", np.array([1, 2, -1], "i1").astype(dtype), attrs)})
    ds = xr.decode_cf(raw).load()
    ds.p[1] = np.nan
    for data in (ds, ds.chunk({"x": 2})):
        drx.save_dataset(data, folder, mode="w")
        with drx.open(folder + "/p") as a:
            assert a.dtype == dtype
            for key, value in (stored or attrs).items():
                np.testing.assert_array_equal(a.attrs[key], value)
        with xr.open_dataset(folder, engine="drx") as back:
            np.testing.assert_array_equal(back.p, [1, np.nan, np.nan if dtype == "u1" else -1])


def test_a_mark_in_a_list_of_one(folder):
    for one in (np.array([-9], "i2"), [-9]):
        ds = xr.Dataset({"p": ("x", np.array([1, -9], "i2"), {"_FillValue": one, "missing_value": one, "scale_factor": [0.5]})})
        drx.save_dataset(ds, folder, mode="w")
        with drx.open(folder + "/p") as a:
            assert a.fill_value == -9 and dict(a.attrs) == {"_FillValue": -9, "missing_value": -9, "scale_factor": 0.5}
        drx.append_dataset(xr.decode_cf(ds), folder, "x")
        with xr.open_dataset(folder, engine="drx") as back:
            np.testing.assert_array_equal(back.p, [0.5, np.nan] * 2)


@pytest.mark.filterwarnings("ignore:elementwise comparison")
@pytest.mark.parametrize("missing", [np.int16(-9), np.array([-9, -8], "i2"), np.int16(-8), "-8"], ids=str)
def test_a_fill_that_is_a_missing_value(folder, missing):
    """As `drx import` stores what has no _FillValue: none is shown, and it is saved again."""
    with drx.create_dataset(folder) as ds, ds.transaction():
        ds.add("p", ["x"], 3, "i2", fill_value=-9, attrs={"missing_value": missing})[:2] = [1, 2]
    has = {"missing_value", "_FillValue"} if isinstance(missing, str) or missing.flat[0] == -8 else {"missing_value"}
    with xr.open_dataset(folder, engine="drx", mask_and_scale=False) as raw:
        assert {*raw.p.attrs} == has and raw.p.values.tolist() == [1, 2, -9]
        drx.save_dataset(raw, folder + "-raw")
    with pytest.warns(match="multiple fill") if has == {"missing_value"} and np.size(missing) > 1 or len(has) > 1 else nullcontext():
        back = xr.open_dataset(folder, engine="drx")
    with back:
        drx.save_dataset(back, folder + "-again")
    for where in (folder + "-raw", folder + "-again"):
        with drx.open(where + "/p") as a:
            assert a[...].tolist() == [1, 2, -9] and {*a.attrs} == has and a.fill_value == -9


@pytest.mark.skipif(not hasattr(drx._cf.Meaning, "reads"), reason="numbers without signs are read as they are")
@pytest.mark.filterwarnings("ignore:NumPy will stop allowing conversion")
@pytest.mark.parametrize("fill", [255, -1])
def test_unsigned_numbers(folder, fill):
    encoding = {"p": dict(dtype="int8", _Unsigned="true", _FillValue=fill)}
    good = xr.Dataset({"p": ("x", [1.0, np.nan, 200.0])})
    drx.save_dataset(good, folder, encoding=encoding)
    with xr.open_dataset(folder, engine="drx") as back:
        xr.testing.assert_identical(back.load(), good)
        drx.save_dataset(back, folder + "-again")
    with drx.open(folder + "-again/p") as a:
        assert a[...].tolist() == [1, -1, -56] and a.attrs["_FillValue"].dtype == np.int8
    for value, text in ((255.0, "stored as the _FillValue"), (256.0, "u?int8 cannot hold"), (-1.0, "u?int8 cannot hold")):
        with pytest.raises(ValueError, match=f"index 2 is {value:g}, .*{text}"):
            drx.save_dataset(xr.Dataset({"p": ("x", [1.0, np.nan, value])}), folder + "-no", encoding=encoding)


@pytest.mark.parametrize("stored, given, text", [
    (np.array([1, 2], "i2"), xr.Variable("x", [1.0], encoding=dict(dtype="int16", scale_factor=0.5)), "type float64"),
    (np.array([1, 2]), np.array(["2020-01-01"], "M8[ns]"), "units"), (np.array(["a"]), np.array([b"a"]), "_Encoding"),
    (np.array([1, 2], "u1"), np.array(["a"]), "axes"), (np.array([1, 2], "f4"), np.array([1.0]), "type float64"),
    (np.array([1, 2], "f4"), np.array([1 << 24, (1 << 24) + 1]), "16777217 is stored as float32, which cannot hold it")])
def test_append_refuses_other_meanings(folder, stored, given, text):
    drx.save_dataset(xr.Dataset({"a": ("x", stored)}), folder)
    with pytest.raises(ValueError, match=text):
        drx.append_dataset(xr.Dataset({"a": given if isinstance(given, xr.Variable) else ("x", given)}), folder, "x")
    with xr.open_dataset(folder, engine="drx") as ds:
        assert list(ds.a.values) == list(stored)


def test_append_text_of_other_widths(folder):
    drx.save_dataset(xr.Dataset({"s": ("x", ["abcd", "\u00e9"])}), folder)
    assert drx.append_dataset(xr.Dataset({"s": ("x", ["a"])}), folder, "x") == 3
    assert drx.append_dataset(xr.Dataset({"s": ("x", np.array([], "U1"))}), folder, "x") == 3
    with xr.open_dataset(folder, engine="drx") as ds:
        assert list(ds.s.values) == ["abcd", "\u00e9", "a"]
        assert drx.append_dataset(xr.Dataset({"s": ("x", ["a longer one"])}), folder, "x") == 4
        assert list(ds.s.values) == ["abcd", "\u00e9", "a"]
    with xr.open_dataset(folder, engine="drx") as ds:
        assert list(ds.s.values) == ["abcd", "\u00e9", "a", "a longer one"]
    with pytest.raises(ValueError, match="13 bytes, stored are at most 12"):
        drx.save_dataset(xr.Dataset({"s": ("x", ["a longer text"])}), folder, region={"x": slice(1)})
    with drx.open_dataset(folder) as ds:
        assert ds["s"].shape == (4, 12)


def test_numbers_that_widen(folder):
    """Integers and shorter floats are stored as what they are in a wider type."""
    drx.save_dataset(xr.Dataset({"a": ("x", np.zeros(1)), "i": ("x", np.zeros(1, "i4"))}), folder)
    for a, i in (np.int64(1 << 53), np.int8(-3)), (np.float32(0.1), np.int16(300)):
        drx.append_dataset(xr.Dataset({"a": ("x", [a]), "i": ("x", [i])}), folder, "x")
    drx.save_dataset(xr.Dataset({"a": ("x", [7])}), folder, region={"x": slice(1)})
    with xr.open_dataset(folder, engine="drx") as ds:
        assert ds.a.values.tolist() == [7.0, 2.0**53, float(np.float32(0.1))] and ds.i.values.tolist() == [0, -3, 300]


def test_objects_that_are_numbers(folder):
    mixed = np.array([1, None, np.nan, 2.5], object)
    drx.save_dataset(xr.Dataset({"i": ("x", np.array([1, 2, 3, 4], object)), "f": ("x", mixed),
                                 "b": ("x", np.array([True, False, True, True], object))}), folder)
    with drx.open_dataset(folder) as ds:
        assert {name: ds[name].dtype.kind for name in ds} == {"i": "i", "f": "f", "b": "b"}
        np.testing.assert_array_equal(ds["f"], [1, np.nan, np.nan, 2.5])
    for values in (np.array([1, "a"], object), np.array([{}, 2], object)):
        with pytest.raises(TypeError, match="'o' holds objects"):
            drx.save_dataset(xr.Dataset({"o": ("x", values)}), folder + "-2")
    both = xr.Dataset({"v": (("a", "b"), np.ones((2, 2)))}, coords={"a": [1, 2], "b": [3, 4]}).stack(ab=("a", "b"))
    with pytest.raises(NotImplementedError, match="reset_index"):
        drx.save_dataset(both, folder + "-2")


def test_missing_texts(folder):
    """They become empty ones, as in a file of netCDF; where all are missing, numbers."""
    pytest.importorskip("netCDF4")
    ds = xr.Dataset({"s": ("x", np.array(["a\u00e9", None, "b", np.nan], object)), "b": ("x", np.array([b"ab", None, b"", pd.NA], object)),
                     "none": ("x", np.array([None, np.nan, None, None], object)),
                     "f": ("x", np.array(["a", None, "b", "c"], object), {}, {"dtype": "U3"})}, coords={"x": ["p", None, "q", "r"]})
    drx.save_dataset(ds, folder)
    ds.drop_vars("f").to_netcdf(folder + ".nc")
    with xr.open_dataset(folder, engine="drx") as got, xr.open_dataset(folder + ".nc") as expected:
        for name in expected.variables:
            np.testing.assert_array_equal(got[name].values, expected[name].values.astype(got[name].dtype))
        assert got.f.dtype == "U3" and list(got.f.values) == ["a", "", "b", "c"]
    more = xr.Dataset({name: ("x", np.array([None], object)) for name in ds.data_vars}, coords={"x": np.array([None], object)})
    assert drx.append_dataset(more, folder, "x") == 5
    with xr.open_dataset(folder, engine="drx") as got:
        assert [got[name].values[4] for name in ("s", "b", "f", "x")] == ["", b"", "", ""] and np.isnan(got.none[4])
    drx.save_dataset(xr.Dataset({"s": ("x", np.array([None, "z"], object))}), folder, region={"x": slice(0, 2)})
    with xr.open_dataset(folder, engine="drx") as got:
        assert list(got.s.values[:3]) == ["", "z", "b"]


def test_a_first_step_in_whole_days(folder):
    """Steps of hours go on from it: times without units of their own are stored in seconds, or finer ones."""
    cftime = pytest.importorskip("cftime")
    for i, (first, step) in enumerate(((pd.Timestamp("2000-01-01 00:35"), pd.Timedelta("6h")),
                                       (pd.Timestamp("2000-01-01"), pd.Timedelta("1.5s")),
                                       (pd.Timedelta("1D"), pd.Timedelta("90min")),
                                       (cftime.DatetimeNoLeap(2000, 2, 28), pd.Timedelta("6h").to_pytimedelta()))):
        times = [first + k * step for k in range(6)]
        ds = xr.Dataset({"foo": ("time", np.arange(6.0))}, coords={"time": times})
        start = 1 if step != pd.Timedelta("1.5s") else 2  # half seconds are seen in the second step
        drx.save_dataset(ds.isel(time=slice(start)), f"{folder}{i}", grows="time")
        assert drx.append_dataset(ds.isel(time=slice(start, None)), f"{folder}{i}", "time") == 6
        with xr.open_dataset(f"{folder}{i}", engine="drx") as got:
            xr.testing.assert_identical(got.load(), ds)
    ds = xr.Dataset({"foo": ("time", [1.0])}, coords={"time": [pd.Timestamp("2000-01-01")]})
    ds.time.encoding = {"units": "days since 2000-01-01", "dtype": "int32"}  # as the file has it that it was read from
    drx.save_dataset(ds, folder, grows="time")
    with pytest.raises(ValueError, match="time: index 0 is 2000-01-01T06:00, not a whole number of its units.*begins with finer units"):
        drx.append_dataset(ds.assign_coords(time=ds.time + np.timedelta64(6, "h")), folder, "time")
    drx.save_dataset(ds, folder, mode="w", encoding={"time": {"units": "hours since 2000-01-01"}})
    assert drx.append_dataset(ds.assign_coords(time=ds.time + np.timedelta64(6, "h")), folder, "time") == 2


def test_pickle_of_what_is_lazy(folder):
    drx.save_dataset(weather(), folder)
    for chunks in (None, {}):
        with xr.open_dataset(folder, engine="drx", chunks=chunks) as ds, pickle.loads(pickle.dumps(ds)) as again:
            assert not again.t2m._in_memory
            xr.testing.assert_identical(again.load(), weather())


def test_pickle_beside_growth_at_the_low_end(tmp_path):
    path = tmp_path / "grid"
    with drx.create(path, (4, 3), dims=("y", "x")) as a:
        a[...] = np.arange(12.0).reshape(4, 3)
    with xr.open_dataset(path, engine="drx") as ds:
        pickled = pickle.dumps(ds)
    with drx.open(path, "r+") as a:
        a.prepend(np.zeros((1, 3)))
    with pickle.loads(pickled) as again, pytest.raises(ValueError, match="open it again"):
        again.load()


def test_many_files(folder):
    paths = [f"{folder}{i}" for i in range(3)]
    for i, path in enumerate(paths):
        drx.save_dataset(weather(2, f"2020-01-{1 + 2 * i:02}"), path)
    with xr.open_mfdataset(paths, engine="drx", data_vars="minimal", coords="minimal", compat="override") as ds:
        assert ds.sizes["time"] == 6
        np.testing.assert_array_equal(ds["count"], [0, 1] * 3)


def test_pairs_without_names(folder):
    """Their axes have nothing to do with each other."""
    os.makedirs(folder)
    drx.create(folder + "/a", (3, 4)).close()
    drx.create(folder + "/b", (5,)).close()
    with xr.open_dataset(folder, engine="drx") as ds:
        assert ds.a.shape == (3, 4) and ds.b.shape == (5,)


# ---- what users of xarray expect -------------------------------------------------------------------------------------

def test_times_are_selected_by_name(folder):
    drx.save_dataset(weather(60, "1997-11-15"), folder)
    with xr.open_dataset(folder, engine="drx") as ds:
        assert ds.sel(time="1997-12").sizes["time"] == 31
        assert ds.sel(time=slice("1997-12-30", None)).sizes["time"] == 15
        assert not ds.t2m._in_memory


def test_chunks_are_those_of_the_arrays(folder):
    """Also beside text; "auto" takes whole chunks."""
    drx.save_dataset(weather(20), folder, chunks={"time": 4, "lat": 2, "lon": 3})
    with xr.open_dataset(folder, engine="drx", chunks={}) as ds:
        assert ds.t2m.chunks == ((4,) * 5, (2, 2), (3, 3)) and ds.station.chunks == ((2, 2),)
        assert ds.t2m.encoding["chunks"] == (4, 2, 3) and ds.station.encoding["chunks"] == (2,)
    with xr.open_dataset(folder, engine="drx", chunks="auto") as ds:
        assert ds.t2m.chunks == ((20,), (4,), (6,)) and ds.station.dtype.kind == "U"
    with dask.config.set({"array.chunk-size": "400B"}), xr.open_dataset(folder, engine="drx", chunks="auto") as ds:
        assert all(n % of == 0 for sizes, of in zip(ds.t2m.chunks, (4, 2, 3)) for n in sizes[:-1]), ds.t2m.chunks
        xr.testing.assert_identical(ds.load(), weather(20))


def test_other_processes_compute(folder):
    """They read, and what they compute is stored."""
    drx.save_dataset(weather(4)[["t2m"]], folder, chunks={"time": 2})
    with dask.config.set(scheduler="processes", num_workers=2), \
            xr.open_dataset(folder, engine="drx", chunks={}) as ds:
        np.testing.assert_allclose(ds.t2m.mean("time"), weather(4).t2m.mean("time"))
        more = ds[["t2m"]].assign_coords(time=ds.time + np.timedelta64(4, "D"))
        assert drx.append_dataset(more, folder, "time") == 8
    with xr.open_dataset(folder, engine="drx") as ds:
        np.testing.assert_array_equal(ds.t2m, np.concatenate([weather(4).t2m] * 2))


def test_encoding_round_trip(folder):
    """What was read is stored again as it was, also after other libraries have had it."""
    drx.save_dataset(packed("2020-01-01", [1.5, np.nan, 3.5]), folder, chunks={"time": 2})
    with xr.open_dataset(folder, engine="drx") as ds:
        drx.save_dataset(ds, folder + "-2")
        if any(name in xr.backends.list_engines() for name in ("netcdf4", "h5netcdf")):
            ds.to_netcdf(folder + ".nc")
            with xr.open_dataset(folder + ".nc") as other:
                drx.save_dataset(other, folder + "-3")
    for again in (folder + "-2", folder + "-3"):
        if os.path.exists(again):
            with drx.open(folder + "/p") as a, drx.open(again + "/p") as b:
                assert (a.dtype, a.fill_value, dict(a.attrs)) == (b.dtype, b.fill_value, dict(b.attrs))
                np.testing.assert_array_equal(a, b)
            with drx.open(folder + "/time") as a, drx.open(again + "/time") as b:
                assert a.attrs["units"] == b.attrs["units"] and np.array_equal(a, b)
    with drx.open(folder + "-2/p") as a:
        assert a.chunks == (2,)


def test_a_closed_dataset_keeps_no_file_open(folder):
    drx.save_dataset(weather(), folder)

    def open_files():
        paths = []
        for one in os.listdir("/proc/self/fd"):
            try:
                paths.append(os.readlink(f"/proc/self/fd/{one}"))
            except FileNotFoundError:
                pass
        return [path for path in paths if path.startswith(folder)]

    ds = xr.open_dataset(folder, engine="drx")
    assert open_files()
    ds.close()
    assert not open_files()
    ds = xr.open_dataset(folder, engine="drx", chunks={})
    del ds
    gc.collect()
    assert not open_files()
    drx.append_dataset(weather(2, "2020-01-06"), folder, "time")
    assert not open_files()


def test_what_is_neither_dataset_nor_array(tmp_path):
    with pytest.raises(TypeError, match="takes a Dataset or a DataArray of xarray, not dict"):
        drx.save_dataset({"u": [1.0]}, tmp_path / "d")
    with pytest.raises(TypeError, match="takes a Dataset or a DataArray of xarray, not list"):
        drx.append_dataset([1.0], tmp_path / "d", "x")
    assert not (tmp_path / "d").exists()
