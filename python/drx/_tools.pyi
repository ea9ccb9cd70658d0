"""Types of the binding (`_tools.pyx`)."""

from collections.abc import Sequence
from typing import Any

from drx._core import Compression, Path

def examine(path: Path, dataset: bool, repair: bool) -> list[tuple[int, str]]: ...
def copy(source: Path, target: Path, chunks: Sequence[int] | None, order: str | None, axes: Sequence[int] | None,
         align: int, memory: int | None, flags: int, keep_bits: int, compression: Compression) -> None: ...
