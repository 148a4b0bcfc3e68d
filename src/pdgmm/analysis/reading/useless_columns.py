"""Columns that tell nothing: constant ones, and copies of another."""

import hashlib

import numpy as np

from pdgmm.analysis.reading.source import listed


def useful_columns(values: np.ndarray, columns: list[str]) -> tuple[list[int], list[str]]:
    """Positions of the columns of ``values`` (rows, columns) worth keeping, and notes on the others."""
    notes = []
    constant = values.min(axis=0) == values.max(axis=0)
    if constant.any():
        names = listed(f"{columns[at]!r} ({values[0, at]:g})" for at in np.flatnonzero(constant))
        notes.append(f"{constant.sum()} constant columns were left out: {names}.")
    kept: dict[bytes, int] = {}
    copies = []
    for at in np.flatnonzero(~constant):
        # Plus 0: the two zeros are one number.
        digest = hashlib.sha256(values[:, at] + np.float32(0)).digest()
        if digest in kept:
            copies.append(f"{columns[at]!r} (the same as {columns[kept[digest]]!r})")
        kept.setdefault(digest, int(at))
    if copies:
        notes.append(f"{len(copies)} duplicate columns were left out: {listed(copies)}.")
    return list(kept.values()), notes
