"""What can go wrong, as Python says it."""


class FormatError(ValueError):
    """A file is not a DRX array, or is damaged."""


class ChecksumError(FormatError):
    """A chunk does not match its checksum; the message names it. The other chunks can be read."""


class BusyError(BlockingIOError):
    """The array is open for writing elsewhere."""


class MPIError(RuntimeError):
    """A call of MPI failed."""
