"""drx.zarr_store: zarr and xarray read what DRX reads; and `drx refs` says the same of it."""

import json
import os
import pathlib
import pickle
import subprocess
from concurrent.futures import ThreadPoolExecutor

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest

zarr = pytest.importorskip("zarr")
fsspec = pytest.importorskip("fsspec")
xr = pytest.importorskip("xarray")

from test_xarray import weather  # noqa: E402

PROGRAM = pathlib.Path(drx.__file__).resolve().parents[2] / "bin" / "drx"
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64",
         "complex128", "float16", "bool"]


def sample(shape, dtype, seed=0):
    raw = np.random.default_rng(seed).integers(0, 256, (*shape, np.dtype(dtype).itemsize), dtype=np.uint8)
    values = (raw % 2 if dtype == "bool" else raw).view(dtype)[..., 0].copy()
    if values.dtype.kind in "fc":
        values[~np.isfinite(values)] = 1.5
    return values


def group(path, **kwargs):
    return zarr.open_group(drx.zarr_store(path, **kwargs), mode="r")


def refs_of(*words):
    """What `drx refs` says."""
    if not PROGRAM.exists():
        pytest.skip("the program drx was not built")
    return json.loads(subprocess.run([PROGRAM, "refs", *words], check=True, capture_output=True).stdout)["refs"]


def same(got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("compression", [None, *drx.CODECS])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", TYPES)
def test_values(path, dtype, order, compression):
    values = sample((7, 5, 6), dtype)
    with drx.create(path, (7, 5, 6), dtype, chunks=(3, 5, 4), order=order, compression=compression) as a:
        a[...] = values
    same(group(path)["a"][...], values)
    same(xr.open_zarr(drx.zarr_store(path), mask_and_scale=False).a.values, values)


@pytest.mark.parametrize("compression", [None, "zstd"])
def test_chunks_are_cut_anew(path, compression):
    """Where the first index lies inside a chunk, chunks of Zarr begin with it."""
    values = sample((11, 9), "i4")
    with drx.create(path, (4, 9), "int32", chunks=(4, 2), lower=(0, 3), compression=compression, fill_value=7,
                    dims=("time", None)) as a:
        a[...] = values[5:9]
        a.append(values[9:])
        a.prepend(values[:5])
    array = group(path)["a"]
    same(array[...], values)
    same(array[3:8, 1:9:2], values[3:8, 1:9:2])
    assert array.chunks == (4, 2) and array.attrs["drx_lower"] == [-5, 3]
    assert array.attrs["_ARRAY_DIMENSIONS"] == ["time", "a_dim_1"]


def test_missing_elements(path):
    """Fill marks them if it is not zero, as for the engine drx; zeros are zeros."""
    for dtype in ("int16", "uint64", "float32", "float64", "complex64"):
        for fill in (0, 7, np.nan, np.inf):
            if np.dtype(dtype).kind in "iu" and not np.isfinite(fill):
                continue
            for compression in (None, "lz4"):
                with drx.create(path, (6, 4), dtype, chunks=(2, 3), fill_value=fill, compression=compression,
                                dims=("y", "x"), overwrite=True) as a:
                    a[:2, :3] = 0
                    a[4:5] = 3
                    values = a[...]
                same(group(path)["a"][...], values)
                with xr.open_dataset(path, engine="drx") as expected:
                    xr.testing.assert_equal(xr.open_zarr(drx.zarr_store(path)).load(), expected.load())


@pytest.mark.parametrize("noted", [-9, np.int16(-9), np.float32(-9), np.float32(0.5), np.nan])
def test_the_attribute_is_the_mark(path, noted):
    with drx.create(path, (4,), "int16", fill_value=3, dims=("x",)) as a:
        a.attrs["_FillValue"] = noted
        a[...] = [0, 1, -9, 3]
    got = xr.open_zarr(drx.zarr_store(path)).a.values
    assert np.isnan(got).tolist() == [False, False, noted == -9, False]


@pytest.mark.parametrize("encoding", [None, {"t2m": {"compression": "zstd"}, "station": {"compression": "zlib"}}])
def test_dataset(tmp_path, encoding):
    """Times, text, bools, scalars and attributes, as the engine drx has them."""
    folder = str(tmp_path / "weather")
    drx.save_dataset(weather(), folder, encoding=encoding)
    drx.append_dataset(weather(3, "2020-01-06").drop_vars(["mask", "station", "height", "area"]), folder, dim="time")
    store = drx.zarr_store(folder)
    with xr.open_dataset(folder, engine="drx") as expected:
        xr.testing.assert_identical(xr.open_zarr(store).load(), expected.load())
    with xr.open_dataset(folder, engine="drx", at=1) as expected:
        xr.testing.assert_identical(xr.open_zarr(drx.zarr_store(folder, at=1), chunks=None).load(), expected.load())
    assert group(folder + "/t2m")["t2m"].shape == (8, 4, 6) and group(folder + "/t2m", at=1)["t2m"].shape == (5, 4, 6)
    mapper = fsspec.get_mapper("reference://", fo={"version": 1, "refs": refs_of(folder)}, skip_instance_cache=True)
    xr.testing.assert_identical(xr.open_zarr(mapper).load(), xr.open_zarr(store).load())


def described(metadata, key):
    """What .zarray says, but for chunks and compression."""
    found = json.loads(metadata[key])
    return {name: value for name, value in found.items() if name not in ("chunks", "compressor")}


def test_refs_say_the_same(tmp_path):
    folder = str(tmp_path / "weather")
    drx.save_dataset(weather(), folder)
    attrs = {"f": np.float32(0.1), "c": np.complex64(1 + 2j), "l": [1.5, np.nan, -np.inf], "u": np.uint64(2**64 - 1),
             "t": 'é😀"\\', "i": [1, 2], "missing_value": np.float64("nan"), "drx.strings": "2 s\n1 t",
             "s": "one\ntwo"}
    for i, (dtype, fill) in enumerate([("f4", 0.1), ("f8", 0), ("c8", 0), ("c16", 1 - 2j), ("i8", -2**63), ("u1", 0),
                                       ("f4", np.inf), ("f4", -0.0), ("f4", np.nan)]):
        path = str(tmp_path / f"a{i}")
        drx.create(path, (4, 6), dtype, chunks=(2, 3), fill_value=fill, attrs=attrs, lower=(-2, 3),
                   order="CF"[i % 2]).close()
        compare(path)
    compare(folder)
    path = str(tmp_path / "listed")
    drx.create(path, (3,), "f4", attrs={"drx_json": '["x", "n", "b"]', "x": '[1.5, NaN, {"a": [-Infinity, "é"]}, 2]',
                                        "n": "null", "b": "true"}).close()
    compare(path)
    assert json.loads(refs_of(path)["listed/.zattrs"])["x"] == [1.5, "NaN", {"a": ["-Infinity", "é"]}, 2]
    path = str(tmp_path / "hostile")
    drx.create(path, (3,), "f4", attrs={"drx_json": '[null, 3, "x", "y"]', "x": "{", "y": "[" * 10000}).close()
    assert json.loads(refs_of(path)["hostile/.zattrs"])["x"] == "{"


def compare(path):
    store, refs = drx.zarr_store(path), refs_of(path)
    assert {key for key in store if "/.z" in key} == {key for key in refs if "/.z" in key}
    for key in refs:
        if key.endswith(".zarray"):
            assert described(store, key) == described(refs, key)
        elif key.endswith((".zattrs", ".zgroup")):
            assert json.loads(store[key]) == json.loads(refs[key])
    assert "NaN," not in refs[".zmetadata"].replace('"NaN"', "")


def test_keys(path):
    with drx.create(path, (5, 7), "int32", chunks=(2, 3), dims=("y", "x")) as a:
        a[...] = np.arange(35).reshape(5, 7)
    store = drx.zarr_store(path)
    keys = list(store)
    assert len(keys) == len(store) == len(set(keys)) == 5 + 9
    assert all(key in store for key in keys)
    for key in ("a/3.0", "a/0", "a/0.0.0", "a/00.0", "a/-1.0", "a/+1.0", "a/1_0.0", "a/ 1.0", "a/.0", "b/0.0", "0.0",
                "", "a/².0", 3, None):
        assert key not in store
        with pytest.raises(KeyError):
            store[key]
    assert np.frombuffer(store["a/2.2"], "<i4").tolist() == [34, 0, 0, 0, 0, 0]
    with pytest.raises(PermissionError):
        store["a/0.0"] = b""
    with pytest.raises(PermissionError):
        del store["a/0.0"]
    with pytest.raises((PermissionError, zarr.errors.ReadOnlyError)):
        group(path)["a"][0, 0] = 3
    metadata = json.loads(store[".zmetadata"])["metadata"]
    assert metadata == {key: json.loads(store[key]) for key in keys if "/.z" in "/" + key and key != ".zmetadata"}
    assert dict(zarr.open_group(store, mode="r").arrays()).keys() == {"a"}  # not consolidated
    store.close()
    with pytest.raises(ValueError):
        store["a/0.0"]


def test_nothing_is_listed(path):
    """A store of 10^9 chunks opens at once."""
    with drx.create(path, (10**9,), "int8", chunks=(1,)) as a:
        a[123456789] = 5
    with drx.zarr_store(path) as store:
        assert zarr.open_group(store, mode="r")["a"][123456788:123456791].tolist() == [0, 5, 0]
        assert len(store) == 10**9 + 5


def test_no_elements(tmp_path):
    drx.create(str(tmp_path / "a"), (0, 4), "float32", chunks=(2, 2)).close()
    store = drx.zarr_store(tmp_path / "a.xmd")
    assert zarr.open_group(store, mode="r")["a"].shape == (0, 4)
    assert "a/0.0" not in store and len(list(store)) == len(store) == 5


def test_growth_and_trims(path):
    """A store shows the bounds that it was opened with, also in another process; what was trimmed is an error."""
    values = sample((8, 3), "f8")
    with drx.create(path, (8, 3), chunks=(2, 2)) as a:
        a[...] = values
        store = drx.zarr_store(path)
        state = pickle.dumps(store)
        a.prepend(np.zeros((3, 3)))
        a.append(np.zeros((11, 1)), axis=1)
        for one in (store, pickle.loads(state)):
            same(zarr.open_group(one, mode="r")["a"][...], values)
        same(group(path)["a"][3:, :3], values)
        a.trim(0, before=5)
        a.sync()  # which gives their space back
        later = zarr.open_group(pickle.loads(state), mode="r")["a"]
        same(later[2:], values[2:])
        with pytest.raises(ValueError, match="trimmed"):
            later[0]
        with pytest.raises((ValueError, IndexError)):
            store["a/0.0"]


def test_commits_stay(tmp_path):
    folder = str(tmp_path / "weather")
    drx.save_dataset(weather(), folder)
    store = drx.zarr_store(folder)
    state = pickle.dumps(store)
    drx.append_dataset(weather(3, "2020-01-06").drop_vars(["mask", "station", "height", "area"]), folder, dim="time")
    for one in (store, pickle.loads(state)):
        xr.testing.assert_equal(xr.open_zarr(one).load(), weather())


def test_threads(path):
    values = sample((64, 64), "f4")
    with drx.create(path, values.shape, "float32", chunks=(5, 7), compression="zstd") as a:
        a[...] = values
    array = group(path)["a"]
    with ThreadPoolExecutor(8) as pool:
        for row, got in enumerate(pool.map(lambda i: array[i], range(64))):
            same(got, values[row])
    np.testing.assert_array_equal(xr.open_zarr(drx.zarr_store(path)).a.data.compute(scheduler="threads"), values)


def test_damage_is_an_error(path):
    """A chunk that cannot be read is no missing one, which Zarr would fill."""
    with drx.create(path, (4,), "float64", chunks=(2,), checksum=True) as a:
        a[...] = [1, 2, 3, 4]
    with open(path + ".xta", "r+b") as file:
        file.write(b"x")
    with pytest.raises(drx.ChecksumError):
        group(path)["a"][...]


def test_wrong(tmp_path):
    with pytest.raises(FileNotFoundError):
        drx.zarr_store(tmp_path / "nothing")
    drx.create(tmp_path / "a", (3,), "int8").close()
    with pytest.raises((ValueError, OSError)):
        drx.zarr_store(tmp_path / "a", at=3)
    drx.save_dataset(weather(), tmp_path / "weather")
    with pytest.raises(IndexError):
        drx.zarr_store(tmp_path / "weather", at=7)
    with pytest.raises(FileNotFoundError, match="no such variable at commit 0"):
        drx.zarr_store(tmp_path / "weather" / "t2m", at=0)
    assert os.path.basename(repr(drx.zarr_store(tmp_path / "a")).split("'")[1]) == "a"
