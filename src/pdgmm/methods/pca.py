"""Principal components: a baseline that any method should beat, and that is very stable between fits."""

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method


class Pca(Method):
    """The directions of largest variance, each scaled to unit variance. Learns nothing about independence."""

    uses_torch = False

    max_samples: int = Field(1_000_000, ge=2, description="Most samples used; the first ones are taken.")

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.fitting.whitening import principal_whitening
        from pdgmm.models.affine_model import AffineModel

        whitening = principal_whitening(data.array(self.max_samples), data.n_latents)
        return Fitted(AffineModel(whitening.mean, whitening.matrix))
