"""The splits of a dataset: groups of samples, one to learn from and others that are held out."""

import h5py

TRAIN = "train"
"""The split that methods learn from."""


def splits(file: h5py.File) -> list[str]:
    """Every group that holds observations ``x``: the training split first, the others by name."""
    found = [name for name, part in file.items() if isinstance(part, h5py.Group) and "x" in part]
    return sorted(found, key=lambda name: name != TRAIN)


def held_out(file: h5py.File) -> list[str]:
    """The splits that methods do not learn from."""
    return [name for name in splits(file) if name != TRAIN]
