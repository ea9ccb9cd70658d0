"""xarray's engine, and datasets that grow."""

import os

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
    (lambda ds: ds.drop_vars("count"), "count are missing"),
    (lambda ds: ds.assign(more=("time", np.zeros(4))), "more are not stored"),
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


def test_append_goes_on_after_a_kill(folder):
    """Some variables have grown, others not."""
    drx.save_dataset(weather(3), folder)
    with drx.open(folder + "/t2m", "r+") as a:
        a.append(np.zeros((2, 4, 6), "float32"))
    with pytest.warns(UserWarning, match="t2m"), xr.open_dataset(folder, engine="drx") as ds:
        xr.testing.assert_identical(ds.load(), weather(3))
    drx.append_dataset(weather(4, "2020-01-04"), folder, dim="time")
    with xr.open_dataset(folder, engine="drx") as ds:
        np.testing.assert_array_equal(ds.t2m[3:], weather(4, "2020-01-04").t2m)


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
