"""The golden arrays of spec/golden, and damaged ones made of them: the reader of spec and the library agree, and the library
makes the golden ones, and the golden dataset, byte for byte. Called with the path of the program drx; with one more word it
pins what the library makes now."""
import filecmp
import json
import os
import shutil
import subprocess
import sys

import numpy as np

from golden import (ERRORS, GOLDEN_ARRAYS, Expected, Test, chunk_and_pitch, compile_program, copy, drx, files_of, grown,
                    library_reads, main, make_golden, read, statuses, unpack_golden)
import make_damaged
from payload import Damaged
from read_drx import read_elements
from store import Store
from vectors import SPEC, names


def all_elements(path):
    store = Store(path)
    variables = [number for number, v in store.now.variables.items() if not v.removed]
    return [(elements.tobytes(), lost) for elements, lost in (read_elements(store, number) for number in variables)]


class Vectors(Test):
    @classmethod
    def setUpClass(cls):
        cls.golden_status = compile_program("golden_status")
        cls.golden, cls.damaged = unpack_golden("golden"), os.path.abspath("damaged")
        make_damaged.main(cls.golden, cls.damaged)

    def each(self, check):
        self.assertGreater(len(GOLDEN_ARRAYS), 50)
        for name in GOLDEN_ARRAYS:
            with self.subTest(vector=name):
                check(self.golden, name, Expected(name))
        damaged = [name[:-5] for name in sorted(os.listdir(self.damaged)) if name.endswith(".json")]
        self.assertGreater(len(damaged), 80)
        for name in damaged:
            with open(os.path.join(self.damaged, name + ".json"), encoding="utf-8") as file:
                told = json.load(file)
            with self.subTest(damaged=name, what=told["what"]):
                check(self.damaged, name, Expected(told["from"], told))

    def test_are_made_as_ever(self):
        make_golden("made")
        for name in names("golden"):
            files = files_of("made", name)
            self.assertEqual(files, files_of(self.golden, name))
            unlike = filecmp.cmpfiles(self.golden, "made", files, shallow=False)[1]
            with self.subTest(vector=name):  # or compressed by other libraries than ours were
                self.assertEqual([file for file in unlike if file[-4:] not in (".xtz", ".xct")], [])
                self.assertEqual(*(all_elements(os.path.join(folder, name)) for folder in (self.golden, "made")))

    def test_reader(self):
        self.each(self.check_reader)

    def check_reader(self, folder, name, expected):
        path = os.path.join(folder, name)
        if expected.error:
            with self.assertRaises(tuple(ERRORS)) as raised:
                read(path)
            self.assertEqual(ERRORS[type(raised.exception)], expected.error)
            return
        a = read(path)
        self.check_state(a, expected)
        self.assert_map(a)
        self.assertEqual(a.wrong, expected.wrong)
        bounds = a.inside
        lost = a.lost[bounds]
        if a.codec:
            self.assert_same(lost, expected.lost)
        else:  # chunks are damaged as a whole, and elements that are there may be read
            self.assert_same(a.gone[bounds], expected.lost)
            self.assertFalse((expected.lost & ~lost).any())
        if expected.wrong or lost.any():
            with self.assertRaises(Damaged):
                a.array
        if lost.any():
            self.assert_same(a.stored[bounds][~lost], expected.array[~lost])
        elif not expected.wrong:
            self.assert_same(a.array, expected.array)
        if folder == self.golden:
            self.assert_fill(a)
            self.check_bytes(a)
            self.check_examples(a, expected.told)

    def check_state(self, a, expected):
        model = expected.model
        self.assertEqual((a.shape, a.dims, a.history, a.initial_shape, list(a.lower)),
                         (expected.shape, expected.dims, expected.history, expected.initial_shape, expected.lower))
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
        says = list(statuses(self.golden_status, [name])[0])
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
        for name in "fill_int32", "fill_nan", "fill_minus_zero":
            a = read(os.path.join(self.golden, name))
            shutil.copy(os.path.join(self.golden, name) + ".xmd", "short.xmd")
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
    def test_script(self):
        def run(*words):
            return subprocess.run([sys.executable, os.path.join(SPEC, "read_drx.py"), *words], capture_output=True, text=True,
                                  check=False)

        unpack_golden("script")
        result = run("script/example_2d")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("log clean", result.stdout)
        self.assertIn("'u' type 2", run("script/dataset", "u").stdout)
        self.assertNotEqual(run("script/none").returncode, 0)


main()
