"""The program drx: `import --append` compares coordinates and variables by what they mean, of arrays and datasets."""

import os

import numpy as np

import nc_file
from drx_cli import CliTest, need, npy_bytes, write_file, worker

need(nc_file.LIBRARY)

SINCE_2001 = {"units": b"days since 2001-01-01"}


class Append(CliTest):
    def make(self, time=(0.5, 1.5), units=b"days since 2001-01-01", calendar=None, lat=(1.0, 2.0), value=1, name="u",
             dtype="float64", **attributes):
        """in.nc with name(time, lat)."""
        array = np.full((len(time), len(lat)), value, dtype)
        array += np.arange(len(time))[:, None].astype(dtype)
        with nc_file.NcFile("in.nc") as nc:
            dims = [nc.dim("time", len(time)), nc.dim("lat", len(lat))]
            u = nc.var(name, dtype, dims)
            t = nc.var("time", np.asarray(time).dtype.name, dims[:1])
            y = nc.var("lat", np.asarray(lat).dtype.name, dims[1:])
            nc.att(t, "units", units)
            if calendar:
                nc.att(t, "calendar", calendar)
            for key, text in attributes.items():
                nc.att(u, key, text)
            nc.end_define()
            nc.put(u, array)
            nc.put(t, np.asarray(time))
            nc.put(y, np.asarray(lat))

    def start_with(self, *args, **how):
        self.make(*args, **how)
        self.drx("import", "in.nc:u", "u", "--coords", "--force")

    def append(self, *options, path="u", name="u", warns=()):
        self.drx("import", "in.nc:" + name, path, "--coords", "--append", "time", *options, warns=warns)

    def refused(self, says, *options, path="u", name="u"):
        before = [self.info(name) for name in ("u", "time", "lat")]
        self.fails(1, "import", "in.nc:" + name, path, "--coords", "--append", "time", *options, says=says)
        self.assertEqual([self.info(name) for name in ("u", "time", "lat")], before)

    def test_another_reference_date_is_encoded_again(self):
        self.start_with()
        self.make(units=b"days since 2002-01-01")
        self.append(warns="a step of 364 days")
        self.assert_same(self.whole("time"), np.array([0.5, 1.5, 365.5, 366.5]))
        self.make(time=np.array([36, 60], "i4"), units=b"hours since 2002-01-02")
        self.append()
        self.assert_same(self.whole("time")[4:], np.array([367.5, 368.5]))

    def test_calendars_that_differ(self):
        self.start_with()
        for calendar in (b"noleap", b"360_day", b"julian"):
            self.make(units=b"days since 2002-01-01", calendar=calendar)
            self.refused(["time", f"the calendar is {calendar.decode()}", "stored dates is standard"])
        self.make(units=b"m")
        self.refused(["time: the units 'days since 2001-01-01' are dates, but 'm' are not"])
        self.make(time=(2.5,), calendar=b"proleptic_gregorian")
        self.append()

    def test_overlaps(self):
        self.start_with(time=(0.5, 1.5, 2.5))
        self.make(time=(36, 60, 84), units=b"hours since 2001-01-01", value=7)
        self.refused(["time: new index 0 is 2001-01-02T12:00, which is stored already at index 1", "end at 2001-01-03T12:00",
                      "--overlap skip", "--overlap replace"])
        self.append("--overlap", "skip")
        self.assert_same(self.whole("time"), np.array([0.5, 1.5, 2.5, 3.5]))
        self.assert_same(self.whole("u")[:, 0], np.array([1.0, 2, 3, 9]))
        self.make(time=(1.5, 2.5, 3.5, 4.5), value=20)
        self.append("--overlap", "replace")
        self.assert_same(self.whole("time"), np.array([0.5, 1.5, 2.5, 3.5, 4.5]))
        self.assert_same(self.whole("u")[:, 1], np.array([1.0, 20, 21, 22, 23]))
        self.append("--overlap", "skip")
        self.assertEqual(self.info("u")["shape"], [5, 2])
        self.make(time=(1.75, 5.5))
        self.refused(["new index 0 is 2001-01-02T18:00", "none of them equals it", "nearest is 2001-01-02T12:00"],
                     "--overlap", "skip")
        for options in (["--overlap", "skip"], ["--as", "u"], ["--from", "1"]):
            self.fails(2, "import", "in.nc:u", "u", *options, says=[options[0], "goes with --append"])
        for other in (["--coords"], ["--overlap", "skip"]):
            self.fails(2, "import", "in.nc:u", "u", "--append", "time", "--no-coords", *other,
                       says=["--no-coords does not go with " + other[0]])

    def test_what_leads_up_to_the_first_coordinate(self):
        """The array grows at its low end, and so does the coordinate."""
        self.start_with(time=(0.5, 1.5))
        self.make(time=(-48, -24, 0), units=b"hours since 2001-01-01T12:00", value=5)
        self.refused(["time: new index 2 is 2001-01-01T12:00, which is stored already at index 0"])
        self.append("--overlap", "skip")
        self.assert_same(self.whole("time"), np.array([-1.5, -0.5, 0.5, 1.5]))
        self.assert_same(self.whole("u")[:, 0], np.array([5.0, 6, 1, 2]))
        self.assertEqual((self.info("u")["lower"], self.info("time")["lower"]), ([-2, 0], [-2]))
        self.make(time=(-3.5, -2.5, -1.5, -0.5), value=10)
        self.append("--overlap", "replace")
        self.assert_same(self.whole("time"), np.arange(-3.5, 2))
        self.assert_same(self.whole("u")[:, 1], np.array([10.0, 11, 12, 13, 1, 2]))
        self.make(time=(2.5, 3.5), value=30)
        self.append()
        self.assert_same(self.whole("u")[:, 1], np.array([10.0, 11, 12, 13, 1, 2, 30, 31]))
        self.make(time=(-4.5, 4.5))
        self.refused(["time: new index 0 is", "2000-12-27T12:00"])
        self.make(time=(-6.5, -5.5), units=b"days since 2001-01-01", value=0)
        self.append("--from", 1, warns="a step of 2 days")
        self.assert_same(self.whole("time"), np.array([-5.5, *np.arange(-3.5, 4)]))

    def test_a_coordinate_that_another_array_has_led_up_to(self):
        """As test_second_variable_that_shares_a_coordinate, and as after a kill between the two."""
        for name in ("u", "v"):
            self.make(name=name)
            self.drx("import", "in.nc:" + name, name, "--coords")
        for name in ("u", "v"):
            self.make(time=(-2.5, -1.5, -0.5), name=name, value=8)
            self.append(name=name, path=name)
        self.assert_same(self.whole("time"), np.arange(-2.5, 2))
        self.assert_same(self.whole("v")[:, 0], np.array([8.0, 9, 10, 1, 2]))
        self.make(time=(-3.5,))
        self.append()
        self.make(time=(-4.5,), name="v")
        self.refused(["time: has 6 indices already, 1 more than the array", "2000-12-27T12:00", "2000-12-28T12:00"],
                     path="v", name="v")
        self.make(time=(2.5,), name="v")
        self.refused(["time: has the indices -4 to 1, but the array -3 to 1", "trim it"], path="v", name="v")
        self.make(time=(-4.5, -3.5), name="v")  # goes beyond the other one
        self.append(name="v", path="v")
        self.assert_same(self.whole("time"), np.arange(-4.5, 2))

    def test_latitudes_to_both_poles(self):
        """Falling ones, along the last axis."""
        self.start_with(lat=(20.0, 10.0))
        self.make(lat=(40.0, 30.0), value=5)
        self.drx("import", "in.nc:u", "u", "--coords", "--append", "lat")
        self.make(lat=(0.0, -10.0), value=9)
        self.drx("import", "in.nc:u", "u", "--coords", "--append", "lat")
        self.assert_same(self.whole("lat"), np.arange(40.0, -11, -10))
        self.assert_same(self.whole("u")[0], np.array([5.0, 5, 1, 1, 9, 9]))

    def test_repeats(self):
        self.start_with()
        self.make(time=(2.5, 3.5, 3.5))
        self.refused(["new index 1 is 2001-01-04T12:00 and index 2 is 2001-01-04T12:00, which repeats it"])
        self.make(time=(3.5, 2.5))
        self.refused(["coordinates must all rise or all fall"])

    def test_from(self):
        self.start_with()
        self.make(time=(1.5, 2.5, 3.5))
        self.append("--from", 1)
        self.assert_same(self.whole("time"), np.array([0.5, 1.5, 2.5, 3.5]))

    def test_coordinates_that_are_equal_beyond_rounding(self):
        self.start_with(lat=(0.1, 0.2))
        self.make(time=(2.5,), lat=np.array([0.1, 0.2], "f4"))
        self.append()
        self.make(time=(3.5,), lat=(0.1, 0.21))
        self.refused(["lat: its values differ", "lat: index 1 is 0.21, but 0.2 is stored"])

    def test_second_variable_that_shares_a_coordinate(self):
        for name in ("u", "v"):
            self.make(name=name)
            self.drx("import", "in.nc:" + name, name, "--coords")
        for name in ("u", "v"):
            self.make(time=(2.5, 3.5, 4.5), name=name)
            self.append(name=name, path=name)
        self.assert_same(self.whole("time"), np.arange(0.5, 5))
        self.assertEqual((self.info("u")["shape"], self.info("v")["shape"]), ([5, 2], [5, 2]))
        self.make(time=(5.5,))
        self.append()
        self.make(time=(6.5,), name="v")
        self.refused(["time: has 6 indices already, 1 more than the array", "index 0 is 2001-01-07T12:00, but "
                      "2001-01-06T12:00 is stored"], path="v", name="v")
        self.make(time=(5.5, 6.5), name="v")  # goes beyond the other one
        self.append(name="v", path="v")
        self.assert_same(self.whole("time"), np.arange(0.5, 7))

    def test_another_variable(self):
        self.start_with(standard_name=b"eastward_wind")
        self.make(time=(2.5,), name="v", standard_name=b"northward_wind")
        self.refused(["in.nc:v: the standard_name is 'northward_wind', but that of u is 'eastward_wind'", "--as u"], name="v")
        self.make(time=(2.5,), name="v")
        self.refused(["in.nc:v: is called 'v', but the array 'u'", "--as u"], name="v")
        self.refused(["--as says 'w', but the array is 'u'"], "--as", "w", name="v")
        self.append("--as", "u", name="v")
        self.make(time=(3.5,), name="ugrd", standard_name=b"eastward_wind")
        self.append(name="ugrd")
        self.make(time=(4.5,), name="U")
        self.append(name="U")
        self.assertEqual(self.info("u")["shape"], [5, 2])

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

    def test_replaced_elements_are_converted(self):
        self.start_with(units=b"days since 2001-01-01")
        self.drx("import", "in.nc:u", "u", "--coords", "--force")
        with nc_file.NcFile("in.nc") as nc:
            nc.array("u", np.full((2, 2), 3.0), ["time", "lat"], units=b"km")
            nc.array("time", np.array([1.5, 2.5]), ["time"], units=b"days since 2001-01-01")
        with nc_file.NcFile("first.nc") as nc:
            nc.array("u", np.ones((2, 2)), ["time", "lat"], units=b"m")
        self.drx("import", "first.nc:u", "u", "--force")
        self.drx("import", "in.nc:u", "u", "--append", "time", "--overlap", "replace")
        self.assert_same(self.whole("u")[:, 0], np.array([1.0, 3000, 3000]))

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

    def plain(self, *options, warns=()):
        self.drx("import", "in.nc:u", "u", "--append", "time", *options, warns=warns)

    def test_coordinates_beside_it_need_no_option(self):
        self.start_with()
        self.make(units=b"days since 2002-01-01")
        self.plain(warns="a step of 364 days")
        self.assert_same(self.whole("time"), np.array([0.5, 1.5, 365.5, 366.5]))
        for changes, says in (
                (dict(units=b"days since 2002-01-01"), ["time: new index 0 is 2002-01-01T12:00, which is stored already"]),
                (dict(time=(400.5,), calendar=b"noleap"), ["the calendar is noleap"]),
                (dict(time=(400.5,), lat=(1.0, 3.0)), ["lat: its values differ"])):
            self.make(**changes)
            self.unchanged([*says, "--no-coords"])
            self.assertEqual(self.info("time")["shape"], [4])
        self.make(time=(366.5, 400.5), value=7)  # of 2001
        self.plain("--overlap", "skip")
        self.assertEqual((self.info("u")["shape"], self.info("time")["shape"]), ([5, 2], [5]))
        self.make(time=(3.5,))
        self.plain("--no-coords")
        self.assertEqual((self.info("u")["shape"], self.info("time")["shape"]), ([6, 2], [5]))
        self.make(time=(500.5,))
        self.unchanged(["time: has the indices 0 to 4, but the array has 0 to 5 there", "append the missing ones", "--no-coords"])
        self.drx("import", "in.nc:time", "time", "--append", "0")
        self.make(time=(501.5,))
        self.plain()

    def test_a_new_array_beside_other_coordinates(self):
        self.start_with()
        self.make(time=(7.5, 8.5))  # as many as are there
        self.fails(1, "import", "in.nc:u", "v", says=["time: its values differ", "another folder, or give --no-coords"])
        self.assertNotIn("v.xmd", os.listdir("."))
        self.drx("import", "in.nc:u", "v", "--no-coords")
        self.make()
        self.drx("import", "in.nc:u", "w")
        self.make(time=(7.5, 8.5, 9.5))  # coordinates of another extent are not taken for its own
        self.drx("import", "in.nc:u", "x")
        self.assertEqual(self.info("time")["shape"], [2])

    def test_coordinates_that_cannot_be_looked_at(self):
        self.start_with()
        self.make(time=(2.5,))
        with open("time.xmd", "r+b") as file:
            file.write(b"nonsense")
        self.unchanged(["time", "not the metadata of a DRX array", "--no-coords"])
        self.plain("--no-coords")

    def test_arrays_beside_it_that_are_not_its_coordinates(self):
        self.start_with()
        np.save("c.npy", np.arange(3.0))
        self.drx("import", "c.npy", "lat", "--force")  # of another grid
        self.make(time=(2.5,))
        self.plain()
        self.assertEqual((self.info("time")["shape"], self.info("lat")["shape"]), ([3], [3]))
        np.save("c.npy", np.ones((2, 2)))
        self.drx("import", "c.npy", "time", "--force")
        self.make(time=(1.5,))
        self.plain()
        self.unchanged(["time: must have one dimension", "--no-coords"], "--coords")
        self.unchanged(["--overlap needs a coordinate of axis 0 (time)"], "--overlap", "skip")
        self.put_one(np.full((1, 2), 9.0))  # a file without coordinates
        self.plain("--force")
        self.assertEqual(self.info("u")["shape"], [5, 2])

    def test_axes_without_names_have_no_coordinates(self):
        self.start_with()
        self.drx("create", "plain", "--shape", "2,2")
        self.drx("import", "in.nc:u", "plain", "--append", "0", "--as", "plain")
        self.assertEqual((self.info("plain")["shape"], self.info("time")["shape"]), ([4, 2], [2]))

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


class WholeFiles(CliTest):
    """Appended to a dataset `ds` of u(time, lat) and its coordinates."""

    def make(self, path, time=(0.0, 1.0), lat=(1.0, 2.0, 3.0), dtype="float32", dims=("time", "lat"), units=None, **more):
        """A file of them; more: attributes of time."""
        time, lat = np.asarray(time), np.asarray(lat)
        shape = [len({"time": time}.get(name, lat)) for name in dims]
        with nc_file.NcFile(path) as nc:
            nc.array("u", np.arange(len(time) * len(lat), dtype=dtype).reshape(shape), dims, units=b"K")
            nc.array("time", time, ["time"], units=units or b"days since 2001-01-01", **more)
            nc.array(dims[1 - dims.index("time")], lat, [dims[1 - dims.index("time")]], units=b"degrees_north")

    def start(self, **how):
        self.make("in.nc", **how)
        self.drx("import", "in.nc", "ds", "--dataset")

    def refused(self, says, *options, lacks=()):
        """It says this in one line, and the dataset stays as it is."""
        before = self.drx("log", "ds")
        error = self.fails(1, "import", "in.nc", "ds", "--append", "time", *options, says=says)
        self.assertEqual(self.drx("log", "ds"), before)
        for text in [lacks] if isinstance(lacks, str) else lacks:
            self.assertNotIn(text, error)

    def append(self, *options, warns=()):
        self.drx("import", "in.nc", "ds", "--append", "time", *options, warns=warns)

    def test_coordinates_of_another_type(self):
        """Whole numbers in the file, floats in the dataset, and latitudes of another size."""
        self.start()
        for dtype, first in (("int64", 2), ("int16", 4), ("float32", 6), ("uint64", 8)):
            self.make("in.nc", time=np.array([first, first + 1], dtype), lat=np.array([1, 2, 3], dtype))
            self.append()
        self.assert_same(self.whole("ds/time"), np.arange(10.0))
        self.assert_same(self.whole("ds/u"), np.tile(np.arange(6, dtype="f4").reshape(2, 3), (5, 1)))
        self.make("in.nc", time=np.array([10, 2**53 + 1]))
        self.refused("in.nc:time: index 1 is 9007199254740993 (")
        self.make("in.nc", time=np.array([10, 11]), dtype="float64")
        self.refused(["in.nc:u: holds float64, but float32 in ds", "store it as float32 in the file"])
        self.make("in.nc", time=np.array([10, 11]), dtype="int16")
        self.refused(["in.nc:u: holds int16, but float32 in ds", "store it as float32 in the file"])

    def test_coordinates_that_the_stored_integer_cannot_hold(self):
        self.start(time=np.array([0, 1]))
        self.make("in.nc", time=(2.0, 3.0))
        self.append()
        self.assert_same(self.whole("ds/time"), np.arange(4))
        self.make("in.nc", time=(4.0, 5.5))
        self.refused(["time: index 1 is 2001-01-06T12:00", "not a whole number", "what begins with finer units, or with a "
                      "floating-point type, can hold it"])
        self.make("in.nc", time=(4.0, 1e30))
        self.refused(["time: index 1 is 1e+30", "which int64 cannot hold"])

    def test_the_type_is_told_last(self):
        self.start()
        for says, how in (("lat: index 0 is 7, but 1 is stored", {"lat": (7.0, 8.0, 9.0)}),
                          ("are dates, but 'm' are not", {"units": b"m"}),
                          ("stored already", {"time": np.array([1, 2])})):
            self.make("in.nc", **{"time": np.array([2, 3]), "dtype": "float64", **how})
            self.refused(says, lacks="holds")

    def test_targets_that_cannot_be_appended_to(self):
        """What is wrong is the target, not the file of two variables."""
        self.start()
        with nc_file.NcFile("two.nc") as nc:
            for name in "uv":
                nc.array(name, np.ones((1, 2), "f4"), ["time", "lat"])
        write_file("text")
        os.mkdir("folder")
        self.all_fail(1, "import", cases={
            ("two.nc", "dss", "--append", "time"): ["drx import: dss: no such array or dataset; without --append"],
            ("two.nc", "no/ds", "--append", "time"): "no/ds: the folder no does not exist",
            ("two.nc", "ds/u", "--append", "time"): ["ds/u: is a variable of the dataset ds", "import FILE ds --append time"],
            ("two.nc:u", "ds/u", "--append", "time"): "ds/u: is a variable of the dataset ds",
            ("two.nc:u", "ds", "--append", "time"): ["ds: is a dataset", "all of the file, without ':u'"],
            ("two.nc", "in.nc", "--append", "time"): ["in.nc: is a file, but not an array or dataset", "drx import in.nc"],
            ("two.nc", "text", "--append", "time"): "text: is a file, but not an array or dataset",
            ("two.nc", "folder", "--append", "time"): "folder: is a folder, but not a dataset",
            ("none.nc", "ds", "--append", "time"): "none.nc: no such file"})
        os.chdir("ds")
        self.fails(1, "import", "../two.nc", "u", "--append", "time", says="u: is a variable of the dataset .,")
        os.chdir("..")
        self.drx("import", "two.nc:u", "alone")
        self.fails(1, "import", "two.nc", "alone", "--append", "time", says="give SOURCE:NAME with one of u, v")
        self.drx("import", "two.nc:u", "alone", "--append", "time", "--as", "alone")
        self.assertEqual(self.info("alone")["shape"], [2, 2])

    def test_words_that_an_import_does_not_take(self):
        self.start()
        os.mkdir("folder")
        self.fails(1, "import", "in.nc", "other.nc", "new", says="other.nc: no such file")
        self.fails(1, "import", "folder", "new", says="folder: is a folder without files of netCDF or HDF5")
        self.fails(2, "import", "in.nc", "in.nc", "new", "--raw", "--type", "f4", "--shape", "1", says="--raw goes with one source")
        self.fails(1, "import", "ds", "new", says="ds: is a dataset already; drx copy ds new copies it")
        self.drx("create", "array", "--shape", "2,3", "--dims", "time,lat")
        write_file("classic.nc", b"CDF\1 and so on")
        for name in ("in.nc", "classic.nc"):
            self.fails(1, "append", "array", "time", name,
                       says=[f"{name}: is a file of netCDF or HDF5, not .npy; use 'drx import'", "--append AXIS"])

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

    def test_times_and_extents_of_another_kind(self):
        """Times that are stored come first; a part of the latitudes is told as one."""
        self.start(lat=(1.0, 2.0, 3.0))
        self.make("in.nc", time=(0.0, 1.0), lat=(1.0, 2.0))
        self.refused(["drx import: in.nc:time: new index 0 is 2001-01-01, which is stored already at index 0",
                      "besides, dimension 'lat' has 2 indices, but 3 in ds"], lacks="--overlap")
        self.make("in.nc", time=(0.0, 1.0))
        self.refused(["stored already", "--overlap skip leaves those that are stored, --overlap replace overwrites them"],
                     lacks=["besides", "'skip'"])
        self.make("in.nc", time=(0.5, 1.5))
        self.refused("none of them equals it", lacks="--overlap")
        self.make("in.nc", time=(2.0, 3.0), lat=(2.0, 3.0))
        self.refused(["dimension 'lat' has 2 indices, but 3 in ds", "all of these are stored, but 1 others", "reindex(lat=...)"])
        self.make("in.nc", time=(2.0, 3.0), lat=(2.0, 2.5))
        self.refused(["dimension 'lat' has 2 indices, but 3 in ds", "the same coordinates 'lat'"])
        self.drx("import", "in.nc:u", "u", "--coords")
        error = self.fails(1, "import", "in.nc:u", "u", "--append", "time", says="--overlap skip leaves")
        self.assertNotIn("'skip'", error)

    def lon(self, path, first, lon, units=b"degrees_east"):
        with nc_file.NcFile(path) as nc:
            nc.array("u", np.ones((1, len(lon)), "f4"), ["time", "lon"])
            nc.array("time", np.array([first]), ["time"], units=b"days since 2001-01-01")
            nc.array("lon", np.asarray(lon), ["lon"], units=units)

    def test_coordinates_that_run_otherwise(self):
        for units, turned in ((b"degrees_east", True), (b"m", False)):
            for stored, given in (("0 to 360", "-180 to 180"), ("-180 to 180", "0 to 360")):
                values = {"0 to 360": np.arange(2.5, 360, 45), "-180 to 180": np.arange(-177.5, 180, 45)}
                self.lon("in.nc", 0.0, values[stored], units)
                self.drx("import", "in.nc", "new", "--dataset")
                self.lon("in.nc", 1.0, values[given], units)
                says = f"in.nc:lon: the longitudes go from {given}, but from {stored} in new" if turned else (
                    f"in.nc:lon: index 0 is {values[given][0]}, but {values[stored][0]} is stored")
                self.fails(1, "import", "in.nc", "new", "--append", "time", says=says)
                self.drx("rm", "new")
        self.start()
        self.make("in.nc", time=(2.0, 3.0), lat=(3.0, 2.0, 1.0))
        self.refused(["in.nc:lat: 'lat' runs the other way, from 3 to 1, but from 1 to 3 in ds"])
        self.make("in.nc", time=(2.0, 3.0), lat=(1.0, 2.0, 4.0))
        self.refused("in.nc:lat: index 2 is 4, but 3 is stored")

    def days(self, year, months=range(1, 13), day=15):
        return [float((np.datetime64(f"{year}-{month:02}-{day:02}") - np.datetime64("2001-01-01")).astype(int)) for month in months]

    def appends(self, warns, *options, **how):
        self.make("in.nc", **how)
        self.append(*options, warns=warns)

    def test_a_year_that_was_forgotten(self):
        """On either side; trimmed as the warning says, nothing of the append is left."""
        self.start(time=self.days(1990))
        before = self.whole("ds/time")
        self.appends(["warning: time goes from 1990-12-15 to 1993-01-15, a step of 762 days, but its other steps are 28 to 31 days",
                      "'drx trim ds time --after 12' takes this append back"], time=self.days(1993))
        self.drx("trim", "ds", "time", "--after", "12")
        self.assert_same(self.whole("ds/time"), before)
        self.appends("'drx trim ds time --before 12' takes", time=self.days(1985))
        self.drx("trim", "ds", "time", "--before", "12")
        self.assert_same(self.whole("ds/time"), before)
        self.drx("import", "in.nc:u", "u", "--coords")
        self.make("in.nc", time=self.days(1988))
        self.drx("import", "in.nc:u", "u", "--append", "time", warns="'drx trim u time --after 12' takes this append back")

    def test_steps_that_are_no_gap(self):
        """Months and years of all lengths, hours after days, single ones, and steps that vary."""
        for name, first, files in (
                ("months", self.days(1999), [self.days(2000), self.days(2001, [1]), self.days(2001, [2]), self.days(2001, [3, 4])]),
                ("ends", self.days(1999, [1], 31), [self.days(1999, [2], 28), self.days(1999, [3], 31)]),
                ("years", self.days(1999, [1]) + self.days(2000, [1]), [self.days(2001, [1]), self.days(2002, [1])]),
                ("hours", [0.0, 1.0, 2.0], [[2.25, 2.5], [3.5, 4.5], [5.5]]),
                ("one", [0.0], [[900.0], [1800.0, 2700.0]]),
                ("varied", [0.0, 1.0, 9.0], [[13.0], [14.0, 14.5]])):
            with self.subTest(name):
                self.make("in.nc", time=first)
                self.drx("import", "in.nc", name, "--dataset")
                for time in files:
                    self.make("in.nc", time=time)
                    self.drx("import", "in.nc", name, "--append", "time")

    def test_gaps_of_other_coordinates(self):
        self.start()
        self.make("in.nc", lat=(9.0, 10.0))
        self.drx("import", "in.nc", "ds", "--append", "lat",
                 warns="lat goes from 3 to 9, a step of 6 degrees_north, but its other steps are 1 degrees_north; is a part missing?")
