"""Fit a mixture, find the axes of its components, and make the affine model that these axes give."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from pdgmm.errors import FitFailed
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.whitening import principal_whitening
from pdgmm.methods.component_axes.component_axes import ComponentAxes
from pdgmm.methods.component_axes.covariance_axes import covariance_axes
from pdgmm.models.affine_model import AffineModel
from pdgmm.seeds import child_generator, child_seed


def fit_axes(settings: ComponentAxes, data: Samples, run: Run) -> Fitted:
    """Whiten the code, fit the mixture, and rotate to the axes of its components; latents have variance 1.

    With one component there are no axes. Then the code is only whitened, and ``notes["identified"]`` says so.
    """
    x = data.array(settings.max_samples).astype(np.float64)
    whitening = principal_whitening(x, data.n_latents)
    white = (x - whitening.mean) @ whitening.matrix.T
    mixture = chosen_mixture(settings, white, run.seed)
    run.notes["components"] = len(mixture.weights_)
    run.notes["identified"] = len(mixture.weights_) > 1
    directions = np.eye(data.n_latents)
    if run.notes["identified"]:
        axes = covariance_axes(mixture.covariances_, mixture.weights_)
        run.notes["smallest_gap"] = axes.gap
        directions = axes.directions
    # White codes have the identity as covariance, so this gives every latent variance 1.
    directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    claims = {
        "mixture_weights": mixture.weights_,
        "mixture_means": mixture.means_ @ directions.T,
        "mixture_covariances": directions @ mixture.covariances_ @ directions.T,
    }
    return Fitted(AffineModel(whitening.mean, directions @ whitening.matrix), claims)


def chosen_mixture(settings: ComponentAxes, white: np.ndarray, seed: int) -> GaussianMixture:
    """The mixture with full covariances for whitened codes (samples, n), with as many components as asked for."""
    order = child_generator(seed, "held-out codes").permutation(len(white))
    cut = max(1, int(settings.held_out * len(white)))
    held_out, learned = white[order[:cut]], white[order[cut:]]
    counts = [settings.components] if settings.components else range(1, settings.most_components + 1)
    best, best_value = None, -np.inf
    for count in counts:
        mixture = GaussianMixture(
            count,
            n_init=settings.starts,
            reg_covar=1e-6,
            random_state=child_seed(seed, "mixture", count) % 2**32,
        )
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                value = mixture.fit(learned).score(held_out)
            except (ValueError, np.linalg.LinAlgError) as error:
                if settings.components:
                    raise FitFailed("failed", f"no mixture fits the code: {error}") from error
                continue
        if value > best_value:
            best, best_value = mixture, value
    if best is None:
        raise FitFailed("failed", f"no mixture fits the {len(white)} codes: give more samples")
    return best
