"""Principal components, turned and sheared until their loadings are sparse: the linear form of DICA."""

from typing import Literal

from pydantic import Field

from pdgmm.errors import UserError
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method


class L1Rotation(Method):
    """``x ~ mean + L u`` with the loadings L of smallest ``sum_j log |L_j|_1 - log det(L^T L) / 2``.

    The columns of L span the principal subspace of x. The criterion is DICA's for a linear decoder, without its
    scale; see :mod:`pdgmm.methods.dica.sparse_columns`. If every observation is a sum of functions of single latents,
    and each latent has one function up to its factor, this is all there is to learn.
    """

    uses_torch = False
    ours = True

    criterion: Literal["l1", "row_l1"] = Field(
        "l1",
        description="What is small for the volume of the loadings: the L1 norm of each latent's loadings (l1), or "
        "the largest L1 norm of an observation's loadings (row_l1), as in DICA's theorem.",
    )
    starts: int = Field(50, ge=1, description="Random starts; the one with the best criterion is kept.")
    sweeps: int = Field(200, ge=1, description="Sweeps over the columns of the map.")
    standardise: bool = Field(
        False,
        description="Give every observed coordinate variance 1 first. This changes the criterion, in which large "
        "coordinates count more.",
    )
    max_samples: int = Field(100_000, ge=2, description="Most samples used; the first ones are taken.")

    def size(self) -> str:
        return f"{self.starts} starts"

    def fit(self, data: Samples, run: Run) -> Fitted:
        import numpy as np

        from pdgmm.fitting.whitening import principal_whitening
        from pdgmm.methods.dica.sparse_columns import sparse_columns
        from pdgmm.methods.dica.turned_components import turned_components

        if data.n_latents > data.x_dim:
            raise UserError(
                f"l1_rotation cannot find {data.n_latents} latents in {data.x_dim} dimensions: ask for fewer"
            )
        x = data.array(self.max_samples)
        scale = x.std(axis=0, dtype=np.float64) if self.standardise else np.ones(data.x_dim)
        scale[scale == 0] = 1.0
        whitening = principal_whitening((x / scale).astype(np.float32), data.n_latents)
        maps, values = sparse_columns(
            whitening.inverse[None],
            self.criterion,
            starts=self.starts,
            sweeps=self.sweeps,
            seed=run.seed,
        )
        run.notes["criteria"] = values[:5].tolist()
        return Fitted(turned_components(whitening, maps[0], scale))
