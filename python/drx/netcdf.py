"""The package netCDF4 opens datasets and arrays by their paths, once it and drx are imported, in any order (docs/netcdf.md)."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType


def register() -> None:
    """Tell the netCDF library that the process has of DRX. A private one, inside a wheel, stays as it is."""
    try:
        from drx import _netcdf
    except ImportError:  # built without netCDF
        return
    _netcdf.register()


class Finder:
    """Stands first among the finders of modules until netCDF4 is imported; some only look for it before that."""

    looks = False

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "netCDF4" or cls.looks:
            return None
        cls.looks = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            cls.looks = False
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_register(module: ModuleType) -> None:
            load(module)
            sys.meta_path.remove(cls)
            register()

        spec.loader.exec_module = load_and_register
        return spec


if "netCDF4" in sys.modules:
    register()
else:
    sys.meta_path.insert(0, Finder)
