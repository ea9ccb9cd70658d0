"""xarray's accessor ``ds.drx``, as in ``ds.drx.save("weather")``. Both packages may be imported in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drx.after_import import after_import
from drx.opening import Path

if TYPE_CHECKING:
    import xarray as xr


class Accessor:
    """Stores a dataset or an array of xarray."""

    def __init__(self, data: xr.Dataset | xr.DataArray) -> None:
        self._data = data

    def save(self, folder: Path, **options: Any) -> Any:
        """`drx.save_dataset` of it, with the same options."""
        from drx.datasets import save_dataset

        return save_dataset(self._data, folder, **options)

    def append(self, folder: Path, dim: str, **options: Any) -> int:
        """`drx.append_dataset` of it, with the same options."""
        from drx.datasets import append_dataset

        return append_dataset(self._data, folder, dim, **options)


def register() -> None:
    """Give the datasets and arrays of xarray the accessor."""
    import xarray as xr

    xr.register_dataset_accessor("drx")(Accessor)
    xr.register_dataarray_accessor("drx")(Accessor)


after_import("xarray", register)
