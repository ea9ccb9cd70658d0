"""Random arrays that the program makes: a model, the readers of spec and the library agree. Called with the path of the program drx.

DRX_GOLDEN_SEED and DRX_GOLDEN_ARRAYS choose other random arrays, and how many.
"""
import random

import numpy as np

from golden import ARRAYS, SEED, TYPES, Test, box, drx, elements, grown, library_reads, main, read, text_of
from read_type import type_name


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
                   *(["--stripe", ",".join(["."] * choose.randint(1, 4))] if choose.random() < 0.3 else [])]
        drx("create", path, "--shape", ",".join(map(str, shape)), "--chunk", ",".join(map(str, chunk)), "--type",
            type_name(dtype), "--fill", text_of(fill), "--order", order, *options)
        array, history, lower = np.full(shape, fill), [], [0] * ndim
        others = ("before", "prepend", "trim") if choose.random() < 0.6 else ()
        for _ in range(choose.randint(20, 40)):
            verb = choose.choice(("extend", "append", "write", "write", *others))
            axis, by = choose.randrange(ndim), choose.randint(1, 3)
            if verb == "write":
                at = [choose.randint(0, n) for n in array.shape]
                count = [choose.randint(0, n - i) for i, n in zip(at, array.shape)]
            elif verb == "trim":
                before = choose.randint(0, min(2, array.shape[axis]))
                after = choose.randint(0, min(2, array.shape[axis] - before))
                drx("trim", path, axis, "--before", before, "--after", after)
                array = np.take(array, range(before, array.shape[axis] - after), axis)
                lower[axis] += before
                continue
            elif array.size > 5000:
                continue
            elif verb in ("before", "prepend"):
                array = grown(array, axis, by, fill, before=True)
                history.append((axis, -by))
                lower[axis] -= by
                at, count = [0] * ndim, list(array.shape)
                count[axis] = by
            else:
                at, count = [0] * ndim, list(array.shape)
                at[axis], count[axis] = count[axis], by
                array = grown(array, axis, by, fill)
                history.append((axis, by))
            if verb in ("extend", "before"):
                drx("extend", path, axis, by, *(["--before"] if verb == "before" else []))
                continue
            array[box(at, count)] = elements(dtype, count, choose.randrange(-1000, 1000))
            np.save("block.npy", array[box(at, count)])
            if verb == "write":
                drx("write", path, "--at", ",".join(map(str, at)), "block.npy")
            else:
                drx(verb, path, axis, "block.npy")
        a = read(path)
        self.assertEqual((a.shape, a.history, a.order, a.report, list(a.lower)),
                         (array.shape, history, order, None, lower))
        self.assert_same(a.array, array)
        self.assert_same(library_reads(path), array)
        self.assert_fill(a)
        self.assert_map(a, path)
        self.assert_info(a, path)


main()
