"""Words about files that several messages share."""

from pathlib import Path


def quoted(path: Path) -> str:
    """The path as one word of a shell, always in quotes: people change what they paste."""
    return "'" + str(path).replace("'", r"'\''") + "'"


def to_make_again(path: Path) -> str:
    """What to do about a file of the workflow that cannot be used."""
    return f"To make it again: rm {quoted(path)} and run the same command again"


def is_missing(path: Path) -> str:
    """What is said of a file of the workflow that is not there."""
    return f"{path} does not exist: run snakemake to make it, or check the path"


def cannot_be_read(path: Path, error: OSError) -> str:
    """What is said of a file whose content may be whole: no advice to remove it."""
    return (
        f"{path} cannot be read: {error.strerror or error}. Mend that and run the same command again; the file "
        "itself may well be whole"
    )
