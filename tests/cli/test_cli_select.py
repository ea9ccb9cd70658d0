"""drx read PATH[...]: Python's notation gives what NumPy gives."""

import os
import random

import numpy as np

from drx_cli import SANITIZED, CliTest


def random_item(rng, extent):
    def end():
        return rng.choice(["", str(rng.randint(-extent - 2, extent + 2))])

    kind = rng.randrange(6)
    if kind == 0 and extent:
        return str(rng.randint(-extent, extent - 1))
    if kind == 1:
        return ":"
    step = rng.choice(["", ":", ":2", ":3", ":-1", ":-2", ":7", ":-9"])
    return f"{end()}:{end()}{step}"


def random_selection(rng, shape):
    items = [random_item(rng, extent) for extent in shape]
    if rng.random() < 0.3:
        items = items[:rng.randint(1, len(items))]
    elif rng.random() < 0.4:  # items behind the dots stay those of the last axes
        first = rng.randint(0, len(items))
        items[first:rng.randint(first, len(items))] = ["..."]
    return rng.choice([",", ", ", " ,"]).join(items) + rng.choice(["", "", ","])


class Select(CliTest):
    def make(self, shape, name="a b é", **options):
        array = np.arange(np.prod(shape), dtype="int32").reshape(shape)
        self.put(name, array, *(word for key, value in options.items() for word in (f"--{key}", value)))
        return array

    def test_random_selections(self):
        seed = int(os.environ.get("DRX_SEED", random.randrange(1 << 32)))
        rng = random.Random(seed)
        for shape in ((7,), (5, 9), (4, 1, 6), (3, 4, 2, 5), (2, 3, 1, 4, 3)):
            array = self.make(shape, chunk=[rng.randint(1, 4) for _ in shape])
            for _ in range(10 if SANITIZED else 25):
                selection = random_selection(rng, shape)
                order = rng.choice("CF")
                with self.subTest(seed=seed, shape=shape, selection=selection, order=order):
                    expected = eval(f"array[{selection}]", {"array": array})  # pylint: disable=eval-used
                    self.drx("read", f"a b é[{selection}]", "-o", "got.npy", "--order", order)
                    got = np.load("got.npy")
                    self.assertEqual((got.dtype, got.shape), (np.dtype("int32"), np.shape(expected)))
                    np.testing.assert_array_equal(got, expected)
                    if got.ndim and got.size:
                        text = self.drx("read", f"a b é[{selection}]")
                        values = [line.split() for line in text.split("\n") if line and line[0] != "#"]
                        np.testing.assert_array_equal(np.array(values, "int32").ravel(), got.ravel())

    def test_large_steps(self):
        """Slabs of a selection that has steps, larger than the memory allowed."""
        n = 6000
        array = (np.arange(n, dtype="int64")[:, None] * n + np.arange(n)).astype("int32")
        self.put("a", array, "--chunk", "512,640")
        for selection in ((slice(None, None, -1), slice(1, None)), (slice(3, None), slice(None, None, -1))):
            text = ",".join(":".join("" if x is None else str(x) for x in (s.start, s.stop, s.step)) for s in selection)
            self.drx("read", f"a[{text}]", "-o", "got.npy", "--order", "F")
            self.assertTrue(np.array_equal(np.load("got.npy", mmap_mode="r"), array[selection]), text)
