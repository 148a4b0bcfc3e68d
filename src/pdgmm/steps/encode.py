"""Step 3: encode samples with a fitted method: held-out samples for scores, training samples for the next method."""

from pathlib import Path

import h5py
import numpy as np

from pdgmm.errors import FitFailed
from pdgmm.models.base import Model
from pdgmm.models.model_files import FittedModel, load_model
from pdgmm.store import hdf5
from pdgmm.store.splits import TRAIN, array_with_role, held_out

LEARNED = "learned_latents"
"""The note in which a model keeps how many latents it learned; the next method is asked for that many."""


def encode(model: Path, dataset: Path, before: Path | None, training: bool, out: Path) -> None:
    """Encode a dataset's samples with a model; write the codes, ``<split>/z_hat``, and the claims of its fit.

    ``before`` holds the codes of the previous method in the chain, to which the model was fitted; None if it was
    fitted to the dataset itself. ``training`` encodes the training split, otherwise all other splits are encoded. If
    the fit failed, or its codes are not finite, the file holds a status and a reason, and no codes.
    """
    fitted = load_model(model)
    try:
        # Checked first: the failure that the model records names the part of the chain that failed.
        fitted.usable()
        if before is not None:
            with hdf5.opened(before, "latents") as file:
                if (status := hdf5.about(file, "status")) != "ok":
                    raise FitFailed(status, hdf5.about(file, "reason"))
        _write(fitted, dataset, before, training, out)
    except FitFailed as failure:
        about = {"status": failure.status, "reason": failure.reason}
        with hdf5.create(out, "latents", about):
            pass


def _write(fitted: FittedModel, dataset: Path, before: Path | None, training: bool, out: Path) -> None:
    model = fitted.usable()
    with hdf5.opened(dataset, "dataset") as data:
        chosen = [TRAIN] if training else held_out(data)
        seen = {
            split: {name: array_with_role(data, split, name, hdf5.OBSERVED) for name in model.sees}
            for split in chosen
        }
        learned = fitted.notes.get(LEARNED, hdf5.about(data, "n_latents"))
    source, kind, array = (dataset, "dataset", "x") if before is None else (before, "latents", "z_hat")
    about = {"status": "ok", "reason": "", LEARNED: learned}
    with hdf5.create(out, "latents", about) as target, hdf5.opened(source, kind) as file:
        for split in chosen:
            _write_codes(target, split, model, hdf5.rows(file, f"{split}/{array}"), seen[split])
        for name, claim in fitted.claims.items():
            hdf5.put(target, f"claims/{name}", claim)


def _write_codes(
    target: h5py.File, split: str, model: Model, rows: h5py.Dataset, seen: dict[str, np.ndarray]
) -> None:
    """Encode and write block by block, so that neither the rows nor the codes need to fit into memory."""
    path = f"{split}/z_hat"
    for begin in range(0, len(rows), model.block_rows):
        part = slice(begin, begin + model.block_rows)
        block = rows[part].astype(np.float32, copy=False)
        codes = model.encode(block, **{name: values[part] for name, values in seen.items()})
        if not np.isfinite(codes).all():
            raise FitFailed("failed", f"the latents of the {split} samples are not finite")
        if not begin:
            hdf5.extendable(target, path, (len(rows), codes.shape[1]), codes.dtype)
        target[path][part] = codes
