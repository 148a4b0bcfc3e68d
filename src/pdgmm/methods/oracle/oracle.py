"""The method that is told the components and masks: a reference for methods that must infer them."""

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.methods.flow.flow import Flow


class Oracle(Method):
    """Maximises the likelihood with known components and masks, the setting of Xu et al. (2024).

    With A the active latents of a sample it maximises, over an invertible flow f and the parameters of p, the
    mean of ``log p(f(x)_A) + sum_{i not in A} log N(f(x)_i; c_i, e_i^2) + log |det df/dx|`` with a Gaussian p.
    The flow starts as the best affine map, which has a closed form: each latent is the direction along which
    the samples that mask it vary least.
    """

    told = ("masks", "component")

    steps: int | None = Field(
        None,
        ge=0,
        description="Training steps of the flow. null: 1000, and 50 more for each latent, at most 3000; "
        "0: the affine map alone.",
    )
    most_epochs: int = Flow.changed("most_epochs", 300)
    batch_size: int = Field(512, ge=2, description="Samples per step; all of them if there are fewer.")
    learning_rate: float = Flow.changed("learning_rate", 4e-3)
    gradient_clip: float = Flow.changed("gradient_clip", 20.0)
    blocks: int = Flow.changed("blocks", 8)
    width: int = Field(64, ge=1, description="Width of the two hidden layers of every coupling.")
    first_width: float = Field(
        0.3,
        gt=0,
        description="Smallest width of masked latents at the start, in standard deviations of active ones.",
    )
    last_width: float = Field(0.05, gt=0, description="Smallest width of masked latents at the end.")
    input_noise: float = Flow.changed("input_noise", 0.05)
    held_out_samples: int = Field(
        5_000, ge=1, description="Samples that choose between flow and affine map; at most a fifth of all."
    )
    max_samples: int = Flow.changed("max_samples", 1_000_000)
    most_dims_per_latent: int = Flow.changed("most_dims_per_latent", 4)

    def steps_for(self, n_latents: int) -> int:
        """The training steps for ``n_latents`` latents; with few samples the training is shorter."""
        return min(3000, 1000 + 50 * n_latents) if self.steps is None else self.steps

    def size(self) -> str:
        """How long the flow is trained."""
        if self.steps == 0:
            return "affine"
        steps = "1,000 + 50 n" if self.steps is None else f"{self.steps:,}"
        return f"{steps} steps of {self.batch_size:,}"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.oracle.oracle_fitting import fit_oracle

        return fit_oracle(self, data, run)
