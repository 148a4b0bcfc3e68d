"""Where the mixture starts after pretraining: a Gaussian mixture of the pretrained codes."""

import warnings

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from pdgmm.errors import FitFailed
from pdgmm.methods.vade.vade_model import VadeModel
from pdgmm.models.network_model import BATCH_ROWS


@torch.no_grad()
def start_mixture(model: VadeModel, x: np.ndarray, *, noise_variance: float, seed: int) -> None:
    """Fit a mixture with diagonal covariances to the codes of raw samples ``x``; start prior and posterior there.

    A standardised sample with noise of variance ``noise_variance`` has a code with noise of about that share of
    the codes' own variance: this is where ``q(z | x)`` starts. The components of the prior are wider than those
    of the codes, the means of ``q(z | x)``, by the same. Depends on nothing but the arguments.
    """
    device = model.input_mean.device
    codes = torch.cat(
        [
            model.posterior(model.standardised(rows.to(device)))[0].cpu()
            for rows in torch.from_numpy(x).split(BATCH_ROWS)
        ]
    ).double()
    if not torch.isfinite(codes).all():
        raise FitFailed("diverged", "codes were not finite after pretraining")
    variances = noise_variance * codes.var(dim=0, correction=0)
    # A code that is constant would have a log variance of minus infinity.
    variances = variances.clamp(min=torch.finfo(torch.float32).eps)
    mixture = _fitted_mixture(codes.numpy(), len(model.prior.logits), seed)
    prior = model.prior
    prior.logits.copy_(torch.from_numpy(np.log(mixture.weights_)))
    prior.means.copy_(torch.from_numpy(mixture.means_))
    prior.log_variances.copy_((torch.from_numpy(mixture.covariances_) + variances).log())
    model.start_posterior(variances.to(device, torch.float32))


def _fitted_mixture(codes: np.ndarray, components: int, seed: int) -> GaussianMixture:
    mixture = GaussianMixture(components, covariance_type="diag", random_state=seed % 2**32)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # A start need not have converged, and codes may coincide.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return mixture.fit(codes)
        except (ValueError, np.linalg.LinAlgError) as error:
            raise FitFailed("failed", f"no mixture fits the pretrained codes: {error}") from error
