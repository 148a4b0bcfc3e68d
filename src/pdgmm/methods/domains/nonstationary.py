"""The linear method for several domains: one matrix that makes the latents uncorrelated in all of them."""

import numpy as np
from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method


class Nonstationary(Method):
    """Maximum likelihood of ``z = W x`` with Gaussian latents that are independent in every domain u.

    Minimises ``1/2 sum_u p_u sum_i log (W C_u W^T)_ii - log |det W|`` (Pham and Cardoso, 2001); ``C_u`` is
    the covariance inside domain u. Two domains have a closed form. Latents with the same mean and variance in all
    domains form an invariant block that the likelihood leaves undetermined up to a rotation: it is turned such that
    its columns of the mixing are sparsest. With more observed than latent dimensions, the directions of largest
    variance are used.
    """

    uses_torch = False
    sees = ("u",)

    max_samples: int = Field(1_000_000, ge=2, description="Most samples used; the first ones are taken.")
    least_change: float = Field(
        0.05,
        ge=0,
        description="Latents that gain less likelihood than this, in nats per sample, from a mean and a variance of "
        "their own in every domain count as invariant.",
    )
    sparse: bool = Field(
        True, description="Turn the invariant block such that its part of the mixing is sparsest."
    )

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.domains.domain_rows import checked_domains
        from pdgmm.methods.domains.linear_domains import fit_linear
        from pdgmm.models.affine_model import AffineModel

        u = checked_domains(data)[: self.max_samples]
        found = fit_linear(self, data.array(self.max_samples), u, data.n_latents)
        run.notes |= {
            "converged": found.converged,
            "gain_of_own_moments": found.gains.tolist(),
            "largest_variance_ratio": (found.variances.max(axis=0) / found.variances.min(axis=0)).tolist(),
        }
        return Fitted(AffineModel(found.mean, found.weight), {"jacobian": np.abs(found.effects)})
