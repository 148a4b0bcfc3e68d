"""What is said of a file that cannot be read, though nothing may be wrong with what is in it."""

from pathlib import Path


def says_nothing_of_content(error: BaseException) -> bool:
    """Whether an error is the system's, of rights, limits, locks, a disk or a server, and not of what was read.

    Those have a number. What HDF5 finds wrong with a content has none.
    """
    return isinstance(error, OSError) and bool(error.errno)


def cannot_be_read(path: Path, error: OSError) -> str:
    """The words for it: no advice to remove the file."""
    return (
        f"{path} cannot be read: {error.strerror or error}. Mend that and run the same command again; the file "
        "itself may well be whole"
    )
