"""Growth at both ends, trims and new axes, against a NumPy array that is made as one would expect."""

import json
import os
import random
import re

import numpy as np

from drx_cli import SANITIZED, CliTest
from test_cli_select import random_selection


class Model:
    """The elements of an array, and the index of the first one of each axis."""

    def __init__(self, shape, lower, fill):
        self.fill, self.lower = fill, list(lower)
        self.elements = np.full(shape, fill, "int32")

    def grow(self, axis, slab, before):
        self.elements = np.concatenate([slab, self.elements] if before else [self.elements, slab], axis)
        self.lower[axis] -= slab.shape[axis] if before else 0

    def slab(self, axis, by):
        shape = list(self.elements.shape)
        shape[axis] = by
        return np.full(shape, self.fill, "int32")

    def trim(self, axis, before, after):
        n = self.elements.shape[axis]
        self.elements = self.elements[(slice(None),) * axis + (slice(before, n - after),)]
        self.lower[axis] += before

    def add_axis(self, at):
        self.elements = np.expand_dims(self.elements, at)
        self.lower.insert(at, 0)


class Directions(CliTest):
    def make(self, shape, lower, chunk, fill=-7, *options):
        self.drx("create", "a", "--shape", shape, "--lower", lower, "--chunk", chunk, "--type", "int32", "--fill",
                 fill, *options)
        return Model(shape, lower, fill)

    def change(self, rng, model):
        """A random change of the array and of the model."""
        axis = rng.randrange(model.elements.ndim)
        kind = rng.choice(["extend", "append", "prepend", "before", "trim", "write", "add"])
        by, before = rng.randint(0, 4), kind in ("prepend", "before")
        if kind in ("append", "prepend"):
            slab = model.slab(axis, by)
            slab[...] = np.random.default_rng(rng.randrange(1 << 30)).integers(0, 10000, slab.shape)
            np.save("slab.npy", np.asfortranarray(slab) if rng.random() < 0.5 else slab)
            self.drx(kind, "a", axis, "slab.npy")
            model.grow(axis, slab, before)
        elif kind in ("extend", "before"):
            self.drx("extend", "a", axis, by, *(["--before"] if before else []))
            model.grow(axis, model.slab(axis, by), before)
        elif kind == "trim":
            n = model.elements.shape[axis]
            low = rng.randint(0, min(n, 3))
            high = rng.randint(0, min(n - low, 3))
            self.drx("trim", "a", axis, "--before", low, "--after", high)
            model.trim(axis, low, high)
        elif kind == "write" and model.elements.size:
            at = [rng.randrange(n) for n in model.elements.shape]
            box = tuple(slice(i, rng.randint(i, n)) for i, n in zip(at, model.elements.shape))
            model.elements = model.elements.copy()
            model.elements[box] = rng.randrange(10000)
            np.save("box.npy", model.elements[box])
            self.drx("write", "a", "--at", at, "box.npy")
        elif kind == "add" and model.elements.ndim < 4 and rng.random() < 0.3:
            at = rng.randint(0, model.elements.ndim)
            self.drx("add-axis", "a", at, rng.choice(["", f"new{model.elements.ndim}"]))
            model.add_axis(at)

    def test_random_histories(self):
        seed = int(os.environ.get("DRX_SEED", random.randrange(1 << 32)))
        rng = random.Random(seed)
        for history in range(2 if SANITIZED else 5):
            ndim = rng.randint(1, 3)
            model = self.make([rng.randint(0, 5) for _ in range(ndim)], [rng.randint(-9, 9) for _ in range(ndim)],
                              [rng.randint(1, 4) for _ in range(ndim)], -7, "--force")
            for step in range(20):
                with self.subTest(seed=seed, history=history, step=step):
                    self.change(rng, model)
                    self.assert_same(self.whole("a"), model.elements)
            for _ in range(5):
                selection = random_selection(rng, model.elements.shape)
                with self.subTest(seed=seed, history=history, selection=selection):
                    expected = eval(f"array[{selection}]", {"array": model.elements})  # pylint: disable=eval-used
                    self.drx("read", f"a[{selection}]", "-o", "got.npy")
                    np.testing.assert_array_equal(np.load("got.npy"), expected)
                    self.drx("export", f"a[{selection}]", "part.npy")
                    np.testing.assert_array_equal(np.load("part.npy"), expected)
            self.drx("check", "a")
            self.drx("info", "a")
            self.drx("map", "a")
            self.drx("map", "a", "--json")
            self.drx("map", "a", "-o", "a.svg")
            self.drx("copy", "a[...]", "part")
            self.assert_same(self.whole("part"), model.elements)
            self.drx("rm", "part", "--force")
            self.drx("cp", "a", "b")
            self.assert_same(self.whole("b"), model.elements)
            self.drx("rm", "b", "--force")

    def test_a_new_axis_lasts(self):
        """The next programs, too, find the elements in the chunks of a new axis."""
        for at in range(3):
            model = self.make([3, 4], [0, 0], [2, 3], 0, "--force")
            model.elements = np.arange(12, dtype="int32").reshape(3, 4)
            self.write("a", model.elements)
            self.drx("add-axis", "a", at, "z")
            model.add_axis(at)
            self.assertEqual(self.info("a")["dims"][at], "z")
            self.assert_same(self.whole("a"), model.elements)
            np.save("slab.npy", model.elements + 100)
            self.drx("append", "a", "z", "slab.npy")
            self.drx("prepend", "a", "z", "slab.npy")
            expected = np.concatenate([model.elements + 100, model.elements, model.elements + 100], at)
            self.assert_same(self.whole("a"), expected)

    def test_copies(self):
        """An array of any bounds is copied; its indices stay, or begin at 0."""
        model = self.make([4, 3], [-2, 5], [2, 2], 0)
        model.elements = np.arange(12, dtype="int32").reshape(4, 3)
        self.write("a", model.elements)
        for options in (["--order", "F"], ["--chunk", "3,2"], []):
            self.drx("copy", "a", "b", "--force", *options)
            self.assert_same(self.whole("b"), model.elements)
            self.assertEqual(self.info("b")["lower"], [-2, 5])
        self.fails(1, "copy", "a", "c", "--dry-run", says=["a: ", "its indices do not begin at 0", "without a plan"])
        self.drx("copy", "a", "b", "--force", "--from-zero", "--chunk", "3,2")
        self.assert_same(self.whole("b"), model.elements)
        self.assertFalse(any(self.info("b").get("lower") or []))
        self.drx("rm", "b")
        self.drx("copy", "a[...]", "b", "--order", "F")
        self.assert_same(self.whole("b"), model.elements)
        self.drx("export", "a", "a.npy")
        self.assert_same(np.load("a.npy"), model.elements)


class Map(CliTest):
    """Where the chunks of such an array are."""

    def make_example(self):
        """The worked example of the specification: growth round the first chunk."""
        self.drx("create", "a", "--shape", "1,1", "--chunk", "1,1", "--dims", "y,x")
        for words in (("x", "--before"), ("y",), ("y", "--before"), ("x",)):
            self.drx("extend", "a", words[0], 1, *words[1:])

    def test_picture(self):
        self.make_example()
        picture = self.drx("map", "a", "-o", "-")
        self.assertEqual(re.findall(r'<text x="[^"]*" y="[^"]*">(-?\d+)</text>', picture)[:6],
                         ["-1", "0", "1", "-1", "0", "1"])
        self.assertEqual(re.findall(r">(\d+)</text>\n", picture.split('class="addresses"')[1])[:9],
                         ["4", "5", "6", "1", "0", "7", "2", "3", "8"])
        self.assertEqual(picture.count('class="segment"'), 5)
        for text in ("made as 1 × 1", "axis 0 (y), low end", "axis 1 (x), high end", "4–5", "6–8"):
            self.assertIn(text, picture)
        self.drx("extend", "a", "x", "100", "--before")  # more chunks than cells: areas
        self.assertEqual(self.drx("map", "a", "-o", "-").count('class="area"'), 6)

    def test_pictures_of_random_arrays(self):
        """Each chunk is in the picture once, with the address that the map has for it, in the segment of that."""
        seed = int(os.environ.get("DRX_SEED", random.randrange(1 << 32)))
        rng = random.Random(seed)
        for history in range(8):
            self.drx("create", "a", "--shape", "2,2", "--chunk", "1,1", "--lower", [rng.randint(-4, 4), 0], "--force")
            for _ in range(8):
                axis = rng.randrange(2)
                if rng.random() < 0.3:
                    self.drx("trim", "a", axis, rng.choice(["--before", "--after"]), 1)
                self.drx("extend", "a", axis, rng.randint(1, 2), *rng.choice([["--before"], []]))
            with self.subTest(seed=seed, history=history):
                chunks = int(np.prod(json.loads(self.drx("map", "a", "--json"))["bounds_chunks"]))
                picture = self.drx("map", "a", "-o", "-")
                shown = re.findall(r'<text x="([^"]*)" y="([^"]*)"[^>]*>(\d+)</text>',
                                   picture.split('class="addresses"')[1].split("</g>")[0])
                self.assertEqual((len(shown), len({address for _, _, address in shown})), (chunks, chunks))
                cells = re.findall(r'<rect class="chunk" x="([^"]*)" y="([^"]*)"', picture)
                self.assertEqual((len(cells), len(set(cells))), (chunks, chunks))
