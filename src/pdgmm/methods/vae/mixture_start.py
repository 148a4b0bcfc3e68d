"""Mixture priors and codes: mixtures fitted to codes start a prior, and a trained prior is what a fit claims."""

import warnings

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from pdgmm.errors import FitFailed
from pdgmm.methods.vae.mixture_priors import MixturePrior


def fitted_mixture(codes: np.ndarray, components: int, seed: int, starts: int = 1) -> GaussianMixture:
    """A mixture with diagonal covariances fitted to codes (samples, d): the likeliest of several ``starts`` of EM.

    Raises :class:`FitFailed` if that fails.
    """
    if not np.isfinite(codes).all():
        raise FitFailed("diverged", "codes were not finite when the mixture was started")
    mixture = GaussianMixture(components, covariance_type="diag", n_init=starts, random_state=seed % 2**32)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # A start need not be converged, and codes may coincide.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return mixture.fit(codes.astype(np.float64))
        except (ValueError, np.linalg.LinAlgError) as error:
            raise FitFailed("failed", f"no mixture fits the codes: {error}") from error


@torch.no_grad()
def mixture_claims(prior: MixturePrior) -> dict[str, np.ndarray]:
    """The claimed distribution of a fit's codes: weights (K,), means (K, d), covariances (K, d, d)."""
    arrays = {
        "mixture_weights": prior.log_weights().exp(),
        "mixture_means": prior.means,
        "mixture_covariances": torch.diag_embed(prior.log_variances.exp()),
    }
    return {name: array.double().cpu().numpy() for name, array in arrays.items()}


@torch.no_grad()
def em_step(prior: MixturePrior, mean: torch.Tensor, variance: torch.Tensor) -> None:
    """Set the mixture that maximises the bound for posteriors ``N(mean, diag variance)``, both (samples, d).

    With ``gamma_c`` proportional to ``pi_c exp E log p(z | c)``, the best ``q(c | x)`` for these posteriors:
    ``pi_c = mean gamma_c``, ``mu_c = sum gamma_c mean / sum gamma_c`` and
    ``s_c = sum gamma_c [(mean - mu_c)^2 + variance] / sum gamma_c``. A component that no sample belongs to stays.
    """
    expected = prior.log_weights() + prior.expected_log_density(mean, variance)
    gamma = torch.softmax(expected, dim=1).double()
    mean, variance = mean.double(), variance.double()
    mass = gamma.sum(dim=0)
    used = mass > 1e-3
    share = gamma / mass.clamp(min=1e-3)
    means = share.T @ mean
    squares = share.T @ (mean.square() + variance) - means.square()
    variances = squares.clamp(min=1e-8)
    prior.logits.copy_(torch.log((mass / mass.sum()).clamp(min=1e-8)))
    prior.means[used] = means[used].to(prior.means)
    prior.log_variances[used] = variances[used].log().to(prior.log_variances)
