"""append_dataset compares coordinates and variables by what they mean."""

import numpy as np
import pytest

xr = pytest.importorskip("xarray")
pd = pytest.importorskip("pandas")
import drx  # noqa: E402


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "ds")


def raw(time, units="days since 2001-01-01", values=None, calendar=None, **attrs):
    """A dataset that is not decoded."""
    time_attrs = {"units": units, **({"calendar": calendar} if calendar else {})}
    values = np.arange(len(time), dtype=float) if values is None else values
    return xr.Dataset({"u": ("time", values, attrs)}, coords={"time": ("time", np.asarray(time), time_attrs)})


def stored(folder, name="time"):
    with drx.open(f"{folder}/{name}") as a:
        return a[...].tolist()


def refused(folder, ds, text, **options):
    before = stored(folder), stored(folder, "u")
    with pytest.raises(ValueError, match=text):
        drx.append_dataset(ds, folder, "time", **options)
    assert (stored(folder), stored(folder, "u")) == before


def test_another_reference_date_is_encoded_again(folder):
    drx.save_dataset(raw([0.5, 1.5]), folder)
    assert drx.append_dataset(raw([0.5, 1.5], "days since 2002-01-01"), folder, "time") == 4
    assert drx.append_dataset(raw(np.array([36], "i4"), "hours since 2002-01-02"), folder, "time") == 5
    assert stored(folder) == [0.5, 1.5, 365.5, 366.5, 367.5]
    times = xr.Dataset({"u": ("time", [7.0])}, coords={"time": pd.date_range("2002-01-04T12", periods=1)})
    assert drx.append_dataset(times, folder, "time") == 6
    assert stored(folder)[-1] == 368.5


@pytest.mark.parametrize("calendar", ["noleap", "360_day", "julian"])
def test_calendars_that_differ(folder, calendar):
    drx.save_dataset(raw([0.5, 1.5], calendar="standard"), folder)
    refused(folder, raw([2.5], calendar=calendar), f"the calendar is {calendar}, but that of the stored dates is standard")


def test_cftime_of_another_calendar(folder):
    pytest.importorskip("cftime")
    drx.save_dataset(raw([0.5, 1.5], calendar="standard"), folder)
    times = xr.Dataset({"u": ("time", [7.0])}, coords={"time": xr.cftime_range("2001-02-30", periods=1, calendar="360_day")})
    refused(folder, times, "the calendar is 360_day, but that of the stored dates is standard")


def test_overlaps(folder):
    drx.save_dataset(raw([0.5, 1.5, 2.5]), folder)
    more = raw([36, 60, 84], "hours since 2001-01-01", np.array([20.0, 21, 22]))
    refused(folder, more, "new index 0 is 2001-01-02T12:00, which is stored already at index 1")
    refused(folder, more, "overlap is 'no', expected one of refuse, skip, replace", overlap="no")
    assert drx.append_dataset(more, folder, "time", overlap="skip") == 4
    assert stored(folder) == [0.5, 1.5, 2.5, 3.5] and stored(folder, "u") == [0, 1, 2, 22]
    more = raw([1.5, 3.5, 4.5], values=np.array([30.0, 31, 32]))
    assert drx.append_dataset(more.chunk({"time": 1}) if pytest.importorskip("dask") else more, folder, "time",
                              overlap="replace") == 5
    assert stored(folder) == [0.5, 1.5, 2.5, 3.5, 4.5] and stored(folder, "u") == [0, 30, 2, 31, 32]
    assert drx.append_dataset(more, folder, "time", overlap="skip") == 5
    refused(folder, raw([1.75]), "none of them equals it", overlap="skip")
    refused(folder, raw([5.5, 5.5]), "which repeats it")
    refused(folder, raw([6.5, 5.5]), "must all rise or all fall")


def test_another_variable(folder):
    drx.save_dataset(raw([0.5], standard_name="eastward_wind", units_="x"), folder)
    refused(folder, raw([1.5], standard_name="northward_wind"), "standard_name is 'northward_wind', but 'eastward_wind'")
    assert drx.append_dataset(raw([1.5]), folder, "time") == 2


def test_units_are_converted(folder):
    ds = raw([0.5])
    ds.u.attrs["units"] = "K"
    drx.save_dataset(ds, folder)
    ds = raw([1.5], values=np.array([0.5]))
    ds.u.attrs["units"] = "degC"
    drx.append_dataset(ds, folder, "time")
    assert stored(folder, "u") == [0, 273.65]
    ds.u.attrs["units"] = "m"
    refused(folder, ds.assign_coords(time=ds.time + 1), "the units 'm' cannot be converted to 'K'")


def test_packed_numbers_do_not_wrap(folder):
    ds = raw([0.5])
    ds.u.encoding = dict(dtype="int16", scale_factor=0.5, _FillValue=-99)
    drx.save_dataset(ds, folder)
    refused(folder, raw([1.5], values=np.array([20000.0])), "u: index 0 is 20000, which int16 cannot hold")
    refused(folder, raw([1.5], values=np.array([-49.5])), "stored as the _FillValue")
    more = raw([1.5, 2.5, 3.5], values=np.array([16383.5, np.nan, -16384]))
    more.u.encoding = dict(dtype="int8", scale_factor=0.5)  # how it was stored elsewhere does not matter
    assert drx.append_dataset(more, folder, "time") == 4
    assert stored(folder, "u") == [0, 32767, -99, -32768]


def test_other_coordinates_beyond_rounding(folder):
    ds = raw([0.5]).assign_coords(lat=("lat", [0.1, 0.2]))
    drx.save_dataset(ds, folder)
    near = raw([1.5]).assign_coords(lat=("lat", np.array([0.1, 0.2], "f4")))
    assert drx.append_dataset(near, folder, "time") == 2
    refused(folder, raw([2.5]).assign_coords(lat=("lat", [0.1, 0.21])), "'lat' does not have the axis 'time', and differs")
