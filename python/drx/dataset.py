"""drx.Dataset: many arrays that grow together, all or nothing."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from drx import _core, _dataset, limits, places
from drx.array import Array, Order
from drx.attributes import Attributes, storable
from drx.groups import Group, Groups, seen, tree
from drx.opening import Axes, Path, flags_of, listed, order_of, with_fill

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

LAST = -1  # DRX_LAST
PARTS = "dataset", "group", "dimension", "variable", "type"
CHANGES = ("added", "removed", "replaced", "renamed", "bounds", "axis",
           "attribute set", "attribute changed", "attribute deleted")


class Change(NamedTuple):
    """What a commit changed on the whole, of one thing. What was added has all its attributes with it."""

    kind: str  #: one of drx.dataset.CHANGES
    of: str  #: "dataset", "group", "dimension", "variable" or "type"
    name: str  #: its path, as of the commit
    other: str  #: of the attribute; the name before; the dimension of the axis; or ""
    axis: int  #: number of the new axis
    before: range  #: indices of a dimension
    after: range


class Commit(NamedTuple):
    """A commit of a dataset."""

    number: int
    time: np.datetime64  #: UTC
    message: str
    changes: list[Change]

    @property
    def bounds(self) -> dict[str, tuple[range, range]]:
        """Of dimensions that were there: their indices before and after."""
        return {c.name: (c.before, c.after) for c in self.changes if c.kind == "bounds"}


class Variable(_dataset.Lent, Array):
    """An array of a dataset. It grows with its dimensions (`Dataset.extend` and so on), and the dataset closes it."""

    def __reduce__(self) -> tuple[Any, ...]:
        if self.closed:
            raise TypeError(f"{self!r} cannot be pickled or copied: it is closed")
        return operator.getitem, (self.dataset, self.name)


class Dataset(_dataset.Store, Mapping):
    """Many arrays that grow together. `drx.open_dataset` and `drx.create_dataset` return one.

    It maps names to arrays. Those in groups have paths, ``ds["ocean/temp"]``; in `groups` names are plain. A transaction
    begins with the first change, and ends with `commit` or `abort`; nobody else sees anything of it before. ``with
    ds.transaction("1983"):`` commits at its end, and aborts on an exception. So does the end of a ``with`` block of the
    dataset itself, and `close` commits. A dataset that is never closed is aborted.

        >>> with drx.open_dataset("winds", "r+") as ds, ds.transaction("1983"):
        ...     ds.extend("time", 12)
        ...     ds["u"][-12:] = u
        ...     ds["v"][-12:] = v

    Several processes share a dataset that they open with mode "s". A transaction waits for those of others, and shows what
    they committed. Elements are written without waiting; `reserve` gives each process a place of its own.

        >>> with drx.open_dataset("winds", "s") as ds:
        ...     month = ds.reserve("time", 1)
        ...     ds["u"][month] = u

    One thread at a time uses a dataset; its arrays follow the rules of drx.Array. What was opened to read, or with mode "s",
    can be pickled; unpickling opens the same commit again, or what is there then.
    """

    def __getitem__(self, name: str) -> Variable:
        return self._array(name, Variable())

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, name: object) -> bool:
        return name in self._names()

    def __enter__(self) -> Dataset:
        return self

    def close(self) -> None:
        """Commit the transaction in progress, and close the dataset and its arrays. Closing twice does nothing. When
        the commit fails, its exception is raised, and the dataset is closed as of its last commit."""
        try:
            if self.mode != "r" and not self.closed:
                self.commit()
        finally:
            self._release()

    def __exit__(self, *error: Any) -> None:
        self.close() if error[0] is None else self._release()

    def __del__(self) -> None:
        if self.mode != "r" and not self.closed:
            warnings.warn(f"unclosed dataset {self.path!r}: what is not committed is lost", ResourceWarning, source=self)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.closed or self.mode == "r+":
            raise TypeError(f"{self!r} cannot be pickled or copied: only what was opened to read or to share can")
        return functools.partial(open_dataset, mode=self.mode, at=self.commit_number if self.mode == "r" else None), (
            places.absolute(self.path),)

    def __dask_tokenize__(self) -> Any:
        """What tells its elements from others, also from later ones."""
        return self.commit_number, tokens_of(self.values())

    def __repr__(self) -> str:
        if self.closed:
            return "<drx.Dataset, closed>"
        return "\n".join([f"<drx.Dataset {self.path!r}, commit {self.commit_number}>", *tree(Group(self))])

    @property
    def attrs(self) -> Attributes:
        """drx.Attributes: those of the dataset itself."""
        return Group(self).attrs

    @property
    def groups(self) -> Groups:
        """dict of str to Group: those in the root, by name; ``ds.groups["ocean/deep"]`` finds others by their paths."""
        return Group(self).groups

    def dim_attrs(self, dim: str) -> Attributes:
        """The attributes of a dimension, by its path. KeyError."""
        if dim not in self.dims:
            raise KeyError(dim)
        return Attributes(_dataset.Part(self, PARTS.index("dimension"), dim))

    @property
    def commits(self) -> list[Commit]:
        """list of Commit: all that are there, from `oldest` on."""
        return [Commit(number, np.datetime64(time, "us"), message,
                       [Change(CHANGES[kind], PARTS[of], *rest) for kind, of, *rest in changes])
                for number, time, message, changes in self._commits()]

    def dims_of(self, name: str) -> tuple[str, ...]:
        """The paths of the dimensions of a variable; () for a scalar, whose array has the shape (1,), and where
        `is_null`. KeyError."""
        return self._dims_of(name)

    def add(self, name: str, dims: Sequence[str], shape: int | Sequence[int] | None = None,
            dtype: DTypeLike = "float64", chunks: int | Sequence[int] | None = None, fill_value: Any = None, *,
            order: Order = "C", attrs: Mapping[str, Any] | None = None, shell: bool = False,
            checksum: bool = False, compression: str | None = None, level: int | None = None,
            shuffle: str | None = None, grows: Axes = ()) -> Variable:
        """Add a variable.

        Parameters
        ----------
        name : str
            Its path; the group is there. Its file is PATH/NAME.xta, with `checksum` also PATH/NAME.xcs; compressed
            PATH/NAME.xtz and .xct. Where files of that name have been, theirs is NAME~N.
        dims : sequence of str
            Its dimensions; () for a scalar. A plain name is that of a dimension in the group of the variable or above,
            or of a new one there. A name with a slash is a path: "/time" is that of the root.
        shape : sequence of int, optional
            Extents. Dimensions that exist have theirs already; without `shape` all must exist.
        dtype, chunks, fill_value, order, attrs, shell, checksum, compression, level, shuffle, grows
            As of `drx.create`.

        Raises
        ------
        ValueError
            An extent is not that of the dimension; a dimension is new and `shape` is missing.
        FileExistsError, FileNotFoundError, PermissionError, TypeError, OSError
        """
        dims, there, bounds = tuple(dims), seen(self.dims, name.rpartition("/")[0]), self._bounds()
        paths = [dim.removeprefix("/") if "/" in dim else there.get(dim) for dim in dims]
        if shape is None:
            missing = [dim for dim, path in zip(dims, paths) if path not in bounds]
            if missing:
                raise ValueError(f"{name}: dimension {missing[0]!r} is new: give shape")
            shape = [self.dims[path] for path in paths]
        fill_value, attrs = with_fill(fill_value, dtype, attrs)
        spec = _core.Spec(listed(shape) if dims else (1,), _core.type_code(dtype),
                          None if chunks is None else listed(chunks), fill_value, dims or None, order_of(order),
                          flags_of(False, shell, False, checksum), 0, None,
                          tuple(bounds.get(path, (0, 0))[0] for path in paths) or None,
                          (compression, level, shuffle), listed(grows))
        self._add(name, spec, not dims)
        array = self[name]
        array.attrs.update(attrs)
        return array

    def add_group(self, path: str, attrs: Mapping[str, Any] | None = None) -> Group:
        """Add a group, with attributes, and those above it that are missing.

        Raises
        ------
        FileExistsError
            A group or variable has the path.
        ValueError, TypeError, PermissionError, OSError
        """
        above = path.split("/")[:-1]
        for i in range(len(above)):
            if "/".join(above[:i + 1]) not in self._group_names():
                self._add_group("/".join(above[:i + 1]))
        self._add_group(path)
        group = Group(self, path)
        group.attrs.update(attrs or {})
        return group

    def rename(self, old: str, new: str, what: Literal["variable", "dimension", "group"] = "variable") -> None:
        """Give a variable, dimension or group another name in its group: both paths differ in their last part alone.
        Files stay where they are, and open arrays have the new names.

        Raises
        ------
        FileNotFoundError, FileExistsError, ValueError, PermissionError, OSError
        """
        if what not in ("variable", "dimension", "group"):
            raise ValueError(f"what is {what!r}, expected 'variable', 'dimension' or 'group'")
        self._rename(PARTS.index(what), old, new)

    @contextmanager
    def transaction(self, message: str | None = None) -> Iterator[Dataset]:
        """Commit at the end of the block, with that message; abort on an exception, also one of the commit."""
        if self.mode == "s":
            self.begin()
        try:
            yield self
            self.commit(message)
        except BaseException:
            with suppress(OSError):  # of a handle that a failure has broken: the next writer takes it back
                self.abort()
            raise


def tokens_of(arrays: Iterable[Array]) -> list[Any]:
    """What tells the elements of each from others."""
    with ThreadPoolExecutor(32) as pool:  # a server is asked for many files at once
        return list(pool.map(lambda array: array.__dask_tokenize__(), arrays))


def create_dataset(path: Path, *, attrs: Mapping[str, Any] | None = None) -> Dataset:
    """Make an empty dataset, and open it for writing.

    Parameters
    ----------
    path : str or os.PathLike
        A folder, which is made, or which holds no arrays.
    attrs : mapping, optional
        Attributes, which belong to the first transaction.

    Raises
    ------
    FileExistsError, FileNotFoundError, PermissionError, OSError
    """
    for name, value in (attrs or {}).items():
        storable(name, value)
    ds = Dataset()
    ds._start(_core.expanded(path), "create", LAST)
    ds.attrs.update(attrs or {})
    return ds


def open_dataset(path: Path, mode: str = "r", *, at: int | None = None) -> Dataset:
    """Open a dataset.

    Parameters
    ----------
    path : str or os.PathLike
        Its folder.
    mode : str
        'r' reads. 'r+' reads and writes; one process at a time does. 's' reads and writes beside other processes of this
        machine that also give 's'; see `Dataset.transaction` and `Dataset.reserve`.
    at : int, optional
        The commit to show, for 'r'. Default: the last one; then `refresh` shows later ones.

    Raises
    ------
    FileNotFoundError, PermissionError, drx.BusyError, drx.FormatError, ValueError, OSError
    IndexError
        There is no commit `at`.
    """
    if mode not in ("r", "r+", "s"):
        raise ValueError(f"mode {mode!r}, expected 'r', 'r+' or 's'; create_dataset makes one")
    if at is not None and not isinstance(at, (int, np.integer)):
        raise TypeError(f"at={at!r}, expected the number of a commit; select dates with .sel(time=...)")
    if at is not None and at < 0:
        raise IndexError(f"commit {at}, expected 0 or more")
    limits.keep()
    ds = Dataset()
    report = ds._start(_core.expanded(path), mode, LAST if at is None else at)
    if report:
        warnings.warn(report, stacklevel=2)
    return ds
