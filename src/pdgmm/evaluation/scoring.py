"""The scores of one fit: every metric whose needs are available, on every held-out split."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pdgmm.errors import UserError
from pdgmm.evaluation import metrics
from pdgmm.evaluation.base import ScoredSplit

Arrays = Mapping[str, np.ndarray]

BEFORE_ROTATION = "_source"
"""Added to the name of a split for the scores against the latents before their rotation."""

APART = "_apart"
"""Added to the name of a split for the scores on images in which no ball hides another."""

LEAST_APART = 50
"""The fewest images without overlaps for which a separate score is computed."""


def score_fit(
    splits: Mapping[str, Arrays], world: Arrays, latents: Arrays, claims: Arrays
) -> dict[str, dict[str, Any]]:
    """Scores by their place: ``<split>``, ``<split>_source``, ``<split>_apart``, and the sections of metrics.

    ``splits[split]`` holds the true arrays of every held-out split: ``z`` (samples, n) and, if the latents were
    rotated, ``source``, those before the rotation; ``apart`` (samples,) marks images in which nothing is hidden;
    ``u`` (samples,) is the domain of every sample.
    ``world`` holds the true arrays of the whole dataset, and images that generated ones are compared with;
    ``latents[split]`` (samples, d) is the encoding of the split. A dataset without truth gives no other scores.
    """
    places: dict[str, ScoredSplit] = {}
    for split, truth in splits.items():
        if "z" not in truth:
            continue
        if split not in latents:
            raise UserError(f"the dataset has the split {split!r}, its encoding is missing: encode it again")
        z_hat = latents[split]
        known = {**world, **{name: truth[name] for name in ("z", "u") if name in truth}}
        places[split] = ScoredSplit(z_hat, known, claims)
        if "source" in truth:
            before = {**known, "z": truth["source"]}
            places[split + BEFORE_ROTATION] = ScoredSplit(z_hat, before, claims)
        if (apart := truth.get("apart")) is not None and apart.sum() >= LEAST_APART:
            places[split + APART] = ScoredSplit(z_hat[apart], {**world, "z": truth["z"][apart]}, claims)
    scores = {place: split_scores(split) for place, split in places.items()}
    # Metrics that are computed once per fit use the latents that were masked: those before the rotation.
    first = next(iter(splits))
    plain = places.get(first, ScoredSplit(latents[first], world, claims))
    masked = places.get(first + BEFORE_ROTATION, plain)
    once = [metric for metric in metrics() if metric.section and metric.runs_on(masked)]
    return scores | {metric.section: metric.scores(masked) for metric in once}


def between_fits(split: ScoredSplit) -> dict[str, dict[str, Any]]:
    """The scores of the metrics that compare a fit with others, by their section."""
    found: dict[str, dict[str, Any]] = {}
    for metric in metrics():
        if metric.compares_fits and metric.section and metric.runs_on(split):
            found.setdefault(metric.section, {}).update(metric.scores(split))
    return found


def split_scores(split: ScoredSplit) -> dict[str, Any]:
    """The scores of all metrics that are computed on every split."""
    running = [metric for metric in metrics() if not metric.section and metric.runs_on(split)]
    return {name: value for metric in running for name, value in metric.scores(split).items()}
