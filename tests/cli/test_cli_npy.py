"""The program drx: append, write and read, with .npy files and as text."""

import io
import os
import pty
import signal
import subprocess
import time

import numpy as np

from drx_cli import DRX, SANITIZED, TYPES, CliTest, names, npy_bytes, read_file, sample, some, write_file

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

    def test_text_can_be_loaded(self):
        array = sample((3, 4, 5), "float64")
        self.create(array)
        self.assert_same(np.loadtxt(io.StringIO(self.drx("read", "a"))).reshape(3, 4, 5), array)

    def test_interrupted(self):
        self.drx("create", "a", "--shape", "4000000000", "--chunk", "1000000", "--type", "int8")
        write_file("b.npy", b"old")
        for number in (signal.SIGINT, signal.SIGTERM):
            self.interrupted(number, "read", "a", "-o", "b.npy")
            self.assertEqual(names(), ["a.xmd", "a.xta", "b.npy"])
            self.assertEqual(os.path.getsize("b.npy"), 3)

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
