"""All that a dataset file says."""

import h5py

from pdgmm.fitting.samples import Samples
from pdgmm.store import hdf5


def content_of(path):
    """All that a dataset file says, read with the project's own functions."""
    found = {}
    with hdf5.opened(path, "dataset") as file:
        for key in ("generator", "settings", "seed", "n_latents", "facts"):
            found[key] = hdf5.about(file, key)
        file.visititems(
            lambda name, item: found.update(
                {name: item[()].tobytes()} if isinstance(item, h5py.Dataset) else {}
            )
        )
    found["observations"] = Samples.from_file(path, 3).array().tobytes()
    return found
