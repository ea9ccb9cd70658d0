"""What tests of drx view share: the pixels of a picture, and the text of a drawing."""

import os

import numpy as np

import nc_file
from drx_cli import CliTest, read_file
from png_file import decode, inside_frame

MISSING = (0xb3, 0xb3, 0xb3)
SMALL = ("--size", "320x240")


class ViewTest(CliTest):
    def pixels(self, *words, size=SMALL):
        self.drx("view", *words, "-o", "picture é.png", *size)
        return decode(read_file("picture é.png"))

    def plot(self, *words, size=SMALL):
        return inside_frame(self.pixels(*words, size=size))[0]

    def cells(self, *words, shape, size=SMALL):
        """The colours of the cells, each of one colour inside."""
        plot = self.plot(*words, size=size)
        out = np.zeros((*shape, 3), int)
        for cell in np.ndindex(shape):
            block = plot[tuple(slice(i * n // m + 2, (i + 1) * n // m - 2) for i, n, m in zip(cell, plot.shape, shape))]
            out[cell] = block[0, 0]
            self.assertTrue((block == out[cell]).all(), (words, cell))
        return out

    def text(self, *words, **environment):
        """A drawing on a standard output that is not a terminal."""
        usual = {"LC_ALL": "C.UTF-8", "COLUMNS": "40", "LINES": "14"}
        return self.drx("view", *words, "--terminal", env={**os.environ, **usual, **environment})

    def nc(self, variables):
        """Arrays from a netCDF file: name -> (array, dims, attributes)."""
        with nc_file.NcFile("v.nc") as root:
            for name, (array, dims, attributes) in variables.items():
                root.array(name, np.asarray(array), dims, **attributes)
        for name in variables:
            self.drx("import", "v.nc:" + name, name, "--force", "--no-coords")
