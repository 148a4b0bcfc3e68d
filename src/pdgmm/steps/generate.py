"""Step 1: draw a dataset and write it as HDF5, block by block."""

import json
from pathlib import Path

import h5py
import numpy as np

import pdgmm
from pdgmm.data import generator_class
from pdgmm.data.base import World
from pdgmm.errors import UserError
from pdgmm.seeds import child_generator
from pdgmm.store import hdf5


def generate_dataset(generator: str, settings_json: str, seed: int, out: Path) -> None:
    """Draw the dataset of a generator with these settings (JSON) and ``seed``, and write it to ``out``."""
    settings = generator_class(generator).model_validate(json.loads(settings_json))
    world = settings.build(seed)
    structure = world.structure()
    about = {
        "generator": generator,
        "settings": settings.model_dump(mode="json") | {"samples": world.counts(settings.samples)},
        "seed": seed,
        "n_latents": world.n_latents,
        "facts": structure.facts,
        "pdgmm_version": pdgmm.__version__,
    }
    with hdf5.create(out, "dataset", about) as file:
        for name, array in structure.arrays.items():
            hdf5.put(file, name, array, hdf5.TRUTH)
        for split, count in world.counts(settings.samples).items():
            _write_split(file, split, count, world, seed)


def _write_split(file: h5py.File, split: str, count: int, world: World, seed: int) -> None:
    for block, begin in enumerate(range(0, count, world.block_rows)):
        rows = min(world.block_rows, count - begin)
        rng = child_generator(seed, "samples", split, block)
        for name, values in world.sample(split, rows, rng).items():
            path = f"{split}/{name}"
            if not np.isfinite(values).all():
                raise UserError(
                    f"{path} of this dataset has values that are not finite: its settings are too large for the "
                    "computer's numbers. Choose smaller ones"
                )
            if begin == 0:
                role = hdf5.OBSERVED if name in world.observed else hdf5.TRUTH
                hdf5.extendable(file, path, (count, *values.shape[1:]), np.asarray(values).dtype, role)
            file[path][begin : begin + rows] = values
