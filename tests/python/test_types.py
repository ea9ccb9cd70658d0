"""float16 and bool everywhere in the package; reads and writes with another dtype."""

import pathlib
import subprocess

import by_hand  # noqa: F401
import drx
import drx.dap
import numpy as np
import pytest

PROGRAM = pathlib.Path(drx.__file__).resolve().parents[2] / "bin" / "drx"
HALVES = np.array([[0.1, -2, 65504], [6e-8, np.inf, np.nan]], "f2")
TRUTH = np.array([[True, False, True], [False, False, True]])


def same(got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("values", [HALVES, TRUTH], ids=["float16", "bool"])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_elements(path, values, compression):
    dtype = values.dtype
    with drx.create(path, (0, 3), dtype, chunks=(2, 2), compression=compression, fill_value=values[0, 0]) as a:
        a.append(values)
        a.append(values.tolist())
        a.extend(1, 1)
        assert a.fill_value.dtype == dtype and a.fill_value == values[0, 0]
        same(a[:2, :3], values)
        same(a[2:, :3], values)
        same(a[:, 3], np.full(4, values[0, 0]))
        same(a.vindex[[0, 1], [2, 0]], values[[0, 1], [2, 0]])
        a[0, 0] = a[0, 1] = values[1, 1]
        assert a[0, 0] == values[1, 1] and a[0, 0].dtype == dtype
        same(a.read_async((slice(1, 2), slice(0, 3))).wait(), values[1:2])
        a.attrs["list"], a.attrs["one"] = values[0], values[0, 0]
        assert a.info["type"] == dtype.name
    with drx.open(path) as a:
        assert a.dtype == dtype
        same(a.attrs["list"], values[0])
        assert a.attrs["one"] == values[0, 0] and a.attrs["one"].dtype == dtype
        same(a[1, :3], values[1])
    assert not [finding for finding in drx.check(path) if finding.severity != "note"]


def test_fill_values(path):
    for wrong in (2, 0.5, np.nan, -1):
        with pytest.raises(ValueError, match="bool"):
            drx.create(path, (2,), "bool", fill_value=wrong)
    with drx.create(path, (2,), "bool", fill_value=1) as a:
        same(a[...], np.array([True, True]))


def test_attributes_of_a_dataset(tmp_path):
    with drx.create_dataset(tmp_path / "ds", attrs={"b": [True, False]}) as ds:
        with ds.transaction():
            ds.attrs["half"] = HALVES[0]
            u = ds.add("u", ("x",), (2,), "bool")
            u.attrs["b"] = np.bool_(True)
        with ds.transaction():
            del ds.attrs["b"]
            ds["u"].attrs["b"] = [False, True]
            ds["u"].attrs["n"] = 1
    with drx.open_dataset(tmp_path / "ds") as ds:
        same(ds.attrs["half"], HALVES[0])
        assert "b" not in ds.attrs
        same(ds["u"].attrs["b"], np.array([False, True]))
    with drx.open_dataset(tmp_path / "ds", at=1) as ds:
        same(ds["u"][...], np.array([False, False]))


def test_reading_as_another_dtype(path):
    values = np.arange(6000, dtype="f8").reshape(60, 100) / 4 - 100
    with drx.create(path, values.shape, chunks=(7, 9)) as a:
        a[...] = values
        for order in "CF":
            got = a.read(np.s_[3:50:3, ::-2], order=order, dtype="float32")
            same(got, values[3:50:3, ::-2].astype("f4"))
        same(a.read(dtype="f2"), values.astype("f2"))
        same(a.read(dtype=np.int8), np.clip(np.rint(values), -128, 127).astype("i1"))
        same(a.read(dtype=bool), values != 0)
        same(a.read(dtype="c8"), values.astype("c8"))
        out = np.zeros((60, 200), "f4")[:, ::2]
        assert a.read(out=out, dtype="f4") is out
        same(out, values.astype("f4"))
        with pytest.raises(TypeError, match="expected an array of float32"):
            a.read(out=np.zeros((60, 100)), dtype="f4")
        with pytest.raises(ValueError, match=r"element \(0, 1\) is -99.75, which int8 does not hold"):
            a.read(dtype="i1", exact=True)
        same(a.read(np.s_[4:, ::4], dtype="i2", exact=True), values[4:, ::4].astype("i2"))
        a[5, 5] = np.nan
        with pytest.raises(ValueError, match=r"element \(5, 5\) is nan, and no int16 is the nearest"):
            a.read(dtype="i2")
        with pytest.raises(TypeError, match="cannot be stored"):
            a.read(dtype="M8[s]")


def test_writing_exactly(path):
    with drx.create(path, (3, 4), "int16") as a:
        a.write(np.s_[1:], np.arange(4.0), exact=True)
        same(a[...], np.array([[0, 0, 0, 0], [0, 1, 2, 3], [0, 1, 2, 3]], "i2"))
        a.write(np.s_[0, ::2], [7, 8], exact=True)
        a.write(np.s_[0, 1], np.uint64(9), exact=True)
        same(a[0], np.array([7, 9, 8, 0], "i2"))
        before = a[...]
        for wrong, text in (([1, 2, 3.5, 4], r"element \(0, 2\) is 3.5"), ([1, 2, 3, 40000], r"element \(0, 3\) is 40000"),
                            ([1j, 0, 0, 0], "int16 has no imaginary part")):
            with pytest.raises(ValueError, match=text):
                a.write(..., wrong, exact=True)
            same(a[...], before)
        with pytest.raises(TypeError):
            a.write(..., None, exact=True)
        with pytest.raises(ValueError, match="broadcast"):
            a.write(..., [1, 2], exact=True)


def test_exports_of_the_protocol():
    for values in (HALVES, TRUTH):
        drx.dap.validate({"__version__": "0.10.0", "buffer": values, "dim_data": ({}, {})})


# ---- xarray ---------------------------------------------------------------------------------------------------------

def world(n=3, first=0):
    import xarray as xr

    x = np.arange(first, first + n)
    return xr.Dataset({"half": ("x", (x / 7).astype("f2"), {"valid_range": np.array([0, 9], "f2")}), "truth": ("x", x % 2 == 0),
                       "one": ((), True)}, coords={"x": x, "land": ("x", x > 1)})


def opened(folder):
    import xarray as xr

    with xr.open_dataset(folder, engine="drx") as ds:
        return ds.load()


@pytest.fixture
def xr():
    return pytest.importorskip("xarray")


def test_xarray(xr, tmp_path):
    folder = str(tmp_path / "ds")
    drx.save_dataset(world(), folder)
    with drx.open_dataset(folder) as ds:
        assert ds["half"].dtype == "f2" and ds["truth"].dtype == bool and ds["one"].dtype == bool
        assert "dtype" not in ds["truth"].attrs
    xr.testing.assert_identical(opened(folder), world())
    drx.append_dataset(world(2, 3).drop_vars("one").assign(one=True), folder, dim="x")
    xr.testing.assert_identical(opened(folder), world(5))
    drx.save_dataset(~world(2)[["truth"]].drop_vars("land"), folder, region={"x": slice(0, 2)})
    assert opened(folder).truth.values.tolist() == [False, True, True, False, True]
    again = str(tmp_path / "again")
    drx.save_dataset(opened(folder), again)
    xr.testing.assert_identical(opened(again), opened(folder))


def test_bools_of_earlier_versions(xr, tmp_path):
    """They are int8, with the attribute dtype, and stay so."""
    folder = str(tmp_path / "ds")
    with drx.create_dataset(folder) as ds, ds.transaction():
        ds.add("truth", ("x",), (3,), "int8", attrs={"dtype": "bool"})[...] = [1, 0, 1]
    assert opened(folder).truth.values.tolist() == [True, False, True]
    drx.append_dataset(xr.Dataset({"truth": ("x", [False, True])}), folder, dim="x")
    assert opened(folder).truth.values.tolist() == [True, False, True, False, True]
    with drx.open_dataset(folder) as ds:
        assert ds["truth"].dtype == "i1"


def test_what_does_not_fit(xr, tmp_path):
    folder = str(tmp_path / "ds")
    drx.save_dataset(world(), folder)
    more = world(1, 3).assign(truth=("x", np.array([1], "i1")))
    with pytest.raises(ValueError, match="'truth' has type int8, stored is bool"):
        drx.append_dataset(more, folder, dim="x")


def test_zarr(xr, tmp_path):
    pytest.importorskip("zarr")
    folder = str(tmp_path / "ds")
    drx.save_dataset(world(), folder)
    xr.testing.assert_identical(xr.open_zarr(drx.zarr_store(folder)).load(), opened(folder))
    drx.create(str(tmp_path / "a"), (3,), "bool", fill_value=True, dims=("x",)).close()
    assert xr.open_zarr(drx.zarr_store(str(tmp_path / "a"))).a.values.tolist() == [True] * 3  # not missing


def test_netcdf(xr, tmp_path):
    """The program exports a dataset, and says what netCDF lacks; xarray then reads bools."""
    if not PROGRAM.exists():
        pytest.skip("the program drx was not built")
    folder, file = str(tmp_path / "ds"), str(tmp_path / "out.nc")
    drx.save_dataset(world(), folder)
    assert "float16 half(x) ;" in subprocess.run([PROGRAM, "info", folder], check=True, capture_output=True, text=True).stdout
    told = subprocess.run([PROGRAM, "export", folder, file], check=True, capture_output=True, text=True).stderr
    assert "ds/half: has type float16, which netCDF lacks; the file has float32" in told
    assert 'ds/truth: has type bool, which netCDF lacks; the file has int8, with the attribute dtype = "bool"' in told
    with xr.open_dataset(file) as ds:
        assert ds.truth.dtype == bool and ds.half.dtype == "f4"
        np.testing.assert_array_equal(ds.truth, world().truth)
        np.testing.assert_array_equal(ds.half, world().half.astype("f4"))


def test_dask(tmp_path):
    da = pytest.importorskip("dask.array")
    for values in (HALVES, TRUTH):
        path = str(tmp_path / values.dtype.name)
        with drx.store(da.from_array(values, chunks=2), path) as a:
            same(a[...], values)
            same(da.from_array(a, chunks=(1, 2)).compute(), values)
