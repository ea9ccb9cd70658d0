"""save_dataset(..., region=): values over stored ones, where slices or coordinates say."""

import multiprocessing
import os
import threading

import by_hand  # noqa: F401
import dask
import dask.array as da
import drx
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from drx import region


def dataset(days=10, first="2000-01-01"):
    time = pd.date_range(first, periods=days)
    values = np.arange(days * 12.0).reshape(days, 4, 3)
    return xr.Dataset(
        {"t": (("time", "lat", "lon"), values, {"units": "K"}), "rain": ("time", np.arange(days, dtype="int16")),
         "area": (("lat", "lon"), np.ones((4, 3))), "word": ("time", [f"day {i}" for i in range(days)])},
        coords={"time": time, "lat": [60.0, 50, 40, 30], "lon": [0.0, 120, 240], "name": ("lon", ["a", "bc", "d"]),
                "height": 2.0})


@pytest.fixture
def folder(tmp_path):
    drx.save_dataset(dataset(), tmp_path / "d", chunks={"time": 4, "lat": 3, "lon": 2})
    return str(tmp_path / "d")


def opened(folder):
    with xr.open_dataset(folder, engine="drx") as ds:
        return ds.load()


def changed(part, expected, folder, **options):
    """The region is written, and nothing else, without a commit."""
    assert drx.save_dataset(part, folder, **options) is None
    xr.testing.assert_identical(opened(folder), expected)
    with drx.open_dataset(folder) as ds:
        assert ds.commit_number == 1


@pytest.mark.parametrize("chunks", [None, {"time": 3, "lat": 2}])
@pytest.mark.parametrize("region", [{"time": slice(3, 8)}, {"time": slice(-7, -2)}, {"time": "auto"}, "auto",
                                    {"time": slice(3, 8), "lat": "auto"}])
def test_slices_and_coordinates(folder, chunks, region):
    expected = dataset()
    expected.t[3:8] *= -1
    expected.rain[3:8] += 100
    part = expected.isel(time=slice(3, 8))[["t", "rain"]].drop_vars(["height", "name"])
    if region == "auto" or "lat" in region:
        part = part.assign_coords(lat=part.lat.astype("f4"))  # equal but for rounding
    else:
        part = part.drop_vars(["lat", "lon"])
    if isinstance(region, dict) and "lat" in region:
        part = part.drop_vars("lon")
    changed(part.chunk(chunks) if chunks else part, expected, folder, region=region)


def test_a_part_along_every_axis(folder):
    expected = dataset()
    expected.t[2:4, 1:3, 2:] = 7
    expected.area[1:3, 2:] = 8
    part = expected[["t", "area"]].drop_vars(["height", "name"])
    part = part.isel(time=slice(2, 4), lat=slice(1, 3), lon=slice(2, 3))
    changed(part, expected, folder, region="auto")
    changed(part.drop_vars(["time", "lat", "lon"]), expected, folder,
            region={"time": slice(2, 4), "lat": slice(1, 3), "lon": slice(2, None)})


def test_text_and_nothing(folder):
    expected = dataset()
    expected["word"] = expected.word.copy(data=["x", *expected.word.values[1:]])
    changed(expected[["word"]].isel(time=slice(0, 1)).drop_vars("height"), expected, folder, region="auto")
    changed(expected[["word"]].isel(time=slice(0, 0)).drop_vars("height"), expected, folder, region="auto")


def test_coordinates_of_text_and_without_order(tmp_path):
    ds = xr.Dataset({"a": (("station", "number"), np.zeros((3, 3)))},
                    coords={"station": ["Ulm", "\u00d6rebro", "Rom"], "number": [7, 3, 5]})
    drx.save_dataset(ds, tmp_path / "d")
    part = ds.isel(station=[1, 2], number=[1, 2]) + 1
    drx.save_dataset(part, tmp_path / "d", region="auto")
    np.testing.assert_array_equal(opened(tmp_path / "d").a, [[0, 0, 0], [0, 1, 1], [0, 1, 1]])
    with pytest.raises(ValueError, match="station: 'Oslo' is not stored"):
        drx.save_dataset(part.assign_coords(station=["Rom", "Oslo"]), tmp_path / "d", region="auto")


def test_what_numbers_mean(tmp_path):
    """Another reference date, another unit, and packed numbers."""
    ds = dataset()[["t"]].drop_vars(["height", "name"])
    ds.t.encoding = {"dtype": "int16", "scale_factor": 0.5, "add_offset": 100.0, "_FillValue": -1}
    ds.time.encoding = {"units": "hours since 1999-12-31"}
    drx.save_dataset(ds, tmp_path / "d")
    part = ds.isel(time=slice(5, 7)).copy(deep=True)
    part["t"] = xr.full_like(part.t, 0.25).assign_attrs(units="degC")
    part.t[0, 0, 0] = np.nan
    with pytest.raises(ValueError, match="time.* is 2000-01-06T00:30"):
        drx.save_dataset(part.assign_coords(time=part.time + np.timedelta64(30, "m")), tmp_path / "d", region="auto")
    drx.save_dataset(part, tmp_path / "d", region="auto")
    back = opened(tmp_path / "d")
    assert np.isnan(back.t[5, 0, 0]) and (back.t[6] == 273.5).all() and back.t[4, 0, 0] == 48
    with drx.open(tmp_path / "d" / "t") as raw:
        assert raw[5, 0, 0] == -1 and raw[6, 0, 0] == 347 and raw.dtype == np.int16
    part["t"] = xr.full_like(part.t, 1e6)
    for one in (part, part.chunk({"time": 1})):
        with pytest.raises(ValueError, match="index 0 is 1000273.15, which int16 cannot hold"):
            drx.save_dataset(one, tmp_path / "d", region="auto")
    xr.testing.assert_identical(opened(tmp_path / "d"), back)


@pytest.mark.parametrize("change, region, error, text", [
    (lambda ds: ds, {"time": slice(3, 8)}, ValueError, r"lat, lon: no dimension of the region \['time'\]; .*drop_vars"),
    (lambda ds: ds.assign_coords(height=2.0), "auto", ValueError, "height: no dimension of the region"),
    (lambda ds: ds.assign(more=ds.rain), "auto", ValueError, r"more: not stored; .*drop_vars\(\['more'\]\)"),
    (lambda ds: ds[["rain"]], {"time": slice(3, 9)}, ValueError, "'time' is 3:9, the dataset has 5 indices"),
    (lambda ds: ds[["rain"]], {"time": slice(8, 13)}, ValueError, "8:13, stored are 10 indices; append_dataset"),
    (lambda ds: ds[["rain"]], {"time": slice(3, 8, 2)}, ValueError, "step 2, expected 1"),
    (lambda ds: ds[["rain"]], {"time": 3}, TypeError, "3 for 'time', expected a slice or 'auto'"),
    (lambda ds: ds[["rain"]], {"day": slice(3, 8)}, ValueError, "no axis 'day', only time"),
    (lambda ds: ds[["rain"]], "all", TypeError, "'all', expected a mapping"),
    (lambda ds: ds[["rain"]], {"time": slice(2, 7)}, ValueError, "index 0 is 2000-01-04, but 2000-01-03 is stored"),
    (lambda ds: ds[["rain"]].assign_coords(time=pd.date_range("2000-01-08", periods=5)), "auto", ValueError,
     "index 3 is 2000-01-11, but 2000-01-10 is stored"),
    (lambda ds: ds.isel(time=[0, 1, 3]), "auto", ValueError, "time: indices 1 and 2 are stored at 4 and 6"),
    (lambda ds: ds.isel(time=[1, 0]), "auto", ValueError, "time: indices 0 and 1 are stored at 4 and 3"),
    (lambda ds: ds.drop_vars("time"), "auto", ValueError, "5 of 10 indices along 'time', and no coordinates"),
    (lambda ds: ds[["t"]].drop_vars(["lat", "lon"]).isel(lon=slice(2)), {"time": slice(3, 8)}, ValueError,
     "'t' has 2 along 'lon', stored are 3"),
    (lambda ds: ds.transpose("lat", "time", "lon"), "auto", ValueError, "axes"),
    (lambda ds: ds.assign(rain=ds.rain.astype("f8")), "auto", ValueError, "'rain' has type float64, stored is int16"),
    (lambda ds: ds.assign(t=ds.t.assign_attrs(units="m")), "auto", ValueError, "'m' cannot be converted to 'K'")])
def test_what_does_not_fit(folder, change, region, error, text):
    part = (dataset()[["t", "rain"]].isel(time=slice(3, 8)) + 1).drop_vars(["height", "name"])
    part.t.attrs["units"] = "K"
    with pytest.raises(error, match=text):
        drx.save_dataset(change(part), folder, region=region)
    xr.testing.assert_identical(opened(folder), dataset())


def test_other_arguments(folder, tmp_path):
    part = dataset()[["rain"]].drop_vars("height")
    for options in ({"overwrite": True}, {"chunks": {"time": 2}}, {"message": "no"}):
        with pytest.raises(ValueError, match="do not go with it"):
            drx.save_dataset(part, folder, region="auto", **options)
    with pytest.raises(FileNotFoundError):
        drx.save_dataset(part, tmp_path / "none", region="auto")


def test_blocks_of_dask(tmp_path):
    """Written by several threads, while few are in memory; blocks share chunks."""
    drx.save_dataset(xr.Dataset({"a": (("y", "x"), np.zeros((203, 300)))}), tmp_path / "d", chunks={"y": 16, "x": 16})
    alive, most, lock = 0, 0, threading.Lock()

    class Block(np.ndarray):
        def __del__(self):
            nonlocal alive
            with lock:
                alive -= 1

    def made(block_info=None):
        nonlocal alive, most
        with lock:
            alive += 1
            most = max(most, alive)
        (y, _), (x, _) = block_info[None]["array-location"]
        return (np.arange(y, y + 10.0)[:, None] * 1000 + np.arange(x, x + 10)).view(Block)

    values = da.map_blocks(made, chunks=((10,) * 20, (10,) * 29), dtype=float, meta=np.empty((0, 0)))
    with dask.config.set(scheduler="threads", num_workers=4):
        drx.save_dataset(xr.Dataset({"a": (("y", "x"), values)}), tmp_path / "d", region={"y": slice(3, 203),
                                                                                        "x": slice(5, 295)})
    expected = np.zeros((203, 300))
    expected[3:, 5:295] = np.arange(200)[:, None] * 1000 + np.arange(290)
    np.testing.assert_array_equal(opened(tmp_path / "d").a, expected)
    assert most < 290


def write_days(folder, lo, hi):
    part = dataset()[["t", "rain"]].isel(time=slice(lo, hi)).drop_vars(["height", "name"])
    part = part.assign(t=part.t + 1000, rain=part.rain + np.int16(50))
    part.t.attrs["units"] = "K"
    for _ in range(8):
        drx.save_dataset(part.chunk({"time": 1}), folder, region="auto")


def test_processes_together(folder):
    """Each writes days of its own; chunks hold days of two."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_days, args=(folder, lo, hi)) for lo, hi in ((0, 3), (3, 6), (6, 10))]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert [one.exitcode for one in workers] == [0] * 3
    np.testing.assert_array_equal(opened(folder).t, dataset().t + 1000)
    np.testing.assert_array_equal(opened(folder).rain, dataset().rain + 50)


def test_beside_writers_of_the_dataset(folder):
    part = dataset()[["rain"]].drop_vars("height") * 2
    with drx.open_dataset(folder, "r+") as ds:
        with pytest.raises(drx.BusyError):
            drx.save_dataset(part, folder, region="auto")
        assert ds["rain"].shape[0] == 10
    with drx.open(os.path.join(folder, "rain"), "s"), pytest.raises(drx.BusyError):
        drx.append_dataset(dataset(2, "2000-01-11"), folder, "time")
    assert drx.append_dataset(dataset(2, "2000-01-11"), folder, "time") == 12


@pytest.mark.parametrize("chunks", [None, {}, {"time": 8}])
def test_from_the_dataset_itself(folder, chunks):
    with xr.open_dataset(folder, engine="drx", chunks=chunks) as old:
        drx.save_dataset((old[["t"]] * 2).isel(time=slice(1, 6)).drop_vars(["height", "name"]), folder, region="auto")
    expected = dataset().t
    expected[1:6] *= 2
    np.testing.assert_array_equal(opened(folder).t, expected)


def test_growth_at_the_low_end_meanwhile(folder, monkeypatch):
    def after_growth(path, mode):
        if dataset_of(folder).sizes["time"] == 10:
            drx.append_dataset(dataset(5, "1999-12-27").drop_vars(["lat", "lon", "name", "height"]), folder, "time")
        return drx.open(path, mode)

    def dataset_of(folder):
        with xr.open_dataset(folder, engine="drx") as ds:
            return ds

    monkeypatch.setattr(region, "open_array", after_growth)
    part = dataset().isel(time=slice(3, 8))[["t", "time"]].drop_vars(["height", "name", "lat", "lon"])
    with pytest.raises(drx.BusyError, match="try again"):
        drx.save_dataset(part * 2, folder, region="auto")
    np.testing.assert_array_equal(opened(folder).t[5:], dataset().t)
