"""Compressed arrays: each codec, files of HDF5 and netCDF, advise --codecs. The rest is in codec.t."""

import importlib.util
import json
import os
import re
import unittest

import numpy as np

from drx_cli import CODECS, CliTest, names, need, sample

need(importlib.util.find_spec("netCDF4"), importlib.util.find_spec("h5py"))

import h5py  # noqa: E402
import netCDF4  # noqa: E402

BLOSC = 32001


def smooth(*shape, dtype="f4"):
    """What compresses well: waves with a little noise."""
    rng = np.random.default_rng(5)
    grid = np.indices(shape).sum(0) / 40
    return (np.round(50 * np.sin(grid)) + rng.integers(0, 3, shape)).astype(dtype)


def make_nc(path, a, name="u", first=0, **how):
    """A variable over time, y and x, and coordinates that are not compressed."""
    with netCDF4.Dataset(path, "w") as f:
        for dim, n in zip(("time", "y", "x"), (None, *a.shape[1:])):
            f.createDimension(dim, n)
        f.createVariable("time", "f8", ("time",))[:] = first + np.arange(a.shape[0])
        f["time"].units = "days since 2000-01-01"
        f.createVariable("x", "f4", ("x",))[:] = np.arange(a.shape[2])
        variable = f.createVariable(name, a.dtype, ("time", "y", "x"), chunksizes=(4, *a.shape[1:]), **how)
        variable.units = "m"
        variable[:] = a


def filters(path, name="u"):
    """(level of deflate or None, shuffle) of a variable of a file of HDF5."""
    with h5py.File(path, "r") as f:
        return f[name].compression_opts if f[name].compression == "gzip" else f[name].compression, f[name].shuffle


class CodecTest(CliTest):
    def codec(self, path):
        info = self.info(path)
        return tuple(info.get(key) for key in ("codec", "level", "shuffle"))

    def good(self, *paths):
        for path in paths:
            self.assertRegex(self.drx("check", path), rf"(^|\n){path}: good\n$")


class Create(CodecTest):
    def test_round_trip(self):
        """Each codec and shuffle gives back what was written, in fewer bytes, and info says how many."""
        a = smooth(64, 100)
        for codec in CODECS:
            for level, shuffle in ((1, "none"), (5, "byte"), (9, "bit")):
                self.put("a", a, "--chunk", "16,25", "--codec", codec, "--level", level, "--shuffle", shuffle)
                self.assert_same(self.whole("a"), a)
                self.assertEqual(self.codec("a"), (codec, level, shuffle))
                info = self.info("a")
                self.assertEqual(info["stored_bytes"] + info["dead_bytes"], os.path.getsize("a.xtz"))
                self.assertEqual((info["compressed_chunks"], info["open_chunks"], info["empty_chunks"]), (16, 0, 0))
                self.assertAlmostEqual(info["ratio"], a.nbytes / info["stored_bytes"])
                self.assertGreater(info["ratio"], 1.2)
                self.assertEqual((info["data_bytes"], info["table_bytes"]),
                                 (os.path.getsize("a.xtz"), os.path.getsize("a.xct")))
                self.good("a")

    def test_dead_space(self):
        """Thin slabs leave the places of open chunks; drx compact gives them back, drx copy leaves them out."""
        a = smooth(64, 100, 100)
        self.drx("create", "a", "--shape", "0,100,100", "--chunk", "16,100,100", "--type", "f4", "--codec", "zstd")
        for i in range(0, 64, 4):
            np.save("s.npy", a[i:i + 4])
            self.drx("append", "a", 0, "s.npy")
        before, used = self.info("a"), os.stat("a.xtz").st_blocks
        self.assertGreaterEqual(before["dead_bytes"], a.nbytes // 4)
        self.assertLess(os.path.getsize("a.xtz"), before["stored_bytes"] + a.nbytes // 4 + 8192)  # of one open row
        self.drx("compact", "a")
        self.drx("copy", "a", "b")
        self.assertEqual(self.info("b")["dead_bytes"], 0)
        self.assertLess(os.path.getsize("b.xtz"), a.nbytes)
        self.assertLess(self.info("a")["dead_bytes"], before["dead_bytes"])
        self.assertLess(os.stat("a.xtz").st_blocks, used)
        for path in "ab":
            self.assert_same(self.whole(path), a)
            self.good(path)


class Files(CodecTest):
    def setUp(self):
        super().setUp()
        self.a = smooth(20, 30)
        self.put("a", self.a, "--chunk", "7,9", "--codec", "zstd")

    def test_copies_in_slabs(self):
        """Each chunk of the copy of a selection is written once, whole."""
        np.save("big.npy", smooth(45, 100, 150))
        self.drx("import", "big.npy", "big", "--chunk", "1,100,150", "--codec", "zstd")
        self.drx("copy", "big[5:]", "part", "--chunk", "20,50,50", "--memory", "1M")
        self.assertEqual(self.info("part")["open_chunks"], 0)
        self.assert_same(self.whole("part"), np.load("big.npy")[5:])


class Import(CodecTest):
    def setUp(self):
        super().setUp()
        self.a = smooth(12, 40, 50)

    def test_hdf5(self):
        with h5py.File("in.h5", "w") as f:
            f.create_dataset("plain", data=self.a, chunks=(5, 40, 7))
            f.create_dataset("stored", data=self.a, chunks=(5, 40, 7), compression="gzip", compression_opts=0)
            f.create_dataset("gzip", data=self.a, chunks=(5, 40, 7), compression="gzip", compression_opts=8,
                             shuffle=True)
            if h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP):
                f.create_dataset("szip", data=self.a, chunks=(5, 40, 7), compression="szip")
        self.assertEqual(filters("in.h5", "gzip"), (8, True))
        for name, expected in (("plain", (None,) * 3), ("stored", (None,) * 3), ("gzip", ("zlib", 8, "byte")),
                               ("szip", ("zstd", 5, "none"))):
            with h5py.File("in.h5", "r") as f:
                if name not in f:
                    continue
            self.drx("import", "in.h5:" + name, name)
            self.assertEqual(self.codec(name), expected)
            self.assert_same(self.whole(name), self.a)

    @unittest.skipUnless(h5py.h5z.filter_avail(BLOSC), "HDF5 has no filter of Blosc here")
    def test_blosc(self):
        """Of HDF5's filter: the frame's four numbers, level, shuffle and codec."""
        for shuffle, codec, expected in ((1, 1, ("lz4", 6, "byte")), (2, 5, ("zstd", 6, "bit")),
                                         (0, 4, ("zlib", 6, "none")), (1, 2, ("lz4hc", 6, "byte")),
                                         (1, 0, ("lz4", 6, "byte"))):  # blosclz, which DRX lacks
            with h5py.File("in.h5", "w") as f:
                f.create_dataset("u", data=self.a, chunks=(4, 40, 50), compression=BLOSC,
                                 compression_opts=(0, 0, 0, 0, 6, shuffle, codec))
            self.drx("import", "in.h5:u", "u", "--force")
            self.assertEqual(self.codec("u"), expected)
            self.assert_same(self.whole("u"), self.a)

    def test_keep_bits(self):
        """Rounding comes before compression, and makes it worth while."""
        make_nc("in.nc", smooth(12, 40, 50) + np.random.default_rng(1).normal(0, 1, (12, 40, 50)).astype("f4"))
        self.drx("import", "in.nc:u", "u", "--codec", "zstd", "--no-coords")
        self.drx("import", "in.nc:u", "rounded", "--codec", "zstd", "--keep-bits", 7, "--no-coords")
        self.drx("copy", "u", "copied", "--keep-bits", 7)
        self.assert_same(self.whole("rounded"), self.whole("copied"))
        sizes = {name: self.info(name)["stored_bytes"] for name in ("u", "rounded", "copied")}
        self.assertLess(sizes["rounded"], 0.7 * sizes["u"])
        self.assertLess(sizes["copied"], 0.7 * sizes["u"])


class Export(CodecTest):
    def test_kept(self):
        """As deflate, with the level and the shuffle of the array, where there is no filter of Blosc; only compressed
        arrays are."""
        a = smooth(10, 20, 30)
        without = {**os.environ, "HDF5_PLUGIN_PATH": os.getcwd()}
        for options, expected in ((["--codec", "zlib", "--level", 3], (3, True)),
                                  (["--codec", "zlib", "--shuffle", "none"], (5, False)),
                                  (["--codec", "zstd", "--level", 9, "--shuffle", "bit"], (9, True)),
                                  (["--codec", "none"], (None, False))):
            self.put("u", a, *options)
            for target in ("out.nc", "out.h5"):
                self.drx("export", "u", target, env=without)
                self.assertEqual(filters(target), expected, options)
                with h5py.File(target, "r") as f:
                    np.testing.assert_array_equal(f["u"][:], a)
                self.drx("export", "u", target, "--deflate", 0)
                self.assertEqual(filters(target), (None, False))
                self.drx("export", "u", target, "--deflate", 8)
                self.assertEqual(filters(target)[0], 8)
            self.drx("export", "u", "out.npy")
            self.assert_same(np.load("out.npy"), a)

    def assert_blosc(self, target, a, params):
        """The variable has the filter of Blosc alone, with these parameters, and both libraries read its values."""
        with h5py.File(target, "r") as f:
            self.assertEqual({key: value[4:] for key, value in f["u"]._filters.items()}, {str(BLOSC): params})
            self.assertEqual(f["u"]._filters[str(BLOSC)][2:4], (a.itemsize, a.itemsize * np.prod(f["u"].chunks)))
            self.assert_same(f["u"][:], a)
        if target.endswith(".nc"):
            with netCDF4.Dataset(target) as f:
                self.assert_same(np.asarray(f["u"][:]), a)

    @unittest.skipUnless(h5py.h5z.filter_avail(BLOSC), "HDF5 has no filter of Blosc here")
    def test_kept_by_blosc(self):
        """All but zlib keep codec, level and shuffle, and a line says what readers need."""
        a = smooth(10, 20, 30)
        for codec, level, shuffle, params in (("zstd", 9, "bit", (9, 2, 5)), ("lz4hc", 4, "none", (4, 0, 2)),
                                              ("lz4", 2, "byte", (2, 1, 1))):
            self.put("u", a, "--codec", codec, "--level", level, "--shuffle", shuffle)
            for target in ("out.nc", "out.h5"):
                self.drx("export", "u", target,
                         warns=f"{target}: is compressed by Blosc; readers need HDF5's filter {BLOSC}")
                self.assert_blosc(target, a, params)
                self.drx("import", target + ":u", "v", "--force")
                self.assertEqual(self.codec("v"), (codec, level, shuffle))
                self.drx("export", "u", target, "--deflate", 2)
                self.assertEqual(filters(target), (2, True))
        self.drx("copy", "u", "out.h5", "--force", warns="out.h5: is compressed by Blosc")
        self.drx("copy", "out.h5:u", "out.nc", "--force")  # which readers of the one can read, too
        self.assert_blosc("out.nc", a, (2, 1, 1))
        make_nc("in.nc", a)
        self.drx("import", "in.nc", "ds", "--dataset", "--codec", "lz4", "--level", 3)
        result = self.run_drx("export", "ds", "ds.nc")
        self.assertEqual((result.returncode, result.stderr.decode().count("is compressed by Blosc")), (0, 1))
        self.assert_blosc("ds.nc", a, (3, 1, 1))
        noise = sample((70, 90), "f8")  # chunks that become no smaller
        self.put("u", noise, "--codec", "lz4")
        for target in ("noise.nc", "noise.h5"):
            self.drx("export", "u", target, warns="is compressed by Blosc")
            with h5py.File(target, "r") as f:
                self.assert_same(f["u"][:], noise)

    @unittest.skipUnless(h5py.h5z.filter_avail(BLOSC), "HDF5 has no filter of Blosc here")
    def test_blosc(self):
        """The filter has the codec, and an import finds it again."""
        a = smooth(10, 20, 30)
        for i, codec in enumerate(CODECS):
            level, shuffle = 9 - i % 9, ("bit", "byte", "none")[i % 3]
            self.drx("create", "u", "--shape", a.shape, "--type", "f4", "--codec", codec, "--level", level, "--shuffle",
                     shuffle, "--force")
            self.write("u", a)
            for target in ("out.h5", "out.nc"):
                self.drx("export", "u", target, "--blosc", warns=f"{target}: is compressed by Blosc")
                with h5py.File(target, "r") as f:
                    self.assertEqual(list(f["u"]._filters), [str(BLOSC)])
                    np.testing.assert_array_equal(f["u"][:], a)
                self.drx("import", target + ":u", "v", "--force")
                self.assertEqual(self.codec("v"), (codec, level, shuffle))
        self.put("raw", a)
        self.drx("export", "raw", "raw.h5", "--blosc")
        self.assertEqual(filters("raw.h5", "raw"), (None, False))
        self.all_fail(2, "export", "u", "--blosc", cases={("out.npy",): "--blosc goes with netCDF and HDF5",
                                                          ("out.h5", "--deflate", "1"): "--blosc does not go with"})

    def test_without_blosc(self):
        """A library that finds no filter says what to do."""
        self.put("u", smooth(10, 20), "--codec", "lz4")
        environment = {**os.environ, "HDF5_PLUGIN_PATH": os.getcwd()}
        self.fails(2, "export", "u", "out.h5", "--blosc", says="hdf5-filter-plugin-blosc-serial", env=environment)
        self.assertNotIn("out.h5", names())


class Copy(CodecTest):
    def test_arrays(self):
        a = smooth(30, 40, 50)
        self.put("a", a, "--chunk", "8,9,10", "--codec", "lz4", "--level", 7, "--shuffle", "bit")
        for options, expected, key in (
                ([], ("lz4", 7, "bit"), a), (["--codec", "none"], (None,) * 3, a),
                (["--checksum"], (None,) * 3, a), (["--codec", "zstd"], ("zstd", 5, "byte"), a),
                (["--permute", "2,1,0", "--chunk", "20,20,20"], ("lz4", 7, "bit"), a.transpose(2, 1, 0))):
            self.drx("copy", "a", "b", "--force", *options)
            self.assertEqual(self.codec("b"), expected)
            self.assert_same(self.whole("b"), key)
            self.good("b")
            self.drx("rm", "b")
        self.drx("copy", "a[5:25,::2,3]", "part")
        self.assert_same(self.whole("part"), a[5:25, ::2, 3])
        self.assertEqual(self.codec("part"), ("lz4", 7, "bit"))
        self.drx("copy", "a[5:25]", "part", "--permute", "1,0,2", "--codec", "zlib", "--force")
        self.assert_same(self.whole("part"), a[5:25].transpose(1, 0, 2))
        self.assertEqual(self.codec("part"), ("zlib", 5, "byte"))


class Advise(CodecTest):
    def test_sample(self):
        a = smooth(64, 100)
        self.put("a", a, "--chunk", "16,25")
        found = json.loads(self.drx("advise", "a", "--codecs", "--json"))
        self.assertEqual((found["sample_chunks"], len(found["codecs"])), (16, 5 + len(CODECS)))
        self.assertEqual([entry["best"] for entry in found["codecs"]].count(True), 1)
        for entry in found["codecs"]:
            self.assertGreater(min(entry["read_bytes_per_second"], entry["write_bytes_per_second"]), 0)
            self.drx("copy", "a", "b", "--codec", entry["codec"], "--level", entry["level"], "--shuffle",
                     entry["shuffle"], "--force")
            self.assertAlmostEqual(self.info("b")["ratio"], entry["ratio"])
        text = self.drx("advise", "b", "--codecs")  # which is compressed itself
        self.assertRegex(text, r"\n16 of 16 chunks, compressed and decompressed by one thread\n")
        command = re.search(r"^drx (copy --codec .* b b-new)$", text, re.MULTILINE).group(1)
        self.drx(*command.split())
        self.assert_same(self.whole("b-new"), a)

    def test_with_layout(self):
        self.put("a", smooth(64, 100), "--chunk", "16,25")
        found = json.loads(self.drx("advise", "a", "--codecs", "--access", "1,100", "--json"))
        self.assertIn("proposed_chunk", found)
        self.assertIn("codecs", found)
        self.assertNotIn("codecs", json.loads(self.drx("advise", "a", "--access", "1,100", "--json")))
        self.assertNotIn("proposed_chunk", json.loads(self.drx("advise", "a", "--codecs", "--json")))
        self.fails(2, "advise", "a", says="or --codecs")

    def test_noise(self):
        noise = np.random.default_rng(2).integers(0, 256, (64, 100), dtype="u1")
        self.put("a", noise, "--chunk", "64,50")
        self.assertIn("None of them makes it smaller", self.drx("advise", "a", "--codecs"))
        found = json.loads(self.drx("advise", "a", "--codecs", "--json"))["codecs"]
        self.assertEqual({entry["shuffle"] for entry in found}, {"none", "bit"})
        self.assertFalse(any(entry["best"] for entry in found))


if __name__ == "__main__":
    unittest.main()
