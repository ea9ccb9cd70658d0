"""drx.save_dataset and drx.append_dataset."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import xarray as xr

from drx import commits, fitting, form, packed
from drx import region as _region
from drx._core import expanded
from drx.dataset import open_dataset
from drx.groups import existing
from drx.opening import Path


MODES = (None, "a", "w", "w-", "r+")


def save_dataset(ds: xr.Dataset | xr.DataArray, folder: Path, *, mode: Literal["a", "w", "w-", "r+"] | None = None,
                 overwrite: bool = False, chunks: Mapping[str, int] | None = None, message: str | None = None,
                 append_dim: str | None = None,
                 region: Mapping[str, slice | Literal["auto"]] | Literal["auto"] | None = None,
                 encoding: Mapping[str, Mapping[str, Any]] | None = None, grows: str | Iterable[str] = (),
                 unpack: bool = False, compute: bool = True, group: str | None = None) -> Any:
    """Store a dataset of xarray as a `drx.Dataset`, in one commit, or write it into a region of one.

    The folder may be a dataset already, to which variables and attributes are added; see `mode`. All variables have the
    same extent along the axes that they share.

    With `region` the variables overwrite elements that are stored. That makes no commit: readers see the new elements
    as they are written, and a call that fails or is cut off leaves those that it has written. Threads of dask compute
    and write a few blocks at a time, so memory holds few of them. Any number of processes may write regions at the
    same time, also of one chunk. They and an append of the same variables exclude each other (drx.BusyError). Blocks
    computed from the dataset that they are written to see what is stored at that moment.

    Parameters
    ----------
    ds : xarray.Dataset or xarray.DataArray
        Variables of numbers, bools, text and times; dask arrays are computed block by block. xarray.open_dataarray
        opens an array, also one that has no name.
    folder : str or os.PathLike
        Created if it does not exist.
    mode : {"a", "w", "w-", "r+"}, optional
        As of `to_netcdf` and `to_zarr`. "a" adds variables to a dataset that is there, and replaces those of the same
        names, of any type and dimensions, in one commit. A dimension takes another extent unless a variable that stays
        has it. Coordinates that are stored already must mean the same, and stay. Default: the same, but stored
        variables other than coordinates are refused. "w" makes a new dataset and replaces another one, with all its
        variables. "w-" refuses to replace. "r+" writes over the elements of stored variables, as `region` does, which
        is all of them unless it is given.
    overwrite : bool
        Replace existing variables, also coordinates. Where all are replaced, a new dataset is made beside the old one
        and takes its name when it is complete: at every instant the old one or the new one is there, whole, if the
        file system can exchange names, as those of Linux can. Where others stay, this is one commit.
    chunks : mapping, optional
        Extents of chunks by name of the axis. Default: those of dask; or of the file that the variable was read from,
        if they suit its shape; or DRX chooses.
    message : str, optional
        Of the commit.
    append_dim : str, optional
        Append along this dimension, as `append_dataset` does.
    region : mapping of str to slice, or "auto", optional
        Where in the stored dimensions the dataset lies. Dimensions that are not named lie at all of the stored
        indices. "auto", for all dimensions or in the place of a slice, finds the stored coordinates that mean the
        same. They must follow one another. All variables must be stored and have a dimension of the region.
        Coordinates of a dimension must be those that are stored there; they may be left out if the region has slices.
        Numbers are stored in the units, packed and of the type of those that are there, as by `append_dataset`.
        Attributes are not written.
    encoding : mapping of str to mapping, optional
        How variables are stored, by their names; instead of what their own encodings say. "compression",
        "level" and "shuffle" are as of `drx.create`, "keep_bits" is as of `drx.keep_bits`, "chunks" has the extents of
        a chunk, and what xarray's conventions have ("dtype", ...) may stand there, too.
        netCDF's words ("zlib", "complevel", "shuffle", "chunksizes") and Zarr's ("compressor", "chunks") mean the same
        as there, and "fletcher32" and "checksum" keep checksums. A variable that was read from a compressed one, of
        DRX, netCDF or Zarr, is compressed without being asked for.
    grows : str or iterable of str, optional
        Dimensions that are going to grow, beside those that are unlimited in the file that the dataset was read from:
        chunks that DRX chooses have room along them.
    unpack : bool
        Store packed variables, those with scale_factor or add_offset, as the floats that xarray makes of them. They
        may be packed in memory, opened with mask_and_scale=False, or have such an encoding.
    compute : bool
        False: return an object of dask, which stores the values of dask arrays when it is computed, by any scheduler,
        in place as those of a region. All else is stored and committed at once, and those elements read as the fill
        value until then. So `region` can write parts of them instead.
    group : str, optional
        The path of a group to store it in; the root by default. Groups that are missing are made in the same commit.
        `mode` and `overwrite` are about this group: "w" replaces it with all that is in it. It shares a dimension of a
        group above that has the same extent and coordinates, which are not stored again; otherwise it gets its own.

    Returns
    -------
    None; or dask's delayed object, which computes to the folder

    Raises
    ------
    FileExistsError, TypeError, ValueError, OSError
        TypeError: a variable or attribute cannot be stored. ValueError: an extent or coordinates differ from what is
        stored; the region is not stored; the stored type cannot hold a number. After these nothing was written, unless
        a block of a dask array holds such a number. When the call is cut off later, the dataset shows its last commit,
        which is empty if the dataset is new. A new dataset whose first commit fails is removed again.
    """
    ds, folder = fitting.dataset_of(ds, "save_dataset"), expanded(folder)
    later: list[Any] | None = None if compute else []
    if mode == "r+" and region is None and append_dim is None:
        region = dict.fromkeys(ds.dims, slice(None))
    if mode not in MODES or overwrite and mode == "w-":
        raise ValueError(f"mode {mode!r}{' with overwrite=True' if overwrite else ''}, "
                         f"expected one of {', '.join(MODES[1:])}")
    if region is not None or append_dim is not None:
        if mode not in (None, "a", "r+") or overwrite or grows or unpack or chunks is not None or encoding is not None \
                or region is not None and message is not None:
            raise ValueError("append_dim and region are for what is stored, and a region is written without a commit: mode, "
                             "overwrite, chunks, encoding, grows and unpack, and the message of a region, do not go with it")
        if region is not None and append_dim is not None:
            raise ValueError("append_dim and region are both given; a region lies in what is stored")
    if append_dim is not None:
        done = append_dataset(ds, folder, append_dim, message=message, compute=compute, group=group)
        return None if compute else done
    if region is not None:
        _region.write(ds, folder, region, later, group)
    else:
        variables, attrs = _encoded(packed.given(form.unpacked(ds) if unpack else ds, encoding))
        dims = growing(ds, grows)
        attrs.update({form.UNLIMITED: " ".join(sorted(dims))} if dims else {})
        os.makedirs(os.path.dirname(os.path.abspath(folder)), exist_ok=True)
        commits.save(folder, ds, commits.New(variables, attrs, chunks or {}, dims, message, later), mode, overwrite,
                     (group or "").strip("/"))
    return _stored_later(folder, later)


def _encoded(ds: xr.Dataset) -> tuple[dict[str, xr.Variable], dict[str, Any]]:
    """Its variables as they are stored, and its attributes."""
    variables, attrs = fitting.encode_dataset(ds)
    for variable in variables.values():
        form.dumped_attributes(variable.attrs)
    return variables, form.dumped_attributes(attrs)


def _stored_later(folder: Any, later: list[Any] | None) -> Any:
    """What a call returns that has put values off."""
    if later is None:
        return None
    from drx.dask_store import store_later

    return store_later(folder, later)


def growing(ds: xr.Dataset, grows: str | Iterable[str]) -> set[str]:
    """The dimensions that are going to grow. ValueError: one is not of the dataset."""
    named = {grows} if isinstance(grows, str) else set(grows)
    for dim in named:
        if dim not in ds.dims:
            raise ValueError(f"grows: {dim!r} is not a dimension of the dataset, expected one of {list(ds.dims)}")
    return named | set(ds.encoding.get("unlimited_dims") or ())


def append_dataset(ds: xr.Dataset | xr.DataArray, folder: Path, dim: str, *, overlap: str = "refuse",
                   message: str | None = None, compute: bool = True, shared: bool = False,
                   group: str | None = None) -> Any:
    """Append a dataset along an axis to one that `save_dataset` has stored.

    Numbers are compared by what they mean, after the CF conventions, and are stored in the units, from the reference
    date, packed and of the type of those that are there.

    An append is one commit: readers see all of it or nothing, and a call that fails or is cut off leaves the last
    commit. What is stored can be read meanwhile, also to compute what is appended.

    Parameters
    ----------
    ds : xarray.Dataset or xarray.DataArray
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
    compute : bool
        As of `save_dataset`.
    shared : bool
        Let other processes of this machine that also give it append to the dataset at the same time, one after the other,
        and write regions of it. With ``compute=False`` the append is committed before its blocks of dask are computed and
        written, by any number of processes; until then these read as fill.
    group : str, optional
        The path of the group that it is appended to; the root by default. Where the axis is a dimension of a group
        above, its coordinates are appended there. Variables of other groups that have the dimension grow, too, and read
        as fill; write them with `region`.

    Returns
    -------
    int
        The new extent along the axis; or dask's delayed object.

    Raises
    ------
    ValueError
        Unlike or misaligned data; other calendars, standard names or units; numbers that the stored type cannot hold;
        coordinates that overlap or repeat. Nothing was written, unless a block of a dask array holds such a number; then the last commit stays.
    FileNotFoundError, drx.BusyError, OSError
    """
    ds, folder = fitting.dataset_of(ds, "append_dataset"), expanded(folder)
    later: list[Any] | None = None if compute else []
    fitting.check_dimension(ds, dim)
    with open_dataset(folder, "s" if shared else "r+") as stored, stored.transaction(message):
        there = existing(stored, group)
        arrays = there.arrays()
        if not any(dim in there.dims_of(name) for name in there):
            raise ValueError(f"no stored variable has the axis {dim!r}")
        where, variables = fitting.prepared(ds, arrays, dim, overlap,
                                            lambda axis, by: stored.extend(there.seen[axis], by))
        if overlap == "replace":
            commits.replace(arrays, variables, dim, where, later)
        commits.grow(there, arrays, variables, dim, where, later)
        extent = there.dims[dim]
    return extent if later is None else _stored_later(folder, later)
