"""VAEs with a standard normal prior and a penalty on the decoder: those that Zheng et al. (2026) compare."""

from typing import ClassVar, Literal

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.gradient_training import Layers
from pdgmm.methods.vae.vae_settings import VaeMethod


class Vae(VaeMethod):
    """A VAE with a standard normal prior: minimises ``E_q |x - g(z)|^2 + divergence_weight KL(q(z | x) || p(z))``.

    The squared error is that of a Gaussian likelihood with variance 1/2. The weight is that of Zheng et al. (2026).
    They leave out networks, steps and learning rate; 7,800 steps are 200 epochs of their 10,000 samples. The fit
    claims the decoder's Jacobian.
    """

    penalty: ClassVar[Literal["none", "sparse", "hessian", "orthogonal"]] = "none"
    """What is added to the loss, see :mod:`.penalties`."""

    steps: int = VaeMethod.changed("steps", 7800)
    encoder_units: Layers = VaeMethod.changed("encoder_units", [64, 64, 64])
    decoder_units: Layers = VaeMethod.changed("decoder_units", [64, 64, 64])
    slope: float = VaeMethod.changed("slope", 0.2)
    noise_variance: float = VaeMethod.changed("noise_variance", 0.5)
    divergence_weight: float = Field(0.05, ge=0, description="Weight of the divergence from the prior.")

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.ddl.penalised_fitting import fit_penalised

        return fit_penalised(self, data, run)


class DdlAsPublished(Vae):
    """Adds ``weight`` times the mean over samples of ``sum_ij |J_ij|``: the method of Zheng et al. (2026).

    J is the decoder's Jacobian at the posterior means. The paper prints the number of non-zero entries and says that
    it uses their absolute values.
    """

    penalty = "sparse"

    weight: float = Field(0.05, ge=0, description="Weight of the penalty.")


class HessianPenalty(Vae):
    """Adds ``weight`` times the Hessian penalty (Peebles et al., 2020): latents should not act on an output together.

    The penalty is the variance of the second difference of the decoder along two random signs, a distance of 0.1
    apart, and the largest over batch and outputs, as in their program. The differences also see the kinks of leaky
    ReLUs, whose second derivative is zero elsewhere.
    """

    penalty = "hessian"

    weight: float = Field(0.05, ge=0, description="Weight of the penalty.")


class Orojar(Vae):
    """Adds ``weight`` times the mean of ``sum_{j != k} (J_j . J_k)^2`` over the columns of the Jacobian.

    Wei et al. (2021): the directions in which single latents move the output should be orthogonal. They estimate the
    sum with random directions; with few latents it is computed exactly.
    """

    penalty = "orthogonal"

    weight: float = Field(
        0.05, ge=0, description="Weight of the penalty. The penalty is of fourth order in J."
    )
