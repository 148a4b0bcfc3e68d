"""The linear solution for several domains, also the start of the flow."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pdgmm.fitting.whitening import principal_whitening
from pdgmm.methods.domains.joint_diagonalisation import jointly_diagonalise
from pdgmm.methods.domains.sparse_mixing import sparsest_rotation

if TYPE_CHECKING:
    from pdgmm.methods.domains.nonstationary import Nonstationary


@dataclass(frozen=True)
class LinearDomains:
    """``z = (x - mean) weight^T``; ``weight`` is (n, x_dim), ``variances`` (U, n) those inside domains.

    ``gains`` (n,) is what each latent gains, in nats per sample, from moments of its own in every domain.
    ``effects`` (x_dim, n) is the change of each coordinate with a latent, both in standard deviations.
    """

    mean: np.ndarray
    weight: np.ndarray
    variances: np.ndarray
    gains: np.ndarray
    effects: np.ndarray
    converged: bool


def fit_linear(settings: "Nonstationary", x: np.ndarray, u: np.ndarray, n: int) -> LinearDomains:
    """The solution for samples ``x`` (samples, x_dim) of the domains ``u`` (samples,)."""
    whitening = principal_whitening(x, n)
    white = whitening.apply(x).astype(np.float64)
    shares, means, covariances = domain_moments(white, u)
    found = jointly_diagonalise(covariances, shares)
    unmixing, variances = found.unmixing, found.variances
    gains = gain_of_own_moments(means @ unmixing.T, variances, shares)
    block = np.flatnonzero(gains < settings.least_change)
    # The effect of a latent's deviation on every coordinate, in deviations of the coordinate.
    effects = whitening.inverse @ np.linalg.inv(unmixing) / np.maximum(x.std(axis=0), 1e-12)[:, None]
    if settings.sparse and len(block) > 1:
        # jointly_diagonalise gives latents the mean variance 1, so a rotation keeps the block white.
        rotation = sparsest_rotation(effects[:, block])
        unmixing[block] = rotation.T @ unmixing[block]
        effects[:, block] = effects[:, block] @ rotation
        variances = np.einsum("ij,ujk,ik->ui", unmixing, covariances, unmixing)
    weight = unmixing @ whitening.matrix
    return LinearDomains(whitening.mean, weight, variances, gains, effects, found.converged)


def domain_moments(x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares (U,), means (U, n) and covariances (U, n, n) of ``x`` (samples, n) in the domains ``u`` (samples,)."""
    groups = [x[u == domain] for domain in range(u.max() + 1)]
    shares = np.array([len(group) for group in groups]) / len(x)
    covariances = [np.cov(group.T, bias=True).reshape(x.shape[1], -1) for group in groups]
    return shares, np.stack([group.mean(axis=0) for group in groups]), np.stack(covariances)


def gain_of_own_moments(means: np.ndarray, variances: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """What Gaussian latents gain in log-likelihood per sample from moments of their own in every domain: (n,).

    ``1/2 [log v_i - sum_u p_u log v_ui]`` with ``v_i`` the variance over all domains; ``means`` and ``variances`` are
    (U, n), ``shares`` p (U,). It is 0 for a latent whose mean and variance are the same everywhere.
    """
    centre = shares @ means
    total = shares @ (variances + (means - centre) ** 2)
    return 0.5 * (np.log(total) - shares @ np.log(variances))
