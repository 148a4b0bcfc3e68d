"""The splits of a dataset file: ``train`` is learned from, all others are scored."""

import h5py

TRAIN = "train"


def splits(file: h5py.File) -> list[str]:
    """The groups that hold ``x``: ``train`` first, then the others in the order in which they were written."""
    found = [name for name in file if isinstance(file.get(name), h5py.Group) and "x" in file[name]]
    return sorted(found, key=lambda name: name != TRAIN)


def held_out(file: h5py.File) -> list[str]:
    """The splits that nothing is learned from."""
    return [name for name in splits(file) if name != TRAIN]
