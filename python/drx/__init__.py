"""Dense N-dimensional arrays on disk that grow along every axis.

    >>> import drx
    >>> a = drx.create("frames", shape=(0, 480, 640), dtype="float32", dims=("time", "y", "x"))
    >>> a.append(frame, axis=0)
    (1, 480, 640)
    >>> a[-1, ::2, ::2]

See the guide in docs/python.md.
"""

import drx.accessor  # noqa: F401: xarray has `drx`
import drx.netcdf  # noqa: F401: netCDF4 reads DRX
from drx._core import CODECS, Request, remove
from drx._core import version as _version
from drx.array import Array
from drx.attributes import Attributes
from drx.dataset import Commit, Dataset, create_dataset, open_dataset
from drx.errors import BusyError, ChecksumError, FormatError, MPIError
from drx.groups import Group
from drx.opening import create, open
from drx.rounding import keep_bits
from drx.tools import check, copy, repair

__version__ = _version()
__all__ = ["CODECS", "Array", "Attributes", "BusyError", "ChecksumError", "Commit", "Dataset", "FormatError", "Group",
           "MPIError", "Request", "append_dataset", "check", "copy", "create", "create_dataset", "from_distarray", "keep_bits",
           "open", "open_dataset", "open_groups", "remove", "repair", "save_dataset", "store", "zarr_store"]

_LAZY = {"save_dataset": "drx.datasets", "append_dataset": "drx.datasets", "store": "drx.dask_store",
         "from_distarray": "drx.mpi", "open_groups": "drx.xarray_backend", "zarr_store": "drx.as_zarr"}


def __getattr__(name):
    """What needs xarray or dask is loaded when it is used."""
    if name not in _LAZY:
        raise AttributeError(f"module 'drx' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


def __dir__():
    return sorted({*globals(), *_LAZY})
