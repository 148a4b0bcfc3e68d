"""R2 of the true latents from an affine map of the code: what the code has kept of them, whatever its own axes."""

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import checked_pair, standardised
from pdgmm.evaluation.set_identifiability import linear_r2


class AffineR2(Metric):
    """For data whose latents are determined up to an affine map; they say so by ``affine``.

    :func:`pdgmm.evaluation.r2.r2` predicts the code from the latents, as published, and depends on the axes of the
    code: two nearly equal learned latents count twice. This score predicts every true latent (samples, n) from all
    learned ones (samples, d), fitted on even and scored on odd rows. It is the same after any invertible affine map
    of the code. More learned than true latents can only help.
    """

    truth = frozenset({"z", "affine"})
    columns = (Column("affine_r2", "R² of the latents from an affine map of the code", on_every_split=True),)

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        z, z_hat = checked_pair(split.truth["z"], split.z_hat)
        return {"affine_r2": linear_r2(standardised(z_hat), standardised(z))}
