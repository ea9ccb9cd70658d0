"""append_dataset along any axis, one after the other."""

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


def opened(folder):
    with xr.open_dataset(folder, engine="drx") as ds:
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
        assert [c.growth for c in ds.commits[2:]] == [{"lon": (3, 6)}, {"t": (3, 5)}, {"lat": (4, 7)}]
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
