"""The identifiable VAE, for segments, and for classes as Kivva et al. (2022) compare with it."""

from typing import Literal

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.gradient_training import BatchSize, Layers, LearningRate
from pdgmm.methods.vae.vae_settings import VaeMethod


class Ivae(VaeMethod):
    """A VAE whose prior depends on a side variable u (segment, class): ``p(z | u) = N(mu_u, diag s_u)``.

    Khemakhem et al. (2020): with enough values of u whose variances differ, latents are identified up to order and
    scale. ``s_u`` is a table, which is all that a network of a category can be. The code is the mean of
    ``q(z | x, u)``, or of ``q(z | x)``.
    """

    sees = ("u",)

    steps: int = VaeMethod.changed("steps", 5000)
    encoder_units: Layers = VaeMethod.changed("encoder_units", [50, 50])
    decoder_units: Layers = VaeMethod.changed("decoder_units", [50, 50])
    slope: float = VaeMethod.changed("slope", 0.1)
    schedule: Literal["constant", "cosine", "linear"] = VaeMethod.changed("schedule", "cosine")
    encoder_sees_u: bool = Field(True, description="Whether the encoder also gets u.")
    learned_means: bool = Field(
        False, description="Whether the means of the prior depend on u; false: they are 0."
    )

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.domains.domain_rows import checked_domains
        from pdgmm.methods.vae.vae_fitting import fit_vae

        classes = int(checked_domains(data).max()) + 1
        run.notes["classes"] = classes
        model = fit_vae(
            self,
            data,
            run,
            prior={"kind": "conditional", "classes": classes, "learned_means": self.learned_means},
            classes=classes if self.encoder_sees_u else 0,
        )
        return Fitted(model)


class IvaeClasses(Ivae):
    """``ivae`` as Willetts and Paige (2021) and Kivva et al. (2022) train it on images: u is the class.

    ``q(z | x)`` does not see u, means and variances of the prior are tables, and pixels are drawn as 0 or 1 in every
    batch. Left out of their program: dropout, a learning rate that falls when the loss does not, and that pixels
    which hardly vary are not scored. Their 200 epochs of 60,000 images are 187,500 steps of 64.
    """

    published_sizes = ("steps", "batch_size", "encoder_units", "decoder_units")

    steps: int = Ivae.changed("steps", 187_500)
    batch_size: BatchSize = 64
    encoder_units: Layers = Ivae.changed("encoder_units", [500, 1000])
    decoder_units: Layers = Ivae.changed("decoder_units", [500, 500])
    slope: float = Ivae.changed("slope", 0.01)
    likelihood: Literal["gaussian", "bernoulli", "binarised"] = Ivae.changed("likelihood", "binarised")
    learning_rate: LearningRate = 5e-4
    schedule: Literal["constant", "cosine", "linear"] = Ivae.changed("schedule", "constant")
    encoder_sees_u: bool = Ivae.changed("encoder_sees_u", False)
    learned_means: bool = Ivae.changed("learned_means", True)
