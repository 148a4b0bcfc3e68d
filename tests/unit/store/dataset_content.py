"""All that a dataset file says."""

import h5py

from pdgmm.store import hdf5


def content_of(path):
    """All that a dataset file says, read with the project's own functions."""
    found = {}
    with hdf5.opened(path, "dataset") as file:
        hdf5.rows(file, "train/x")
        for key in ("generator", "settings", "seed", "n_latents", "facts"):
            found[key] = hdf5.about(file, key)
        file.visititems(
            lambda name, item: found.update(
                {name: item[()].tobytes()} if isinstance(item, h5py.Dataset) else {}
            )
        )
    return found
