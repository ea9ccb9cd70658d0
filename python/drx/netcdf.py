"""The package netCDF4 opens datasets and arrays by their paths, once it and drx are imported, in any order (docs/netcdf.md)."""

from __future__ import annotations

from drx.after_import import after_import


def register() -> None:
    """Tell the netCDF library that the process has of DRX. A private one, inside a wheel, stays as it is."""
    try:
        from drx import _netcdf
    except ImportError:  # built without netCDF
        return
    _netcdf.register()


after_import("netCDF4", register)
