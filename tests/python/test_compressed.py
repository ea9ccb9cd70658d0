"""Compressed arrays: what makes them, what tells about them, and what goes through them."""

import asyncio
import glob
import os
import pickle

import by_hand  # noqa: F401
import dask.array as da
import drx
import numcodecs
import numpy as np
import pytest
import xarray as xr
from drx import packed


def smooth(shape, dtype="float32"):
    """Numbers that compress, with some noise."""
    noise = np.random.default_rng(1).integers(0, 9, shape)
    return (np.sin(np.arange(np.prod(shape)) / 50).reshape(shape) * 1000 + noise).astype(dtype)


# ---- what makes them, and tells about them ---------------------------------------------------------------------------

@pytest.mark.parametrize("codec", drx.CODECS)
def test_attributes(path, codec):
    values = smooth((64, 96))
    with drx.create(path, values.shape, "float32", chunks=(32, 32), compression=codec, level=9, shuffle="bit") as a:
        assert a.packing == drx.array.Packing(0, 0, 6, 0, 0, a.packing.table_bytes, None)
        assert "fewer" not in a._repr_html_()
        a[...] = values
    with drx.open(path) as a:
        assert (a.compression, a.level, a.shuffle) == (codec, 9, "bit")
        packing = a.packing
        assert (packing.compressed_chunks, packing.open_chunks, packing.empty_chunks) == (6, 0, 0)
        assert packing.table_bytes == 6 * 64 == os.path.getsize(path + ".xct")
        assert packing.stored_bytes + packing.dead_bytes <= os.path.getsize(path + ".xtz")
        assert packing.ratio == values.nbytes / (packing.stored_bytes + packing.table_bytes) > 1.1
        assert a.info["compression"] == {"codec": codec, "level": 9, "shuffle": "bit", **packing._asdict()}
        assert f", {codec} level 9 shuffle bit, mode 'r'" in repr(a) and f"{codec}, level 9" in a._repr_html_()
        assert f"{packing.ratio:.2f} times" in a._repr_html_()
        np.testing.assert_array_equal(a, values)
    assert " level 9" not in repr(a)  # closed
    assert not os.path.exists(path + ".xta")
    for suffix in (".xtz", ".xct"):
        drx.open(path + suffix).close()
    drx.remove(path)
    assert glob.glob(path + "*") == []


def test_what_is_chosen(path):
    for dtype, shuffle in (("int8", "none"), ("float64", "byte")):
        with drx.create(path, 3, dtype, compression="zstd", overwrite=True) as a:
            assert (a.compression, a.level, a.shuffle) == ("zstd", 5, shuffle)
    with drx.create(path, 3, compression=None, overwrite=True) as a:
        assert (a.compression, a.level, a.shuffle, a.packing, a.info["compression"]) == (None,) * 5
        assert repr(a) == f"<drx.Array {path} (3,) float64, chunks {a.chunks}, mode 'r+'>"


@pytest.mark.parametrize("given, error, text", [
    ({"compression": "gzip"}, ValueError, "compression 'gzip', expected one of .'zstd', .* or None"),
    ({"compression": 3}, ValueError, "compression 3"), ({"level": 3}, ValueError, "level 3 .* give compression"),
    ({"shuffle": "byte"}, ValueError, "give compression"),
    ({"compression": "zstd", "level": 0}, ValueError, "level 0, expected 1"),
    ({"compression": "zstd", "level": 10}, ValueError, "level 10"),
    ({"compression": "zstd", "level": 1.5}, TypeError, "integer"),
    ({"compression": "lz4", "shuffle": "bits"}, ValueError, "shuffle 'bits', expected 'none', 'byte', 'bit'"),
    ({"compression": "lz4", "checksum": True}, ValueError, "lz4"),
    ({"compression": "zstd", "chunks": (1 << 29,)}, ValueError, "2147483")])
def test_wrong_arguments(path, given, error, text):
    with pytest.raises(error, match=text):
        drx.create(path, (4,), **given)
    assert glob.glob(path + "*") == []


def test_stripes_must_wait(path, tmp_path):
    with pytest.raises(NotImplementedError, match="stripes"):
        drx.create(path, (4,), compression="zstd", stripes=[tmp_path])


def test_damage_is_told(path):
    values = smooth((64, 64))
    with drx.create(path, values.shape, "float32", chunks=(64, 64), compression="zstd") as a:
        a[...] = values
        a.sync()
    with open(path + ".xtz", "r+b") as f:
        f.seek(100)
        byte = f.read(1)
        f.seek(100)
        f.write(bytes([byte[0] ^ 1]))
    with drx.open(path) as a, pytest.raises(drx.ChecksumError, match=r"chunk 0"):
        a[...]


# ---- elements --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("codec", drx.CODECS)
@pytest.mark.parametrize("where", ["disk", "memory"])
def test_growth_and_elements(path, codec, where):
    """Grown at both ends of every axis, written in parts, trimmed."""
    model = smooth((5, 7), "int32")
    with drx.create(path if where == "disk" else None, (5, 7), "int32", chunks=(3, 4), compression=codec) as a:
        a[...] = model
        for axis in (0, 1, 0, 1):
            slab = smooth(model.shape[:axis] + (5,) + model.shape[axis + 1:], "int32") + axis
            a.append(slab, axis)
            a.prepend(slab[:3] if axis == 0 else slab[:, :3], axis)
            model = np.concatenate([slab[:3] if axis == 0 else slab[:, :3], model, slab], axis)
            a[2, 3] = model[2, 3] = -1
            a[1::3, ::2] = model[1::3, ::2] = 7
            a.vindex[[0, -1], [1, -1]] = [5, 6]
            model[[0, -1], [1, -1]] = [5, 6]
            np.testing.assert_array_equal(a, model)
        a.trim(0, before=4, after=2)
        model = model[4:-2]
        np.testing.assert_array_equal(a, model)
        np.testing.assert_array_equal(a.oindex[[3, 1], 2:], model[[3, 1], 2:])
        np.testing.assert_array_equal(a[a[...] > 20], model[model > 20])
        np.testing.assert_array_equal(a.read(order="F"), model)
        assert a[0, 0] == model[0, 0]


def test_asynchronous(path):
    values = smooth((40, 40))
    with drx.create(path, values.shape, "float32", chunks=(16, 16), compression="lz4") as a:
        requests = [a.write_async(np.s_[i : i + 10], values[i : i + 10]) for i in range(0, 40, 10)]
        read = a.read_async()
        np.testing.assert_array_equal(read.wait(), values)
        for request in requests:
            request.wait()

        async def part():
            return await a.read_async(np.s_[5:9, ::1])

        np.testing.assert_array_equal(asyncio.run(part()), values[5:9])


def test_pickles(path):
    values = smooth((9, 9))
    with drx.create(path, values.shape, "float32", compression="zstd") as a:
        a[...] = values
    with drx.open(path) as a, pickle.loads(pickle.dumps(a)) as again:
        assert again.compression == "zstd"
        np.testing.assert_array_equal(again, values)


@pytest.mark.parametrize("compute", [True, False])
def test_dask(path, compute):
    values = smooth((60, 50))
    stored = drx.store(da.from_array(values, chunks=(13, 20)), path, chunks=(16, 16), compression="zstd", level=1,
                       compute=compute)
    if compute:
        stored.close()
    else:
        stored.compute(scheduler="threads")
    with drx.open(path) as a:
        assert a.packing.compressed_chunks == 16 and a.level == 1
        np.testing.assert_array_equal(da.from_array(a, chunks=a.chunks).compute(), values)


def test_a_reader_beside_a_writer(path):
    values = smooth((32, 32))
    with drx.create(path, values.shape, "float32", chunks=(16, 16), compression="zstd") as a:
        a[...] = values
        with drx.open(path) as reader:
            np.testing.assert_array_equal(reader, values)
            a[8:20] = 0
            values[8:20] = 0
            a.append(values, 0)
            np.testing.assert_array_equal(reader, values)
            reader.refresh()
            np.testing.assert_array_equal(reader, np.concatenate([values, values]))


def test_compact_gives_dead_bytes_back(path):
    """A reader that has the array open goes on."""
    values = np.random.default_rng(3).integers(0, 1 << 30, (128, 128), "int32")
    with drx.create(path, values.shape, "int32", chunks=(64, 64), compression="lz4") as a:
        for i in range(6):
            a[...] = values + i
            a.sync()
            if i == 2:
                reader = drx.open(path)
                np.testing.assert_array_equal(reader, values + 2)
        before, on_disk = a.packing, os.stat(path + ".xtz").st_blocks
        assert before.dead_bytes > 3 * before.stored_bytes
        a.compact()
        assert a.packing.dead_bytes < before.dead_bytes / 3 and a.packing.stored_bytes == before.stored_bytes
        assert os.stat(path + ".xtz").st_blocks < on_disk / 2
        np.testing.assert_array_equal(reader, values + 5)
        reader.close()
    with drx.open(path) as a:
        np.testing.assert_array_equal(a, values + 5)


def test_writers_that_share(path):
    with drx.create(path, (8, 8), compression="zstd") as a:
        a[...] = 1
    with drx.open(path, "s") as a, drx.open(path, "s") as b:
        a[:4] = 2
        b.append(np.full((3, 8), 3), 0)
        a.append(np.full((2, 8), 4), 0)
        b[2, :] = 5
    expected = np.repeat([2, 2, 5, 2, 1, 1, 1, 1, 3, 3, 3, 4, 4], 8).reshape(13, 8)
    with drx.open(path) as a:
        np.testing.assert_array_equal(a, expected)


# ---- rounding --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype, bits", [("float32", 1), ("float32", 7), ("float32", 23), ("float64", 20),
                                         ("complex64", 5), (">f8", 9)])
def test_keep_bits(dtype, bits):
    rng = np.random.default_rng(2)
    values = (rng.normal(size=(30, 20)) * 10.0 ** rng.integers(-20, 20, (30, 20))).astype(dtype)
    before = values.copy()
    for given in (values, values.T, values[::2, ::-1]):
        rounded = drx.keep_bits(given, bits)
        assert rounded.shape == given.shape and rounded.dtype == given.dtype.newbyteorder("=")
        parts = [(rounded, given)] if given.dtype.kind == "f" else [(rounded.real, given.real),
                                                                    (rounded.imag, given.imag)]
        for new, old in parts:
            assert (np.abs(new - old) <= np.abs(old) * 2.0 ** -(bits + 1)).all()
            mantissa, width = (23, "u4") if new.dtype == np.float32 else (52, "u8")
            zeros = (1 << (mantissa - bits)) - 1
            assert not (np.ascontiguousarray(new).view(width) & np.array(zeros, width)).any()
    np.testing.assert_array_equal(values, before)


def test_keep_bits_leaves_and_refuses():
    kept = drx.keep_bits([1e20, np.nan, np.inf, 0.1], 3, skip=1e20)
    np.testing.assert_array_equal(kept[:3], [1e20, np.nan, np.inf])
    assert kept[3] != 0.1
    assert drx.keep_bits(np.float32(0.1), 3).shape == ()
    for given, error, text in (([1, 2], TypeError, "int64"), ([0.5, "a"], TypeError, "only floating")):
        with pytest.raises(error, match=text):
            drx.keep_bits(given, 3)
    for bits in (0, 53):
        with pytest.raises(ValueError, match="bits"):
            drx.keep_bits([0.5], bits)
    with pytest.raises(TypeError, match="skip"):
        drx.keep_bits([0.5], 3, skip="x")


def test_keep_bits_is_that_of_netcdf(tmp_path):
    netCDF4 = pytest.importorskip("netCDF4")
    values = smooth((50, 40)) / 7
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as nc:
        nc.createDimension("y", 50)
        nc.createDimension("x", 40)
        v = nc.createVariable("v", "f4", ("y", "x"), zlib=True, significant_digits=7, quantize_mode="BitRound",
                              fill_value=1e20)
        v[...] = values
    with netCDF4.Dataset(tmp_path / "a.nc") as nc:
        np.testing.assert_array_equal(drx.keep_bits(values, 7, skip=1e20), nc["v"][...])


# ---- datasets, and xarray --------------------------------------------------------------------------------------------

def days(n=6, first=0):
    values = smooth((n, 16, 16)) / 3 + first
    values[0, 0, 0] = np.nan
    return xr.Dataset({"t": (("time", "y", "x"), values, {"units": "K"}), "raw": ("time", np.arange(n, dtype="int16"))},
                      coords={"time": first + np.arange(n)})


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "ds")


def codecs(folder):
    with drx.open_dataset(folder) as ds:
        return {name: (ds[name].compression, ds[name].level, ds[name].shuffle) for name in ds if ds[name].compression}


def test_members(folder):
    with drx.create_dataset(folder) as ds:
        with ds.transaction("one"):
            a = ds.add("a", ("t", "x"), (4, 6), "int32", chunks=(2, 3), compression="zlib", level=2, shuffle="none")
            ds.add("b", ("t",), dtype="int32")
            a[...] = 5
        with ds.transaction():
            ds.extend("t", 3)
            ds["a"][4:] = 6
        try:
            with ds.transaction():
                ds.extend("t", 2)
                ds["a"][-2:] = 9
                raise RuntimeError
        except RuntimeError:
            pass
        with ds.transaction():
            ds.extend("t", 2)
    with drx.open_dataset(folder) as ds:
        assert (ds["a"].compression, ds["a"].level, ds["a"].shuffle) == ("zlib", 2, "none")
        assert ds["b"].compression is None and ds.dims == {"t": 9, "x": 6}
        np.testing.assert_array_equal(ds["a"], np.repeat([5, 6, 0], [4, 3, 2])[:, None] + np.zeros((9, 6)))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(ds["a"])), ds["a"])
    with drx.open_dataset(folder, at=1) as ds:
        np.testing.assert_array_equal(ds["a"], np.full((4, 6), 5))


@pytest.mark.parametrize("chunks", [None, {"time": 4}])
def test_encoding(folder, chunks):
    """An encoding of the call, of the variable, and what is read."""
    ds = days()
    if chunks:
        ds = ds.chunk(chunks)
    drx.save_dataset(ds, folder, encoding={"t": {"compression": "zstd", "level": 3, "shuffle": "byte", "keep_bits": 7,
                                                 "chunks": (4, 8, 8)}})
    assert codecs(folder) == {"t": ("zstd", 3, "byte")} and ds.t.encoding == days().t.encoding
    with xr.open_dataset(folder, engine="drx", chunks=chunks) as back:
        np.testing.assert_array_equal(back.t, drx.keep_bits(days().t, 7))
        np.testing.assert_array_equal(back.raw, days().raw)
        assert back.t.encoding["chunks"] == (4, 8, 8)
        drx.save_dataset(back, folder + "-2")
        drx.save_dataset(back, folder + "-3", encoding={"t": {"compression": None}, "raw": {"compression": "lz4"}})
        drx.save_dataset(back * 1, folder + "-4")
    assert codecs(folder + "-2") == {"t": ("zstd", 3, "byte")}
    assert codecs(folder + "-3") == {"raw": ("lz4", 5, "byte")}
    assert codecs(folder + "-4") == {}
    more = days(5, first=6)
    more.t.encoding["keep_bits"] = 7
    assert drx.append_dataset(more.chunk(chunks) if chunks else more, folder, "time") == 11
    assert codecs(folder) == {"t": ("zstd", 3, "byte")}
    with xr.open_dataset(folder, engine="drx") as back:
        np.testing.assert_array_equal(back.t, drx.keep_bits(np.concatenate([days().t, days(5, first=6).t]), 7))


def test_region(folder):
    drx.save_dataset(days(), folder, encoding={"t": {"compression": "zstd", "chunks": (4, 8, 8)}})
    part = days().isel(time=slice(1, 5), y=slice(3, 12)) * 0 + 1
    drx.save_dataset(part[["t"]], folder, region={"time": slice(1, 5), "y": slice(3, 12)})
    expected = days().t.values
    expected[1:5, 3:12] = 1
    with xr.open_dataset(folder, engine="drx") as back:
        np.testing.assert_array_equal(back.t, expected)


def test_replaced(folder):
    """All variables, by a dataset that takes the place of the old one; no file of it stays."""
    for compression in ("zstd", None, "lz4"):
        drx.save_dataset(days(), folder, overwrite=True, encoding={"t": {"compression": compression}})
        files = {".xtz", ".xct"} if compression else {".xta"}
        assert {os.path.splitext(one)[1] for one in glob.glob(folder + "/t.*")} == files


@pytest.mark.parametrize("entries, text", [
    ({"compression": "gzipped"}, "compression 'gzipped'"), ({"levels": 3}, "encoding has 'levels'"),
    ({"level": 3}, "give compression"), ({"compression": "zstd", "level": 30}, "level 30"),
    ({"keep_bits": 24}, "keep_bits 24"), ({"chunks": (1, 2)}, "has 2 entries, expected 3")])
def test_wrong_encodings(folder, entries, text):
    with pytest.raises(ValueError, match=f"'t': .*{text}"):
        drx.save_dataset(days(), folder, encoding={"t": entries})
    for encoding, name in (({"raw": {"keep_bits": 3}}, "'raw': keep_bits 3"), ({"other": {}}, "'other'")):
        with pytest.raises(ValueError, match=name):
            drx.save_dataset(days(), folder, encoding=encoding)
    with pytest.raises(ValueError, match="encoding"):
        drx.save_dataset(days(), folder, region="auto", encoding={})
    assert not os.path.exists(folder)


@pytest.mark.parametrize("encoding, expected", [
    ({"zlib": True, "complevel": 4, "shuffle": True, "fletcher32": False}, ("zlib", 4, "byte")),
    ({"zlib": True, "complevel": 9, "shuffle": False}, ("zlib", 9, "none")),
    ({"zlib": False, "complevel": 0, "shuffle": False}, (None, None, None)),
    ({"zlib": True, "complevel": 0, "shuffle": False}, (None, None, None)),
    ({"zlib": False, "zstd": True, "complevel": 19, "shuffle": False}, ("zstd", 9, "none")),
    ({"zlib": False, "blosc": {"compressor": "blosc_lz4hc", "shuffle": 2}, "shuffle": False}, ("lz4hc", None, "bit")),
    ({"compressor": numcodecs.Blosc("blosclz", 7, 1)}, ("lz4", 7, "byte")),
    *(({"compressor": numcodecs.Blosc(codec, 3, 2)}, (codec, 3, "bit")) for codec in drx.CODECS),
    ({"compression": "zstd", "complevel": 3, "shuffle": True}, ("zstd", 3, "byte")),
    ({"compression": "gzip", "compression_opts": 4, "shuffle": True}, ("zlib", 4, "byte")),
    ({"szip": {"coding": "nn", "pixels_per_block": 8}, "shuffle": False}, ("zstd", None, "none")),
    ({"compressor": None}, (None, None, None)), ({}, (None, None, None))])
def test_words_of_others(encoding, expected):
    assert packed.of(encoding) == expected


def test_from_and_to_netcdf(folder, tmp_path):
    """A round trip keeps the compression."""
    pytest.importorskip("netCDF4")
    first, second = str(tmp_path / "1.nc"), str(tmp_path / "2.nc")
    days().to_netcdf(first, engine="netcdf4", encoding={"t": {"zlib": True, "complevel": 3, "shuffle": True},
                                                        "raw": {"zlib": True, "complevel": 1, "shuffle": False}})
    with xr.open_dataset(first, engine="netcdf4") as ds:
        drx.save_dataset(ds, folder)
    assert codecs(folder) == {"t": ("zlib", 3, "byte"), "raw": ("zlib", 1, "none")}
    with xr.open_dataset(folder, engine="drx") as ds:
        xr.testing.assert_equal(ds.load(), days())
        ds.to_netcdf(second, engine="netcdf4")
    with xr.open_dataset(second, engine="netcdf4") as ds:
        assert [ds.t.encoding[key] for key in ("zlib", "complevel", "shuffle")] == [True, 3, True]
        assert [ds.raw.encoding[key] for key in ("zlib", "complevel", "shuffle")] == [True, 1, False]
        xr.testing.assert_equal(ds.load(), days())


@pytest.mark.parametrize("codec", sorted(set(drx.CODECS) - {"zlib"}))
def test_codecs_that_netcdf_may_lack(folder, tmp_path, codec):
    """What is read can be written by other formats, uncompressed or as they do it."""
    drx.save_dataset(days(), folder, encoding={"t": {"compression": codec, "shuffle": "bit"}})
    with xr.open_dataset(folder, engine="drx") as ds:
        ds.to_netcdf(tmp_path / "a.nc", engine="netcdf4")
        ds.to_zarr(tmp_path / "a.zarr")
    with xr.open_dataset(tmp_path / "a.nc", engine="netcdf4") as ds:
        xr.testing.assert_equal(ds.load(), days())


def test_from_zarr(folder, tmp_path):
    from numcodecs import Blosc, GZip

    days().to_zarr(tmp_path / "a.zarr", encoding={"t": {"compressor": Blosc("zstd", 3, Blosc.BITSHUFFLE)},
                                                  "raw": {"compressor": GZip(2)}, "time": {"compressor": None}})
    with xr.open_dataset(tmp_path / "a.zarr", engine="zarr") as ds:
        drx.save_dataset(ds, folder)
    assert codecs(folder) == {"t": ("zstd", 3, "bit"), "raw": ("zlib", 2, "byte")}
    with xr.open_dataset(folder, engine="drx") as ds:
        xr.testing.assert_equal(ds.load(), days())


def test_text(folder):
    ds = xr.Dataset({"s": ("x", np.array(["Ulm", "Köln", ""] * 50))})
    drx.save_dataset(ds, folder, encoding={"s": {"compression": "zlib", "level": 2}})
    assert codecs(folder) == {"s": ("zlib", 2, "none")}
    with xr.open_dataset(folder, engine="drx") as back:
        xr.testing.assert_identical(back.load(), ds)
        drx.save_dataset(back, folder + "-2")
    assert codecs(folder + "-2") == codecs(folder)


@pytest.mark.parametrize("block_bytes", [1 << 31, (1 << 32) - 1, (1 << 31) - 1])
def test_blocks_of_hostile_size(path, block_bytes):
    """The head of a payload says how long its blocks are, and a small read believes it only so far. Words after it say where
    they begin."""
    values = smooth((1024, 1024))
    with drx.create(path, values.shape, "float32", chunks=values.shape, compression="lz4") as a:
        a[...] = values
        a.sync()
    with open(path + ".xtz", "r+b") as file:
        payload = file.read()
        assert payload[4:8] == values.nbytes.to_bytes(4, "little")
        file.seek(8)
        file.write(block_bytes.to_bytes(4, "little") + payload[12:16] + b"\x14\0\0\0" * ((len(payload) - 16) // 4))
    with drx.open(path) as a, pytest.raises(drx.ChecksumError):
        a[200, 200]


@pytest.mark.parametrize("appends", [40, 64, 65, 150])
def test_space_of_thin_slabs(tmp_path, appends):
    """After any number of appends files take at most 1.3 times what those of a copy do, and an open chunk for each column."""
    def size(folder):
        return sum(entry.stat().st_size for entry in os.scandir(folder))

    y, x = np.mgrid[0:60, 0:48] / 10
    with drx.create_dataset(tmp_path / "ds") as ds:
        a = ds.add("a", ("time", "y", "x"), (0, 60, 48), "float32", (32, 30, 24), compression="zstd")
        ds.commit()
        for i in range(appends):
            ds.extend("time", 1)
            a[i] = (np.sin(x + i / 9) + np.cos(y)).round(2)
            ds.commit()
        values = a[...]
    with drx.create_dataset(tmp_path / "copy") as ds:
        ds.add("a", ("time", "y", "x"), values.shape, "float32", (32, 30, 24), compression="zstd")[...] = values
        ds.commit()
    assert size(tmp_path / "ds") <= 1.3 * size(tmp_path / "copy") + 4 * 32 * 30 * 24 * 4
