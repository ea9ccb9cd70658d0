"""The program drx: append, write and read, with .npy files and as text."""

import io
import os
import pty
import signal
import subprocess
import time

import numpy as np

from drx_cli import DRX, SANITIZED, TYPES, CliTest, mode_of, names, npy_bytes, read_file, sample, some, write_file

SLAB = 64 << 20


def variants(array):
    """The array in C and Fortran order, in both byte orders."""
    for order in "CF":
        for byte_order in "<>":
            yield np.asarray(array, dtype=array.dtype.newbyteorder(byte_order), order=order)


def digits(number):
    """The significant ones."""
    return number.split("e")[0].replace(".", "").strip("-0")


class Append(CliTest):
    def create(self, shape, dtype="float64", *options):
        self.drx("create", "a", "--shape", shape, "--type", dtype, "--force", *options)

    def test_types_and_orders(self):
        for dtype in TYPES:
            self.create([3, 0], dtype, "--chunk", "2,2")
            expected = np.zeros((3, 0), dtype)
            for i, part in enumerate(variants(sample((3, 5), dtype))):
                np.save("part.npy", part)
                self.assertEqual(self.drx("append", "a", 1, "part.npy"), "")
                expected = np.concatenate([expected, part], 1)
                self.assertEqual(len(self.info("a")["history"]), i + 1)
            self.assert_same(self.whole("a"), expected)
            self.assert_same(self.whole("a", "--order", "F"), expected)

    def test_one_to_five_dimensions(self):
        for ndim in range(1, 6):
            shape = [3, 2, 4, 3, 2][:ndim]
            expected = sample(shape, "int32")
            self.create(shape, "int32", "--chunk", [2] * ndim, "--dims",
                        ",".join("abcde"[:ndim]), "--order", "CF"[ndim % 2])
            np.save("part.npy", expected)
            self.drx("write", "a", "--at", [0] * ndim, "part.npy")
            for axis in range(ndim):
                shape[axis] = axis + 1
                part = sample(shape, "int32", seed=axis)
                np.save("part.npy", np.asfortranarray(part) if axis % 2 else part)
                self.drx("append", "a", "abcde"[axis], "part.npy")
                expected = np.concatenate([expected, part], axis)
                shape = list(expected.shape)
            self.assert_same(self.whole("a"), expected)

    def test_standard_input(self):
        self.create([0, 3], "int16")
        part = sample((4, 3), "int16")
        self.drx("append", "a", 0, "-", stdin=npy_bytes(part))
        self.drx("append", "a", 0, "-", stdin=npy_bytes(np.asfortranarray(part).astype(">i2"), (2, 0)))
        self.drx("append", "a", 0, "/dev/stdin", stdin=npy_bytes(part, (3, 0)))
        self.assert_same(self.whole("a"), np.concatenate([part] * 3))
        self.fails(1, "append", "a", 0, "-", stdin=npy_bytes(part)[:-1],
                   says=["standard input", "ends before its last"])
        self.fails(1, "append", "a", 0, "-", says=["standard input: is not a .npy file"])
        self.assertEqual(self.info("a")["shape"], [12, 3])

    def test_nothing(self):
        self.create([2, 3])
        np.save("part.npy", np.zeros((0, 3)))
        self.drx("append", "a", 0, "part.npy")
        self.assertEqual(self.info("a")["shape"], [2, 3])

    def test_errors(self):
        self.create([2, 3, 4], "float32", "--dims", "x,x,y")
        before = self.info("a")
        good = np.zeros((2, 3, 1), "float32")
        np.save("good.npy", good)
        for array, says in ((np.zeros((2, 3, 1)), ["has type float64, but the array has float32"]),
                            (np.zeros((2, 2, 1), "float32"), ["2,2,1", "expected 2,3,1"]),
                            (np.zeros((2, 3), "float32"), ["2,3", "expected 2,3,4"]),
                            (np.zeros((2, 3, 1, 1), "float32"), ["2,3,1,1"])):
            np.save("part.npy", array)
            self.fails(1, "append", "a", "y", "part.npy", says=["part.npy", *says])
        self.all_fail(1, "append", cases={
            ("a", "x", "good.npy"): "'x' is the name of 2 axes", ("a", 3, "good.npy"): "0 to 2",
            ("a", 2, "no.npy"): "no.npy: no such file", ("no", 2, "good.npy"): "no: no such array",
            ("a", 2, "."): ".: is a folder"})
        self.fails(2, "append", "a", -1, "good.npy", says="negative")
        self.assertEqual(self.info("a"), before)

    def test_bad_files(self):
        self.create([2, 3], "float64")
        good = npy_bytes(np.zeros((2, 3)))
        header = good[:128]
        bad = {
            b"": "is not a .npy file",
            b"\x93NUMPX" + good[6:]: "is not a .npy file",
            good[:6] + b"\4" + good[7:]: "unknown version",
            good[:9]: "ends within its header",
            good[:60]: "ends within its header",
            good[:-1]: "ends after 47 bytes of elements, expected 48",
            good.replace(b"'<f8'", b"[  ] "): "holds records",
            good.replace(b"'descr'", b"'dascr'"): "no descr",
            good.replace(b"False", b"false"): "no valid fortran_order",
            good.replace(b"(2, 3)", b"(2, x)"): "no valid shape",
            good.replace(b"(2, 3)", b"(2,-3)"): "no valid shape",
            good.replace(b"(2, 3)", b"(2, 3 "): "no valid shape",
            good.replace(b"'shape'", b"'sheep'"): "no valid shape",
            header.replace(b"(2, 3), }" + b" " * 30, b"(4000000000, 4000000000, 9), }" + b" " * 9): "64 bits",
            good[:6] + b"\2\0" + b"\xff" * 4 + good[12:]: "more than 64 KiB",
            good[:8] + bytes([good.index(b"'shape'") + 7 - 10, 0]) + good[10:]: "no valid shape",
            npy_bytes(np.float64(3)): "is a single value",
            npy_bytes(np.zeros([1] * 32)).replace(b"1), }", b"1,1)}"): "more than 32 axes",
            npy_bytes(np.zeros(3, np.longdouble)): "type '<f16', not integers",
            npy_bytes(np.zeros(3, "U4")): "has type U4, but the array has float64",
            npy_bytes(np.zeros(3, "M8[s]")): "type '<M8[s]', not",
            npy_bytes(np.zeros(3, "i4,f8")): "holds records",
        }
        for content, says in bad.items():
            write_file("bad.npy", content)
            self.fails(1, "append", "a", 0, "bad.npy", says=["bad.npy: ", says])
        self.assertEqual(self.info("a")["history"], [])


class Write(CliTest):
    def test_boxes(self):
        random = np.random.default_rng(1)
        for ndim in range(1, 6):
            shape = [7, 5, 6, 4, 3][:ndim]
            dtype = TYPES[ndim * 2]
            self.drx("create", f"a{ndim}", "--shape", shape, "--chunk", [3, 2, 4, 3, 2][:ndim], "--type", dtype,
                     "--fill", "3", "--order", "CF"[ndim % 2])
            expected = np.full(shape, 3, dtype)
            for i in range(6):
                at = [random.integers(0, n) for n in shape]
                count = [random.integers(1, n - k + 1) for n, k in zip(shape, at)]
                box = list(variants(sample(count, dtype, seed=i)))[i % 4]
                np.save("box.npy", box)
                self.assertEqual(self.drx("write", f"a{ndim}", "box.npy", "--at", at), "")
                expected[tuple(slice(k, k + n) for k, n in zip(at, count))] = box
                self.drx("read", f"a{ndim}", "--at", at, "--count", count, "-o", "got.npy", "--order", "CF"[i % 2])
                self.assert_same(np.load("got.npy"), box.astype(dtype))
            self.assert_same(self.whole(f"a{ndim}"), expected)

    def test_empty_box(self):
        self.drx("create", "a", "--shape", "3,3")
        np.save("box.npy", np.zeros((0, 3)))
        self.drx("write", "a", "box.npy", "--at", "3,0")
        np.save("box.npy", np.zeros((2, 0)))
        self.drx("write", "a", "box.npy", "--at", "1,3")

    def test_errors(self):
        self.drx("create", "a", "--shape", "3,4")
        np.save("box.npy", np.zeros((2, 2)))
        self.fails(2, "write", "a", "box.npy", says=["--at is missing"])
        self.fails(2, "write", "a", "box.npy", "--at", "-1,0", says=["--at '-1,0'"])
        self.fails(1, "write", "a", "box.npy", "--at", "0", says=["--at has 1 numbers; give 2"])
        for at, axis in (("2,0", 0), ("0,3", 1), ("9223372036854775807,0", 0)):
            self.fails(1, "write", "a", "box.npy", "--at", at, says=[f"at {at}", f"axis {axis}", "3,4"])
        np.save("box.npy", np.zeros((2, 2), "f4"))
        self.fails(1, "write", "a", "box.npy", "--at", "0,0", says=["has type float32, but the array has float64"])
        np.save("box.npy", np.zeros((1, 2, 2)))
        self.fails(1, "write", "a", "box.npy", "--at", "0,0", says=["3 axes", "expected 2"])
        self.fails(1, "write", "no", "box.npy", "--at", "0,0,0", says=["no: no such array"])
        self.assertFalse(self.whole("a").any())

    def test_standard_input(self):
        self.drx("create", "a", "--shape", "3,4", "--type", "int64")
        box = sample((2, 3), "int64")
        self.drx("write", "a", "-", "--at", "1,1", stdin=npy_bytes(np.asfortranarray(box)))
        self.assert_same(self.whole("a")[1:, 1:], box)
        self.fails(1, "write", "a", "-", "--at", "0,0", stdin=npy_bytes(box)[:-1], says=["ends before its last"])

    def run_bounded(self, *words, **files):
        """A run that must succeed, with 110 MiB of memory."""
        limit = "" if SANITIZED else "ulimit -d 112640; "
        subprocess.run(["bash", "-c", limit + 'exec "$0" "$@"', DRX, *words], check=True, **files)

    def test_many_slabs(self):
        """150 MiB: each way to cut, from files and pipes, into files and pipes."""
        big = np.arange(150 * 1024 * 256, dtype=np.uint32).reshape(150, 1024, 256)
        elements = {}
        for order, array in (("C", big), ("F", np.asfortranarray(big))):
            np.save(order + ".npy", array)
            elements[order] = array.tobytes(order)
        for chunk in some(1, ("1,1024,256", "150,64,32", "64,100,100")):
            self.drx("create", "a", "--shape", "160,1030,256", "--chunk", chunk, "--type", "uint32", "--force")
            for source, order in ("CF", "FC"):
                self.run_bounded("write", "a", "--at", "10,6,0", source + ".npy")
                self.run_bounded("read", "a", "--at", "10,6,0", "-o", "got.npy", "--order", order)
                self.assertTrue(read_file("got.npy").endswith(elements[order]), (chunk, order))
            with open("C.npy", "rb") as source:
                self.run_bounded("write", "a", "--at", "0,0,0", "-", stdin=source)
            with open("got.npy", "wb") as target:
                self.run_bounded("read", "a", "--count", "150,1024,256", "-o", "-", "--order", "F", stdout=target)
            self.assertTrue(read_file("got.npy").endswith(elements["F"]), chunk)


class Read(CliTest):
    def create(self, array, *options):
        self.put("a", array, *options)

    def test_header(self):
        """The header is what NumPy itself writes."""
        for array in (sample((3,), "int8"), sample((3, 4), "complex128"), sample((1, 2, 3), "float32")):
            self.create(array)
            for order in "CF":
                self.drx("read", "a", "-o", "got.npy", "--order", order)
                got = np.load("got.npy")
                self.assertTrue(got.flags.f_contiguous if order == "F" else got.flags.c_contiguous)
                self.assert_same(got, array)
                with open("got.npy", "rb") as file:
                    self.assertEqual(np.lib.format.read_magic(file), (1, 0))
                    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
                    self.assertEqual((shape, fortran, dtype), (array.shape, order == "F", array.dtype))
                    self.assertEqual(file.tell() % 64, 0)

    def test_text(self):
        self.create(np.arange(6, dtype="int32").reshape(2, 3) * 5 - 5)
        self.assertEqual(self.drx("read", "a"), "-5   0   5\n10  15  20\n")
        self.assertEqual(self.drx("read", "a", "--at", "1,1"), "15  20\n")
        self.assertEqual(self.drx("read", "a", "--count", "2,1"), "-5\n10\n")
        self.create(np.array([1, 2.5, -3]))
        self.assertEqual(self.drx("read", "a"), "  1  2.5   -3\n")
        self.create(np.arange(8, dtype="uint8").reshape(2, 2, 2))
        self.assertEqual(self.drx("read", "a"), "# [0, :, :]\n0  1\n2  3\n\n# [1, :, :]\n4  5\n6  7\n")
        self.assertEqual(self.drx("read", "a", "--at", "1,0,0"), "# [1, :, :]\n4  5\n6  7\n")
        self.create(np.arange(16, dtype="int8").reshape(2, 2, 2, 2))
        self.assertEqual([line for line in self.drx("read", "a").split("\n") if line.startswith("#")],
                         ["# [0, 0, :, :]", "# [0, 1, :, :]", "# [1, 0, :, :]", "# [1, 1, :, :]"])

    def test_missing_values(self):
        self.create(np.array([[-9, 1], [0, -9]], "int16"), "--fill", "-9")
        self.assertEqual(self.drx("read", "a"), "_  1\n0  _\n")
        self.create(np.array([np.nan, 1.0]), "--fill", "nan")
        self.assertEqual(self.drx("read", "a"), "_  1\n")
        self.create(np.array([0.0, -0.0, np.nan, np.inf, -np.inf]))
        self.assertEqual(self.drx("read", "a").split(), ["0", "-0", "nan", "inf", "-inf"])

    def test_digits(self):
        for dtype in TYPES:
            array = sample((400,), dtype)
            self.create(array)
            values = self.drx("read", "a").split()
            if dtype[0] in "iub":
                self.assertEqual(values, [str(value).lower() for value in array])
                continue
            got = np.array([complex(v) if dtype[0] == "c" else np.dtype(dtype).type(v) for v in values])
            self.assert_same(got.astype(dtype), array)
            if dtype[0] == "f":  # and as few digits as NumPy prints, but for subnormal numbers
                for value, x in zip(values, array):
                    if abs(x) > np.finfo(dtype).tiny:
                        self.assertEqual(digits(value), digits(np.format_float_scientific(x)))
        self.create(np.array([0.1, 100, 1e15, 1e16, 1.5e-5, 0.00015, 123456.789, 2**53, -1e300, 1 / 3]))
        self.assertEqual(self.drx("read", "a").split(),
                         "0.1 100 1000000000000000 1e+16 1.5e-05 0.00015 123456.789 9007199254740992 -1e+300 "
                         "0.3333333333333333".split())
        self.create(np.array([0.1, 1e10, 16777216, 1 / 3], "float32"))
        self.assertEqual(self.drx("read", "a").split(), ["0.1", "10000000000", "16777216", "0.33333334"])
        self.create(np.array([1 + 2j, -0.5j, complex(np.nan, -np.inf)], "complex64"))
        self.assertEqual(self.drx("read", "a").split(), ["1+2j", "-0-0.5j", "nan-infj"])

    def test_text_can_be_loaded(self):
        array = sample((3, 4, 5), "float64")
        self.create(array)
        self.assert_same(np.loadtxt(io.StringIO(self.drx("read", "a"))).reshape(3, 4, 5), array)

    def test_too_much_text(self):
        self.drx("create", "a", "--shape", "1001,100", "--type", "int8")
        self.fails(1, "read", "a", says=["a: 100100 elements", "100000", "-o FILE", "--force"])
        self.assertEqual(self.drx("read", "a", "--force").count("\n"), 1001)
        self.assertEqual(self.drx("read", "a", "--count", "1000,100").count("\n"), 1000)

    def test_errors(self):
        self.drx("create", "a", "--shape", "3,4", "--dims", "y,x")
        self.all_fail(1, "read", "a", cases={
            ("--at", "4,0"): ["a: --at 4", "axis 0 (y)", "0 to 3"],
            ("--count", "3,5"): ["--count 5", "axis 1 (x)", "at most 4"],
            ("--at", "1,1", "--count", "1,9223372036854775807"): "at most 3", ("--at", "1"): "--at has 1",
            ("--count", "1,1,1"): "--count has 3", ("-o", "no/b.npy"): "no/b.npy: the folder no does not exist",
            ("-o", "."): ".: cannot write", ("-o", ""): "cannot write"})
        self.all_fail(2, "read", "a", cases={("--at", "x"): "--at 'x'", ("--order", "F"): "-o FILE",
                                             ("-o", "b.npy", "--order", "X"): "--order 'X'"})
        self.fails(1, "read", "no", says="no: no such array")
        self.assertEqual(names(), ["a.xmd", "a.xta"])
        self.assertEqual(self.drx("read", "a", "--at", "3,4"), "")

    def test_target(self):
        self.drx("create", "a", "--shape", "3", "--fill", "7")
        expected = np.full(3, 7.0)
        os.umask(0o027)
        self.drx("read", "a", "-o", "new ä.npy")
        self.assertEqual(mode_of("new ä.npy"), 0o640)
        write_file("old.npy", b"x" * 10000)
        os.chmod("old.npy", 0o604)
        os.mkdir("d")
        os.symlink("../old.npy", "d/link.npy")
        self.drx("read", "a", "-o", "d/link.npy")
        self.assertTrue(os.path.islink("d/link.npy"))
        self.assertEqual(mode_of("old.npy"), 0o604)
        for name in ("new ä.npy", "old.npy"):
            self.assert_same(np.load(name), expected)
        self.drx("read", "a", "-o", "/dev/null")
        self.assert_same(np.load(io.BytesIO(self.run_drx("read", "a", "-o", "-").stdout)), expected)
        self.assertEqual(os.listdir("d"), ["link.npy"])
        self.assertEqual(names(), ["a.xmd", "a.xta", "d", "new ä.npy", "old.npy"])

    def test_interrupted(self):
        self.drx("create", "a", "--shape", "4000000000", "--chunk", "1000000", "--type", "int8")
        write_file("b.npy", b"old")
        for number in (signal.SIGINT, signal.SIGTERM):
            self.interrupted(number, "read", "a", "-o", "b.npy")
            self.assertEqual(names(), ["a.xmd", "a.xta", "b.npy"])
            self.assertEqual(os.path.getsize("b.npy"), 3)

    def test_own_file(self):
        self.drx("create", "a", "--shape", "3")
        os.link("a.xmd", "other")
        for name in ("a.xta", "./a.xmd", "other"):
            self.fails(1, "read", "a", "-o", name, says=[name + ": is a file of the array itself"])
        self.assertEqual(self.info("a")["shape"], [3])

    def test_disk_full(self):
        self.drx("create", "a", "--shape", "100000", "--type", "int8")
        script = 'ulimit -f 16; trap "" XFSZ; exec "$0" read a -o b.npy'
        result = subprocess.run(["bash", "-c", script, DRX], stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"drx read: b.npy: cannot write: File too large", result.stderr)
        self.assertEqual(names(), ["a.xmd", "a.xta"])

    def test_progress(self):
        """A bar on a terminal after a second; it is gone in the end."""
        self.drx("create", "a", "--shape", [4, SLAB], "--chunk", [1, SLAB // 64], "--type", "int8")
        try:
            terminal, end = pty.openpty()
        except OSError as error:
            self.skipTest(str(error))
        process = subprocess.Popen([DRX, "read", "a", "-o", "-"], stdout=subprocess.PIPE, stderr=end)
        os.close(end)
        begin, total = time.monotonic(), 0
        for part in iter(lambda: process.stdout.read1(1 << 20), b""):
            total += len(part)
            if total > SLAB and time.monotonic() - begin < 1.2:
                time.sleep(1.2)
        process.stdout.close()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(total, 4 * SLAB + 128)
        shown = ""
        while not shown.endswith("\r\x1b[K"):
            shown += os.read(terminal, 10000).decode()  # an error when there is no more
        os.close(terminal)
        self.assertRegex(shown, r"^\r\[#+ *\] +\d+ %  \d+\.\d MiB  \d+\.\d MiB/s  0:\d\d left\x1b\[K")
