"""Step 4: compare a method's latents with the truth."""

import json
from pathlib import Path

import numpy as np

from pdgmm.evaluation.scoring import SCORED_SPLITS, per_ball, score_splits
from pdgmm.evaluation.supports import support_scores
from pdgmm.store import hdf5
from pdgmm.store.scores import write_scores


def score_run(dataset: Path, latents: Path, label_json: str, out: Path) -> None:
    """Write the scores of one run as JSON, with what a table must know of the run.

    A fit that failed gives a file with its status and reason, and no scores.
    ``label_json`` holds ``method`` and ``size``, the words for it in the tables.
    """
    label = json.loads(label_json)
    # One file after the other: an error while reading then names the file that it is in.
    with hdf5.opened(latents, "latents") as learned:
        status, reason = hdf5.about(learned, "status"), hdf5.about(learned, "reason")
        encoded = {split: learned[f"{split}/z_hat"][()] for split in SCORED_SPLITS if split in learned}
        found = [learned[f"supports/{name}"][()] for name in ("active", "weights") if "supports" in learned]
    with hdf5.opened(dataset, "dataset") as data:
        run = {
            "dataset": dataset.parent.name,
            "settings": hdf5.about(data, "settings"),
            "seed": hdf5.about(data, "seed"),
            "method": label["method"],
            "size": label["size"],
            "status": status,
            "reason": reason,
            "scores": {},
        }
        if status == "ok":
            splits = [split for split in SCORED_SPLITS if split in data and "z" in data[split]]
            truth = {
                split: {
                    name: data[split][name][()] for name in ("z", "source", "apart") if name in data[split]
                }
                for split in splits
            }
            encoded = {split: encoded[split] for split in splits if split in encoded}
            blocks = data["blocks"][()] if "blocks" in data else None
            # A user's own data have no truth.
            run["scores"] = score_splits(truth, encoded, blocks) if splits else {}
            if "places" in data:
                run["scores"] = {split: found | per_ball(found) for split, found in run["scores"].items()}
            if found and "masks" in data:
                # Supports belong to the latents that were masked: those before the rotation, where there is one.
                matched = run["scores"].get("test_source", run["scores"]["test"])["assignment"]
                run["scores"]["supports"] = support_scores(data["masks"][()], *found, np.array(matched))
    write_scores(out, "scores", run)
