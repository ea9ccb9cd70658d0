"""append_dataset along any axis, one after the other."""

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest
import xarray as xr


def cube(t, lat, lon, named=True):
    """Values that tell their coordinates."""
    t, lat, lon = (np.asarray(one) for one in (t, lat, lon))
    ds = xr.Dataset(
        {"a": (("t", "lat", "lon"), t[:, None, None] * 1e4 + lat[:, None] * 100.0 + lon),
         "b": (("lon", "t"), (lon[:, None] * 1000 + t).astype("int32")), "word": ("lon", [f"lon {n:03}" for n in lon]),
         "w": ("t", t * 2.0)},
        coords={"t": t, "lat": lat * 1.0, "lon": lon * 1.0, "area": (("lat", "lon"), lat[:, None] - lon * 1.0)})
    return ds if named else ds.drop_vars(["t", "lat", "lon"])


def opened(folder, **options):
    with xr.open_dataset(folder, engine="drx", **options) as ds:
        return ds.load()


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("blocks", [None, {"t": 2, "lon": 2, "lat": 1}])
@pytest.mark.parametrize("step", [1, -1])
def test_one_axis_after_the_other(tmp_path, step, blocks, named):
    def part(t, lat, lon):
        ds = cube(t, lat, lon, named)
        return ds.chunk(blocks) if blocks else ds

    folder = tmp_path / "d"
    lats, lons, ts = np.arange(0, 70, 10)[::step], np.arange(100, 106)[::step], np.arange(1, 6)
    drx.save_dataset(part(ts[:3], lats[:4], lons[:3]), folder, chunks={"t": 2, "lat": 3, "lon": 4})
    assert drx.append_dataset(part(ts[:3], lats[:4], lons[3:]), folder, "lon") == 6
    assert drx.append_dataset(part(ts[3:], lats[:4], lons), folder, "t") == 5
    assert drx.append_dataset(part(ts, lats[4:], lons), folder, "lat") == 7
    xr.testing.assert_identical(opened(folder), cube(ts, lats, lons, named))
    with drx.open_dataset(folder) as ds:
        assert [c.bounds for c in ds.commits[2:]] == [{"lon": (range(3), range(6))}, {"t": (range(3), range(5))},
                                                      {"lat": (range(4), range(7))}]
    if not named:
        return
    for change, dim, text in (
            (lambda ds: ds.assign_coords(lat=ds.lat + 1), "lon", "'lat' does not have the axis 'lon', and differs"),
            (lambda ds: ds.assign_coords(t=ds.t + 1), "lon", "'t' does not have the axis 'lon', and differs"),
            (lambda ds: ds.isel(lat=slice(2)), "lon", "lat"),
            (lambda ds: ds.assign_coords(lon=ds.lon - 6 * step), "lon", "lon: new index 0 is .*stored already"),
            (lambda ds: ds.isel(lon=slice(None, None, -1)), "lon", "lon")):
        with pytest.raises(ValueError, match=text):
            drx.append_dataset(change(part(ts, lats, lons + 6 * step)), folder, dim)
    xr.testing.assert_identical(opened(folder), cube(ts, lats, lons))


@pytest.mark.parametrize("blocks", [False, True])
def test_before(tmp_path, blocks):
    """What leads up to the first coordinate goes before it, along any axis, in rising and in falling ones."""
    def part(ts, lats, lons):
        ds = cube(ts, lats, lons, True)
        return ds.chunk({"t": 2, "lon": 2, "lat": 1}) if blocks else ds

    ts, lats, lons = np.arange(1, 7), np.arange(60, -1, -10), np.arange(100, 106)
    drx.save_dataset(part(ts[2:4], lats[3:5], lons[2:3]), tmp_path / "d", chunks={"t": 2, "lat": 3, "lon": 4})
    assert drx.append_dataset(part(ts[:2], lats[3:5], lons[2:3]), tmp_path / "d", "t") == 4
    assert drx.append_dataset(part(ts[:4], lats[:3], lons[2:3]), tmp_path / "d", "lat") == 5
    assert drx.append_dataset(part(ts[:4], lats[:5], lons[3:]), tmp_path / "d", "lon") == 4
    assert drx.append_dataset(part(ts[:4], lats[:5], lons[:2]), tmp_path / "d", "lon") == 6
    assert drx.append_dataset(part(ts[4:], lats[:5], lons), tmp_path / "d", "t") == 6
    assert drx.append_dataset(part(ts, lats[5:], lons), tmp_path / "d", "lat") == 7
    xr.testing.assert_identical(opened(tmp_path / "d"), cube(ts, lats, lons, True))
    with drx.open_dataset(tmp_path / "d") as ds:
        assert ds.lower == {"t": -2, "lat": -3, "lon": -2, "word_bytes": 0}
        assert ds.commits[2].bounds == {"t": (range(2), range(-2, 2))}
    xr.testing.assert_identical(opened(tmp_path / "d", at=1), cube(ts[2:4], lats[3:5], lons[2:3], True))


def test_overlaps_before(tmp_path):
    ts, lats, lons = np.arange(1, 7), np.arange(3), np.arange(2)
    for overlap in ("skip", "replace"):
        folder = tmp_path / overlap
        drx.save_dataset(cube(ts[3:], lats, lons, True), folder)
        new = cube(ts[:5], lats, lons)
        new["a"] += 1000
        with pytest.raises(ValueError, match="stored already at index 0"):
            drx.append_dataset(new, folder, "t")
        assert drx.append_dataset(new, folder, "t", overlap=overlap) == 6
        more = np.where(ts < (6 if overlap == "replace" else 4), 1000, 0)
        np.testing.assert_array_equal(opened(folder)["a"], cube(ts, lats, lons)["a"] + more[:, None, None])
