"""Principal components after a linear map, as a model."""

import numpy as np

from pdgmm.fitting.whitening import Whitening
from pdgmm.models.affine_model import AffineModel


def turned_components(
    whitening: Whitening, linear: np.ndarray, scale: np.ndarray | float = 1.0
) -> AffineModel:
    """Latents ``linear^-1 z`` of the whitened principal components z of ``x / scale``, each scaled to variance 1."""
    unmixing = np.linalg.inv(linear)
    # White codes have the identity as covariance, so this gives every latent variance 1.
    unmixing /= np.linalg.norm(unmixing, axis=1, keepdims=True)
    return AffineModel(whitening.mean * scale, unmixing @ whitening.matrix / scale)
