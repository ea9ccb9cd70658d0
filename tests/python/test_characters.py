"""Characters of netCDF: the engine shows them as xarray shows those of the file, and appends take them back."""

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest
import xarray as xr

netCDF4 = pytest.importorskip("netCDF4")


def make(path, fill, rows=2):
    """A file with characters over axes of data, and texts."""
    with netCDF4.Dataset(path, "w") as nc:
        for dim, n in {"p": rows, "l": 3, "s": 4, "none": 0, "own": 2}.items():
            nc.createDimension(dim, n)

        def put(name, dims, values, **attrs):
            one = nc.createVariable(name, "S1", dims, fill_value=attrs.pop("_FillValue", fill))
            one.setncatts(attrs)
            one.set_auto_chartostring(False)
            one[...] = np.array(values, "S1") if dims else values

        nc.createVariable("t", "f4", ("p", "l"))[:] = np.resize(np.arange(6), (rows, 3))
        nc["t"].coordinates = "name flag"
        put("flag", ("p", "l"), [list("1 1"), ["1", "", "4"]] * (rows // 2))
        put("name", ("p", "s"), [["a", "b", "", ""], [" "] * 4] * (rows // 2))
        put("word", ("s",), ["x", "", " ", "y"])
        put("utf", ("p", "s"), [["a", "b", "", ""], ["c", "d", "e", "f"]] * (rows // 2), _Encoding="utf-8")
        put("utf_flag", ("p", "l"), [["a", "b", "c"]] * rows, _Encoding="utf-8", missing_value=" ", _FillValue=None)
        put("empty", ("p", "none"), np.zeros((rows, 0)))
        put("alone", (), b"1")
        put("own", ("own",), ["q", "r"])
    return path


def imported(path, folder):
    """A dataset with what `drx import` makes of the file."""
    with netCDF4.Dataset(path) as nc, drx.create_dataset(folder) as ds, ds.transaction("import"):
        for name, one in nc.variables.items():
            one.set_auto_maskandscale(False)
            one.set_auto_chartostring(False)
            values, attrs = np.asarray(one[...]), {key: one.getncattr(key) for key in one.ncattrs()}
            if values.dtype == "S1":
                values, attrs["drx.char"] = values.view("u1"), "characters"
                if "_FillValue" in attrs:
                    attrs["_FillValue"] = np.uint8(ord(attrs["_FillValue"] or "\0"))
            ds.add(name, one.dimensions, values.shape, values.dtype, attrs=attrs)[...] = values
    return folder


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:elementwise comparison")
@pytest.mark.parametrize("fill", [None, b" ", b"\0", b"1"])
def test_as_in_the_file(tmp_path, fill):
    path = make(tmp_path / "a.nc", fill)
    folder = imported(path, tmp_path / "ds")
    for options in ({}, {"concat_characters": False}, {"mask_and_scale": False}, {"chunks": {}},
                    {"drop_variables": ["t"]}):
        with xr.open_dataset(path, engine="netcdf4", **options) as there, \
                xr.open_dataset(folder, engine="drx", **options) as here:
            for name in there.variables:
                assert here[name].dtype == there[name].dtype, name
                assert here[name].encoding.get("char_dim_name") == there[name].encoding.get("char_dim_name")
                assert options or here[name]._in_memory == there[name]._in_memory, name
            xr.testing.assert_identical(here.load(), there.load())
    with xr.open_dataset(path, engine="netcdf4") as there:  # the other variables of the file decide for one, too
        for name in there.data_vars:
            with xr.open_dataset(folder / name, engine="drx") as here:
                xr.testing.assert_identical(here[name].variable.load(), there[name].variable.load())
                assert name != "t" or "name" in here.coords and "flag" in here.coords


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:elementwise comparison")
@pytest.mark.parametrize("fill", [None, b" "])
def test_appended_and_saved(tmp_path, fill):
    """They are appended as characters, also where missing ones are NaN; what is saved reads as it was."""
    folder = imported(make(tmp_path / "a.nc", fill), tmp_path / "ds")
    whole = imported(make(tmp_path / "b.nc", fill, rows=4), tmp_path / "whole")
    with xr.open_dataset(tmp_path / "a.nc", engine="netcdf4") as more, xr.open_dataset(whole, engine="drx") as both:
        assert drx.append_dataset(more, folder, "p") == 4
        with xr.open_dataset(folder, engine="drx") as here:
            xr.testing.assert_identical(here.load(), both.load())
        sevens = xr.Dataset({"flag": (("p", "l"), [[b"7"], [b"7"]])})
        drx.save_dataset(sevens, folder, region={"p": slice(1, 3), "l": slice(2, 3)})
        with drx.open(folder / "flag") as a:
            assert a.dtype == np.uint8 and a[:, 2].tolist() == [ord("1"), ord("7"), ord("7"), ord("4")]
        with pytest.raises(ValueError, match="variable 'flag': element .0, 0., b'ab', is longer than dtype .S1"):
            drx.append_dataset(more.assign(flag=(("p", "l"), np.full((2, 3), b"ab"))), folder, "p")
        drx.save_dataset(more, tmp_path / "saved")
        with xr.open_dataset(tmp_path / "saved", engine="drx") as here:
            xr.testing.assert_identical(here.load(), more.load())
        with xr.open_dataset(whole, engine="drx") as here:
            drx.save_dataset(here, tmp_path / "again")
            there = here.drop_vars(["utf"] if fill else [])  # which xarray does not write
            there.to_netcdf(tmp_path / "c.nc", engine="netcdf4")
        with xr.open_dataset(tmp_path / "again", engine="drx") as again:
            xr.testing.assert_identical(again.load(), both.load())
        with xr.open_dataset(tmp_path / "c.nc", engine="netcdf4") as again:
            xr.testing.assert_identical(again.load(), both.drop_vars(["utf"] if fill else []))


@pytest.mark.parametrize("options", [{}, {"concat_characters": False}, {"decode_cf": False}])
def test_strings_stay_strings(tmp_path, options):
    drx.save_dataset(xr.Dataset({"s": ("x", ["ab", "c"])}), tmp_path / "ds")
    with xr.open_dataset(tmp_path / "ds", engine="drx", **options) as here:
        assert here.s.dims == ("x",) and here.s.values.tolist() == ["ab", "c"]
