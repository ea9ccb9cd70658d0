"""Strings of HDF5 that other programs have written; the rest is in strings.t."""

import numpy as np

import h5_file
from drx_cli import CliTest, need
from h5_file import H5File

need(h5_file.LIBRARY)


class Hdf5(CliTest):
    def test_of_others(self):
        """Strings that end by a NUL or by spaces; UTF-8 stays bytes."""
        for kind, stored, expected in (
                (h5_file.string_type(5), b"abcd\0xy\0\0\0", [b"abcd", b"xy"]),
                (h5_file.string_type(4, spaces=True), b"ab  \xc3\xa9  ", [b"ab", b"\xc3\xa9"])):
            with H5File("in.h5") as file, file.dataset("a", np.zeros(2), kind=kind) as dataset:
                h5_file.call("H5Dwrite", dataset.id, kind, 0, 0, 0, stored)
            self.drx("import", "in.h5:a", "a", "--force")
            self.assertEqual(self.whole("a").tolist(), expected)

    def test_numbers_are_chosen(self):
        """A file with one dataset of numbers: its strings are not meant."""
        with H5File("in.h5") as file:
            file.dataset("x", np.arange(3.0)).close()
            file.dataset("names", np.array([b"a", b"b"])).close()
        self.drx("import", "in.h5", "a")
        self.assert_same(self.whole("a"), np.arange(3.0))
