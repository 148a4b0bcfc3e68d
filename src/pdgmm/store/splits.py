"""The splits of a dataset, read from its file: every group that holds an array ``x`` is one."""

import h5py
import numpy as np

from pdgmm.errors import UserError
from pdgmm.store import hdf5

TRAIN = "train"
"""The split that is learned from; all others are scored."""

MAIN = "test"
"""The main held-out split, listed first if a dataset has it: more samples of the training distribution."""


def splits(file: h5py.File) -> list[str]:
    """The names of all splits: the training split, the main held-out one, then the others as in the file."""
    names = [name for name, group in file.items() if isinstance(group, h5py.Group) and "x" in group]
    return sorted(names, key=lambda name: (name != TRAIN, name != MAIN))


def held_out(file: h5py.File) -> list[str]:
    """The names of the splits that are scored."""
    return [name for name in splits(file) if name != TRAIN]


def array_with_role(file: h5py.File, split: str, name: str, role: str) -> np.ndarray:
    """An array of a split, or of the whole dataset, with this role; a :class:`UserError` if there is none."""
    found = next((file[path] for path in (f"{split}/{name}", name) if path in file), None)
    if found is None or hdf5.role(found) != role:
        words = "is not observed" if role == hdf5.OBSERVED else "is not in its truth"
        raise UserError(
            f"{file.filename}: {name!r} {words} ({split} samples), and the method needs it: take the method out of "
            f"the experiment, or give it data that have {name!r}"
        )
    return found[()]
