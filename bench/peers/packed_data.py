"""What compressed arrays hold: fields of ferret-datasets, repeated, and noise."""

import functools
import os

import netCDF4
import numpy as np

from packed_part import DATA, shape

FOLDER = "/usr/share/ferret-vis/data"


def has_files():
    return all(one is None or os.path.exists(os.path.join(FOLDER, one[0])) for one in DATA.values())


@functools.lru_cache(1)
def values(name, size):
    """float32 of `shape(size)`. Each plane has a field that repeats to its edges. The fields of the file follow one
    another; in the next lap each is moved a little."""
    planes, height, width = shape(size)
    if DATA[name] is None:
        return np.random.default_rng(1).random((planes, height, width), np.float32)
    file, variable = DATA[name]
    with netCDF4.Dataset(os.path.join(FOLDER, file)) as nc:
        nc[variable].set_auto_mask(False)
        fields = np.asarray(nc[variable][...], np.float32)
    fields = fields.reshape(-1, *fields.shape[-2:])
    out = np.empty((planes, height, width), np.float32)
    repeat = -(-height // fields.shape[1]), -(-width // fields.shape[2])
    for k in range(planes):
        lap, field = divmod(k, len(fields))
        out[k] = np.tile(np.roll(fields[field], (lap, 3 * lap), (0, 1)), repeat)[:height, :width]
    return out
