"""How probable are new rows with n latents and noise in every column?

A row is split by factor analysis into coordinates (n,) that hold the latents and others that are noise alone
(:mod:`pdgmm.analysis.diagnostics.factor_noise`). The first have the spike-and-slab density of an affine
:class:`pdgmm.estimator.PDGMM`, whose spikes are as wide as the noise, or a Gaussian one; the noise is Gaussian. All
are densities of whole rows, so that any two numbers of latents can be compared.

Real tables hold rows that no such density expects. To 5 % every density is a broad one, of independent columns with
heavy tails: whatever was fitted, a single row cannot cost more than it costs there plus ``log 20``.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.stats import multivariate_normal
from scipy.stats import t as student
from sklearn.exceptions import ConvergenceWarning

from pdgmm.analysis.diagnostics.factor_noise import fit_factors
from pdgmm.analysis.diagnostics.spikes import Marginals, spike_evidence
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM

BROAD, TAILS = 0.05, 3.0
"""Share of the broad density, and the degrees of freedom of its columns' Student distribution."""

GAUSSIAN = 0.01
"""Share of Gaussian latents in the density of those that rest: a fit that fails or degenerates can lose no more."""


class Likelihoods(NamedTuple):
    """Log-likelihoods (rows,) of the same rows under n latents that rest, and under n Gaussian ones."""

    resting: np.ndarray
    gaussian: np.ndarray
    rest: int
    """Of the latents that should rest, how many new rows confirm to do so."""


def held_out_likelihoods(
    train: np.ndarray, held_out: np.ndarray, n: int, *, starts: int, seed: int
) -> Likelihoods:
    """Fit n latents to ``train`` (rows, d) and score ``held_out`` (rows, d); columns have unit variance.

    With no ``starts`` only Gaussian latents are fitted, and both likelihoods are theirs.
    """
    covariance = np.atleast_2d(np.cov(train, rowvar=False, bias=True))
    factors = fit_factors(train.mean(axis=0), covariance, n)
    inside, _ = factors.project(train)
    new, noise = factors.project(held_out)
    covariance = np.cov(inside, rowvar=False, bias=True).reshape(n, n)
    gaussian = multivariate_normal(inside.mean(axis=0), covariance, allow_singular=True).logpdf(new) + noise
    broad = student.logpdf(held_out, TAILS).sum(axis=1)
    plain = _mixed((1 - BROAD, gaussian), (BROAD, broad))
    if not starts:
        return Likelihoods(plain, plain, 0)
    resting, rest = _resting(inside, new, starts, seed)
    mixed = _mixed((1 - GAUSSIAN - BROAD, resting + noise), (GAUSSIAN, gaussian), (BROAD, broad))
    return Likelihoods(mixed, plain, rest)


def _resting(train: np.ndarray, held_out: np.ndarray, starts: int, seed: int) -> tuple[np.ndarray, int]:
    """Log-densities (rows,) of spikes and slabs in the latents' coordinates (rows, n), and how many latents rest.

    -inf and none where no fit was found.
    """
    estimator = PDGMM(train.shape[1], nonlinear=False, starts=starts, random_state=seed)
    try:
        with warnings.catch_warnings():
            # A wrong number of latents is tried on purpose.
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = estimator.fit(train).score_samples(held_out)
    except UserError:
        return np.full(len(held_out), -np.inf), 0
    return np.where(np.isnan(found), -np.inf, found), _rest(estimator, train, held_out)


def _rest(estimator: PDGMM, train: np.ndarray, held_out: np.ndarray) -> int:
    """How many latents really rest at one value, as new rows tell."""
    latents = (estimator.transform(x) for x in (train, held_out))
    return sum(spike.present for spike in spike_evidence(Marginals.of(estimator), *latents))


def _mixed(*parts: tuple[float, np.ndarray]) -> np.ndarray:
    return np.logaddexp.reduce([np.log(share) + values for share, values in parts])


def without_steps(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """``x`` (rows, d) with every value moved by at most half a step of its column, at random.

    A column of counts or codes has a density without limit at its values. Moved so, its density is the probability of
    a value divided by the step (Theis, van den Oord and Bethge, 2016). The step is the median distance between
    neighbouring values, which for a measured column is next to nothing.
    """
    steps = np.array([np.median(np.diff(np.unique(column))) if np.ptp(column) else 0.0 for column in x.T])
    return x + steps * rng.uniform(-0.5, 0.5, x.shape)
