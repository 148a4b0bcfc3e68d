"""Paths in commands that a message asks the user to run."""

from pathlib import Path


def quoted(path: Path) -> str:
    """The path as one word of a shell, always in quotes: people change what they paste."""
    return "'" + str(path).replace("'", r"'\''") + "'"
