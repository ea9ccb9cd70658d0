"""append_dataset compares coordinates and variables by what they mean."""

import os
import random
import subprocess

import by_hand  # noqa: F401
import numpy as np
import pytest

xr = pytest.importorskip("xarray")
pd = pytest.importorskip("pandas")
import drx  # noqa: E402
from drx import _cf  # noqa: E402


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



def test_unsigned_numbers(folder):
    """_Unsigned on either side, decoded or not; save_dataset keeps it, a region is written as it."""
    numbers = np.array([[0, 100, 200, 248]], "u1")

    def one(time, values, **attrs):
        return xr.Dataset({"u": (("time", "x"), values, attrs)},
                          {"time": ("time", [time], {"units": "days since 2001-01-01"})})

    true = {"_Unsigned": "true"}
    drx.save_dataset(one(0.5, numbers.view("i1"), scale_factor=0.5, _FillValue=np.int8(-1), **true), folder)
    drx.append_dataset(one(1.5, numbers.view("i1"), scale_factor=0.25, _FillValue=np.int8(-8), **true), folder, "time")
    drx.append_dataset(one(2.5, np.array([[0, 50, np.nan, 124.0]])), folder, "time")
    with xr.open_dataset(folder, engine="drx") as ds:
        assert ds.u.encoding["_Unsigned"] == "true"
        expected = [[0, 50, 100, 124], [0, 25, 50, np.nan], [0, 50, np.nan, 124]]
        np.testing.assert_array_equal(ds.u, expected)
        again = ds.load().assign_coords(time=ds.time + np.timedelta64(9, "D"))
    drx.append_dataset(again, folder, "time")
    drx.save_dataset(again, folder + "2")
    drx.save_dataset(again.isel(time=[0]).drop_vars("time"), folder, region={"time": slice(1, 2)})
    for path in (folder, folder + "2"):
        with xr.open_dataset(path, engine="drx") as ds:
            np.testing.assert_array_equal(ds.u[-3:], expected)
            assert ds.u.encoding["dtype"] == np.int8
            assert path != folder or ds.u[1].values.tolist() == expected[0]
    drx.save_dataset(one(0.5, numbers), folder, overwrite=True)
    drx.append_dataset(one(1.5, numbers.view("i1"), **true), folder, "time")
    assert stored(folder, "u") == [numbers[0].tolist()] * 2
    refused(folder, one(2.5, numbers.view("i1")), "'u' has type int8, stored is uint8")
    drx.save_dataset(one(0.5, numbers.view("i1"), **true), folder, overwrite=True)
    drx.append_dataset(one(1.5, numbers), folder, "time")
    assert stored(folder, "u") == [numbers[0].view("i1").tolist()] * 2
    refused(folder, one(2.5, numbers.view("i1")), "'u' has type int8, stored is uint8")


def test_numbers_of_the_other_byte_order(folder):
    drx.save_dataset(raw([0.5, 1.5], values=np.array([1, 2], "i2"), scale_factor=0.5), folder)
    drx.append_dataset(raw(np.array([2.5], ">f8"), values=np.array([6], ">i2"), scale_factor=0.25), folder, "time")
    assert (stored(folder), stored(folder, "u")) == ([0.5, 1.5, 2.5], [1, 2, 3])


# ---- the table of stored types, packings and fills ------------------------------------------------------------------

TYPES = [np.dtype(f"{kind}{n}") for kind in "iu" for n in (1, 2, 4, 8)] + [np.dtype("f4"), np.dtype("f8")]
PACKINGS = [{}, {"scale_factor": np.float32(0.01)}, {"scale_factor": 0.1, "add_offset": 273.15},
            {"add_offset": np.float32(-7)}, {"scale_factor": np.float64(-2)}]


def numbers(dtype):
    """Some that a type can store, the ends of its range among them; neighbours that a double tells apart."""
    if dtype.kind == "f":
        return np.array([0, 1.5, -999, 1e20, -1, 9.96921e36, 7, 8, 9, -2], dtype)
    step = 1 if dtype.itemsize < 8 else 1 << 20
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max + 2 - 2 * step
    return np.array([low, high, low + step, high - step, high // 2, high // 2 + step, 0, 1, 5, 100], dtype)


def row(rng):
    """A random row of the table: elements, and the attributes that say what they mean."""
    dtype = TYPES[rng.integers(len(TYPES))]
    sign = [{}, {"_Unsigned": {"i": "true", "u": "false", "f": "true"}[dtype.kind]}][rng.integers(2 if dtype.kind != "f" else 1)]
    mark = rng.permutation(numbers(dtype))[:2] if rng.integers(4) or dtype.kind != "f" else np.array([np.nan, 7], dtype)
    marks = [{}, {"_FillValue": mark[0]}, {"missing_value": mark[0]}, {"_FillValue": mark[0], "missing_value": mark[0]},
             {"_FillValue": mark[0], "missing_value": mark}][rng.integers(5)]
    return rng.permutation(numbers(dtype)), {**PACKINGS[rng.integers(len(PACKINGS))], **marks, **sign}


def decoded(values, attrs):
    """What xarray makes of it. It does not read missing_value as of the other sign, as netCDF4 does."""
    if "_Unsigned" in attrs and "missing_value" in attrs:
        other = {"i": "u", "u": "i"}[values.dtype.kind] + str(values.dtype.itemsize)
        attrs = {**attrs, "missing_value": np.asarray(attrs["missing_value"]).view(other)}
    return xr.conventions.decode_cf_variable("v", xr.Variable("x", values, attrs)).values.astype(float)


def equal(got, expected, attrs, slack=0.0):
    scale, offset = float(attrs.get("scale_factor", 1)), float(attrs.get("add_offset", 0))
    return np.allclose(got, expected, rtol=2e-6, atol=3e-5 * abs(offset) + slack * abs(scale), equal_nan=True)


def can_hold(value, like, attrs):
    """Whether elements of the type and attributes of `like` can mean a value; None: it depends on rounding."""
    marks = [m for m in np.unique(np.ravel([np.ravel(attrs[k])[0] for k in ("_FillValue", "missing_value") if k in attrs]))]
    if np.isnan(value):
        return like.dtype.kind == "f" or bool(marks)
    number = (value - float(attrs.get("add_offset", 0))) / float(attrs.get("scale_factor", 1))
    if like.dtype.kind == "f":
        return None
    read = np.dtype({"true": "u", "false": "i"}.get(attrs.get("_Unsigned"), like.dtype.kind) + str(like.dtype.itemsize))
    near, info = np.rint(number), np.iinfo(read)
    if abs(number - near) > 0.4 or abs(near) > 1e15:
        return None
    if not info.min <= near <= info.max or not np.isnan(decoded(np.array([int(near)], read).view(like.dtype), attrs)).any():
        return info.min <= near <= info.max and ("scale_factor" in attrs or "add_offset" in attrs or abs(number - near) < 1e-6)
    return False


@pytest.mark.filterwarnings("ignore:.*multiple fill values")
def test_a_table_of_packings_as_xarray_and_netcdf4_decode_it(tmp_path):
    """Random rows: as the binding and `drx read` decode them, and encoded like other rows."""
    seed = int(os.environ.get("DRX_SEED", 0)) or random.randrange(1 << 30)
    print(f"DRX_SEED={seed}")
    rng = np.random.default_rng(seed)
    plain = _cf.Meaning("v", "f8", {})
    rows = [row(rng) for _ in range(60)]
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(tmp_path / "t.nc", "w") as file:
        file.createDimension("x", 10)
        for n, (values, attrs) in enumerate(rows):
            one = file.createVariable(f"v{n}", values.dtype, "x", fill_value=attrs.get("_FillValue"))
            one.set_auto_maskandscale(False)
            one.setncatts({key: value for key, value in attrs.items() if key != "_FillValue"})
            one[:] = values
    subprocess.run([os.environ["DRX"], "import", "t.nc", "ds", "--dataset"], cwd=tmp_path, check=True)
    with netcdf4.Dataset(tmp_path / "t.nc") as file, drx.open_dataset(tmp_path / "ds") as ds:
        for n, (values, attrs) in enumerate(rows):
            told = f"DRX_SEED={seed}", n, values, attrs
            expected = decoded(values, attrs)
            given = _cf.Meaning("v", values.dtype, attrs)
            assert equal(_cf.converted(values, given, plain), expected, attrs), told
            assert equal(_cf.converted(values, _cf.Meaning("v", values.dtype, ds[f"v{n}"].attrs), plain), expected, attrs)
            other = np.ma.filled(np.ma.asarray(file[f"v{n}"][:], float), np.nan)
            default = values == np.array(netcdf4.default_fillvals[values.dtype.str[1:]]).astype(values.dtype)
            if attrs.get("_Unsigned") != "false" and ("_FillValue" in attrs or not default.any()):
                assert equal(other, expected, attrs), (*told, other)
            if n < 8:
                text = subprocess.run([os.environ["DRX"], "read", f"ds/v{n}"], cwd=tmp_path, check=True, capture_output=True)
                read = [np.nan if item == b"_" else float(item) for item in text.stdout.split()]
                assert equal(read, expected, attrs, slack=2e-3), (*told, text.stdout)
    held = 0
    for (values, attrs), (like, how) in zip(rows, rows[1:]):
        given, stored = _cf.Meaning("v", values.dtype, attrs), _cf.Meaning("v", like.dtype, how)
        for element, value in zip(values, decoded(values, attrs)):
            told = f"DRX_SEED={seed}", element, value, attrs, like.dtype, how
            try:
                got = decoded(_cf.encode([element], given, stored), how)
                held += 1
            except ValueError as error:
                assert not can_hold(value, like, how), (*told, error)
                continue
            assert can_hold(value, like, how) is not False, (*told, got)
            if abs(value) > 1 << 53:  # a double does not tell its neighbours from it, which may be marks
                continue
            assert equal(got, [value], attrs, slack=1e-3) or equal(got, [value], how, slack=0.51), (*told, got)
    assert held > 100
