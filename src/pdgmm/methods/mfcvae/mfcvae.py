"""The multi-facet clustering VAE, as Kivva et al. (2022) train it on images."""

from typing import Literal

from pydantic import Field

from pdgmm.errors import UserError
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.gradient_training import BatchSize, Layers, LearningRate
from pdgmm.methods.vae.vae_settings import VaeMethod


class Mfcvae(VaeMethod):
    """A VAE whose code is cut into facets, each with a Gaussian mixture as prior (Falck et al., 2021).

    Maximises ``E_q [log p(x | z) + sum_j log p_j(z_j) - log q(z | x)]`` with one draw a sample, which is what their
    loss over components is (:class:`pdgmm.methods.vae.mixture_priors.FacetPrior`). As in their program the means
    start at those of a mixture of the untrained encoder's codes, with small variances. All facets are trained
    together; with one facet, as here, their stepwise training is the same. The defaults are the first architecture of
    Kivva et al. (2022); 200 epochs of 60,000 images are 23,400 steps of 512.
    """

    published_sizes = ("steps", "batch_size", "encoder_units", "decoder_units", "components")

    steps: int = VaeMethod.changed("steps", 23_400)
    batch_size: BatchSize = 512
    encoder_units: Layers = VaeMethod.changed("encoder_units", [500, 1000])
    decoder_units: Layers = VaeMethod.changed("decoder_units", [500, 500])
    likelihood: Literal["gaussian", "bernoulli", "binarised"] = VaeMethod.changed("likelihood", "bernoulli")
    learning_rate: LearningRate = 5e-4
    components: int = Field(25, ge=1, description="Components of the mixture of every facet.")
    facets: int = Field(1, ge=1, description="Number of equal parts of the code, each with its own mixture.")
    start_variance: float = Field(0.01, gt=0, description="Variance of every component before training.")
    mixture_samples: int = Field(
        20_000, ge=2, description="Most samples whose codes start the mixtures; the first ones are used."
    )

    def size(self) -> str:
        """As that of all VAEs, with the mixture."""
        return f"{super().size()}, {self.components} components"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.mfcvae.mfcvae_fitting import fit_mfcvae

        if data.n_latents % self.facets:
            raise UserError(
                f"mfcvae cannot cut {data.n_latents} latents into {self.facets} equal facets: change `facets`"
            )
        if min(data.n_samples, self.mixture_samples) < self.components:
            raise UserError(
                f"mfcvae cannot start {self.components} components from {data.n_samples} samples: set "
                "`components` lower, or `mixture_samples` higher where there are more"
            )
        return fit_mfcvae(self, data, run)


class MfcvaeRelu(Mfcvae):
    """``mfcvae`` with ReLUs instead of leaky ones; the paper tries both."""

    slope: float = Mfcvae.changed("slope", 0.0)
