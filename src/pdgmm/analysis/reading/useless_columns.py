"""Columns that tell nothing: constant ones, and copies of another."""

import hashlib

import numpy as np

from pdgmm.analysis.wording import first_few


def useful_columns(values: np.ndarray, columns: list[str]) -> tuple[list[int], list[str]]:
    """Positions of the columns of ``values`` (rows, columns) worth keeping, and notes on the others."""
    notes = []
    constant = values.min(axis=0) == values.max(axis=0)
    if constant.any():
        names = first_few(f"{columns[at]!r} ({values[0, at]:g})" for at in np.flatnonzero(constant))
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
        notes.append(f"{len(copies)} duplicate columns were left out: {first_few(copies)}.")
    return list(kept.values()), notes
