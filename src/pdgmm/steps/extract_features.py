"""Between a network that reads images and the stages: its features as a dataset like any other."""

import json
from pathlib import Path

import h5py

from pdgmm.errors import FitFailed, UserError
from pdgmm.models.base import Encoder
from pdgmm.models.model_files import load_model
from pdgmm.steps.devices import prepared_device
from pdgmm.store import hdf5

BLOCK_ROWS = 2_000
"""Images encoded at a time: memory stays flat whatever the size of the dataset."""

OURS = ("format", "format_version", "kind")
"""Attributes that every file writes for itself."""


def extract_features(images: Path, model: Path, name: str, device: str, threads: int, out: Path) -> None:
    """Write the images' dataset anew, with features ``name`` of the network in folder ``model`` in place of ``x``."""
    try:
        encoder = load_model(model).usable()
        encoder.network.to(prepared_device(device, threads))
    except FitFailed as failure:
        raise UserError(f"{model}: the network that reads the images is not usable ({failure})") from failure
    with hdf5.opened(images, "dataset") as source:
        about = {key: json.loads(value) for key, value in source.attrs.items() if key not in OURS}
        about["settings"] |= {"features": name}
        # The rows are images no more.
        about["facts"] = {key: value for key, value in about["facts"].items() if key != "image_shape"}
        with hdf5.create(out, "dataset", about) as target:
            for name, part in source.items():
                if isinstance(part, h5py.Dataset):
                    hdf5.put(target, name, part[()])
                else:
                    _write_split(part, target, encoder)


def _write_split(split: h5py.Group, target: h5py.File, encoder: Encoder) -> None:
    name = split.name.removeprefix("/")
    for key, values in split.items():
        if key != "x":
            hdf5.put(target, f"{name}/{key}", values[()])
    rows = hdf5.rows(split.file, f"{name}/x")
    for begin in range(0, len(rows), BLOCK_ROWS):
        features = encoder.encode(rows[begin : begin + BLOCK_ROWS])
        if begin == 0:
            hdf5.extendable(target, f"{name}/x", (len(rows), features.shape[1]), features.dtype)
        target[f"{name}/x"][begin : begin + len(features)] = features
