"""DICA in two stages: first a decoder, then the latents under which its influences are most diverse."""

from typing import Literal

from pydantic import Field

from pdgmm.errors import UserError
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.methods.gradient_training import BatchSize, Layers, LearningRate


class Dica(Method):
    """Diverse influence component analysis (arXiv 2510.17040) without its weights, warm-up and bound.

    An autoencoder learns to reconstruct the observations. Held-out samples decide whether it is better than principal
    components; if not, those are the decoder. Then only an invertible map of the code is learned, from the decoder's
    Jacobians at the samples: the linear map with the best criterion among many starts (see
    :mod:`pdgmm.methods.dica.sparse_columns`), and from there a flow, if asked for. The reconstruction stays the same.
    With the criterion ``l2`` it is independent mechanism analysis.

    Which criterion is right depends on the data, and the fit can tell: the rows found with ``row_l1`` either satisfy
    the condition of the theorem, or they do not.
    """

    ours = True

    steps: int = Field(3000, ge=1, description="Training steps of the autoencoder.")
    batch_size: BatchSize = 256
    units: Layers = Field(
        [64, 64], description="Hidden layers of the encoder, in units; the decoder mirrors them."
    )
    learning_rate: LearningRate = 3e-3
    criterion: Literal["auto", "l1", "row_l1", "l2"] = Field(
        "auto",
        description="What is small for the volume of the Jacobian: the L1 norm of each latent's column (l1), the "
        "largest L1 norm of a row (row_l1), as in DICA's theorem, or the L2 norm of each column (l2). auto: row_l1 "
        "if the rows that it finds nearly satisfy the theorem's condition, which is tested for up to 5 latents; "
        "otherwise l1.",
    )
    starts: int = Field(20, ge=1, description="Random starts of the linear map; the best one is kept.")
    sweeps: int = Field(200, ge=1, description="Sweeps over the columns of the linear map.")
    jacobians: int = Field(128, ge=1, description="Samples whose Jacobians the linear map is found from.")
    flow_steps: int = Field(
        0,
        ge=0,
        description="Training steps of a flow that starts as the linear map; 0: the linear map alone.",
    )
    max_samples: int = Field(100_000, ge=10, description="Most samples used; the first ones are taken.")

    def size(self) -> str:
        flow = f" + {self.flow_steps:,}" if self.flow_steps else ""
        return f"{self.steps:,}{flow} steps of {self.batch_size:,}, {'-'.join(map(str, self.units))} units"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.dica.dica_fitting import fit_dica

        if data.n_latents > data.x_dim:
            raise UserError(
                f"dica cannot find {data.n_latents} latents in {data.x_dim} dimensions: ask for fewer"
            )
        return fit_dica(self, data, run)
