"""Compare a method's latents with the truth."""

import json
from pathlib import Path
from typing import Any

import h5py

from pdgmm.evaluation.scoring import Arrays, score_fit
from pdgmm.store import hdf5
from pdgmm.store.checked_json import write_scores
from pdgmm.store.splits import MAIN, TRAIN, held_out, splits

MOST_IMAGES = 5000
"""Generated images are compared with at most this many."""


def score_run(dataset: Path, latents: Path, label_json: str, out: Path) -> None:
    """Write the scores of one run as JSON, with what a table must know about the run.

    For a failed fit the file holds its status and reason, and no scores. Data without truth give no scores but those
    of generated images.
    ``label_json`` holds ``method`` and ``size`` as tables show them. ``places`` is the order of ``scores``.
    """
    # The files are read one after the other, so that an error names the right file.
    with hdf5.opened(latents, "latents") as learned:
        status, reason = hdf5.about(learned, "status"), hdf5.about(learned, "reason")
        encoded = {split: learned[split]["z_hat"][()] for split in learned if "z_hat" in learned[split]}
        claims = _arrays(learned["claims"]) if "claims" in learned else {}
    with hdf5.opened(dataset, "dataset") as data:
        run: dict[str, Any] = {
            "dataset": dataset.parent.name,
            "settings": hdf5.about(data, "settings"),
            "seed": hdf5.about(data, "seed"),
            **json.loads(label_json),
            "status": status,
            "reason": reason,
            "places": [],
            "scores": {},
        }
        if status == "ok":
            truth = {split: _arrays(data[split], {"z", "source", "apart", "u"}) for split in held_out(data)}
            world = {**_arrays(data, set(data) - set(splits(data))), **_images(data)}
            run["scores"] = score_fit(truth, world, encoded, claims)
            run["places"] = list(run["scores"])
    write_scores(out, "scores", run)


def _images(data: h5py.File) -> Arrays:
    """Training and held-out images, if the dataset has small ones: what generated images are compared with."""
    if "picture_shape" not in (hdf5.about(data, "facts") if "facts" in data.attrs else {}):
        return {}
    wanted = {"training_images": TRAIN, "held_out_images": MAIN}
    return {name: data[split]["x"][:MOST_IMAGES] for name, split in wanted.items()}


def _arrays(group: h5py.Group, names: set[str] | None = None) -> Arrays:
    """All arrays of a group, or only those with the given names."""
    chosen = [name for name in group if names is None or name in names]
    return {name: group[name][()] for name in chosen if isinstance(group[name], h5py.Dataset)}
