"""Groups of a dataset: what they hold, by plain names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from drx import _dataset
from drx.attributes import Attributes

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


class Groups(Mapping):
    """The groups in a group, by name; a path finds those below."""

    def __init__(self, dataset: Dataset, path: str = "") -> None:
        self._dataset, self._path = dataset, path

    def __getitem__(self, name: str) -> Group:
        path = f"{self._path}/{name}" if self._path else name
        if path not in self._dataset._group_names():
            raise KeyError(name)
        return Group(self._dataset, path)

    def __iter__(self) -> Iterator[str]:
        return iter(inside(self._path, self._dataset._group_names()))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return f"<groups {', '.join(self)}>" if self else "<no groups>"


class Group(Mapping):
    """A group of a dataset. `drx.Dataset.groups` has them; that with the path "" is the root.

    It maps the plain names of its variables to arrays; ``group["deep/temp"]`` finds one in a group below. What it changes is
    part of the transaction of its dataset.

    Attributes
    ----------
    dataset : drx.Dataset
    path : str
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
        """Groups: those in this one, by name."""
        return Groups(self.dataset, self.path)

    @property
    def seen(self) -> dict[str, str]:
        """dict of str to str: the paths of the dimensions that it sees: its own, and those above it, the nearest of each name."""
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

    def dim_attrs(self, dim: str) -> Attributes:
        """The attributes of a dimension that it sees. KeyError."""
        return self.dataset.dim_attrs(self.seen[dim])

    def add(self, name: str, dims: Sequence[str], *args: Any, **kwargs: Any) -> Variable:
        """Add a variable; see `drx.Dataset.add`."""
        dims = [f"/{self.at(dim)}" if dim in self._own else dim for dim in dims]
        return self.dataset.add(self.at(name), dims, *args, **kwargs)

    def add_group(self, name: str, attrs: Mapping[str, Any] | None = None) -> Group:
        """Add a group to this one; see `drx.Dataset.add_group`."""
        return self.dataset.add_group(self.at(name), attrs)

    def remove(self, name: str) -> None:
        """Remove a variable; see `drx.Dataset.remove`."""
        self.dataset.remove(self.at(name))

    def extend(self, dim: str, by: int) -> None:
        """Grow a dimension that it sees, and all variables that have it; see `drx.Dataset.extend`."""
        self.dataset.extend(self.seen.get(dim, dim), by)

    def extend_before(self, dim: str, by: int) -> None:
        """As `extend`, before the first index."""
        self.dataset.extend_before(self.seen.get(dim, dim), by)

    def trim(self, dim: str, before: int = 0, after: int = 0) -> None:
        """Cut indices off a dimension that it sees; see `drx.Dataset.trim`."""
        self.dataset.trim(self.seen.get(dim, dim), before, after)

    def arrays(self, names: Iterable[str] | None = None) -> dict[str, Variable]:
        """{name: array} of its variables, or of some, and of the coordinates above it that belong to their dimensions."""
        names = list(self) if names is None else list(names)
        paths = {plain(path): path for name in names for path in self.dataset.dims_of(self.at(name))}
        coordinates = {dim: self.dataset[path] for dim, path in paths.items()
                       if dim not in self and path in self.dataset and self.dataset.dims_of(path) == (path,)}
        return {**coordinates, **{name: self[name] for name in names}}


def tree(group: Group, indent: str = "    ") -> list[str]:
    """The lines of its variables, and of its groups with theirs."""
    lines = [f"{indent}{name}({', '.join(group.dims_of(name))})" for name in group]
    for name, one in group.groups.items():
        lines += [f"{indent}{name}/", *tree(one, indent + "    ")]
    return lines
