"""Texts about files that several messages share."""

from pathlib import Path


def quoted(path: Path) -> str:
    """The path quoted for a shell; always with quotes, since people edit what they paste."""
    return "'" + str(path).replace("'", r"'\''") + "'"


def to_make_again(path: Path) -> str:
    """The advice for a file of the workflow that cannot be used."""
    return f"To make it again: rm {quoted(path)} and run the same command again"


def is_missing(path: Path) -> str:
    """The message for a missing file of the workflow."""
    return f"{path} does not exist: run snakemake to make it, or check the path"


def cannot_be_read(path: Path, error: OSError) -> str:
    """The message for a file that cannot be read but may be intact: it does not advise to remove the file."""
    return (
        f"{path} cannot be read: {error.strerror or error}. Mend that and run the same command again; the file "
        "itself may well be whole"
    )
