"""What there is under a path, which may be a URL: on this machine or on a server."""

from __future__ import annotations

import os
import time

from drx import _core

FRESH = 1  # seconds for which the library keeps what it has found, too
_last: dict[str, tuple[float, tuple[bool, bool]]] = {}


def is_url(path: str) -> bool:
    """Whether it begins with http://, https:// or s3://."""
    return _core.is_url(path)


def absolute(path: str) -> str:
    """A path that is the same in every folder."""
    return path if is_url(path) else os.path.abspath(path)


MAGIC = {b"CDF": "a netCDF file", b"\x89HDF\r\n\x1a\n": "an HDF5 file", b"\x93NUMPY": "a .npy file"}


def foreign_file(path: str) -> str | None:
    """What file it is by its first bytes, where import reads it; None: another one, or none."""
    try:
        with open(path, "rb") as file:
            begin = file.read(8)
    except OSError:
        return None
    kind = next((kind for magic, kind in MAGIC.items() if begin.startswith(magic)), None)
    return "a netCDF file" if kind == "an HDF5 file" and path.lower().endswith((".nc", ".nc4", ".cdf")) else kind


def is_host(path: str) -> bool:
    """Whether it is the URL of a server or a bucket, which has no name of an array or a dataset."""
    return is_url(path) and path.count("/") < 3


def has_array(path: str) -> bool:
    """Whether there is an array, or at least its metadata; on this machine also, whether it is a variable of a dataset."""
    return is_lone(path) or not is_url(path) and _is_variable(path)


def is_lone(path: str) -> bool:
    """Whether there is an array, or at least its metadata, that is in no dataset."""
    return _found(path)[0] if is_url(path) else os.path.exists(path + ".xmd")


def dataset_above(path: str) -> tuple[str, str] | None:
    """(the nearest folder above with a dataset, the rest of the path); None: there is none."""
    folder, name = os.path.split(path)
    while name and not is_host(folder):
        if has_dataset(folder or "."):
            return folder or ".", path[len(folder):].lstrip("/")
        folder, name = os.path.split(folder)
    return None


def _is_variable(path: str) -> bool:
    from drx.dataset import open_dataset

    there = dataset_above(path)
    if there is None:
        return False
    try:
        with open_dataset(there[0]) as ds:
            return there[1] in ds
    except (OSError, ValueError):  # which the call reports that opens it
        return False


def has_dataset(path: str) -> bool:
    """Whether there is a folder with a dataset."""
    return _found(path)[1] if is_url(path) else os.path.isfile(os.path.join(path, "dataset.xds"))


def is_folder(path: str) -> bool:
    """Whether it is a folder; a server tells that only of datasets."""
    return has_dataset(path) if is_url(path) else os.path.isdir(path)


def _found(url: str) -> tuple[bool, bool]:
    """(array, dataset), asked for once by one call of the user."""
    before = _last.get(url)
    if before is None or time.monotonic() - before[0] > FRESH:
        _last.clear()
        _last[url] = before = (time.monotonic(), _core.look(url))
    return before[1]
