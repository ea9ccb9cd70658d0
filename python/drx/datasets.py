"""drx.save_dataset and drx.append_dataset."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import xarray as xr

from drx import commits, fitting, form, packed
from drx import region as _region
from drx._core import expanded
from drx.opening import Path


def save_dataset(ds: xr.Dataset, folder: Path, *, mode: Literal["a", "w", "w-"] = "a", overwrite: bool = False,
                 chunks: Mapping[str, int] | None = None, message: str | None = None,
                 region: Mapping[str, slice | Literal["auto"]] | Literal["auto"] | None = None,
                 encoding: Mapping[str, Mapping[str, Any]] | None = None, grows: str | Iterable[str] = ()) -> None:
    """Store a dataset of xarray as a `drx.Dataset`, in one commit, or write it into a region of one.

    The folder may be a dataset already, to which variables and attributes are added; see `mode`. A folder of arrays,
    as earlier versions saved them, becomes one. All variables have the same extent along the axes that they share.

    With `region` the variables overwrite elements that are stored. That makes no commit: readers see the new elements
    as they are written, and a call that fails or is cut off leaves those that it has written. Threads of dask compute
    and write a few blocks at a time, so memory holds few of them. Any number of processes may write regions at the
    same time, also of one chunk. They and an append of the same variables exclude each other (drx.BusyError). Blocks
    computed from the dataset that they are written to see what is stored at that moment.

    Parameters
    ----------
    ds : xarray.Dataset
        Variables of numbers, bools, text and times; dask arrays are computed block by block.
    folder : str or os.PathLike
        Created if it does not exist.
    mode : {"a", "w", "w-"}
        As of `to_netcdf` and `to_zarr`. "a" adds variables to a dataset that is there, in one commit. Coordinates that
        are stored already must mean the same; other stored variables are refused without `overwrite`. "w" makes a
        new dataset and replaces another one, with all its variables. "w-" refuses to replace.
    overwrite : bool
        Replace existing variables. Where all are replaced, a new dataset is made beside the old one and takes its
        name when it is complete: at every instant the old one or the new one is there, whole, if the file system can
        exchange names, as those of Linux can. Where others stay, the old variables are removed by a commit of their
        own, and then the new ones are added.
    chunks : mapping, optional
        Extents of chunks by name of the axis. Default: those of dask; or of the file that the variable was read from,
        if they suit its shape; or DRX chooses.
    message : str, optional
        Of the commit.
    region : mapping of str to slice, or "auto", optional
        Where in the stored dimensions the dataset lies. Dimensions that are not named lie at all of the stored
        indices. "auto", for all dimensions or in the place of a slice, finds the stored coordinates that mean the
        same. They must follow one another. All variables must be stored and have a dimension of the region.
        Coordinates of a dimension must be those that are stored there; they may be left out if the region has slices.
        Numbers are stored in the units, packed and of the type of those that are there, as by `append_dataset`.
        Attributes are not written.
    encoding : mapping of str to mapping, optional
        How variables are stored, by their names; instead of what their own encodings say. "compression" ("zstd",
        "lz4", "zlib" or None), "level" and "shuffle" are as of `drx.create`, "keep_bits" is as of `drx.keep_bits`,
        "chunks" has the extents of a chunk, and what xarray's conventions have ("dtype", ...) may stand there, too.
        netCDF's words ("zlib", "complevel", "shuffle") mean the same as there. A variable that was read from a
        compressed one, of DRX, netCDF or Zarr, is compressed without being asked for.
    grows : str or iterable of str, optional
        Dimensions that are going to grow, beside those that are unlimited in the file that the dataset was read from:
        chunks that DRX chooses have room along them.

    Raises
    ------
    FileExistsError, TypeError, ValueError, OSError
        TypeError: a variable or attribute cannot be stored. ValueError: an extent or coordinates differ from what is
        stored; the region is not stored; the stored type cannot hold a number. After these nothing was written, unless
        a block of a dask array holds such a number. When the call is cut off later, the dataset shows its last commit,
        which is empty if the dataset is new. A new dataset whose first commit fails is removed again.
    """
    fitting.check_is_dataset(ds, "save_dataset")
    folder = expanded(folder)
    if mode not in ("a", "w", "w-") or overwrite and mode == "w-":
        raise ValueError(f"mode {mode!r}{' with overwrite=True' if overwrite else ''}, expected 'a', 'w' or 'w-'")
    if region is not None:
        if mode != "a" or overwrite or chunks is not None or message is not None or encoding is not None:
            raise ValueError("a region is written into what is stored, without a commit: mode, overwrite, chunks, "
                             "encoding and message do not go with it")
        if not commits.is_dataset(folder):
            commits.opened(folder).close()
        _region.write(ds, folder, region)
        return
    variables, attrs = fitting.encode_dataset(packed.given(ds, encoding))
    attrs = form.dumped_attributes(attrs)
    for name, variable in variables.items():
        form.dumped_attributes(variable.attrs)
    os.makedirs(os.path.dirname(os.path.abspath(folder)), exist_ok=True)
    commits.save(folder, ds, variables, attrs, mode, overwrite, chunks or {}, growing(ds, grows), message)


def growing(ds: xr.Dataset, grows: str | Iterable[str]) -> set[str]:
    """The dimensions that are going to grow. ValueError: one is not of the dataset."""
    named = {grows} if isinstance(grows, str) else set(grows)
    for dim in named:
        if dim not in ds.dims:
            raise ValueError(f"grows: {dim!r} is not a dimension of the dataset, expected one of {list(ds.dims)}")
    return named | set(ds.encoding.get("unlimited_dims") or ())


def append_dataset(ds: xr.Dataset, folder: Path, dim: str, *, overlap: str = "refuse",
                   message: str | None = None) -> int:
    """Append a dataset along an axis to one that `save_dataset` has stored.

    Numbers are compared by what they mean, after the CF conventions, and are stored in the units, from the reference
    date, packed and of the type of those that are there.

    An append is one commit: readers see all of it or nothing, and a call that fails or is cut off leaves the last
    commit. What is stored can be read meanwhile, also to compute what is appended. A folder of arrays, as earlier
    versions saved them, becomes a dataset first.

    Parameters
    ----------
    ds : xarray.Dataset
        With the variables that are stored with the axis, of the same types, axes and extents along other axes. Times
        and packed numbers may have another type. Variables that are stored without the axis may be left out, or are
        equal beyond rounding.
    folder : str or os.PathLike
    dim : str
        The axis. Its coordinates must go on from the last stored one, or lead up to the first one: then it grows at
        its low end.
    overlap : {"refuse", "skip", "replace"}
        What to do with coordinates that are stored already: refuse them, leave out what is new for them, or write it
        over what is stored. Each of them must equal a stored one. What was overwritten stays so when the call is cut
        off.
    message : str, optional
        Of the commit.

    Returns
    -------
    int
        The new extent along the axis.

    Raises
    ------
    ValueError
        Unlike or misaligned data; other calendars, standard names or units; numbers that the stored type cannot hold;
        coordinates that overlap or repeat; or a folder of arrays that cannot be a dataset. Nothing was written,
        unless a block of a dask array holds such a number; then the last commit stays.
    FileNotFoundError, drx.BusyError, OSError
    """
    fitting.check_is_dataset(ds, "append_dataset")
    folder = expanded(folder)
    fitting.check_dimension(ds, dim)
    with commits.opened(folder) as stored:
        if not any(dim in stored.dims_of(name) for name in stored):
            raise ValueError(f"no stored variable has the axis {dim!r}")
        where, variables = fitting.prepared(ds, dict(stored), dim, overlap)
        with stored.transaction(message):
            if overlap == "replace":
                commits.replace(stored, variables, dim, where)
            commits.grow(stored, variables, dim, where)
        return stored.dims[dim]
