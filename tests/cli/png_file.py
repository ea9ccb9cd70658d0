"""Reading the pictures that drx view writes: their pixels, the plot inside of its frame, how colours look."""

import io

import numpy as np
from PIL import Image

INK = (0x26, 0x26, 0x26)


def decode(data):
    """The pixels of a picture: height x width x 3."""
    with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
        assert picture.mode == "RGB", picture.mode
        return np.asarray(picture)


def oklab(colours):
    """Colours 0 to 255, ..., 3."""
    rgb = np.asarray(colours) / 255
    return lab_of_linear(np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4))


def lab_of_linear(rgb):
    lms = np.cbrt(rgb @ np.array([[0.4122214708, 0.5363325363, 0.0514459929],
                                  [0.2119034982, 0.6806995451, 0.1073969566],
                                  [0.0883024619, 0.2817188376, 0.6299787005]]).T)
    return lms @ np.array([[0.2104542553, 0.7936177850, -0.0040720468],
                           [1.9779984951, -2.4285922050, 0.4505937099],
                           [0.0259040371, 0.7827717662, -0.8086757660]]).T


def longest_run(line):
    """Of true values: length and first index."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(np.int8), [0]))))
    if not len(edges):
        return 0, 0
    lengths = edges[1::2] - edges[::2]
    return int(lengths.max()), int(edges[::2][lengths.argmax()])


def inside_frame(pixels):
    """What is inside the largest frame: the plot."""
    ink = (pixels == INK).all(axis=2)
    runs = [longest_run(line) for line in ink]
    width, left = max(runs)
    rows = [y for y, run in enumerate(runs) if run == (width, left)]
    return pixels[rows[0] + 1:rows[-1], left + 1:left + width - 1], (rows[0] + 1, left + 1)


def is_line(plot):
    """Where the blue of a line is, or some of it."""
    return plot[..., 2].astype(int) - plot[..., 0] > 40


def bar_height(pixels):
    """Of the colour bar right of the plot."""
    plot, (top, left) = inside_frame(pixels)
    right = left + plot.shape[1] + 3
    return max(longest_run(line)[0] for line in (pixels == INK).all(axis=2)[:, right:].T) - 2


def bar_ticks(pixels):
    """Where the ticks of the colour bar are: 0 at its top, 1 at its bottom."""
    plot, (_, left) = inside_frame(pixels)
    ink = (pixels == INK).all(axis=2)
    runs = [longest_run(line) for line in ink.T]
    begin = left + plot.shape[1] + 3
    height, top = max(runs[begin:])
    side = max(x for x in range(begin, len(runs)) if runs[x] == (height, top))
    rows = np.flatnonzero(ink[:, side + 1:side + 4].all(axis=1))
    return [(row - top) / (height - 1) for row in rows]
