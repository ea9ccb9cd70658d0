"""What is to be done once another package is imported, before or after drx."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType


class Finder:
    """The first finder of modules until the module is imported. A search without an import leaves it there."""

    def __init__(self, name: str, call: Callable[[], None]) -> None:
        self.name, self.call, self.looks = name, call, False

    def find_spec(self, name, path=None, target=None):
        if name != self.name or self.looks:
            return None
        self.looks = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.looks = False
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_call(module: ModuleType) -> None:
            load(module)
            sys.meta_path.remove(self)
            self.call()

        spec.loader.exec_module = load_and_call
        return spec


def after_import(name: str, call: Callable[[], None]) -> None:
    """Call it when the module has been imported: now, if it is there."""
    if name in sys.modules:
        call()
    else:
        sys.meta_path.insert(0, Finder(name, call))
