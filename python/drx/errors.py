"""What can go wrong, as Python says it."""


class FormatError(ValueError):
    """A file is not a DRX array, or is damaged."""


class BusyError(BlockingIOError):
    """The array is open for writing elsewhere."""


class MPIError(RuntimeError):
    """A call of MPI failed."""
