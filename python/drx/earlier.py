"""Folders of arrays that earlier versions saved as datasets, without dataset.xds.

The array `_dataset` has no elements; its attributes are those of the dataset. A scalar has the attribute drx_form =
"scalar" and one axis without a name. xarray opens such a folder as it is. The first call that changes it makes it a
dataset.

`_unfinished.json` is the mark of a change that was cut off. It has one of two forms:

    {"save": [names]}
        some of these variables may be missing or old

    {"append": axis, "from": bound, "to": {name: bound, ...}, "last": name}
        variables may be longer along the axis than others; the dataset has the indices that all of them have
"""

import contextlib
import json
import os

from drx import form
from drx.dataset import adopt_dataset
from drx.opening import open as open_array

MARK = "_unfinished.json"


def is_one(folder):
    """Whether a folder holds arrays, but no dataset.xds."""
    return os.path.isdir(folder) and not os.path.exists(os.path.join(folder, "dataset.xds")) and bool(names_in(folder))


def names_in(folder):
    """The names of the arrays in a folder."""
    return sorted(entry[:-4] for entry in os.listdir(folder) if entry.endswith(".xmd"))


def mark_of(folder):
    """The mark of a folder, or None. ValueError: a file of that name is not a mark."""
    path = os.path.join(folder, MARK)
    try:
        with open(path, encoding="utf-8") as file:
            mark = json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise ValueError(f"{path}: not the mark of an unfinished change: {error}") from None
    if not isinstance(mark, dict) or not ("save" in mark or {"append", "to"} <= set(mark)):
        raise ValueError(f"{path}: not the mark of an unfinished change")
    return mark


def check_saved(folder):
    """ValueError if save_dataset was cut off there: variables may be missing or old."""
    mark = mark_of(folder)
    if mark and "save" in mark:
        raise ValueError(f"{os.fspath(folder)}: save_dataset of an earlier version was cut off, and may have stored "
                         f"only a part of {', '.join(mark['save'])}; remove the folder and save the dataset again")


def adopt(folder):
    """Make such a folder a dataset; open for writing. ValueError: it cannot be one; the folder stays as it is."""
    check_saved(folder)
    name_axes(folder)
    try:
        ds = adopt_dataset(folder)
    except ValueError as error:
        raise ValueError(f"{error}; save what the folder shows as a dataset elsewhere: drx.save_dataset("
                         f"xarray.open_dataset({os.fspath(folder)!r}, engine='drx'), NEW)") from None
    with contextlib.suppress(FileNotFoundError):  # all variables have the same extents: that append was complete
        os.unlink(os.path.join(folder, MARK))
    return ds


def name_axes(folder):
    """Name the axes that have no name as xarray shows them. `_dataset` becomes a scalar, which has no dimension."""
    for name in names_in(folder):
        with open_array(os.path.join(folder, name), "r+") as array:
            if name == form.DATASET and array.shape == (0,):
                array.extend(0, 1)
            elif name != form.DATASET and None in array.dims and array.attrs.get(form.FORM) != "scalar":
                array.dims = form.stored_dims(array, dict(array.attrs))[1]


def take_attributes(ds):
    """Move the attributes that `_dataset` has to the dataset."""
    if form.DATASET not in ds:
        return
    with ds.transaction("attributes"):
        ds.attrs.update(dict(ds[form.DATASET].attrs))
        ds.remove(form.DATASET)


def attributes_of(ds):
    """The attributes of a dataset, which `_dataset` has until `take_attributes`."""
    attrs = dict(ds.attrs)
    if form.DATASET in ds and not attrs:
        with contextlib.suppress(FileNotFoundError):  # a later commit has removed it
            attrs = dict(ds[form.DATASET].attrs)
    return attrs
