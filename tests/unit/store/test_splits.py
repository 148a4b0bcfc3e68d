"""Splits are read from the file."""

import numpy as np

from pdgmm.store import hdf5
from pdgmm.store.splits import held_out, splits


def test_train_comes_first_and_the_others_as_they_were_written(tmp_path):
    with hdf5.create(tmp_path / "d.h5", "dataset", {}) as file:
        for name in ("masks", "unmasked/x", "unmasked/z", "train/x", "a/x", "scm/weights", "without/z"):
            hdf5.put(file, name, np.ones((2, 2)))
    with hdf5.opened(tmp_path / "d.h5", "dataset") as file:
        assert splits(file) == ["train", "unmasked", "a"]
        assert held_out(file) == ["unmasked", "a"]
