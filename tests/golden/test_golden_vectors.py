"""The golden arrays of spec/vectors, the readers of spec and the library agree, and so do they on the same arrays made in format
version 2, which nothing pins yet. Called with the path of the program drx."""
import filecmp
import itertools
import json
import os
import shutil
import subprocess
import sys
import unittest

import numpy as np

from golden import (DAMAGED, GOLDEN, READER, VECTORS, Expected, Test, all_files, chunk_and_pitch, compile_program, copy, drx,
                    files_of, grown, library_reads, main, make_next, names, read, version)
import checksum
import make_damaged_lone
import read_drx
import read_errors


class Vectors(Test):
    @classmethod
    def setUpClass(cls):
        cls.make_vectors = compile_program("make_vectors")
        cls.open_status = compile_program("open_status")
        cls.next = make_next("next")
        cls.next_damaged = os.path.join(cls.next, "damaged")
        make_damaged_lone.main(cls.next, cls.next_damaged)

    def each(self, check):
        for folder in VECTORS, DAMAGED, self.next, self.next_damaged:
            self.assertGreater(len(names(folder)), 40)
            for name in names(folder):
                with self.subTest(vector=name, version=2 if folder.startswith(self.next) else 1):
                    check(folder, name, Expected(folder, name))

    def test_version(self):
        self.assertEqual([version(os.path.join(folder, "log")) for folder in (VECTORS, self.next)], [1, 2])

    @unittest.skipIf("DRX_NEXT_FORMAT" in os.environ, "they are of format version 1")
    def test_are_made_as_ever(self):
        """The library writes the same bytes as when the vectors were made, but for what it only reads by now."""
        for made in "damaged", "disk0", "disk1", "disk2":
            os.makedirs("made/" + made)
        told = [os.path.join(VECTORS, name + ".json") for name in names(VECTORS) if not name.endswith("_last")]
        subprocess.run([self.make_vectors, *told], check=True, cwd="made")
        subprocess.run([sys.executable, os.path.join(GOLDEN, "make_damaged.py"), "made"], check=True)
        for folder, made in ((VECTORS, "made"), (DAMAGED, "made/damaged")):
            files = [file for file in all_files(folder) if not file.split(".")[0].endswith("_last") and
                     (folder == DAMAGED or not file.endswith(".json"))]
            self.assertEqual(files, all_files(made))
            unlike, missing = filecmp.cmpfiles(folder, made, files, shallow=False)[1:]
            self.assertEqual(([file for file in unlike if not file.startswith("packed_")], missing), ([], []))
            for file in unlike:  # compressed by other libraries than ours were
                self.assertIn(file[-4:], (".xtz", ".xct"))
                mine, own = (read_drx.read(os.path.join(place, file[:-4])) for place in (folder, made))
                self.assert_same(mine.stored, own.stored)
                self.assertEqual((mine.packing, mine.wrong), (own.packing, own.wrong))

    def test_reader(self):
        self.each(self.check_reader)

    def check_reader(self, folder, name, expected):
        path = os.path.join(folder, name)
        if expected.error:
            with self.assertRaises((read_errors.FormatError, read_errors.Damaged, FileNotFoundError)) as raised:
                read(path)
            self.assertEqual({"FormatError": "DRX_EFORMAT", "Unsupported": "DRX_EUNSUPPORTED",
                              "Damaged": "DRX_EDAMAGED", "FileNotFoundError": "DRX_ENOENT"}[
                                  type(raised.exception).__name__], expected.error)
            return
        a = read(path)
        self.check_state(a, expected, version(path))
        self.assert_map(a)
        self.assertEqual(a.wrong, expected.wrong)
        bounds = a.inside
        lost = a.lost[bounds]
        if version(path) == 1 or a.codec:
            self.assert_same(lost, expected.lost)
        else:  # chunks are damaged as a whole, and elements that are there may be read
            self.assert_same(a.gone[bounds], expected.lost)
            self.assertFalse((expected.lost & ~lost).any())
        if expected.wrong or lost.any():
            with self.assertRaises(read_errors.Damaged):
                a.array
        if lost.any():
            self.assert_same(a.stored[bounds][~lost], expected.array[~lost])
        elif not expected.wrong:
            self.assert_same(a.array, expected.array)
        if folder in (VECTORS, self.next):
            self.assert_fill(a)
            self.check_bytes(a)
            self.check_examples(a, expected.told)

    def check_state(self, a, expected, version):
        model = expected.model
        self.assertEqual((a.shape, a.dims, a.history, a.initial_shape, list(a.lower)),
                         (expected.shape, expected.dims, expected.history, expected.initial_shape, expected.lower))
        if version == 1:
            self.assertEqual(a.sequence, expected.sequence)
        self.assertEqual((list(a.chunk), a.dtype, a.order, a.align),
                         (model.chunk, model.dtype, model.order, model.align))
        self.assert_same(a.fill, model.fill)
        self.assertEqual(list(a.attrs), list(expected.attrs))
        for name, value in expected.attrs.items():
            if isinstance(value, str):
                self.assertEqual(a.attrs[name], value)
            else:
                self.assert_same(a.attrs[name], value)
        if a.codec and expected.lost.any():  # of chunks, which the reader alone has looked at
            self.assertRegex(a.report, "damage: ")
            return
        self.assertEqual(a.report and a.report.split(" ")[0].strip(":"),
                         expected.report and expected.report.split(" ")[0], a.report)

    def check_bytes(self, a):
        """The length of the data, and their padding."""
        chunk_bytes, pitch = chunk_and_pitch(a)
        if a.codec:
            self.assertEqual(os.path.getsize(a.files[1]), 64 * a.map.count())
            return
        for k, path in enumerate(a.files):
            data = np.fromfile(path, np.uint8)
            self.assertEqual(data.size, len(range(k, a.map.count(), len(a.files))) * pitch)
            self.assertFalse(data.reshape(-1, pitch)[:, chunk_bytes:].any())

    def check_examples(self, a, told):
        for i, q in enumerate(told.get("addresses", ())):
            self.assertEqual(a.address(np.unravel_index(i, a.map.B)), q)
        for index, q in told.get("some_addresses", ()):
            self.assertEqual(a.address(index), q)
        if "axial_vectors" in told:
            self.assertEqual([[[r.N, r.M, r.C] for r in vector] for vector in a.map.vectors], told["axial_vectors"])
        if "low_axial_vectors" in told:
            self.assertEqual([[[r.N, r.M, r.C] for r in vector] for vector in a.map.low], told["low_axial_vectors"])

    def test_program(self):
        self.each(self.check_program)

    def check_program(self, folder, name, expected):
        path = os.path.join(folder, name)
        if expected.error:
            for verb in "info", "read":
                with self.assertRaises(RuntimeError):
                    drx(verb, path)
            return
        a = read(path)
        self.assert_map(a, path)
        self.assert_info(a, path)
        if expected.wrong:
            with self.assertRaisesRegex(RuntimeError, f"chunk {expected.wrong[0]}, .* does not match its checksum"):
                library_reads(path)
        elif expected.lost.any():
            self.check_lost(path, expected)
        else:
            self.assert_same(library_reads(path), expected.array)

    def check_lost(self, path, expected):
        with self.assertRaises(RuntimeError):
            library_reads(path)
        for index, lost in np.ndenumerate(expected.lost):
            at = ",".join(map(str, index)), "--count", ",".join("1" for _ in index)
            if lost:
                with self.assertRaises(RuntimeError):
                    library_reads(path, "--at", *at)
            else:
                self.assert_same(library_reads(path, "--at", *at).reshape(()), expected.array[index])

    def test_opening(self):
        self.each(self.check_opening)

    def check_opening(self, folder, name, expected):
        """Statuses; and what was repaired in opening for writing reads the same, as do elements added then."""
        copy(folder, name)
        says = subprocess.run([self.open_status, name], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        if expected.error:
            self.assertEqual(says, [expected.error] * 2)
            return
        if expected.report == "damage":
            self.assertEqual(says, ["DRX_OK", "DRX_EDAMAGED"])
        else:
            self.assertEqual(says, ["DRX_OK", expected.write])
        if says[1] != "DRX_OK":
            for path in files_of(folder, name):
                self.assertTrue(filecmp.cmp(path, os.path.join(folder, path), shallow=False))
            return
        a = read(name)
        if a.codec and (expected.wrong or expected.lost.any()):
            self.assertEqual((a.wrong, a.lost.any()), (expected.wrong, expected.lost.any()))
            return
        self.assertIsNone(a.report)
        self.assert_same(a.array, expected.array)
        array = expected.array
        for axis in range(min(array.ndim, 5)):
            drx("extend", name, axis, 1)
            array = grown(array, axis, 1, a.fill)
            if axis == 0 or a.map.trimmed:
                drx("extend", name, axis, 1, "--before")
                array = grown(array, axis, 1, a.fill, before=True)
        a = read(name)
        self.assertIsNone(a.report)
        self.assert_same(a.array, array)
        self.assert_same(library_reads(name), array)

    def test_missing_end(self):
        """Where nothing was synced, a missing end is fill, and stays so when the array is mended and grown."""
        for folder, name in itertools.product((VECTORS, self.next), ("fill_int32", "fill_nan", "fill_minus_zero")):
            a = read(os.path.join(folder, name))
            shutil.copy(os.path.join(folder, name) + ".xmd", "short.xmd")
            open("short.xta", "wb").close()
            short = read("short")
            self.assertIsNone(short.report)
            self.assert_same(short.array, np.full(a.shape, a.fill))
            self.assert_same(library_reads("short"), short.array)
            drx("extend", "short", 0, 1)
            short = read("short")
            self.assert_same(short.array, np.full(short.shape, a.fill))
            self.assert_fill(short)


class Reader(Test):
    def test_checksum(self):
        self.assertEqual(checksum.crc32c(0, b"123456789"), 0xE3069283)
        self.assertEqual(checksum.crc32c(checksum.crc32c(0, b"1234"), b"56789"), 0xE3069283)

    def test_script(self):
        def run(*words):
            return subprocess.run([sys.executable, READER, *words], capture_output=True, text=True, check=False)

        path = os.path.join(VECTORS, "column_major")
        result = run(path, "-o", "script.npy", "--info")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["shape"], [5, 7, 4])
        self.assert_same(np.load("script.npy"), read_drx.read(path).array)
        result = run(os.path.join(DAMAGED, "torn"))
        self.assertEqual(result.returncode, 0)
        self.assertIn("torn tail", result.stderr)
        for name in "magic", "description", "no_data", "short":
            result = run(os.path.join(DAMAGED, name))
            self.assertEqual(result.returncode, 1)
            self.assertIn(name + ": ", result.stderr)
            self.assertNotIn("Traceback", result.stderr)


main()
