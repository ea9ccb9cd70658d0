"""Arrays that peers build, and read by keys, as several parts have them; what was read is compared, untimed."""

import numpy as np

from peer_server import timed

ALL = (slice(None),) * 3


class Numbers:
    """What a cube of doubles holds: each element is its number in C order. It gives boxes of it, and has none."""

    def __init__(self, size):
        self.shape = (size,) * 3

    def __getitem__(self, key):
        key = (*key, *ALL)[:3] if isinstance(key, tuple) else (key, *ALL[1:])
        i, j, k = (np.arange(n, dtype=float)[part] for n, part in zip(self.shape, key))
        return np.add.outer(np.add.outer(i * self.shape[1] * self.shape[2], j * self.shape[2]), k)


def build(peer, path, values, chunks, dtype="float64"):
    """In slabs of chunks. Gives the seconds."""
    array = peer.create(path, values.shape, chunks, dtype)

    def write():
        for first in range(0, values.shape[0], chunks[0]):
            array[first:first + chunks[0]] = values[first:first + chunks[0]]
        peer.close(array)

    return timed(write)[0]


def elements(n, shape):
    """Keys of elements at random."""
    return list(map(tuple, np.random.default_rng(n).integers(0, shape, (n, 3)).tolist()))


def box(lo, edges):
    return tuple(slice(first, first + edge) for first, edge in zip(lo, edges))


def boxes(n, shape, edge):
    corners = np.random.default_rng(n).integers(0, np.array(shape) - edge + 1, (n, 3)).tolist()
    return [box(lo, (edge,) * 3) for lo in corners]


def check(values, key, found):
    """Each plane of a small box, some of a large one."""
    if isinstance(key[0], slice):
        planes = range(*key[0].indices(values.shape[0]))
        for at in planes[::max(len(planes) // 16, 1)]:
            assert (found[at - planes[0]] == values[(at, *key[1:])]).all(), "wrong elements"
    else:
        assert found == values[key], "wrong element"


def read(array, values, keys, how=lambda array, keys: [array[key] for key in keys]):
    """The seconds that it takes to read what the keys select."""
    seconds, found = timed(lambda: how(array, keys))
    for key, one in zip(keys, found, strict=True):
        check(values, tuple(key), one)
    return seconds
