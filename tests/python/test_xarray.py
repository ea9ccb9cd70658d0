"""xarray's engine, and datasets that grow."""

import os
import pickle
import shutil

import drx
import numpy as np
import pandas as pd
import pytest
import xarray as xr


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


def test_round_trip(folder):
    ds = weather()
    drx.save_dataset(ds, folder)
    with xr.open_dataset(folder, engine="drx") as back:
        xr.testing.assert_identical(back.load(), ds)
        for name in ds.variables:
            assert back[name].dtype == ds[name].dtype or ds[name].dtype.kind == "U", name
    assert sorted(os.listdir(folder))[:2] == ["_dataset.xmd", "_dataset.xta"]


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


def test_a_variable_that_grew_by_itself(folder):
    """Readers have what all variables have; nobody knows how to go on."""
    drx.save_dataset(weather(3), folder)
    with drx.open(folder + "/t2m", "r+") as a:
        a.append(np.zeros((2, 4, 6), "float32"))
    with pytest.warns(UserWarning, match="t2m"), xr.open_dataset(folder, engine="drx") as ds:
        xr.testing.assert_identical(ds.load(), weather(3))
    with pytest.raises(ValueError, match="age 3, count 3, t2m 5, time 3"):
        drx.append_dataset(weather(4, "2020-01-04"), folder, dim="time")


def test_saving_refuses(folder):
    with pytest.raises(TypeError, match="'odd' holds objects"):
        drx.save_dataset(weather().assign(odd=("lat", np.array([{}, 1, 2, 3], object))), folder)
    assert not os.path.exists(folder)
    drx.save_dataset(weather(), folder)
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
    (xr.Dataset({"_dataset": ("x", [1.0])}), ValueError, "_dataset"), (xr.Dataset({"a/b": 1.0}), ValueError, "a/b"),
    (xr.Dataset({"a": ("x", ["b"]), "b": ("a_bytes", [1, 2])}), ValueError, "axis of bytes"),
    (xr.Dataset({"b": 1.0, "a": ("x", np.ones(2, "f2"))}), TypeError, "'a'.*float16"),
    (xr.Dataset({"a": ("x", np.array(["x", np.nan], object))}), TypeError, "'a' holds objects"),
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
        raw = ds.load().assign_coords(time=ds.time + 96)
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
    with pytest.raises(ValueError, match="'time' has type float64, stored is int64"):
        drx.append_dataset(packed("2020-01-09T00:30", [1.0]), folder, "time")


@pytest.mark.parametrize("stored, given, text", [
    (np.array([1, 2], "i2"), xr.Variable("x", [1.0], encoding=dict(dtype="int16", scale_factor=0.5)), "type float64"),
    (np.array([1, 2]), np.array(["2020-01-01"], "M8[ns]"), "units"), (np.array(["a"]), np.array([b"a"]), "_Encoding"),
    (np.array([1, 2], "u1"), np.array(["a"]), "axes"),
    (np.array(["ab"]), np.array(["abc"]), "3 bytes, stored are at most 2")])
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


@pytest.mark.filterwarnings("ignore:.*has grown")
def test_what_is_killed_within_an_append_does_not_show(folder, monkeypatch):
    """Stopped before each of its steps: what others see is the old dataset, until it is the new one."""
    old = xr.Dataset({"a": ("t", [1.0, 2.0]), "b": (("t", "x"), np.ones((2, 3)))})
    new = xr.Dataset({"a": ("t", [3.0]), "b": (("t", "x"), np.full((1, 3), 2.0))})
    for ds in (new, new.chunk()):
        shutil.rmtree(folder, ignore_errors=True)
        drx.save_dataset(old, folder)
        for step in ("extend", "__setitem__", "append", "sync"):
            def killed(*_, **__):
                raise KeyboardInterrupt
            with monkeypatch.context() as patch:
                patch.setattr(drx.Array, step, killed, raising=False)
                with pytest.raises(KeyboardInterrupt):
                    drx.append_dataset(ds, folder, "t")
            with xr.open_dataset(folder, engine="drx") as seen:
                xr.testing.assert_identical(seen.load(), old)
        assert drx.append_dataset(ds, folder, "t") == 3
        with xr.open_dataset(folder, engine="drx") as seen:
            xr.testing.assert_identical(seen.load(), xr.concat([old, new], "t"))


def test_pickle_of_what_is_lazy(folder):
    drx.save_dataset(weather(), folder)
    for chunks in (None, {}):
        with xr.open_dataset(folder, engine="drx", chunks=chunks) as ds, pickle.loads(pickle.dumps(ds)) as again:
            assert not again.t2m._in_memory
            xr.testing.assert_identical(again.load(), weather())


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
