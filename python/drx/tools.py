"""drx.check, drx.repair and drx.copy: whole arrays and datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from drx import _core, _tools, places
from drx.opening import Path, align_of, flags_of

SEVERITIES = "note", "warning", "error"  # drx_severity


class Finding(NamedTuple):
    """What a check found. A note is worth knowing; a warning is harmless, and the next open for writing mends it."""

    severity: Literal["note", "warning", "error"]
    text: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.text}"


def _examined(path, repair):
    path = _core.expanded(path)
    found = _tools.examine(path, places.has_dataset(path), repair)
    return [Finding(SEVERITIES[severity], text) for severity, text in found]


def check(path: Path) -> list[Finding]:
    """Verify everything in an array or a dataset that can be verified, and change nothing.

    Returns
    -------
    list of Finding
        Empty when all is well. Findings name the file and the offset, chunk or axis.

    Raises
    ------
    FileNotFoundError, PermissionError, drx.FormatError, NotImplementedError, OSError
        The check is incomplete.
    """
    return _examined(path, False)


def repair(path: Path) -> list[Finding]:
    """Mend an array or a dataset as far as that is certain, and then check it.

    Notes among the findings say what was done, and what could not be done and why.

    Raises
    ------
    drx.BusyError
        It is open for writing elsewhere.
    FileNotFoundError, PermissionError, drx.FormatError, NotImplementedError, OSError
    """
    return _examined(path, True)


def copy(source: Path, target: Path, *, chunks: Sequence[int] | None = None, order: Literal["C", "F"] | None = None,
         axes: Sequence[int | str] | None = None, align: int | Literal["auto"] = 0, memory: int | None = None,
         overwrite: bool = False, checksum: bool = False, keep_bits: int = 0, compression: str | None = None,
         level: int | None = None, shuffle: str | None = None) -> None:
    """Copy an array into other chunks, another order, or with its axes permuted.

    Where memory allows, every byte is read and written once. The copy gets its name when it is complete, and is durable on
    return; nothing is left behind when the call fails, or Ctrl-C ends it.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths of arrays. The source may be on a server.
    chunks : sequence of int, optional
        Extents of a chunk of the copy, in its axes; default: those of the source.
    order : 'C' or 'F', optional
        Of the elements inside chunks; default: that of the source.
    axes : sequence of int or str, optional
        Axis j of the copy is axis ``axes[j]`` of the source, a number or a name.
    align : int or "auto"
        As in drx.create; 0: that of the source.
    memory : int, optional
        Bytes that it may use for elements; default 512 MiB.
    overwrite : bool
        Replace an array of that name.
    checksum, compression, level, shuffle
        As in drx.create; those of the source do not count.
    keep_bits : int
        Round elements, as drx.keep_bits does; 0: copy them as they are.

    Raises
    ------
    FileExistsError, FileNotFoundError, PermissionError, drx.BusyError, drx.ChecksumError, ValueError, MemoryError, OSError
    """
    if order not in (None, "C", "F"):
        raise ValueError(f"order {order!r}, expected 'C' or 'F'")
    _tools.copy(_core.expanded(source), _core.expanded(target), chunks, order, axes, align_of(align), memory,
                flags_of(overwrite, False, False, checksum), keep_bits, (compression, level, shuffle))
