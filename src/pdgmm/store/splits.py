"""The splits of a dataset, read from its file: every group that holds an array ``x`` is one."""

import h5py

TRAIN = "train"
"""The split that is learned from; all others are scored."""

MAIN = "test"
"""The held-out split that comes first where a dataset has it: more samples of the training distribution."""


def splits(file: h5py.File) -> list[str]:
    """The names of all splits: the one that is learned from, the main held-out one, then as the file has them."""
    names = [name for name, group in file.items() if isinstance(group, h5py.Group) and "x" in group]
    return sorted(names, key=lambda name: (name != TRAIN, name != MAIN))


def held_out(file: h5py.File) -> list[str]:
    """The names of the splits that are scored."""
    return [name for name in splits(file) if name != TRAIN]
