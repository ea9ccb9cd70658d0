"""Random arrays that the program makes: a model, the reader of spec and the library agree, on the way and at the end. Called
with the path of the program drx.

DRX_GOLDEN_SEED and DRX_GOLDEN_ARRAYS choose other random arrays, and how many.
"""
import random

import numpy as np

import vectors
from golden import ARRAYS, SEED, TYPES, Test, box, drx, elements, grown, library_reads, main, read, text_of, type_name


class Random(Test):
    def test_arrays(self):
        print(f"DRX_GOLDEN_SEED={SEED}", flush=True)
        for number in range(ARRAYS):
            with self.subTest(array=number):
                self.one_array(f"array{number}", random.Random(SEED + number))

    def one_array(self, path, choose):
        ndim = choose.randint(1, 4)
        shape = [choose.choice((0, 1, 2, 3, 7)) for _ in range(ndim)]
        chunk = [choose.randint(1, 4) for _ in range(ndim)]
        dtype, order = np.dtype(choose.choice(TYPES)), choose.choice("CF")
        fill = choose.choice((0, 0, 1, 99))
        if dtype.kind in "SU":
            fill = f"{fill or ''}".encode() if dtype.kind == "S" else f"{fill or ''}\xe9"
        fill = np.array(fill, dtype)
        options = [*(["--shell"] if choose.random() < 0.3 else []),
                   *(["--align", str(1 << choose.randint(0, 9))] if choose.random() < 0.3 else []),
                   *choose.choice(([], ["--checksum"], ["--codec", choose.choice(vectors.CODECS)],
                                   ["--stripe", ",".join(["."] * choose.randint(1, 4))]))]
        drx("create", path, "--shape", ",".join(map(str, shape)), "--chunk", ",".join(map(str, chunk)), "--type",
            type_name(dtype), "--fill", text_of(fill), "--order", order, *options)
        array, history, lower = np.full(shape, fill), [], [0] * ndim
        others = ("before", "prepend", "trim") if choose.random() < 0.6 else ()
        for _ in range(choose.randint(20, 40)):
            verb = choose.choice(("extend", "append", "write", "write", *others))
            axis, by = choose.randrange(ndim), choose.randint(1, 3)
            if verb not in ("write", "trim") and array.size > 5000:
                continue
            if verb == "trim":
                before = choose.randint(0, min(2, array.shape[axis]))
                after = choose.randint(0, min(2, array.shape[axis] - before))
                drx("trim", path, axis, "--before", before, "--after", after)
                array = np.take(array, range(before, array.shape[axis] - after), axis)
                lower[axis] += before
            else:
                array = self.change(path, verb, axis, by, array, fill, choose)
                if verb != "write":
                    low = verb in ("before", "prepend")
                    history.append((axis, -by if low else by))
                    lower[axis] -= by if low else 0
            if array.size < 1000:
                a = read(path)
                self.assertEqual((a.history, list(a.lower), a.report), (history, lower, None))
                self.assert_same(a.array, array)
        a = read(path)
        self.assertEqual((a.shape, a.history, a.order, a.report, list(a.lower)),
                         (array.shape, history, order, None, lower))
        self.assert_same(a.array, array)
        self.assert_same(library_reads(path), array)
        self.assert_fill(a)
        self.assert_map(a, path)
        self.assert_info(a, path)

    def change(self, path, verb, axis, by, array, fill, choose):
        """A growth or a write; the array after it."""
        if verb == "write":
            at = [choose.randint(0, n) for n in array.shape]
            count = [choose.randint(0, n - i) for i, n in zip(at, array.shape)]
        else:
            at, count, low = [0] * array.ndim, list(array.shape), verb in ("before", "prepend")
            at[axis], count[axis] = 0 if low else count[axis], by
            array = grown(array, axis, by, fill, before=low)
        if verb in ("extend", "before"):
            drx("extend", path, axis, by, *(["--before"] if low else []))
            return array
        array[box(at, count)] = elements(array.dtype, count, choose.randrange(-1000, 1000))
        np.save("block.npy", array[box(at, count)])
        if verb == "write":
            drx("write", path, "--at", ",".join(map(str, at)), "block.npy")
        else:
            drx(verb, path, axis, "block.npy")
        return array


main()
