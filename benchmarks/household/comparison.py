"""What is compared with what every appliance really drew: columns of any method, and switches read off a study."""

import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.decomposition import PCA, FastICA
from sklearn.metrics import precision_recall_curve

from pdgmm import PDGMM
from pdgmm.analysis.fitting.saved_estimator import load_estimator
from pdgmm.evaluation.mcc import MatchResult, mcc

AFFINE_SEED = 0
"""Of FastICA and of the fits to other noise."""


@dataclass(frozen=True)
class Study:
    """What ``pdgmm fit`` left: ``latents`` (minutes, n), ``on`` of the same shape, ``trusted`` latents from 0 on."""

    latents: np.ndarray
    on: np.ndarray
    trusted: frozenset[int]
    answers: dict

    @classmethod
    def read(cls, folder: Path) -> "Study":
        answers = json.loads((folder / "diagnostics.json").read_text(encoding="utf-8"))
        latents = pd.read_csv(folder / "latents.csv").filter(like="latent_").to_numpy()
        trusted = {entry["latent"] - 1 for entry in answers["identified"]["latents"] if entry["trusted"]}
        on = switched_on(latents, load_estimator(folder / "fits" / "reference"))
        return cls(latents, on, frozenset(trusted), answers)


def switched_on(latents: np.ndarray, fit: PDGMM) -> np.ndarray:
    """(minutes, n): where the slab ``(1 - w) N(m, s^2)`` of the fitted density exceeds its spike ``w N(c, e^2)``."""
    spike = np.log(fit.spike_probability_) + norm.logpdf(latents, fit.spike_centre_, fit.spike_width_)
    slab = np.log1p(-fit.spike_probability_) + norm.logpdf(latents, fit.slab_mean_, fit.slab_scale_)
    return slab > spike


def standardised(meters: pd.DataFrame) -> np.ndarray:
    """Every meter with mean 0 and standard deviation 1, as ``pdgmm fit`` takes them."""
    return ((meters - meters.mean()) / meters.std(ddof=0)).to_numpy()


def fastica(x: np.ndarray, components: int) -> np.ndarray:
    """scikit-learn's, until it has converged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a last step that is a little longer than asked for
        return FastICA(
            components, whiten="unit-variance", max_iter=1000, random_state=AFFINE_SEED
        ).fit_transform(x)


def pca(x: np.ndarray, components: int) -> np.ndarray:
    """Principal components."""
    return PCA(components).fit_transform(x)


def affine_latents(x: np.ndarray, components: int) -> np.ndarray:
    """The latents of one fit as ``pdgmm fit --quick`` makes them: to rows in random order."""
    shuffled = np.random.default_rng(AFFINE_SEED).permutation(x)
    fit = PDGMM(components, nonlinear=False, reliability=False, random_state=AFFINE_SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fit.fit(shuffled).transform(x)


def best_f1(column: np.ndarray, on: np.ndarray) -> float:
    """The highest F1 of reading ``on`` (samples,) off a column with one threshold, on whichever side of it."""

    def of(values: np.ndarray) -> float:
        precision, recall, _ = precision_recall_curve(on, values)
        return float(np.max(2 * precision * recall / np.maximum(precision + recall, 1e-12)))

    return max(of(column), of(-column))


def mean_best_f1(columns: np.ndarray, on: np.ndarray, matched: MatchResult) -> float:
    """Mean over the appliances of ``on`` (samples, appliances), each with the column that it was matched to."""
    pairs = enumerate(matched.assignment)
    return float(
        np.mean([best_f1(columns[:, column], on[:, place]) for place, column in pairs if column >= 0])
    )


def match(appliances: pd.DataFrame, columns: np.ndarray) -> MatchResult:
    """Which column belongs to which appliance: the assignment with the highest correlations."""
    return mcc(appliances.to_numpy(), columns)
