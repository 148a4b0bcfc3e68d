"""A baseline: variational deep embedding, pretrained and with a linear output, and as the paper ran it."""

from typing import Literal

from pydantic import Field

from pdgmm.errors import UserError
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.methods.gradient_training import BatchSize, GradientClip, Layers, LearningRate, Schedule


class Vade(Method):
    """A variational autoencoder with a Gaussian mixture as prior, as in Jiang et al. (2017).

    Maximises the evidence lower bound of ``p(x) = sum_c pi_c int N(z; mu_c, s_c) N(x; g(z), noise_variance) dz``
    with ``q(z | x)`` Gaussian and ``q(c | x) = p(c | z)`` at a sampled z, see :mod:`pdgmm.methods.vae`. The code is
    the mean of ``q(z | x)``. The networks are pretrained as an autoencoder, whose codes are clustered to start the
    mixture. Identifiable up to an affine map for non-degenerate mixtures (Kivva et al., 2022): potentially
    degenerate ones are outside its assumptions.
    """

    pretraining_steps: int = Field(
        1000,
        ge=0,
        description="Steps of pretraining as an autoencoder. 0: none, and the mixture starts with random variances.",
    )
    steps: int = Field(2000, ge=1, description="Steps on the evidence lower bound, after pretraining.")
    batch_size: BatchSize = 256
    hidden_units: Layers = Field(
        [128, 128, 256],
        description="Hidden layers of the encoder, in units (not multiples of the number of latents).",
    )
    decoder_units: Layers | None = Field(
        None,
        description="Hidden layers of the decoder, in units, starting at the code. null: the encoder's, mirrored.",
    )
    slope: float = Field(0.02, ge=0, le=1, description="Slope of the leaky ReLU below zero. 0: ReLU.")
    components: int | None = Field(
        None, ge=1, description="Components of the mixture. null: five times the number of latents."
    )
    decoder_output: Literal["linear", "sigmoid"] = Field(
        "linear", description="What follows the decoder's last layer: nothing, or a sigmoid."
    )
    noise_variance: float = Field(
        0.01,
        gt=0,
        description="Variance of the decoder's Gaussian likelihood, the same for every coordinate.",
    )
    standardise: bool = Field(
        True, description="Give every coordinate of the input mean 0 and variance 1; false: do not."
    )
    mixture_samples: int = Field(
        20_000,
        ge=1,
        description="Most samples whose pretrained codes start the mixture; the first ones are used.",
    )
    mixture_starts: int = Field(
        1, ge=1, description="Starts of EM on these codes; the mixture begins at the likeliest result."
    )
    mixture_update: Literal["gradient", "em"] = Field(
        "gradient",
        description="How the mixture is learned after its start: by Adam, together with the networks, or by EM steps "
        "on the codes of `mixture_samples` samples, which needs pretraining.",
    )
    em_every: int = Field(25, ge=1, description="Training steps between two EM steps.")
    learning_rate: LearningRate = 1e-3
    schedule: Schedule = "cosine"
    gradient_clip: GradientClip = None

    def components_for(self, n_latents: int) -> int:
        """The number of components for ``n_latents`` latents."""
        return self.components or 5 * n_latents

    def size(self) -> str:
        """The steps of both phases, the samples in each, the networks and the mixture."""
        steps = (
            f"{self.pretraining_steps:,} + {self.steps:,}" if self.pretraining_steps else f"{self.steps:,}"
        )
        units = f", {'-'.join(map(str, self.hidden_units))} units" if self.hidden_units else ""
        return f"{steps} steps of {self.batch_size:,}{units}, {self.components or '5 n'} components"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.vade.vade_fitting import fit_vade

        if self.mixture_update == "em" and not self.pretraining_steps:
            raise UserError(
                "vade: `mixture_update: em` needs a mixture that its codes start, set `pretraining_steps` above 0"
            )
        return fit_vade(self, data, run)


class VadeAsPublished(Vade):
    """VaDE as Xu, Lachapelle and Magliacane (2026) ran it: no pretraining, and a decoder that ends in a sigmoid.

    The codes of stage 1 have mean zero, so a decoder with values in (0, 1) cannot reconstruct their lower half.
    A plain sum of squared errors is the likelihood with ``noise_variance`` 1/2. The paper does not state the batch
    size: 6,144 is that of its other stages.
    """

    published_sizes = ("steps", "batch_size", "hidden_units")

    pretraining_steps: int = Vade.changed("pretraining_steps", 0)
    steps: int = Vade.changed("steps", 5001)
    batch_size: int = Field(
        6144,
        ge=2,
        description="Samples per step; all of them if there are fewer. The paper does not state it for this "
        "baseline, but its other stages use 6144.",
    )
    hidden_units: Layers = Vade.changed("hidden_units", [512, 512, 2048])
    slope: float = Vade.changed("slope", 0.0)
    decoder_output: Literal["linear", "sigmoid"] = Vade.changed("decoder_output", "sigmoid")
    noise_variance: float = Vade.changed("noise_variance", 0.5)
    standardise: bool = Vade.changed("standardise", False)
    learning_rate: LearningRate = 1e-4
    schedule: Schedule = "constant"


class VadeKivva(Vade):
    """VaDE as Kivva et al. (2022) train it on clusters in the plane: 15 epochs of pretraining, then 20 on the bound.

    With 5,000 samples in batches of 100 these are 750 and 1,000 steps. The paper states the layers, the leaky ReLUs
    and the epochs; batch size and learning rate are the defaults of the program that it names. Its likelihood and
    number of components are not stated: here a Gaussian one on standardised data and three components, one a cluster.
    A noise variance of 0.03 is not stated either: held-out samples of the pinwheel have a higher bound with it than
    with 0.1. The mixture starts at the best of ten fits to the codes: with a single one, some trainings end with two
    components on one cluster. The program's learning rate falls by a tenth after every 10 epochs; here it is
    constant.
    """

    published_sizes = ("pretraining_steps", "steps", "batch_size", "hidden_units", "decoder_units")

    pretraining_steps: int = Vade.changed("pretraining_steps", 750)
    steps: int = Vade.changed("steps", 1000)
    batch_size: BatchSize = 100
    hidden_units: Layers = Vade.changed("hidden_units", [64, 512, 64])
    decoder_units: Layers | None = Vade.changed("decoder_units", [64, 512])
    slope: float = Vade.changed("slope", 0.01)
    components: int | None = Vade.changed("components", 3)
    mixture_starts: int = Vade.changed("mixture_starts", 10)
    noise_variance: float = Vade.changed("noise_variance", 0.03)
    learning_rate: LearningRate = 2e-3
    schedule: Schedule = "constant"
