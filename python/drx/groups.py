"""Groups of a dataset: what they hold, by plain names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from drx import _dataset
from drx.attributes import Attributes
from drx.notes import CHARACTERS, FORM, STRING

if TYPE_CHECKING:
    from drx.dataset import Dataset, Variable

GROUP = 1  # DRX_GROUP


def plain(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def inside(group: str, paths: Iterable[str]) -> list[str]:
    """The plain names of what lies in a group itself."""
    return [plain(path) for path in paths if path.rpartition("/")[0] == group]


def seen(dims: Iterable[str], group: str) -> dict[str, str]:
    """{plain name: path} of the dimensions that a group sees: its own, and those above it, the nearest of each name."""
    above = [path for path in dims if f"{group}/".startswith(path[:-len(plain(path))])]
    return {plain(path): path for path in sorted(above, key=lambda path: path.count("/"))}


def existing(dataset: Dataset, path: str | None) -> Group:
    """The group of a path, which may begin with a slash; None, "" and "/" are the root. FileNotFoundError."""
    path = (path or "").strip("/")
    if path and path not in dataset._group_names():
        raise FileNotFoundError(f"{dataset.path}: has no group {path!r} at commit {dataset.commit_number}")
    return Group(dataset, path)


def coordinate(dataset: Dataset, path: str) -> Variable | None:
    """The coordinates of a dimension, if it has some: the variable of its path."""
    dims = dataset.dims_of(path) if path in dataset else ()
    is_one = dims == (path,) or dims[:1] == (path,) and {FORM, CHARACTERS, STRING} & {*dataset[path].attrs}  # or text
    return dataset[path] if is_one else None


class Groups(dict):
    """{name: Group} of the groups in a group; a path finds one below them."""

    def __missing__(self, path: str) -> Group:
        name, _, rest = path.partition("/")
        if not rest:
            raise KeyError(path)
        return self[name].groups[rest]


class Group(Mapping):
    """A group of a dataset. `drx.Dataset.groups` has them; that with the path "" is the root.

    It maps the plain names of its variables to arrays; ``group["deep/temp"]`` finds one in a group below. `dataset` is
    the drx.Dataset, whose calls take paths, and `path` is that of the group.
    """

    def __init__(self, dataset: Dataset, path: str = "", own: Iterable[str] = ()) -> None:
        """own: dimensions for which it does not look above."""
        self.dataset, self.path, self._own = dataset, path, frozenset(own)

    def at(self, name: str) -> str:
        """The path of what has a name here."""
        return f"{self.path}/{name}" if self.path else name

    def __getitem__(self, name: str) -> Variable:
        try:
            return self.dataset[self.at(name)]
        except KeyError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(inside(self.path, self.dataset))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.at(name) in self.dataset

    def __repr__(self) -> str:
        return "\n".join([f"<drx.Group {self.path!r} of {self.dataset.path!r}>", *tree(self)])

    @property
    def attrs(self) -> Attributes:
        """drx.Attributes: those of the group."""
        return Attributes(_dataset.Part(self.dataset, GROUP, self.path))

    @property
    def groups(self) -> Groups:
        """dict of str to Group: those in this one, by name; ``groups["a/b"]`` finds one below them."""
        names = inside(self.path, self.dataset._group_names())
        return Groups((name, Group(self.dataset, self.at(name))) for name in names)

    @property
    def seen(self) -> dict[str, str]:
        """dict of str to str: the paths of the dimensions that it sees: its own, and the nearest above of each name."""
        found = seen(self.dataset.dims, self.path)
        return {dim: path for dim, path in found.items() if dim not in self._own or path == self.at(dim)}

    @property
    def dims(self) -> dict[str, int]:
        """dict of str to int: the extents of the dimensions that it sees."""
        dims = self.dataset.dims
        return {dim: dims[path] for dim, path in self.seen.items()}

    def dims_of(self, name: str) -> tuple[str, ...]:
        """The plain names of the dimensions of a variable; () for a scalar. KeyError."""
        return tuple(map(plain, self.dataset.dims_of(self.at(name))))

    def add(self, name: str, dims: Sequence[str], *args: Any, **kwargs: Any) -> Variable:
        """Add a variable; see `drx.Dataset.add`."""
        dims = [f"/{self.at(dim)}" if dim in self._own else dim for dim in dims]
        return self.dataset.add(self.at(name), dims, *args, **kwargs)

    def is_null(self, name: str) -> bool:
        """As of `drx.Dataset`, by its plain name."""
        return self.dataset.is_null(self.at(name))

    def arrays(self, names: Iterable[str] | None = None) -> dict[str, Variable]:
        """{name: array} of its variables, or of some, and of the coordinates above it of their dimensions, but for those
        without elements."""
        names = [name for name in (self if names is None else names) if not self.is_null(name)]
        paths = {plain(path): path for name in names for path in self.dataset.dims_of(self.at(name))}
        found = {dim: coordinate(self.dataset, path) for dim, path in paths.items() if dim not in self}
        found.update((name, self[name]) for name in names)
        return {name: array for name, array in found.items() if array is not None}


def tree(group: Group, indent: str = "    ") -> list[str]:
    """The lines of its variables, and of its groups with theirs."""
    lines = [f"{indent}{name}({', '.join(group.dims_of(name))})" for name in group]
    for name, one in group.groups.items():
        lines += [f"{indent}{name}/", *tree(one, indent + "    ")]
    return lines
