"""What people who know to_netcdf and to_zarr expect of save_dataset: modes, dask's delayed objects, encodings, arrays, an
accessor; and that other formats take what was opened, whatever its chunks."""

import os
import pickle
import subprocess
import sys
import threading
import warnings

import by_hand  # noqa: F401
import dask
import drx
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dask.base import tokenize
from dask.delayed import Delayed


def month(first="2020-01-01", days=30):
    values = np.random.default_rng(1).normal(280, 5, (days, 4, 6)).astype("f4")
    return xr.Dataset({"t2m": (("time", "lat", "lon"), values, {"units": "K"})}, coords={
        "time": pd.date_range(first, periods=days), "lat": np.linspace(-60, 60, 4), "lon": np.arange(6) * 60.0})


def opened(path, **options):
    with xr.open_dataset(path, engine="drx", **options) as ds:
        return ds.load()


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "d")


# ---- later -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("scheduler", ["threads", "processes"])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_later(folder, scheduler, compression, monkeypatch, tmp_path):
    """All but dask's values is stored at once, and these by any scheduler, in blocks that share no chunk; from any folder."""
    monkeypatch.chdir(tmp_path)
    lazy = month().chunk({"time": 7})
    later = drx.save_dataset(lazy, "d", encoding={"t2m": {"compression": compression, "chunks": (4, 3, 6)}}, compute=False)
    assert isinstance(later, Delayed) and np.isnan(opened(folder).t2m).all()
    xr.testing.assert_identical(opened(folder).drop_vars("t2m"), month().drop_vars("t2m"))
    monkeypatch.chdir("/")
    assert later.compute(scheduler=scheduler, num_workers=3) == "d"
    xr.testing.assert_identical(opened(folder), month())
    with drx.open_dataset(folder) as ds:
        assert len(ds.commits) == 2 and not drx.check(folder)
        assert ds["t2m"].compression == compression


@pytest.mark.parametrize("overlap", ["refuse", "replace"])
def test_an_append_later(folder, overlap):
    drx.save_dataset(month(), folder)
    more = month("2020-01-21" if overlap == "replace" else "2020-01-31") * 2
    later = drx.append_dataset(more.chunk({"time": 11}), folder, "time", overlap=overlap, compute=False)
    assert opened(folder).sizes["time"] == (50 if overlap == "replace" else 60)
    later.compute()
    np.testing.assert_array_equal(opened(folder).t2m[-30:], more.t2m)
    np.testing.assert_array_equal(opened(folder).t2m[:20], month().t2m[:20])


def test_a_region_later(folder):
    drx.save_dataset(month(), folder)
    part = (month() * 3).isel(time=slice(10, 20)).chunk({"time": 3})
    later = drx.save_dataset(part, folder, region="auto", compute=False)
    xr.testing.assert_identical(opened(folder), month())
    later.compute()
    np.testing.assert_array_equal(opened(folder).t2m[10:20], part.t2m)


def test_what_has_grown_before_it_is_stored_is_refused(folder):
    later = drx.save_dataset(month("2020-02-01").chunk(), folder, compute=False)
    drx.append_dataset(month("2020-01-02"), folder, "time")
    with pytest.raises(ValueError, match="has grown or was trimmed at a low end"):
        later.compute()


def test_regions_by_threads_in_one_commit(folder):
    """A dataset without values, and threads that write parts of it, as with to_zarr."""
    drx.save_dataset(month().chunk({"time": 3}), folder, compute=False)
    errors = []

    def write(first):
        try:
            drx.save_dataset(month().isel(time=slice(first, first + 3)), folder, region="auto")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(first,)) for first in range(0, 30, 3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not errors and len(drx.open_dataset(folder).commits) == 2
    xr.testing.assert_identical(opened(folder), month())


# ---- words of to_zarr ------------------------------------------------------------------------------------------------

def test_append_dim(folder):
    with pytest.raises(FileNotFoundError):
        drx.save_dataset(month(), folder, append_dim="time")
    drx.save_dataset(month(), folder)
    for first in "2020-01-31", "2020-03-01":
        assert drx.save_dataset(month(first), folder, append_dim="time", mode="a", message="more") is None
    assert opened(folder).sizes["time"] == 90 and drx.open_dataset(folder).commits[-1].message == "more"
    drx.save_dataset(month("2020-03-31").chunk(), folder, append_dim="time", compute=False).compute()
    xr.testing.assert_identical(opened(folder).isel(time=slice(90, None)), month("2020-03-31"))
    for options in {"mode": "w"}, {"encoding": {}}, {"chunks": {"time": 3}}, {"grows": "time"}, {"unpack": True}, {"region": "auto"}:
        with pytest.raises(ValueError, match="append_dim"):
            drx.save_dataset(month("2020-04-30"), folder, append_dim="time", **options)


def test_mode_rplus(folder):
    """It writes over what is stored, a region or all of it, and adds nothing."""
    drx.save_dataset(month(), folder)
    drx.save_dataset(month() * 2, folder, mode="r+")
    np.testing.assert_array_equal(opened(folder).t2m, month().t2m * 2)
    drx.save_dataset(month().isel(time=[3, 4]), folder, mode="r+", region="auto")
    np.testing.assert_array_equal(opened(folder).t2m[3:5], month().t2m[3:5])
    with pytest.raises(ValueError, match="new: not stored"):
        drx.save_dataset(month().assign(new=month().t2m), folder, mode="r+")
    assert len(drx.open_dataset(folder).commits) == 2


def test_encodings_as_netcdf_and_zarr_have_them(folder, tmp_path):
    numcodecs = pytest.importorskip("numcodecs")
    packed = {"dtype": "int16", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32768}
    for encoding, chunks, codec, checksum in (
            ({**packed, "zlib": True, "complevel": 4, "chunksizes": (10, 4, 6)}, (10, 4, 6), "zlib", False),
            ({"chunks": (5, 2, 3), "compressor": numcodecs.Blosc(cname="lz4", clevel=3), "filters": None}, (5, 2, 3), "lz4", False),
            ({"chunks": 2, "compressor": None, "write_empty_chunks": True}, (2, 2, 2), None, False),
            ({"fletcher32": True, "contiguous": False, "original_shape": (1,), "source": "x.nc"}, (30, 4, 6), None, True),
            ({"fletcher32": True, "zlib": True}, (30, 4, 6), "zlib", False)):
        drx.save_dataset(month(), folder, mode="w", encoding={"t2m": encoding})
        with drx.open_dataset(folder) as ds:
            assert (ds["t2m"].chunks, ds["t2m"].compression, ds["t2m"].checksum) == (chunks, codec, checksum)
        np.testing.assert_allclose(opened(folder).t2m, month().t2m, atol=0.006)
        with xr.open_dataset(folder, engine="drx") as ds:  # is stored again as it was
            drx.save_dataset(ds, tmp_path / "again", mode="w")
        with drx.open_dataset(tmp_path / "again") as ds:
            assert (ds["t2m"].chunks, ds["t2m"].compression, ds["t2m"].checksum) == (chunks, codec, checksum)
    for wrong, error in (({"filters": [numcodecs.Delta("f4")]}, ValueError), ({"contiguous": True}, ValueError),
                         ({"least_significant_digit": 2}, ValueError), ("zlib", ValueError), ({"chunks": (5, 2, 1.5)}, TypeError)):
        with pytest.raises(error, match="t2m|integers"):
            drx.save_dataset(month(), tmp_path / "wrong", encoding={"t2m": wrong})


def test_unlimited_dimensions_are_remembered(folder):
    ds = month()
    ds.encoding["unlimited_dims"] = {"time"}
    drx.save_dataset(ds, folder)
    drx.save_dataset(xr.Dataset({"z": ("lat", np.zeros(4))}), folder, grows="lat")
    with xr.open_dataset(folder, engine="drx") as ds:
        assert ds.encoding["unlimited_dims"] == {"time", "lat"} and not ds.attrs


@pytest.mark.parametrize("name", [None, "t2m", "lat", "time"])
def test_arrays(folder, name):
    """As to_netcdf stores them: also without a name, and with that of a coordinate or a dimension."""
    array = month().t2m.rename(name)
    drx.save_dataset(array.isel(time=slice(20)), folder)
    assert drx.append_dataset(array.isel(time=slice(20, None)), folder, "time") == 30
    with xr.open_dataarray(folder, engine="drx") as back:
        xr.testing.assert_identical(back.load(), array)


@pytest.mark.parametrize("first", ["drx", "xarray"])
def test_accessor(tmp_path, first):
    """Whichever is imported first; and drx alone imports no xarray, which takes a second."""
    other = {"drx": "xarray", "xarray": "drx"}[first]
    program = f"""if True:
        import sys, {first}
        assert {first!r} == "xarray" or not {{"xarray", "pandas", "dask"}} & set(sys.modules)
        import {other}, xarray as xr
        ds = xr.Dataset({{"a": ("x", [1, 2])}})
        assert ds.drx.save("d") is None and ds.drx.append("d", "x") == 4
        ds.a.drx.save("e", mode="w-", encoding={{"a": {{"dtype": "int16"}}}})
        assert xr.open_dataarray("e", engine="drx").values.tolist() == [1, 2]
    """
    subprocess.run([sys.executable, "-W", "error::RuntimeWarning:drx", "-c", program], cwd=tmp_path, check=True)


# ---- packed numbers --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("scale", [{"scale_factor": 0.5}, {"scale_factor": 0.01, "add_offset": 280.0}])
@pytest.mark.parametrize("dtype", ["i2", "i4"])
@pytest.mark.parametrize("mask_and_scale", [True, False])
def test_unpack(folder, scale, dtype, mask_and_scale):
    """Floats as xarray decodes them, whether it has or not; what is not packed stays as it is."""
    raw = xr.Dataset({"p": ("x", np.array([1, -9, 3], dtype), {**scale, "_FillValue": np.array(-9, dtype)[()], "valid_range": np.array([0, 9], dtype)}),
                      "n": ("x", np.array([1, -9, 3], "i2"), {"_FillValue": np.int16(-9)})})
    drx.save_dataset(raw, folder)
    with xr.open_dataset(folder, engine="drx", mask_and_scale=mask_and_scale, chunks={}) as ds:
        drx.save_dataset(ds, folder + "-2", unpack=True, encoding={"p": {"compression": "zstd"}})
    expected = xr.decode_cf(raw).p.dtype  # float32 or float64
    values = np.array([1, np.nan, 3]) * scale["scale_factor"] + scale.get("add_offset", 0)
    with drx.open_dataset(folder + "-2") as ds:
        p = ds["p"]
        assert (p.dtype, ds["n"].dtype, p.compression) == (expected, "i2", "zstd") and set(p.attrs) == {"_FillValue", "valid_range"}
        np.testing.assert_allclose(p, values, rtol=1e-7)
        np.testing.assert_allclose(p.attrs["valid_range"], np.array([0, 9]) * scale["scale_factor"] + scale.get("add_offset", 0))
    xr.testing.assert_equal(opened(folder + "-2"), xr.decode_cf(raw))
    more = xr.Dataset({"p": ("x", [1e9]), "n": ("x", np.array([4], "i2"))})
    assert drx.append_dataset(more.assign(p=more.p.astype(expected)), folder + "-2", "x") == 4
    with pytest.raises(ValueError, match="or unpack=True"):
        drx.save_dataset(more, folder, mode="w", encoding={"p": {"dtype": "int16", **scale}})


# ---- opening ---------------------------------------------------------------------------------------------------------

@pytest.mark.filterwarnings("ignore:numpy.ndarray size changed")
@pytest.mark.filterwarnings("error")
def test_opening_without_engine_warns_of_nothing(folder, tmp_path):
    drx.save_dataset(month(), folder)
    for path in folder, folder + "/", tmp_path / "d", folder + "/t2m", folder + "/t2m.xmd":
        with xr.open_dataset(path) as ds:
            xr.testing.assert_identical(ds.load(), month())
    month().to_netcdf(tmp_path / "a.nc", engine="netcdf4")
    with xr.open_dataset(tmp_path / "a.nc") as ds:
        xr.testing.assert_identical(ds.load(), month())


def test_open_mfdataset(folder):
    """Of datasets, and of arrays of them."""
    drx.save_dataset(month(), folder + "1")
    drx.save_dataset(month("2020-01-31"), folder + "2")
    both = xr.concat([month(), month("2020-01-31")], "time")
    for paths in folder + "[12]", [folder + "1", folder + "2"], folder + "[12]/t2m.xta", [folder + "1/t2m", folder + "2/t2m"]:
        for parallel in False, True:
            with xr.open_mfdataset(paths, engine="drx", parallel=parallel) as ds:
                assert ds.t2m.chunks[0] == (30, 30)
                xr.testing.assert_identical(ds.load(), both)


CHUNKS = [None, {}, {"time": 5}, {"time": 14}, "auto", -1, {"time": (3, 10, 17, 10)}, {"time": 30, "lat": 1}]


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize("compression", [None, "zlib", "zstd"])
@pytest.mark.filterwarnings("ignore:The specified Dask chunks separate")
def test_to_other_formats(folder, compression, chunks):
    """Also what has grown at a low end, whose first block is shorter. Chunks that fit are kept."""
    pytest.importorskip("zarr")
    drx.save_dataset(month("2020-01-11"), folder, chunks={"time": 7, "lat": 3, "lon": 4}, encoding={"t2m": {"compression": compression}})
    drx.append_dataset(month("2020-01-01", 10), folder, "time")
    with xr.open_dataset(folder, engine="drx", chunks=chunks) as ds:
        expected = ds.copy(deep=True).load()
        ds.to_zarr(folder + ".zarr")
        ds.to_netcdf(folder + ".nc", engine="netcdf4")
    with xr.open_zarr(folder + ".zarr") as back:
        xr.testing.assert_identical(back.load(), expected)
        if chunks is None or chunks == {"time": 14}:
            assert back.t2m.encoding["chunks"] == (7, 3, 4)
    with xr.open_dataset(folder + ".nc", engine="netcdf4") as back:
        xr.testing.assert_identical(back.load(), expected)
        assert back.t2m.encoding["chunksizes"] == (7, 3, 4)


def test_blocks_that_would_make_very_many_chunks(folder):
    """There Zarr's refusal stays, which says what would do."""
    ds = xr.Dataset({"a": (("y", "x"), np.zeros((400, 400), "i1"))})
    drx.save_dataset(ds, folder, chunks={"y": 8, "x": 8})
    with xr.open_dataset(folder, engine="drx", chunks={"y": (7, 199, 194), "x": (7, 199, 194)}) as ds:
        with pytest.raises(ValueError, match="rechunking using `chunk"):
            ds.to_zarr(folder + ".zarr")
        ds.chunk({"y": 100, "x": 100}).to_zarr(folder + ".zarr", mode="w")


# ---- names, and other processes --------------------------------------------------------------------------------------

def test_one_content_has_one_name(folder, monkeypatch, tmp_path):
    """However it is reached, in every process; other elements have another one."""
    drx.save_dataset(month(), folder)
    monkeypatch.chdir(tmp_path)

    def names():
        with xr.open_dataset("d", engine="drx", chunks={}) as lazy, xr.open_dataset(folder, engine="drx") as ds, \
                drx.open_dataset("d") as stored, drx.open_dataset(folder, at=stored.commit_number) as at:
            assert tokenize(stored) == tokenize(at) == tokenize(pickle.loads(pickle.dumps(stored)))
            assert tokenize(lazy) == tokenize(pickle.loads(pickle.dumps(lazy))) and tokenize(ds) == tokenize(pickle.loads(pickle.dumps(ds)))
            with drx.zarr_store("d") as store, drx.zarr_store(folder) as other:
                assert tokenize(store) == tokenize(other) == tokenize(pickle.loads(pickle.dumps(store)))
                return tokenize(lazy), tokenize(ds), tokenize(stored), tokenize(store)

    first = names()
    assert names() == first
    told = subprocess.run([sys.executable, "-c", "import drx; from dask.base import tokenize; print(tokenize(drx.open_dataset('d')))"],
                          capture_output=True, text=True, check=True).stdout
    assert told.strip() == first[2]
    drx.save_dataset(month().isel(time=[3]) * 2, folder, region="auto")
    second = names()
    drx.append_dataset(month("2020-01-31"), folder, "time")
    assert not {*first} & {*second} | {*second} & {*names()}


def test_threads(folder):
    """They read one opened dataset at the same time."""
    drx.save_dataset(month(), folder, chunks={"time": 3}, encoding={"t2m": {"compression": "zstd"}})
    wrong = []
    with xr.open_dataset(folder, engine="drx", cache=False) as ds:
        def read(seed):
            for day in np.random.default_rng(seed).integers(0, 30, 50):
                if not np.array_equal(ds.t2m[day], month().t2m[day]):
                    wrong.append(day)

        threads = [threading.Thread(target=read, args=(i,)) for i in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert not wrong


def mapped_mib():
    """How much of files of DRX is mapped and in memory."""
    kib, counts = 0, False
    with open("/proc/self/smaps") as file:
        for line in file:
            first = line.split()[0]
            counts = line.rstrip().endswith(".xta") if "-" in first else counts
            kib += int(line.split()[1]) if counts and first == "Rss:" else 0
    return kib / 1024


def read_all(path):
    """The sum, and the most that was mapped after a block."""
    ds = xr.open_dataset(path, engine="drx")
    total, most = 0.0, 0.0
    for first in range(0, ds.sizes["t"], 8):
        total += float(ds.a[first : first + 8].sum())
        most = max(most, mapped_mib())
    return total, most


@pytest.fixture
def cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with dask.config.set({"temporary-directory": str(tmp_path)}), distributed.LocalCluster(
                n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None, memory_limit="240MB") as workers, \
                distributed.Client(workers) as client:
            yield client


def test_workers_of_dask(folder, cluster):
    """They read, and write what is stored later; each keeps to its share of memory."""
    drx.save_dataset(month(), folder, chunks={"time": 4})
    with xr.open_dataset(folder, engine="drx", chunks={}) as ds:
        xr.testing.assert_identical(ds.compute(), month())
        drx.save_dataset(ds * 2, folder + "-2")
        drx.save_dataset(ds * 3, folder + "-3", compute=False, encoding={"t2m": {"chunks": (5, 4, 6), "compression": "lz4"}}).compute()
    np.testing.assert_array_equal(opened(folder + "-2").t2m, month().t2m * 2)
    np.testing.assert_array_equal(opened(folder + "-3").t2m, month().t2m * 3)
    big = xr.Dataset({"a": (("t", "y", "x"), np.ones((96, 512, 512), "f4"))})  # 96 MiB
    drx.save_dataset(big, folder + "-big", chunks={"t": 1})
    for total, most in cluster.gather([cluster.submit(read_all, folder + "-big", workers=one, pure=False)
                                       for one in cluster.scheduler_info()["workers"]]):
        assert total == big.a.size and most < 240 / 4
    assert mapped_mib() < 240 and read_all(folder + "-big")[1] > 90  # without a limit all of it
