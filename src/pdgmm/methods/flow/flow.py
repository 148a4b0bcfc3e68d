"""An invertible flow that straightens the mixing."""

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method


class FlowSettings(Method):
    """What the methods with a coupling flow have in common: its size and its training."""

    ours = True

    most_epochs: int = Field(
        300, ge=1, description="Most passes over the samples; with few samples this means fewer steps."
    )
    batch_size: int | None = Field(
        None,
        ge=2,
        description="Samples per step; all of them if there are fewer. null: 512, and 1024 for more than 20 "
        "latents.",
    )
    learning_rate: float = Field(4e-3, gt=0, description="Largest learning rate of Adam.")
    gradient_clip: float = Field(20.0, gt=0, description="Largest Euclidean norm of the gradient.")
    blocks: int = Field(
        16, ge=1, description="Number of blocks, each a dense layer, a coupling and a leaky slope."
    )
    width: int | None = Field(
        None,
        ge=1,
        description="Width of the two hidden layers of every coupling. null: 4 for each latent, from 64 to 256.",
    )
    held_out_samples: int = Field(
        5_000, ge=1, description="Samples that choose the state to keep; at most a fifth of all."
    )
    max_samples: int = Field(1_000_000, ge=10, description="Most samples used; all must fit in memory.")
    most_dims_per_latent: int = Field(
        4, ge=1, description="Most principal directions of the observations that are used, for each latent."
    )
    input_noise: float = Field(
        0.05, ge=0, description="Standard deviation of noise added to the whitened samples while training."
    )

    def batch_for(self, n_latents: int) -> int:
        """The samples per step for ``n_latents`` latents."""
        return self.batch_size or (512 if n_latents <= 20 else 1024)

    def width_for(self, n_latents: int) -> int:
        """The width of the couplings for ``n_latents`` latents."""
        return self.width or min(256, max(64, 4 * n_latents))


class Flow(FlowSettings):
    """Coupling flow that starts at the affine solution and maximises the likelihood under a spike-and-slab prior.

    Maximises ``mean log p(f(x)) + log |det df/dx|`` with ``p`` of
    :class:`pdgmm.methods.spike_slab.joint_slab.JointSlabPrior`. Samples in which a latent is masked lie on a bent
    hypersurface; a narrow spike asks ``f`` to make it straight. Where there are more observed than latent
    dimensions, the flow's further coordinates are pressed together. The state of the training with the best
    likelihood on held-out samples is kept, which may be the affine start itself.
    """

    steps: int | None = Field(
        None, ge=1, description="Training steps. null: 1000, and 25 more for each latent, at most 2000."
    )
    first_width: float = Field(
        0.3, gt=0, description="Smallest width of the spikes at the start, in slab scales."
    )
    last_width: float = Field(
        0.05, gt=0, description="Smallest width of the spikes at the end, in slab scales."
    )
    starts: int = Field(8, ge=1, description="Most random starts of the affine searches.")
    most_clustered_latents: int = Field(
        20,
        ge=0,
        description="With at most this many latents, a start from clusters is tried beside the race. 0: never.",
    )
    turns: int = Field(
        3, ge=0, description="How often the affine solution is searched again on the code during training."
    )
    mixture: float = Field(
        0.4,
        ge=0,
        description="Further steps under the mixture of the patterns found, as a share of `steps`. 0: none.",
    )

    def steps_for(self, n_latents: int) -> int:
        """The training steps for ``n_latents`` latents; with few samples the training is shorter."""
        return self.steps or min(2000, 1000 + 25 * n_latents)

    def size(self) -> str:
        """The steps, the samples in each, and the size of the flow."""
        steps = f"{self.steps:,}" if self.steps else "1,000 + 25 n"
        width = self.width or "4 n"
        batch = f"{self.batch_size:,}" if self.batch_size else "512 to 1,024"
        return f"{steps} steps of {batch}, {self.blocks} couplings of width {width}"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.flow.flow_fitting import fit_flow

        return fit_flow(self, data, run)
