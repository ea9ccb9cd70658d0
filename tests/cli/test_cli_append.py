"""drx import --append: what it makes of units, packing, missing and unsigned elements, and what a kill leaves."""

import numpy as np

import nc_file
from drx_cli import CliTest, need, npy_bytes, worker

need(nc_file.LIBRARY)


class Append(CliTest):
    def put_one(self, array, path=None, dims=("time", "lat"), **attributes):
        """in.nc with u(time, lat) alone, imported as a new array `path`."""
        with nc_file.NcFile("in.nc") as nc:
            nc.array("u", np.asarray(array), list(dims), **attributes)
        if path:
            self.drx("import", "in.nc:u", path, "--force")

    def unchanged(self, says, *options, path="u"):
        before = self.info(path)["shape"], self.whole(path).tobytes()
        self.fails(1, "import", "in.nc:u", path, "--append", "time", *options, says=says)
        self.assertEqual((self.info(path)["shape"], self.whole(path).tobytes()), before)

    def test_units_are_converted(self):
        """Of an array alone as of a dataset."""
        for have, given, values, stored in (
                (b"degC", b"K", [273.15, 300.15], [0, 27]), (b"K", b"degC", [0, 27], [273.15, 300.15]),
                (b"m s-1", b"km/h", [3.6, 36], [1, 10]), (b"m s-1", b"m/s", [0.1, 1e30], [0.1, 1e30]),
                (b"days since 2001-01-01", b"hours since 2001-01-02", [0, 12], [1, 1.5])):
            for dtype in ("float32", "float64"):
                self.put_one(np.full((1, 2), 5, dtype), "u", units=have)
                self.put_one(np.array([values], dtype), units=given)
                self.drx("import", "in.nc:u", "u", "--append", "time")
                np.testing.assert_allclose(self.whole("u"), np.array([[5, 5], stored]),
                                           rtol=1e-6, atol=1e-5)
                self.assertEqual(self.info("u")["attrs"]["units"], have.decode())
        for have, given, says in ((b"K", b"m", ["'m'", "'K'", "--force"]),
                                  (b"m", b"days since 2001-01-01", ["dates", "--force"])):
            self.put_one(np.ones((1, 2)), "u", units=have)
            self.put_one(np.full((1, 2), 7.0), units=given)
            self.unchanged(says)
            self.drx("import", "in.nc:u", "u", "--append", "time", "--force")  # as it is
            self.assert_same(self.whole("u"), np.array([[1.0, 1], [7, 7]]))

    def test_packed_numbers_are_encoded_again(self):
        packing = {"scale_factor": 0.5, "add_offset": 10.0, "_FillValue": np.int16(-999)}
        self.put_one(np.array([[0, -999]], "i2"), "u", units=b"degC", **packing)
        other = {"scale_factor": 0.25, "add_offset": 0.0, "_FillValue": np.int16(-1)}
        self.put_one(np.array([[80, -1]], "i2"), units=b"degC", **other)  # 20 degC
        self.drx("import", "in.nc:u", "u", "--append", "time")
        self.put_one(np.array([[4 * 283, -1]], "i2"), units=b"K", **other)  # 9.85 degC, to the nearest half
        self.drx("import", "in.nc:u", "u", "--append", "time")
        self.assert_same(self.whole("u"), np.array([[0, -999], [20, -999], [0, -999]], "i2"))
        for value, says in ((32767, "which int16 cannot hold"), (-505, "stored as the _FillValue")):
            wide = {"scale_factor": 1.0 if value < 0 else 4.0, "add_offset": 15.5 if value < 0 else 0.0,
                    "_FillValue": np.int16(-1)}
            self.put_one(np.array([[3, value]], "i2"), units=b"degC", **wide)
            self.unchanged(["in.nc:u: from index 0 on axis 0 (time): u: index 1 is", says])

    def test_missing_elements_stay_missing(self):
        self.put_one(np.array([[1, -9]], "f4"), "u", _FillValue=np.float32(-9), units=b"K")
        self.put_one(np.array([[1e20, 2]], "f4"), _FillValue=np.float32(1e20), units=b"K")
        self.drx("import", "in.nc:u", "u", "--append", "time")
        self.put_one(np.array([[np.nan, 3]], "f4"), units=b"K", missing_value=np.float32(np.nan))
        self.drx("import", "in.nc:u", "u", "--append", "time")
        self.assert_same(self.whole("u"), np.array([[1, -9], [-9, 2], [-9, 3]], "f4"))
        zero = {"_FillValue": np.int16(0), "units": b"K"}  # of the array, too
        self.put_one(np.array([[0, 1]], "i2"), "u", **zero)
        self.assertEqual(self.drx("read", "u").split(), ["_", "1"])
        self.put_one(np.array([[0, 2]], "i2"), **zero)
        self.drx("import", "in.nc:u", "u", "--append", "time")
        self.put_one(np.array([[5, 2]], "i2"), _FillValue=np.int16(5), units=b"K")
        self.drx("import", "in.nc:u", "u", "--append", "time")
        self.assert_same(self.whole("u"), np.array([[0, 1], [0, 2], [0, 2]], "i2"))
        self.put_one(np.array([[1, -9]], "i2"), "u", _FillValue=np.int16(-9), units=b"K")
        self.put_one(np.array([[0, 2]], "i2"), **zero)
        self.drx("import", "in.nc:u", "u", "--append", "time")
        both = {"_FillValue": np.int16(-9), "missing_value": np.array([7, 8], "i4"), "units": b"K"}
        self.put_one(np.array([[7, 8]], "i2"), **both)  # beside the _FillValue
        self.drx("import", "in.nc:u", "u", "--append", "time")
        self.assert_same(self.whole("u"), np.array([[1, -9], [-9, 2], [-9, -9]], "i2"))
        self.drx("create", "plain", "--shape", "0,2", "--type", "int16", "--dims", "time,lat")
        self.put_one(np.array([[5, 2]], "i2"), _FillValue=np.int16(5))
        self.unchanged(["plain: index 0 is", "without a _FillValue its integer type has no missing values"],
                       "--as", "plain", path="plain")

    def test_unsigned_numbers(self):
        """_Unsigned says as what integers are read, on both sides, by arrays alone and by datasets."""
        true = {"_Unsigned": b"true", "units": b"m"}
        raw = np.array([[0, 100, 200, 248]], "u1").view("i1")
        half = {**true, "scale_factor": 0.5, "add_offset": 10.0}
        quarter = {**half, "scale_factor": 0.25, "_FillValue": np.int8(-8)}
        filled = {**half, "_FillValue": np.int8(-1)}
        for dataset in (False, True):
            for n, (stored, given, expected) in enumerate((
                    ((raw, filled), (raw, quarter), [0, 50, 100, -1]),  # 10, 35, 60, missing
                    ((raw, true), (raw.view("u1"), {"units": b"m"}), raw[0]),
                    ((raw.view("u1"), {"units": b"m"}), (raw, true), raw[0].view("u1")))):
                self.put_one(stored[0], None if dataset else "u", **stored[1])
                if dataset:
                    self.drx("import", "in.nc", f"ds{n}", "--dataset")
                self.put_one(given[0], **given[1])
                self.drx("import", *(["in.nc", f"ds{n}"] if dataset else ["in.nc:u", "u"]), "--append", "time")
                got = self.whole(f"ds{n}/u" if dataset else "u")
                self.assert_same(got, np.stack([stored[0][0], np.array(expected, stored[0].dtype)]))
            self.put_one(raw, None if dataset else "u", units=b"m")
            if dataset:
                self.drx("import", "in.nc", "ds", "--dataset")
            self.put_one(raw, **true)
            self.fails(1, "import", *(["in.nc", "ds"] if dataset else ["in.nc:u", "u"]), "--append", "time",
                       says="in.nc:u: holds uint8, but int8 in ds" if dataset else "has type uint8, but int8 of u")
        self.put_one(raw, "u", _FillValue=np.int8(-8), **true)
        self.assertRegex(self.drx("info", "u"), r"type +int8  \(read as uint8\)\n(.*\n)?fill +248\n")
        self.assertEqual(self.drx("read", "u").split(), ["0", "100", "200", "_"])
        np.save("u.npy", raw)  # elements as they are stored
        self.drx("import", "u.npy", "u", "--append", "time")
        self.assert_same(self.whole("u"), np.concatenate([raw, raw]))

    def test_unsigned_coordinates(self):
        """The coordinate that grows, one that is compared, and selection by them."""
        for name, time, dtype in (("a.nc", np.arange(120, 123), "i1"), ("b.nc", np.arange(123, 135), "u1")):
            sign = {"_Unsigned": b"true"} if dtype == "i1" else {}
            with nc_file.NcFile(name) as nc:
                nc.array("time", time.astype("u1").view(dtype), ["time"], units=b"m", **sign)
                nc.array("lat", np.array([250, 251], "u1").view(dtype), ["lat"], units=b"m", **sign)
                nc.array("u", np.full((len(time), 2), time[0], "i2"), ["time", "lat"])
        self.drx("import", "a.nc", "ds", "--dataset")
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assert_same(self.whole("ds/time"), np.arange(120, 135).astype("u1").view("i1"))
        self.assertEqual(self.drx("read", "ds/time").split(), [str(i) for i in range(120, 135)])
        self.assertEqual(self.drx("read", "ds/time[time=133]").split(), ["133"])
        self.assertEqual(self.drx("read", "ds/u[lat=251,time=121:124]").split(), ["120", "120", "123", "123"])
        self.assertEqual(self.drx("read", "ds/time", "--raw").split()[-1], "-122")

    def test_bounds_have_the_units_of_their_coordinate(self):
        for path, since in (("time_bnds", b"days since 2001-01-01"), (None, b"days since 2001-01-11")):
            with nc_file.NcFile("in.nc") as nc:
                nc.array("time", np.array([0.5]), ["time"], units=since, bounds=b"time_bnds")
                nc.array("time_bnds", np.array([[0.0, 1]]), ["time", "nv"])
            if path:
                self.drx("import", "in.nc:time_bnds", path, "--coords")
        self.drx("import", "in.nc:time_bnds", "time_bnds", "--append", "time")
        self.assert_same(self.whole("time_bnds"), np.array([[0.0, 1], [10, 11]]))
        self.assert_same(self.whole("time"), np.array([0.5, 10.5]))

    def large(self, n=160, first=0.0):
        """in.nc with n MiB of u(time, lat)."""
        with nc_file.NcFile("in.nc", nc_file.CDF5) as nc:
            nc.no_fill()
            time, lat = nc.dim("time", n), nc.dim("lat", 1 << 17)
            u, t = nc.var("u", "float64", [time, lat]), nc.var("time", "float64", [time])
            nc.end_define()
            nc.put(t, first + np.arange(n))
            nc.put(u, np.full((n, 1 << 17), 1.0) + np.arange(n)[:, None])

    def start_large(self):
        self.large(2)
        self.drx("import", "in.nc:u", "u", "--coords")
        self.large(first=2.0)
        return [self.info(name)["shape"] for name in ("u", "time")]

    def test_an_append_that_is_killed_leaves_nothing(self):
        """However large it is."""
        before = self.start_large()

        def second_piece(process):
            with open(f"/proc/{worker(process)}/io") as file:
                return int(next(line for line in file if line.startswith("wchar")).split()[1]) > 64 << 20

        for number in (9, 2, 15):
            error = self.interrupted(number, "import", "in.nc:u", "u", "--append", "time", begun=second_piece)
            self.assertEqual(error, "")
            self.assertEqual([self.info(name)["shape"] for name in ("u", "time")], before)
        self.drx("import", "in.nc:u", "u", "--append", "time")
        self.assertEqual(self.drx("check", "u", "time"), "u: good\ntime: good\n")
        self.assertEqual([g["by"] for g in self.info("u")["history"]], [160])
        self.assert_same(self.whole("time"), np.array([0.0, 1, *range(2, 162)]))
        self.assert_same(self.whole("u")[:, -1], np.array([1.0, 2, *range(1, 161)]))

    def test_an_append_that_fails_at_its_end_leaves_nothing(self):
        """The last element cannot be stored."""
        for n, last, units in ((1, 1, b"m"), (40, 3e38, b"km")):
            with nc_file.NcFile("in.nc", nc_file.CDF5) as nc:
                nc.no_fill()
                time, lat = nc.dim("time", n), nc.dim("lat", 1 << 19)  # 2 MiB
                u, t = nc.var("u", "float32", [time, lat]), nc.var("time", "float64", [time])
                nc.att(u, "units", units)
                nc.end_define()
                array = np.ones((n, 1 << 19), "f4")
                array[-1, -1] = last
                nc.put(u, array)
                nc.put(t, np.arange(n) + n)
            if n == 1:
                self.drx("import", "in.nc:u", "u", "--coords")
        self.fails(1, "import", "in.nc:u", "u", "--append", "time",
                   says=["in.nc:u: from index 32 on axis 0 (time): u: index ", "is 3e+41, which float32 cannot hold"])
        self.assertEqual([self.info(name)["shape"][0] for name in ("u", "time")], [1, 1])
        self.assertIn("u: good", self.drx("check", "u"))

    def test_a_number_that_only_the_array_takes_for_missing(self):
        """It would become missing. Numbers that are not so are appended, those of bare files as they are, and NaN."""
        def write(values, dtype="i2", **attributes):
            with nc_file.NcFile("one.nc") as nc:
                nc.array("u", np.array(values, dtype), ["time"], **attributes)

        says = "index 0 is -1, which would be stored as the _FillValue or a missing_value, so as missing"
        for key in "_FillValue", "missing_value":
            write([1, 2], **{key: np.int16(-1)})
            self.drx("import", "one.nc", "all", "--dataset")
            self.drx("import", "one.nc:u", "u", "--force")
            for attributes in {}, {"long_name": b"u"}:
                write([-1, 3], **attributes)
                self.fails(1, "import", "one.nc", "all", "--append", "time", says=says)
                self.fails(1, "import", "one.nc:u", "u", "--append", "time", says=says)
            write([3, 4])
            self.drx("import", "one.nc", "all", "--append", "time")
            self.drx("import", "one.nc:u", "u", "--append", "time")
            self.drx("import", "-", "u", "--append", "time", stdin=npy_bytes(np.array([-1, 5], "i2")))
            self.assertEqual(self.whole("all/u").tolist(), [1, 2, 3, 4])
            self.assertEqual(self.whole("u").tolist(), [1, 2, 3, 4, -1, 5])
            self.drx("rm", "all")
        write([1, 2], "f4", _FillValue=np.float32("nan"))
        self.drx("import", "one.nc", "all", "--dataset")
        write([np.nan, 3], "f4")
        self.drx("import", "one.nc", "all", "--append", "time")
        np.testing.assert_array_equal(self.whole("all/u"), [1, 2, np.nan, 3])
